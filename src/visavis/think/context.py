"""Makes the conversation fit the engine's context window, for ever.

Takes the history with the newest turn, and what engines really counted. Gives the part of it that
fits: system text and newest turns stay, older ones fold into a short line at the end of the system
text, and pictures are shown as pictures.py says. Invariants: between two folds, and while the same
is seen, a prompt begins exactly like the one before it, so that the engine's prefix cache lives; a
fold frees so much room that it is rare. Evaluates nothing itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from visavis.flow.errors import ContextFull
from visavis.flow.events import Message
from visavis.think.pictures import Pictures
from visavis.think.prompt import arrange

HIGH, IDLE, LOW = 1.0, 0.8, 0.35
"""Of the room there is: fold above HIGH; above IDLE if no one waits for an answer; down to LOW,
which has to be evaluated anew: about 4 s of a small model on 2 cores, in a pause."""

MAX_MESSAGES, MOST_KEPT, LEAST_KEPT = 40, 16, 4
"""Fold by number too: before the session's own bound moves the beginning of the history. The last
few messages stay as long as there is any room for them."""

MARGIN_TOKENS = 32
MESSAGE_TOKENS = 6
MAX_SCALE = 8.0
MARK_MESSAGES = 4
SUMMARY_CHARS, EXCERPT_CHARS = 240, 48
SUMMARY = {False: ("Earlier the user said: ", "; "), True: ("此前用户说过：", "；")}


def estimate(text: str) -> float:
    """Tokens of a text, rather too many: a third of a letter count, more for wide scripts."""
    narrow = sum(1 for character in text if character < "\u0250")
    return narrow / 3 + (len(text) - narrow) * 1.5


Said = tuple[str, str]
"""Of a message its role and words. What is known of its views may grow."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a history, known by what stands before and after it."""

    before: tuple[Said, ...] = ()
    after: tuple[Said, ...] = ()

    @classmethod
    def of(cls, history: Sequence[Message], at: int) -> Mark:
        before, after = history[max(0, at - MARK_MESSAGES) : at], history[at : at + MARK_MESSAGES]
        return cls(_said(before), _said(after))

    def at(self, history: Sequence[Message], place: int) -> bool:
        """Whether this is the place, in a history that has lost some of its beginning since."""
        seen = min(place, len(self.before))
        before = self.before[len(self.before) - seen :]
        if seen + len(self.after) == 0:
            return not self.before  # nothing to know it by
        return (
            _said(history[place - seen : place]) == before
            and _said(history[place : place + len(self.after)]) == self.after
        )


