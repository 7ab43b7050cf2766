"""The configuration's file, where it cannot be used."""

from __future__ import annotations

from visavis.flow.errors import InputError
from visavis.verbs.health.check import Check


def broken(error: InputError) -> Check:
    """A problem, since no other verb runs before it is mended."""
    value = f"{error.subject}: {error.problem}; what follows is without it"
    return Check("configuration", "file", "problem", value, f"in {error.subject}: {error.remedy}")
