"""Drafts: replies begun before the turn is over, and what those that came to nothing cost.

Takes what the draft was made from; says whether it is still the answer. Invariant: wasted tokens
stay below the tier's limit a minute, counting a draft as wasted once its tokens are known. Issues
no command.
"""

from __future__ import annotations

import re
from collections import deque

from visavis.flow.clock import NS_PER_S
from visavis.flow.events import Message, ReplyWritten
from visavis.flow.text import is_question

MINUTE_NS = 60 * NS_PER_S
MOST_DROPPED = 256


class Drafts:
    """The draft that is held, if any, and the account of those before it."""

    def __init__(self, tokens_a_minute: int) -> None:
        self._limit = tokens_a_minute
        self._held: tuple[Message, ...] = ()
        self._written = (0, 0)  # the newest reply that is written to its end, and its tokens
        self._dropped: deque[int] = deque(maxlen=MOST_DROPPED)
        self._wasted: deque[tuple[int, int]] = deque(maxlen=MOST_DROPPED)

    def allowed(self, t_ns: int) -> bool:
        """Whether another one may be made."""
        while self._wasted and self._wasted[0][0] < t_ns - MINUTE_NS:
            self._wasted.popleft()
        return sum(tokens for _, tokens in self._wasted) < self._limit

    def hold(self, messages: tuple[Message, ...]) -> None:
        """A draft was made from these."""
        self._held = messages

    def answers(self, messages: tuple[Message, ...]) -> bool:
        """Whether the draft answers these: the same context, the same view, the same words."""
        held = self._held
        if len(held) != len(messages) or held[:-1] != messages[:-1]:
            return False
        if not held or held[-1].views != messages[-1].views:
            return False
        return same_words(held[-1].content, messages[-1].content)

    def adopt(self) -> None:
        """The draft is the answer, and a draft no more."""
        self._held = ()

    def drop(self, epoch: int, t_ns: int) -> None:
        """The draft `epoch` came to nothing."""
        self._held = ()
        written, tokens = self._written
        if written == epoch:
            self._wasted.append((t_ns, tokens))
        else:
            self._dropped.append(epoch)

    def count(self, event: ReplyWritten) -> None:
        """What a reply cost, if it was a draft that came to nothing, or comes to nothing yet."""
        self._written = event.epoch, event.tokens
        if event.epoch in self._dropped:
            self._dropped.remove(event.epoch)
            self._wasted.append((event.t_ns, event.tokens))


_MARKS = re.compile(r"[\s.。!！?？,，;；:：…]+")
_END = re.compile(r"[.。!！?？]\s*$")


def same_words(one: str, other: str) -> bool:
    """Whether two recognitions say the same: "You like it." is not "You like it?"."""
    ends = _END.search(one), _END.search(other)
    if all(ends) and is_question(one) != is_question(other):
        return False
    return _words(one) == _words(other)


def _words(text: str) -> str:
    return _MARKS.sub(" ", text.casefold()).strip()
