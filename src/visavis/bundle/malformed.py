"""The complaint of a structure check; verify.py adds the file's name and the remedy to it."""

from __future__ import annotations


class Malformed(ValueError):
    """A file is not what it should be; the text continues a sentence that began with its name."""
