"""Backends for reading the writing in a picture."""
