"""Backends for the meaning of texts as vectors."""
