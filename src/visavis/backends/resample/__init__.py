"""Backends for sample-rate conversion."""
