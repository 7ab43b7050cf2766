"""A TOML table read key by key, so that each error can name its file and its key.

Takes a parsed table. Gives typed values; raises `BundleError` for a key that is missing, of the
wrong type, out of bounds, or (by `finish`) unknown. Knows nothing of what the keys mean.
"""

from __future__ import annotations

import re
from typing import Any

from visavis.flow.errors import BundleError

# One line of text that can be printed as it is: no control characters, no reordering of text.
LINE = r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]{0,1000}"
_MISSING = object()


class Table:
    """A table of the file `name` at the dotted `path`; every key is taken once."""

    def __init__(self, name: str, path: str, data: dict[str, Any]) -> None:
        self._name, self._path, self._rest = name, path, dict(data)

    def has(self, key: str) -> bool:
        """Whether the key is there and has not been taken."""
        return key in self._rest

    def text(self, key: str, pattern: str, *, default: str | None = None) -> str:
        """A string that matches `pattern` entirely; an empty one counts as missing."""
        value = self._take(key, default)
        if not isinstance(value, str):
            raise self.error(key, "must be a string")
        if value != default and not (value and re.fullmatch(pattern, value)):
            raise self.error(key, f"{_short(value)} is not a valid value")
        return value

    def texts(self, key: str, pattern: str, limit: int = 128) -> tuple[str, ...]:
        """A list of strings that each match `pattern`; empty when the key is missing."""
        values = self._list(key, limit, default=[])
        for value in values:
            if not isinstance(value, str) or not re.fullmatch(pattern, value):
                raise self.error(key, f"{_short(value)} is not a valid value")
        return tuple(values)

    def text_or_texts(self, key: str, limit: int) -> tuple[str, ...]:
        """One string, or a list of at least one."""
        if isinstance(self._rest.get(key), str):
            return (self.text(key, LINE),)
        values = self.texts(key, LINE, limit)
        if not values:
            raise self.error(key, "is missing")
        return values

    def whole(self, key: str, least: int, most: int) -> int:
        """A whole number in [least, most]."""
        value = self._take(key)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise self.error(key, f"must be a whole number from {least} to {most}")
        return value

    def table(self, key: str, *, optional: bool = False) -> Table:
        """The table under `key`; an empty one when it is optional and missing."""
        value = self._take(key, {} if optional else None)
        if not isinstance(value, dict):
            raise self.error(key, "must be a table")
        return Table(self._name, self._at(key), value)

    def tables(self, key: str, limit: int, *, optional: bool = False) -> list[Table]:
        """The array of tables under `key`, at least one; empty when it is optional and missing."""
        if optional and key not in self._rest:
            return []
        values = self._list(key, limit)
        if not values or not all(isinstance(value, dict) for value in values):
            raise self.error(key, "must be an array of tables, at least one")
        return [Table(self._name, f"{self._at(key)}[{i}]", v) for i, v in enumerate(values)]

    def take_all(self) -> dict[str, Any]:
        """The whole table as it is."""
        values, self._rest = self._rest, {}
        return values

    def finish(self) -> None:
        """Refuses keys that nobody took: a misspelt key must not pass as absent."""
        for key in self._rest:
            raise self.error(key, "is not a known key")

    def error(self, key: str, problem: str) -> BundleError:
        return BundleError(self._name, f"{self._at(key)}: {problem}")

    def _list(self, key: str, limit: int, default: list[Any] | None = None) -> list[Any]:
        value = self._take(key, default)
        if not isinstance(value, list) or len(value) > limit:
            raise self.error(key, f"must be a list of at most {limit}")
        return value

    def _take(self, key: str, default: Any = None) -> Any:
        value = self._rest.pop(key, _MISSING)
        if value is _MISSING and default is None:
            raise self.error(key, "is missing")
        return default if value is _MISSING else value

    def _at(self, key: str) -> str:
        shown = key if re.fullmatch(r"[\w.-]{1,64}", key) else _short(key)
        return f"{self._path}.{shown}" if self._path else shown


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "…'"
