"""Backends for end of turn from audio."""
