"""Backends for echo cancellation."""
