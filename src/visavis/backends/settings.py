"""What a bundle's settings say, read with the kind and the bounds that each must have.

Takes the settings of `Options`; gives typed values. Invariant: what comes out is within its bounds,
and what is not is a `BundleError` that names the backend, the key, the value and what is allowed.
Does not know which keys there are: each backend asks for its own, others are left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from visavis.flow.errors import BundleError

REMEDY = "correct it in the settings of the bundle"
MOST_THREADS = 256
MOST_CONTEXT_TOKENS = 1 << 24
MOST_RATE_HZ = 384_000
MOST_SEED = 2**63 - 1
SPEEDS = (0.25, 4.0)
"""Of a voice. At a thousandth of its speed a sentence takes gigabytes; nobody follows four times
the speed."""
_SHOWN = 60


class Settings:
    """The settings of one backend, such as "tts/piper"; or what else a bundle says, in a file."""

    def __init__(self, whose: str, given: Mapping[str, Any], remedy: str = REMEDY) -> None:
        self._whose, self._given, self._remedy = whose, given, remedy

    def whole(self, key: str, default: int, least: int, most: int) -> int:
        """A whole number from `least` to `most`."""
        value = self._given.get(key, default)
        if type(value) is not int or not least <= value <= most:
            raise self._refusal(key, value, f"a whole number from {least} to {most}")
        return value

    def number(self, key: str, default: float, least: float, most: float) -> float:
        """A number from `least` to `most`; no NaN."""
        value = self._given.get(key, default)
        if type(value) not in (int, float) or not least <= value <= most:
            raise self._refusal(key, value, f"a number from {least:g} to {most:g}")
        return float(value)

    def flag(self, key: str, default: bool) -> bool:
        value = self._given.get(key, default)
        if not isinstance(value, bool):
            raise self._refusal(key, value, "true or false")
        return value

    def text(self, key: str, default: str = "", among: tuple[str, ...] = ()) -> str:
        """A text; one of `among`, if there are any."""
        value = self._given.get(key, default)
        if not isinstance(value, str) or (among and value not in among):
            allowed = " or ".join(map(repr, among)) if among else "a text"
            raise self._refusal(key, value, allowed)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, empty if there is none."""
        value = self._given.get(key, ())
        if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
            raise self._refusal(key, value, "a list of texts")
        return tuple(value)

    def table(self, key: str) -> dict[str, Any]:
        """A table, empty if there is none."""
        value = self._given.get(key, {})
        if not isinstance(value, Mapping):
            raise self._refusal(key, value, "a table")
        return dict(value)

    def _refusal(self, key: str, value: object, allowed: str) -> BundleError:
        shown = repr(value)
        shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
        return BundleError(f"{self._whose}: {key} = {shown}", f"is not {allowed}", self._remedy)
