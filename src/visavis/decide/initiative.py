"""What we say unasked: a greeting, a remark that something happened, a murmur while we listen.

One dial. `quiet`: nothing but warnings. `polite`: a greeting, remarks once it has been silent for
a while, a murmur in a long pause. `lively`: the same, sooner. Takes notices and the time; gives
what to say now. Invariants: bounded; a remark waits for the floor and is never said twice. Issues
no command.
"""

from __future__ import annotations

from collections import deque
from typing import Literal

from visavis.flow.clock import NS_PER_MS
from visavis.flow.events import NoticeRaised

Dial = Literal["quiet", "polite", "lively"]
SILENCE_MS: dict[str, int] = {"polite": 2_000, "lively": 600}
"""How long the floor must have been free before we take it unasked."""
BETWEEN_MURMURS_MS = 4_000
MURMURS = {"en": "Uh-huh.", "zh": "嗯。"}
"""Not "mm-hm": voices that spell what has no vowel say "em em aitch em"."""
GREETINGS = {"en": "Hello. I'm listening.", "zh": "你好，我在听。"}
MOST_WAITING = 4
STALE_MS = 30_000
"""A remark that found no room for so long is out of date."""


def in_language(texts: dict[str, str], language: str) -> str:
    """The text in this language, else in English."""
    return texts.get(language.partition("-")[0], texts["en"])


class Initiative:
    """What waits to be said. `greeting`: None = the one of the language, empty = none."""

    def __init__(
        self, dial: Dial = "quiet", *, greeting: str | None = None, language: str = ""
    ) -> None:
        self.dial = dial
        self._free_ns: int | None = None  # since when the floor has been free
        self._murmured_ns = -BETWEEN_MURMURS_MS * NS_PER_MS
        self._urgent: deque[NoticeRaised] = deque(maxlen=MOST_WAITING)
        self._waiting: deque[NoticeRaised] = deque(maxlen=MOST_WAITING)
        text = in_language(GREETINGS, language) if greeting is None else greeting.strip()
        self.take(NoticeRaised(t_ns=0, text=text, language=language))

    def take(self, notice: NoticeRaised) -> None:
        """Something worth saying; of too many, the oldest is forgotten."""
        if not notice.text.strip():
            return
        if notice.urgent:
            self._urgent.append(notice)
        elif self.dial != "quiet":
            self._waiting.append(notice)

    @property
    def warns(self) -> bool:
        """Whether a warning waits."""
        return bool(self._urgent)

    def warning(self) -> NoticeRaised | None:
        """The next warning, which must be said now."""
        return self._urgent.popleft() if self._urgent else None

    def remark(self, t_ns: int, *, free: bool) -> NoticeRaised | None:
        """What to say now, the floor being free or not; asked every period."""
        self._free_ns = (t_ns if self._free_ns is None else self._free_ns) if free else None
        while self._waiting and t_ns - self._waiting[0].t_ns > STALE_MS * NS_PER_MS:
            self._waiting.popleft()
        if self._free_ns is None or not self._waiting:
            return None
        greets = self._waiting[0].t_ns == 0
        silence_ms = 0 if greets else SILENCE_MS[self.dial]
        if t_ns - self._free_ns < silence_ms * NS_PER_MS:
            return None
        return self._waiting.popleft()

    def murmur(self, t_ns: int, language: str) -> str:
        """What to murmur in a pause of the user, or nothing."""
        soon = t_ns - self._murmured_ns < BETWEEN_MURMURS_MS * NS_PER_MS
        if self.dial == "quiet" or soon:
            return ""
        self._murmured_ns = t_ns
        return in_language(MURMURS, language)
