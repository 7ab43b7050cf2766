"""When in the past a question is about, whichever language it is asked in."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class When:
    """about: `aim_s` seconds ago, give or take `slack_s`. before: before what is there now.
    first: at the beginning. ever: at any time, now too. beyond: days ago or more, which no session
    remembers."""

    kind: Literal["about", "before", "first", "ever", "beyond"]
    aim_s: float = 0.0
    slack_s: float = 0.0


BEFORE, FIRST, EVER, BEYOND = When("before"), When("first"), When("ever"), When("beyond")


LONGEST_S = 1e7


def about(aim_s: float, *, vague: bool = False) -> When:
    """People round: a minute may be forty seconds, and "a few minutes" from two to six."""
    aim_s = min(aim_s, LONGEST_S)
    slack_s = 10 + aim_s * 0.6 if vague else 3 + aim_s * 0.35
    return When("about", aim_s, slack_s)


def within(span_s: float) -> When:
    """At any time in the last `span_s` seconds."""
    half_s = min(span_s, LONGEST_S) / 2
    return When("about", half_s, max(half_s, 1.0))


Found = tuple[When, tuple[int, int]]
"""When it was, and where in the text that is said."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a language's rules make of a question about the past.

    `sure`: it is about what was seen, whether or not its words are known of a view. `rest`: the
    question without the words that say when. `places`: words that only say where it was. `after`:
    what was seen next ("before the cat"). `is_question`: not only a thing that is named.
    """

    when: When
    sure: bool
    rest: str
    places: tuple[str, ...] = ()
    after: str = ""
    is_question: bool = True


@dataclass(frozen=True, slots=True)
class Phrases:
    """A language's words, as patterns.

    `open`, `closed`: of questions that ask what, and whether. `themselves`: of who speaks of
    themselves. `untimed`: of questions about sight that say no time. `place`: what only says where.
    `first`, `before_that` (with what came next), `before`: of an order in time.
    """

    open: re.Pattern[str]
    closed: re.Pattern[str]
    themselves: re.Pattern[str]
    untimed: re.Pattern[str]
    place: re.Pattern[str]
    first: re.Pattern[str]
    before_that: re.Pattern[str]
    before: re.Pattern[str]

    def order(self, text: str) -> Found | None:
        """When it was, where no time is said but an order."""
        orders = ((self.first, FIRST), (self.before_that, BEFORE), (self.before, BEFORE))
        for words, when in orders:
            if found := words.search(text):
                return when, found.span()
        return None

    def asked(
        self, text: str, when: Callable[[str], Found | None], *, marked: bool, about_sight: bool
    ) -> Asked | None:
        """What the text asks of the past. `marked`: it ends as a question does."""
        is_open, is_closed = bool(self.open.search(text)), bool(self.closed.search(text))
        is_question = marked or is_open or is_closed
        if not is_question and not about_sight and self.themselves.search(text):
            return None
        found = when(text)
        if found is None:
            return Asked(EVER, False, text) if self.untimed.search(text) else None
        time, (start, end) = found
        rest = f"{text[:start]} {text[end:]}"
        # "Did you see X before" asks for X, and nothing else will do; a time may be enough.
        only_whether = is_closed and not is_open and time.kind != "about"
        that = self.before_that.search(text)
        return Asked(
            time,
            sure=about_sight and not only_whether,
            rest=rest,
            places=tuple(self.place.findall(rest)),
            after=that[1] if that else "",
            is_question=is_question,
        )
