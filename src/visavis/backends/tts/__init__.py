"""Backends for text to speech."""
