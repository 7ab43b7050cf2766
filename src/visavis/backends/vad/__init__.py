"""Backends for voice activity."""
