"""Drafts: how many were made, how many were the answer, and what the others cost.

Takes what the meter sees. A draft that is neither adopted nor cancelled is still held.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from visavis.flow import events as e

MOST_OPEN = 64


@dataclass(slots=True)
class Drafts:
    """`wasted_tokens`: written for drafts that were dropped."""

    made: int = 0
    adopted: int = 0
    wasted_tokens: int = 0


class DraftAccount:
    """Counts drafts."""

    def __init__(self) -> None:
        self.count = Drafts()
        self._held = 0  # epoch
        self._tokens = 0  # of it, once it is written to its end
        self._dropped: deque[int] = deque(maxlen=MOST_OPEN)

    def on_start(self, event: e.ReplyStart) -> None:
        if event.held:
            self.count.made += 1
            self._held, self._tokens = event.epoch, 0

    def on_adopt(self, event: e.ReplyAdopt) -> None:
        self.count.adopted += 1
        self._held = 0

    def on_cancel(self, event: e.ReplyCancel) -> None:
        if event.epoch == self._held:
            self._held = 0
            self.count.wasted_tokens += self._tokens
            if not self._tokens:
                self._dropped.append(event.epoch)

    def on_written(self, event: e.ReplyWritten) -> None:
        if event.epoch == self._held:
            self._tokens = event.tokens
        if event.epoch in self._dropped:
            self._dropped.remove(event.epoch)
            self.count.wasted_tokens += event.tokens
