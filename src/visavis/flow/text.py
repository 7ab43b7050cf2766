"""Text of several languages, put together as one writes it. Pure."""

from __future__ import annotations

import re

WIDE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Chinese and Japanese characters, for use in a character class. Korean writes spaces."""

_ENDS_WIDE = re.compile(rf"[{WIDE}，。！？、；：]$")
_BEGINS_WIDE = re.compile(rf"[{WIDE}，。！？、；：]")


def join(before: str, after: str) -> str:
    """Two stretches of speech as one text: a space between words, none beside a wide character."""
    if not before or not after:
        return before or after
    wide = _ENDS_WIDE.search(before) or _BEGINS_WIDE.match(after)
    return f"{before}{'' if wide else ' '}{after}"


def whole_characters(text: str) -> str:
    """Without half characters (lone surrogates), which no file and no engine takes."""
    return text.encode("utf-8", "ignore").decode("utf-8")


def is_question(text: str) -> bool:
    """Whether it ends in a question mark, of whichever width."""
    return text.rstrip().endswith(("?", "？"))
