"""Backends for language models."""
