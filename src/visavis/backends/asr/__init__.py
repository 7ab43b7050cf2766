"""Backends for speech recognition."""
