"""The floor: what both sides of the session share, and the few things both do with it.

Holds the machines (through orders.py), the history, drafts, and the turns that are over and have
not been seen to. Gives commands. Invariant: every command goes through a table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from visavis.decide.attend import Sight
from visavis.decide.draft import Drafts
from visavis.decide.history import Item, Ledger
from visavis.decide.hush import Hush
from visavis.decide.initiative import Dial, Initiative
from visavis.decide.interrupt import only_listens, words_of
from visavis.decide.orders import Orders
from visavis.decide.overlap import Overlap
from visavis.decide.said import Said
from visavis.decide.state import Standing
from visavis.decide.wording import may_ask
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_S

NS_PER_SAMPLE = NS_PER_S // e.INPUT_RATE_HZ


@dataclass(frozen=True, slots=True)
class Manners:
    """What can be chosen. `draft_tokens`: how many may be wasted a minute; 0 = no drafts.

    `heartbeat_s`: how often to look although nothing happens; None = there are no eyes. `streams`:
    what they see. `greeting`: None = the one of the language, empty = none.
    """

    patience_ms: int = 30_000
    draft_tokens: int = 600
    initiative: Dial = "quiet"
    greeting: str | None = None
    language: str = ""
    heartbeat_s: float | None = None
    names: tuple[str, ...] = ()
    streams: tuple[str, ...] = (e.CAMERA,)


class Floor:
    """`over`: turns to see to once it is silent, of which `hushed` ask for silence.

    `progress_ns`: when our reply last got on. `quiet_epoch`: the reply after which silence was
    asked for.
    """

    def __init__(self, manners: Manners) -> None:
        self.ledger = Ledger()
        self.orders = Orders()
        self.machines = self.orders.machines
        self.overlap, self.said = Overlap(manners.names), Said()
        self.hushes = Hush(manners.names)
        self.drafts = Drafts(manners.draft_tokens)
        self.sight = Sight(manners.heartbeat_s, manners.streams)
        self.initiative = Initiative(
            manners.initiative, greeting=manners.greeting, language=manners.language
        )
        self.language = manners.language
        self.over: list[e.TurnEnded | e.TurnDropped] = []
        self.hushed: set[int] = set()
        self.quiet_epoch = -1
        self.progress_ns = 0
        self.apologised = False

    @property
    def epoch(self) -> int:
        return self.orders.epoch

    @property
    def standing(self) -> Standing:
        """Where the session stands, as users see it."""
        return self.machines.standing(owes=any(isinstance(t, e.TurnEnded) for t in self.over))

    @property
    def busy_with_sound(self) -> bool:
        """Whether a stop has not been reported yet, or a warning sounds."""
        stopping = self.machines.playback.state == "stopping"
        return stopping or self.machines.reply.state == "notice"

    @property
    def draft_is_held(self) -> bool:
        return self.machines.draft.state == "held"

    def only_listened(self, text: str) -> bool:
        """Whether these words, said over ours, ask for nothing."""
        return only_listens(words_of(text)) and not self.ledger.we_asked

    def asks_for_silence(self, turn: e.TurnExpected | e.TurnEnded) -> bool:
        """Whether the turn asks us to be silent, and nothing else."""
        # People answer before the last word of a question: what was heard need not end in a mark.
        we_asked = may_ask(self.ledger.last_heard)
        over_reply = self.overlap.began_turn
        return self.hushes.is_asked(turn, over_reply=over_reply, we_asked=we_asked)

    def step(self, symbol: str, event: e.Event, **fields: Any) -> Iterator[e.Event]:
        """The reply's machine moves on, if it has a row; its commands, ready to go."""
        if not self.machines.reply.takes(symbol):
            return  # asked every period under a voice, and the messages are long
        start = self.start(**fields)
        for command in self.orders.step(self.machines.reply, symbol, event, **start):
            if isinstance(command, e.ReplyStart | e.ReplyAdopt):
                self.progress_ns = event.t_ns
                self.hushes.close()
            yield command

    def start(self, **fields: Any) -> dict[str, Any]:
        """The fields of a reply.start."""
        messages = fields["messages"] if "messages" in fields else self.messages()
        if views := messages[-1].views if messages else ():
            fields |= {"view_id": views[-1].id, "view_captured_ns": views[-1].captured_ns}
            fields["view_offset_ms"] = self.sight.offset_ms(views)
        return {"language": self.language, **fields, "messages": messages}

    def messages(self, words: str = "", trace: int = 0) -> tuple[e.Message, ...]:
        """The history and what is being asked, with `words` of the turn under way joined.

        With them go what is seen, and what must be known of how it is seen.
        """
        current = self.machines.user.state != "quiet"
        views = self.sight.views(trace) if current else ()
        messages = self.ledger.messages(words, views)
        asks = bool(words) or self.ledger.unheard
        remark = self.sight.remark(self.language, trace or self.ledger.asked_trace) if asks else ""
        if remark:
            messages = (*messages[:-1], e.Message("system", remark), messages[-1])
        return self.sight.known(messages)

    def ask(self, turn: e.TurnEnded) -> Iterator[e.Event]:
        """The user's turn is a question to us: the draft is its answer, or a new reply begins."""
        self.apologised = False
        self.note(turn)
        if self.draft_is_held and self.drafts.answers(self.messages()):
            self.drafts.adopt()
            self.machines.draft.step("adopted")
            yield from self.step("adopted", turn)
        else:
            yield from self.drop_draft(turn)
            yield from self.step("turn.ended", turn)

    def put_off(self, turn: e.TurnEnded, *, hushed: bool) -> None:
        """The turn is seen to once it is silent."""
        self.over.append(turn)
        if hushed:
            self.hushed.add(turn.trace)

    def hush(self, turn: e.TurnEnded) -> Iterator[e.Event]:
        """The user's turn asked for silence: that is the answer. Nor is it told what comes back."""
        self.apologised, self.quiet_epoch = False, self.epoch
        yield from self.drop_draft(turn)
        yield from self.step("hushed", turn)
        items = self.ledger.hush(turn.text, turn.start * NS_PER_SAMPLE, turn.trace)
        yield from self.keep(items, turn)

    def note(self, turn: e.TurnEnded) -> None:
        """Enters what the user said as asked, with what was seen."""
        views = self.sight.views(turn.trace)
        self.ledger.ask(turn.text, turn.start * NS_PER_SAMPLE, turn.trace, views)

    def forget(self, event: e.Event) -> Iterator[e.Event]:
        """The user had the floor and gave it back without a word: what was asked is still asked."""
        match self.machines.reply.state, self.ledger.unheard:
            case "withdrawn", False:
                return self.step("unasked", event)
            case "none", True:  # a warning came between the question and its answer
                return self.step("turn.ended", event)
        return self.step("turn.dropped", event)

    def drop_draft(self, event: e.Event) -> Iterator[e.Event]:
        """The draft, if there is one, is not the answer."""
        if self.draft_is_held:
            self.drafts.drop(self.epoch, event.t_ns)
            yield from self.orders.step(self.machines.draft, "dropped", event)

    def prefill(self, event: e.Event, words: str = "") -> e.Event:
        """The command to evaluate the history ahead, with `words` of the user."""
        messages = self.messages(words, event.trace)
        return e.PromptPrefill(t_ns=event.t_ns, trace=event.trace, messages=messages)

    def keep(self, items: list[Item], event: e.Event) -> Iterator[e.Event]:
        """The facts that these items have entered the history."""
        for item in items:
            yield e.ItemKept(
                t_ns=event.t_ns,
                trace=event.trace,
                epoch=self.epoch,
                role=item.role,
                text=item.text,
                start_ns=item.start_ns,
                cut=item.cut,
            )
