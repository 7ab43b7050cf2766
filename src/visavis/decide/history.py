"""The history of the session: who said what, when; of our own words, only those that were heard.

`Ledger` keeps the books of the exchange that is under way (the words being asked, what was heard
of the answer) and enters them once they are certain. Invariants: a user's item enters when the
first word of its answer is heard or its answer is over, ours when its last word was heard; an
exchange withdrawn before that leaves no trace; no item is empty.
"""

from __future__ import annotations

from dataclasses import dataclass

from visavis.flow.events import Message

MAX_ITEMS = 64
"""Older items leave; what of them must stay in the prompt is folded by `think`."""


@dataclass(frozen=True, slots=True)
class Item:
    """One turn. `cut`: we were interrupted here. Times are nanoseconds on the session axis."""

    role: str
    text: str
    start_ns: int
    cut: bool = False


class Ledger:
    """The items kept, oldest first, at most `MAX_ITEMS`, and the exchange under way."""

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._asked: Item | None = None
        self._heard = ""
        self._answer_ns = 0

    @property
    def items(self) -> tuple[Item, ...]:
        return tuple(self._items)

    def ask(self, text: str, start_ns: int) -> None:
        """The user said this; it joins what was asked but not answered yet."""
        if self._asked is None:
            self._asked = Item("user", text.strip(), start_ns)
        else:
            whole = joined(self._asked.text, text.strip())
            self._asked = Item("user", whole, self._asked.start_ns)

    def hear(self, text: str, t_ns: int) -> list[Item]:
        """Words of our answer were heard. Gives the items that this makes certain."""
        if not text:
            return []
        if not self._heard:
            self._answer_ns = t_ns
        self._heard += text
        return self.settle_asked()

    def settle_asked(self) -> list[Item]:
        """Enters what was asked, if it is not in yet."""
        if self._asked is None:
            return []
        item, self._asked = self._asked, None
        return [self._enter(item)]

    def settle_heard(self, *, cut: bool) -> list[Item]:
        """Our answer is over: enters what was heard of it, if anything."""
        heard, self._heard = self._heard.strip(), ""
        return [self._enter(Item("assistant", heard, self._answer_ns, cut))] if heard else []

    def messages(self, words: str = "") -> tuple[Message, ...]:
        """The history as the engine sees it, then what is being asked, with `words` joined.

        That an answer was cut is not marked in its text: a small model takes a mark up as a habit
        (after two answers that ended in a dash, 5 of 20 broke off by themselves; unmarked, 1).
        """
        kept = tuple(Message(item.role, item.text) for item in self._items)
        asked = joined(self._asked.text if self._asked else "", words.strip())
        return (*kept, Message("user", asked)) if asked else kept

    @property
    def we_asked(self) -> bool:
        """Whether the last that was heard of us is a question."""
        last = self._heard or (self._items[-1].text if self._items else "")
        return last.rstrip().endswith(("?", "？"))

    @property
    def unheard(self) -> bool:
        """Whether something was asked and no word of an answer to it was heard."""
        return self._asked is not None

    def _enter(self, item: Item) -> Item:
        assert item.text.strip(), "an empty item"
        # Two items of the user in a row are two turns, the first without an audible answer.
        assert item.role == "user" or (self._items and self._items[-1].role == "user")
        self._items.append(item)
        if len(self._items) > MAX_ITEMS:
            del self._items[0]
        return item


def joined(first: str, second: str) -> str:
    """Two stretches of one turn as one text; Chinese joins without a space."""
    if not first or not second:
        return first or second
    wide = ord(first[-1]) >= 0x2E80 or ord(second[0]) >= 0x2E80
    return f"{first}{'' if wide else ' '}{second}"
