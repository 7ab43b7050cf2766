"""When in the past a question is about, whichever language it is asked in."""

from __future__ import annotations

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
