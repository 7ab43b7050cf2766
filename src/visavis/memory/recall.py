"""Recall: which of the views that are kept a question about the past asks for.

Takes the user's words, the views, and what is seen now. Pure. By the time that is asked for, and by
the words that are known of a view, and by meaning where that is known; of views that fit alike, the
one seen last. Invariants: what is seen now is no answer to "before"; a question that is not about
what was seen finds nothing.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visavis.flow.clock import NS_PER_S
from visavis.flow.text import WIDE
from visavis.memory import chinese, english
from visavis.memory.index import Kept
from visavis.memory.text import Terms, concepts, share, terms
from visavis.memory.when import When

WORDS_WEIGHT, MEANING_WEIGHT, SAID_WEIGHT, RECENCY_WEIGHT = 1.2, 0.3, 0.5, 0.3
ASIDE_WEIGHT = 0.5
PLACE_WEIGHT = 0.3
"""Of "what was on the table": most of what was seen may have been on it."""
RECENT_S = 180
GLANCE_S = 1.5
"""A view that was seen for less was hardly looked at: it is behind those that were."""
LEAST_TIME, LEAST_SHARE = 0.1, 0.5
"""Below this, the time does not fit; below this, a question that may be about something else is."""

ON_SCREEN = re.compile(
    r"\b(?:screen|slides?|presentation|desktop|window)\b|屏幕|幻灯片|演示|PPT", re.I
)
ON_CAMERA = re.compile(r"\bcamera\b|镜头|摄像头", re.I)
_CHINESE = re.compile(f"[{WIDE}]")


@dataclass(frozen=True, slots=True)
class Question:
    """A question about what was seen. `about`: its concepts, of which `places` only say where.

    `stream`: of which it must have been, empty = any. `after`: concepts of what was seen next.
    `rest`: what is left of the text without the words that say when.
    """

    when: When
    sure: bool
    about: tuple[Terms, ...]
    places: Terms
    stream: str
    after: tuple[Terms, ...]
    is_question: bool
    rest: str


def question(text: str) -> Question | None:
    """What the words ask of the past; None = nothing that was seen."""
    text = unicodedata.normalize("NFKC", text)  # digits may be wide
    rules = chinese if _CHINESE.search(text) else english
    found = rules.asked(text)
    if found is None:
        return None
    stream = "screen" if ON_SCREEN.search(text) else "camera" if ON_CAMERA.search(text) else ""
    places = terms(" ".join(found.places))
    about, after = tuple(concepts(found.rest)), tuple(concepts(found.after))
    if found.when.kind == "ever" and not about:
        return None
    return Question(
        found.when, found.sure, about, places, stream, after, found.is_question, found.rest
    )


def find(
    asked: Question,
    entries: Iterable[Kept],
    now_ns: int,
    *,
    shown: Collection[str] = (),
    began_ns: int = 0,
    meaning: NDArray[np.float32] | None = None,
) -> Kept | None:
    """The view that is asked for, if there is one.

    `shown`: ids of what is seen now. `began_ns`: when the memory begins. `meaning`: the question's.
    """
    entries = list(entries)
    of_stream = [entry for entry in entries if entry.view.stream == asked.stream]
    entries = of_stream or entries
    if asked.after:
        return _preceding(asked, entries)
    # What is seen now is a rival: what is asked for may be there still, and need not be recalled.
    entries = [
        each for each in entries if each.view.id not in shown or _rivals(asked, each, now_ns)
    ]
    if not entries or asked.when.kind == "beyond":
        return None
    ranked = _Ranked(asked, entries, now_ns, shown, meaning)
    best = ranked.best()
    if best is None or best.view.id in shown:
        return None
    enough = asked.when.kind != "about" or _within(asked.when, now_ns - began_ns)
    return best if enough or ranked.share_of(best) >= LEAST_SHARE else None


def _preceding(asked: Question, entries: Sequence[Kept]) -> Kept | None:
    """What was seen before the newest view that shows what is named."""
    weights = [_weight(concept, entries) for concept in asked.after]
    named = [each for each in entries if share(asked.after, each.known, weights) >= LEAST_SHARE]
    if not named:
        return None
    next_one = max(named, key=lambda entry: entry.last_ns)
    earlier = [
        entry
        for entry in entries
        if entry.view.stream == next_one.view.stream and entry.first_ns < next_one.first_ns
    ]
    return max(earlier, key=lambda entry: entry.first_ns, default=None)


class _Ranked:
    """The views with what speaks for each."""

    def __init__(
        self,
        asked: Question,
        entries: Sequence[Kept],
        now_ns: int,
        shown: Collection[str],
        meaning: NDArray[np.float32] | None,
    ) -> None:
        self._asked, self._entries, self._now_ns, self._shown = asked, entries, now_ns, shown
        weights = [_weight(concept, entries) for concept in asked.about]
        placed = [
            weight * (PLACE_WEIGHT if concept & asked.places else 1)
            for concept, weight in zip(asked.about, weights, strict=True)
        ]
        self._strength = sum(placed) / sum(weights) if weights else 0.0
        self._shares = {
            entry.view.id: self._strength * _told(asked.about, entry, placed) for entry in entries
        }
        in_order = sorted(entries, key=lambda entry: entry.first_ns)
        self._places = {entry.view.id: at for at, entry in enumerate(in_order)}
        self._nearness = _nearness(entries, meaning)

    def best(self) -> Kept | None:
        """The view that fits best; None if none fits well enough."""
        # Of views that fit alike the one seen last.
        best = max(self._entries, key=lambda entry: (self._score(entry), entry.last_ns))
        worded = self.share_of(best) >= LEAST_SHARE
        kind = self._asked.when.kind
        if kind == "about":
            timely = self._time(best) >= LEAST_TIME
            # Nothing is known of it in words, so the time is all that there is to go by.
            mute = self._asked.is_question and not best.either
            return best if worded or (timely and (self._asked.sure or mute)) else None
        return best if worded or self._asked.sure else None

    def share_of(self, entry: Kept) -> float:
        """How much of what is asked about is known of it."""
        return self._shares[entry.view.id]

    def _score(self, entry: Kept) -> float:
        words = WORDS_WEIGHT * self.share_of(entry)
        words += MEANING_WEIGHT * self._strength * self._nearness.get(entry.view.id, 0.0)
        # Who does not say which means the camera.
        aside = not self._asked.stream and entry.view.stream != "camera"
        return words + self._time(entry) * (ASIDE_WEIGHT if aside else 1)

    def _time(self, entry: Kept) -> float:
        when = self._asked.when
        ago_s = (self._now_ns - entry.last_ns) / NS_PER_S
        if when.kind == "about":
            return _timely(when, entry, self._now_ns)
        if when.kind == "before" and entry.view.id in self._shown:
            return 0.0
        glanced = min(1.0, (entry.seen_ns / NS_PER_S + 0.2) / GLANCE_S)
        if when.kind == "first":
            return glanced * RECENCY_WEIGHT / (1 + self._places[entry.view.id])
        return glanced * RECENCY_WEIGHT * math.exp(-max(0.0, ago_s) / RECENT_S)


def _rivals(asked: Question, entry: Kept, now_ns: int) -> bool:
    """Whether what is seen now may be what is asked for: then there is nothing to recall."""
    match asked.when.kind:
        case "about":
            return _timely(asked.when, entry, now_ns) > 0.5
        case "ever":
            return True
        case _:
            return bool(asked.about)


def _timely(when: When, entry: Kept, now_ns: int) -> float:
    """1 if it was seen at the time that is asked for, and less the further from it."""
    off_s = _distance_s(entry, now_ns - round(when.aim_s * NS_PER_S))
    return math.exp(-((off_s / when.slack_s) ** 2))


def _within(when: When, age_ns: int) -> bool:
    """Whether a memory of that age goes back as far."""
    return when.aim_s - when.slack_s <= age_ns / NS_PER_S


def _distance_s(entry: Kept, moment_ns: int) -> float:
    """How far from the moment it was seen; 0 = it was seen then."""
    return min(max(start - moment_ns, moment_ns - end, 0) / NS_PER_S for start, end in entry.spans)


def _told(about: Sequence[Terms], entry: Kept, weights: Sequence[float]) -> float:
    """How much of what is asked about is known of the view; what was said then counts for less."""
    known = share(about, entry.known, weights)
    if known >= SAID_WEIGHT or not entry.said:
        return known
    return max(known, SAID_WEIGHT * share(about, entry.either, weights))


def _weight(concept: Terms, entries: Sequence[Kept]) -> float:
    """A word that few views have says more; one that none has says nothing of which it is."""
    count = sum(not concept.isdisjoint(entry.either) for entry in entries)
    return math.log(1 + len(entries) / count) if count else 0.5


def _nearness(entries: Sequence[Kept], meaning: NDArray[np.float32] | None) -> dict[str, float]:
    """By view, from 0 to 1: how much nearer in meaning than the usual view."""
    known = {entry.view.id: entry.meaning for entry in entries if entry.meaning is not None}
    if meaning is None or not known:
        return {}
    near = {view_id: float(vector @ meaning) for view_id, vector in known.items()}
    usual = sum(near.values()) / len(near)
    room = max(1e-6, 1 - usual)
    return {view_id: max(0.0, (value - usual) / room) for view_id, value in near.items()}