class Window:
    """The part of the history that is shown. `opening` stands before it, whatever happens."""

    def __init__(
        self,
        context_tokens: int,
        reply_tokens: int,
        opening: Sequence[Message] = (),
        pictures: Pictures | None = None,
    ) -> None:
        room = context_tokens - reply_tokens - MARGIN_TOKENS
        # A tiny window, or a long reply: half of it is for the prompt all the same.
        self._room = float(max(room, context_tokens // 2))
        self._opening = tuple(opening)
        self._pictures = pictures or Pictures()
        self._scale = 1.0
        self._mark = Mark()
        self._begin = 0
        self._folded: list[str] = []

    def fit(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """What the engine is given for these messages. The last may be what is to be answered."""
        history, newest = _parted(messages)
        self._find(history)
        if self._too_long(history, newest):
            self._fold(history, newest)
        self._mark = Mark.of(history, self._begin)
        return self._shown(history[self._begin :], newest)

    def learn(self, shown: Sequence[Message], prompt_tokens: int) -> None:
        """The engine counted these messages: the estimate follows, at once if it was too low."""
        if not prompt_tokens or not shown:
            return
        seen = min(MAX_SCALE, prompt_tokens / self._plain(shown))
        self._scale = max(seen, self._scale + 0.2 * (seen - self._scale))

    def overflow(self, shown: Sequence[Message], full: ContextFull) -> None:
        """The engine refused these messages: the next `fit` is shorter."""
        learned = full.prompt_tokens / self._plain(shown)
        # The refusal may be about less room than we were told of.
        self._room = min(self._room, max(1.0, full.context_tokens * 0.9))
        self._scale = max(min(learned, MAX_SCALE), self._scale * 1.3)

    def _find(self, history: Sequence[Message]) -> None:
        """Where the part shown begins now. The session may have dropped messages from the front."""
        for begin in range(min(self._begin, len(history)), 0, -1):
            if self._mark.at(history, begin):
                self._begin = begin
                return
        if not self._mark.at(history, 0):
            self._folded = []  # another conversation
        self._begin = 0

    def _too_long(self, history: Sequence[Message], newest: Sequence[Message]) -> bool:
        kept = history[self._begin :]
        level = HIGH if newest else IDLE
        return len(kept) > MAX_MESSAGES or self._tokens(kept, newest) > level * self._room

    def _fold(self, history: Sequence[Message], newest: Sequence[Message]) -> None:
        begin = self._begin
        while (left := len(history) - begin) > 0:
            level = LOW if left > LEAST_KEPT else HIGH
            if left <= MOST_KEPT and self._tokens(history[begin:], newest) <= level * self._room:
                break
            begin += 1
        # An answer without its question makes no sense.
        while begin < len(history) and history[begin].role != "user":
            begin += 1
        gone = history[self._begin : begin]
        self._folded.extend(_excerpt(m.content) for m in gone if m.role == "user")
        del self._folded[:-8]
        self._begin = begin

    def _shown(self, kept: Sequence[Message], newest: Sequence[Message]) -> tuple[Message, ...]:
        opening = _with_summary(self._opening, self._folded)
        if self._scale * self._plain(opening) > self._room / 2:
            opening = _shortened(opening, self._room / self._scale / 2)
        placed = self._pictures.placed((*kept, *newest))
        kept, newest = placed[: len(kept)], placed[len(kept) :]
        budget = self._room / self._scale - self._plain(opening)
        if newest and self._plain(newest) > budget:
            newest = _squeezed(newest, budget - self._shown_tokens(newest))
        return (*opening, *arrange((*kept, *newest)))

    def _tokens(self, kept: Sequence[Message], newest: Sequence[Message]) -> float:
        summary = SUMMARY_CHARS / 3
        placed = self._pictures.placed((*kept, *newest))
        return self._scale * (self._plain((*self._opening, *placed)) + summary)

    def _plain(self, messages: Sequence[Message]) -> float:
        words = sum(estimate(message.content) + MESSAGE_TOKENS for message in messages)
        return words + self._shown_tokens(messages)

    def _shown_tokens(self, messages: Sequence[Message]) -> int:
        return self._pictures.tokens * sum(len(message.views) for message in messages)


def _said(messages: Sequence[Message]) -> tuple[Said, ...]:
    return tuple((message.role, message.content) for message in messages)


def _parted(messages: Sequence[Message]) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """The history, and what is to be answered, if we do not have the last word.

    That is the user's newest words and all after them, such as what tools brought.
    """
    if not messages or messages[-1].role == "assistant":
        return tuple(messages), ()
    spoken = [n for n, message in enumerate(messages) if message.role == "user"]
    begin = spoken[-1] if spoken else len(messages) - 1
    return tuple(messages[:begin]), tuple(messages[begin:])


def _squeezed(newest: Sequence[Message], tokens: float) -> tuple[Message, ...]:
    """Cut to fit, the longest first: of a question the end is kept, of a result the beginning."""
    shown, left = list(newest), max(16, tokens - MESSAGE_TOKENS * (len(newest) - 1))
    order = sorted(range(len(newest)), key=lambda n: estimate(newest[n].content))
    for done, n in enumerate(order):
        share = max(1, left / (len(order) - done))
        if estimate(newest[n].content) > share:
            cut = _beginning_of if newest[n].role == "system" else _end_of
            shown[n] = replace(newest[n], content=cut(newest[n].content, share))
        left -= estimate(shown[n].content)
    return tuple(shown)


def _with_summary(opening: tuple[Message, ...], folded: Sequence[str]) -> tuple[Message, ...]:
    if not folded:
        return opening
    said = list(folded)
    before, between = SUMMARY[any(character >= "\u2e80" for text in said for character in text)]
    while len(said) > 1 and len(between.join(said)) > SUMMARY_CHARS:
        del said[0]
    summary = before + between.join(said)
    if opening and opening[0].role == "system":
        return (Message("system", f"{opening[0].content}\n{summary}"), *opening[1:])
    return (Message("system", summary), *opening)


def _excerpt(text: str) -> str:
    """The beginning of what was said, cut at a word where there are words."""
    line = " ".join(text.split())
    if len(line) <= EXCERPT_CHARS:
        return line.rstrip(".。,，")
    cut = line[:EXCERPT_CHARS]
    return (cut.rpartition(" ")[0] or cut) + "…"


def _shortened(opening: tuple[Message, ...], tokens: float) -> tuple[Message, ...]:
    """The beginning of the system text alone: a user's own may be longer than the window."""
    systems = [message for message in opening if message.role == "system"]
    return tuple(Message("system", _beginning_of(m.content, tokens)) for m in systems)


def _beginning_of(text: str, tokens: float) -> str:
    return _end_of(text[::-1], tokens)[::-1]


def _end_of(text: str, tokens: float) -> str:
    """The end of a text that is too long by itself: a question comes last."""
    keep = max(1, int(len(text) * tokens / max(1.0, estimate(text))))
    # Wide and narrow letters may be unevenly spread.
    while keep > 1 and estimate(text[-keep:]) > tokens:
        keep = keep * 9 // 10
    return text[-keep:].strip() or text[-keep:]
