"""Backends for pictures as files."""
