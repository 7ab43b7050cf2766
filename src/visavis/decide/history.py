"""The history of the session: who said what, when; of our own words, only those that were heard.

`Ledger` keeps the books of the exchange that is under way (the words being asked, what was heard
of the answer) and enters them once they are certain. Invariants: a user's item enters when the
first word of its answer is heard or its answer is over, ours when its last word was heard; an
exchange withdrawn before that leaves no trace; no item is empty.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from visavis.flow.events import Message, View
from visavis.flow.text import is_question, join

MAX_ITEMS = 64
"""Older items leave; what of them must stay in the prompt is folded by `think`."""

ROLES = {"tool": "system"}
"""As the engine knows them; the others have the same name there."""


@dataclass(frozen=True, slots=True)
class Item:
    """One turn. `cut`: we were interrupted here. Times are nanoseconds on the session axis.

    `role`: user, assistant, or tool (what an errand brought). `trace`: the user's turn. `views`:
    what was seen with it. `told`: whether the engine is told of it.
    """

    role: str
    text: str
    start_ns: int
    cut: bool = False
    trace: int = 0
    views: tuple[View, ...] = ()
    told: bool = True


class Ledger:
    """The items kept, oldest first, at most `MAX_ITEMS`, and the exchange under way."""

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._asked: list[Item] = []  # turns that wait for an answer
        self._brought = 0  # items that errands have brought since
        self._heard = ""
        self._answer_ns = 0
        self._unasked = False  # what sounds now is no answer

    @property
    def items(self) -> tuple[Item, ...]:
        return tuple(self._items)

    def ask(self, text: str, start_ns: int, trace: int = 0, views: tuple[View, ...] = ()) -> None:
        """The user said this; it joins what was asked but not answered yet."""
        self._asked.append(Item("user", text.strip(), start_ns, trace=trace, views=views))
        self._brought = 0

    def speak_unasked(self) -> None:
        """What will be heard next is no answer to what was asked."""
        self._unasked = True

    def hear(self, text: str, t_ns: int) -> list[Item]:
        """Words of ours were heard. Gives the items that this makes certain."""
        if not text:
            return []
        if not self._heard:
            self._answer_ns = t_ns
        self._heard += text
        return [] if self._unasked else self.settle_asked()

    def settle_asked(self) -> list[Item]:
        """Enters what was asked, if it is not in yet."""
        if not self._asked:
            return []
        whole = len(self._asked) == 1
        trace, views = self._asked[0].trace * whole, self._asked[-1].views
        item = replace(self._asked[0], text=self._question, trace=trace, views=views)
        self._asked = []
        # What an errand brought since was sent for by the answer, and stands behind the question.
        at = len(self._items)
        least = at - self._brought
        while at > least and self._items[at - 1].role == "tool":
            at -= 1
        return [self._enter(item, at)]

    def hush(self, text: str, start_ns: int, trace: int = 0) -> list[Item]:
        """The user asked for silence: nothing that was asked waits for an answer any more.

        That is between the user and us. The engine sees only what it left unsaid; told to stop, a
        small model begins the same story again.
        """
        items = self.settle_asked()
        return [*items, self._enter(Item("user", text.strip(), start_ns, trace=trace, told=False))]

    def settle_heard(self, *, cut: bool) -> list[Item]:
        """What we said is over: enters what was heard of it, if anything."""
        heard, self._heard, self._unasked = self._heard.strip(), "", False
        if not heard:
            return []
        # What an errand brought while this sounded was not known to it, and comes after it.
        at = len(self._items)
        while at and (i := self._items[at - 1]).role == "tool" and i.start_ns > self._answer_ns:
            at -= 1
        return [self._enter(Item("assistant", heard, self._answer_ns, cut), at)]

    def bring(self, text: str, t_ns: int) -> list[Item]:
        """An errand brought this. It is in the history from now on, once."""
        if not text.strip():
            return []
        self._brought += 1
        return [self._enter(Item("tool", text.strip(), t_ns))]

    def amend(self, trace: int, text: str, *, told: bool = True) -> list[Item]:
        """The final words of a turn that is over came late: they replace those of its own item.

        `told`: they are for the engine, too, if those were not. Gives the item if it had entered
        already.
        """
        text = text.strip()
        for n, item in enumerate(self._asked):
            if item.trace == trace and text:
                self._asked[n] = replace(item, text=text)
                return []
        for n, item in enumerate(self._items):
            if item.role == "user" and item.trace == trace and text not in ("", item.text):
                self._items[n] = replace(item, text=text, told=item.told or told)
                return [self._items[n]]
        return []

    def messages(self, words: str = "", views: tuple[View, ...] = ()) -> tuple[Message, ...]:
        """The history as the engine sees it, then what is being asked, with `words` joined.

        `views`: what is seen with the words; empty = what was seen with what was asked.

        That an answer was cut is not marked in its text: a small model takes a mark up as a habit
        (after two answers that ended in a dash, 5 of 20 broke off by themselves; unmarked, 1).
        """
        told = [item for item in self._items if item.told]
        kept = [Message(ROLES.get(i.role, i.role), i.text, i.views) for i in told]
        asked = join(self._question, words.strip())
        if not views and self._asked:
            views = self._asked[-1].views
        return _alternating([*kept, Message("user", asked, views)] if asked or views else kept)

    @property
    def we_asked(self) -> bool:
        """Whether the last that was heard of us is a question."""
        last = self._heard or (self._items[-1].text if self._items else "")
        return is_question(last)

    @property
    def last_heard(self) -> str:
        """The last that was heard of us; empty if there was nothing."""
        ours = (item.text for item in reversed(self._items) if item.role == "assistant")
        return self._heard or next(ours, "")

    @property
    def asked_trace(self) -> int:
        """The turn in which the last of what is asked was said; 0 = nothing is."""
        return self._asked[-1].trace if self._asked else 0

    @property
    def unheard(self) -> bool:
        """Whether something was asked and no word of an answer to it was heard."""
        return bool(self._asked)

    @property
    def _question(self) -> str:
        whole = ""
        for item in self._asked:
            whole = join(whole, item.text)
        return whole

    def _enter(self, item: Item, at: int | None = None) -> Item:
        assert item.text.strip(), "an empty item"
        self._items.insert(len(self._items) if at is None else at, item)
        if len(self._items) > MAX_ITEMS:
            del self._items[0]
        return item


def _alternating(messages: list[Message]) -> tuple[Message, ...]:
    """What the user said in two goes, without an answer between, as one."""
    joined: list[Message] = []
    for message in messages:
        before = joined[-1] if joined else None
        if before is not None and before.role == message.role == "user":
            text, views = join(before.content, message.content), message.views or before.views
            joined[-1] = Message("user", text, views)
        else:
            joined.append(message)
    return tuple(joined)
