"""Calls of tools in the text of a reply, found while it is being written.

Takes the pieces as the engine makes them, cut anywhere. Gives the text that is meant for the user
and, in their places, the calls: `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, the form
that most small models were trained on. Invariants: not a letter of a call is given as text, nor a
letter of the text lost; what is held back is bounded. Does not know which tools there are.

JSON without the tags is text, also in a code fence: a reply may have to show some. Broken JSON is
given as a call named `BROKEN` and never mended: of a reply that was cut off, the mended arguments
would be wrong ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from visavis.flow.events import Message
from visavis.flow.text import whole_characters

OPEN, CLOSE = "<tool_call>", "</tool_call>"
THINK, THOUGHT = "<think>", "</think>"
MARKS = {"text": (OPEN, CLOSE, THINK), "thought": (THOUGHT,), "call": (OPEN, CLOSE)}
"""What ends each state. A thinking block may speak of calls without making any."""
NEXT = {OPEN: "call", CLOSE: "text", THINK: "thought", THOUGHT: "text"}

BROKEN = "call"
MOST_CHARS = 8_000
"""What is longer was cut here, and is no JSON any more."""
MOST_RESULTS = 8
"""Between two turns of the user. A model that calls on and on has lost its way."""

_FENCE = re.compile(r"^```\w*\s*|\s*```$")
_BETWEEN = re.compile(r"[\s,;]*")


@dataclass(frozen=True, slots=True)
class Call:
    """`arguments`: as the engine wrote them, as a rule a JSON object."""

    name: str
    arguments: str


class Finder:
    """Tells text from calls. Each iterator must be used up before the next is asked for."""

    def __init__(self) -> None:
        self._state = "text"
        self._held = ""  # may be the beginning of a mark
        self._body = ""  # of the call that is open

    def feed(self, piece: str) -> Iterator[str | Call]:
        """What is certain with this piece."""
        self._held += piece
        while found := _first(MARKS[self._state], self._held):
            before, mark, self._held = found
            yield from self._take(before + mark * (mark in (THINK, THOUGHT)))
            if self._state == "call":
                yield from self._call()
            self._state = NEXT[mark]
        keep = _begun(MARKS[self._state], self._held)
        certain = self._held[: len(self._held) - keep]
        self._held = self._held[len(certain) :]
        yield from self._take(certain)

    def end(self) -> Iterator[str | Call]:
        """What is left: the text held back, or a call whose end is missing."""
        rest, self._held = self._held, ""
        yield from self._take(rest)
        if self._state == "call":
            yield from self._call()

    def _take(self, text: str) -> Iterator[str]:
        if self._state == "call":
            self._body = (self._body + text)[:MOST_CHARS]
        elif text:
            yield text

    def _call(self) -> list[Call]:
        body, self._body = self._body, ""
        return read(body)


def parted(pieces: Iterable[str]) -> Iterator[str | Call]:
    """Text and calls of a whole reply, in their order."""
    finder = Finder()
    for piece in pieces:
        yield from finder.feed(piece)
    yield from finder.end()


def worth(parts: Iterable[str | Call], most: int) -> Iterator[str | Call]:
    """What is worth having: the text up to the first call, then calls alone, at most `most`.

    What a model writes after its calls it makes up: it does not know yet what the tools say.
    """
    calls = 0
    for part in parts:
        if isinstance(part, Call):
            if calls >= most:
                return
            calls += 1
        elif calls:
            if part.strip():
                return
            continue
        yield part


def read(body: str) -> list[Call]:
    """The calls between two tags: one as a rule, a list of them, or one after another.

    What follows a complete call and is none (a brace too many) is not minded.
    """
    body = _FENCE.sub("", body.strip())
    decoder, at = json.JSONDecoder(), 0
    calls: list[Call] = []
    while at < len(body):
        try:
            said, at = decoder.raw_decode(body, at)
        except (ValueError, RecursionError):
            return calls or [Call(BROKEN, body)]
        calls += [_call(each) for each in (said if isinstance(said, list) else [said])]
        between = _BETWEEN.match(body, at)
        at = between.end() if between else at
    return calls


def results_since_asked(messages: Sequence[Message]) -> int:
    """How many remarks (what tools brought) came after the newest words of the user."""
    count = 0
    for message in reversed(messages):
        if message.role == "user":
            break
        count += message.role == "system"
    return count


def _call(said: Any) -> Call:
    fields = said if isinstance(said, dict) else {}
    if isinstance(fields.get("function"), dict):
        fields = fields["function"]
    name = fields.get("name")
    if not isinstance(name, str) or not name.strip():
        return Call(BROKEN, whole_characters(json.dumps(said, ensure_ascii=False)))
    arguments = fields.get("arguments", fields.get("parameters"))
    if not isinstance(arguments, str):
        arguments = json.dumps({} if arguments is None else arguments, ensure_ascii=False)
    return Call(whole_characters(name).strip(), whole_characters(arguments))


def _first(marks: Sequence[str], text: str) -> tuple[str, str, str] | None:
    """The text before the first mark, the mark, and the text after it."""
    places = [(at, mark) for mark in marks if (at := text.find(mark)) >= 0]
    if not places:
        return None
    at, mark = min(places)
    return text[:at], mark, text[at + len(mark) :]


def _begun(marks: Sequence[str], text: str) -> int:
    """How many letters at the end of the text may be the beginning of a mark."""
    longest = max(len(mark) for mark in marks) - 1
    for count in range(min(longest, len(text)), 0, -1):
        if any(mark.startswith(text[-count:]) for mark in marks):
            return count
    return 0
