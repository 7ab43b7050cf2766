"""The invariants of the line, checked at every event of a simulated run (of seeing: eyes.py).

1. nothing of a cancelled reply sounds later than one output period after the stop
2. the history holds exactly what was heard, no more and no less
3. a silence always ends in idle, and no state is a trap
4. every queue and ring stays within its bound
5. event time never runs backwards; epochs never come back to life
6. the same seed gives the same digest
7. a draft is not heard before it is adopted
8. a warning is heard to its end, whatever anyone says

What was heard is worked out here from the sound that was made and the number of its samples that
were played, not from what the player says was heard.
"""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import dataclass, field, fields

import numpy as np

from visavis.decide.initiative import MURMURS
from visavis.flow import events as e
from visavis.flow.bus import Bus
from visavis.flow.topics import BY_NAME

PERIOD_NS = 20_000_000


@dataclass
class Invariants:
    """A tap. `finish` checks what can only be known at the end."""

    bus: Bus
    warning: str = ""
    held: set[int] = field(default_factory=set)
    adopted: set[int] = field(default_factory=set)
    warned: set[int] = field(default_factory=set)
    murmured: set[int] = field(default_factory=set)
    now_ns: int = 0
    newest_epoch: int = 0
    stopped_ns: dict[int, int] = field(default_factory=dict)
    cancelled: set[int] = field(default_factory=set)
    ended: set[int] = field(default_factory=set)
    made: dict[int, list[e.SoundMade]] = field(default_factory=dict)
    played: dict[int, list[e.Samples]] = field(default_factory=dict)
    kept: list[e.ItemKept] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)
    state: str = "idle"
    events: int = 0
    digest: hashlib._Hash = field(default_factory=hashlib.sha256)

    def watch(self, event: e.Event) -> None:
        """Takes one event; raises `AssertionError` at the first breach."""
        self.events += 1
        self._note(event)
        assert event.t_ns >= self.now_ns, f"time ran backwards at {event.topic}"
        self.now_ns = event.t_ns
        topic = BY_NAME[event.topic]
        if topic.fenced:
            assert event.epoch not in self.cancelled, f"{event.topic} of a cancelled reply"
            assert event.epoch == self.newest_epoch, f"{event.topic} of an old reply"
        check = getattr(self, f"_on_{event.topic.replace('.', '_')}", None)
        if check is not None:
            check(event)

    def finish(self) -> str:
        """Checks the end of the run; returns the digest."""
        assert self.state == "idle", f"the run ended in {self.state}"
        for entry in self.bus.subscriptions():
            assert entry.peak <= entry.topic.depth, f"{entry.topic.name} queue of {entry.peak}"
            assert entry.waiting == 0
            may_drop = entry.topic.full != "refuse"
            assert may_drop or not entry.dropped, f"{entry.topic.name} lost {entry.dropped}"
        self._check_history()
        return self.digest.hexdigest()

    # ── each event ───────────────────────────────────────────────────────────────────────────

    def _on_reply_start(self, event: e.ReplyStart) -> None:
        assert event.epoch > self.newest_epoch, "an epoch came back"
        self.newest_epoch = event.epoch
        if event.held:
            self.held.add(event.epoch)
        if self.warning and event.say.startswith(self.warning):
            self.warned.add(event.epoch)
        if event.say in MURMURS.values():
            self.murmured.add(event.epoch)
        if event.say:
            return
        roles = [message.role for message in event.messages]
        assert roles
        assert roles[-1] in ("user", "system")
        assert all(message.content.strip() for message in event.messages)
        texts = [message.content for message in event.messages]
        pairs = itertools.pairwise(zip(roles, texts, strict=True))
        assert not any(one == other for one, other in pairs), "a turn was asked twice"

    def _on_reply_adopt(self, event: e.ReplyAdopt) -> None:
        assert event.epoch in self.held, "not a draft"
        self.held.discard(event.epoch)
        self.adopted.add(event.epoch)

    def _on_reply_cancel(self, event: e.ReplyCancel) -> None:
        assert event.epoch not in self.warned or event.reason == "gave.up", "a warning was stopped"
        self.held.discard(event.epoch)
        self.cancelled.add(event.epoch)

    def _on_playback_stop(self, event: e.PlaybackStop) -> None:
        self.stopped_ns.setdefault(event.epoch, event.t_ns)

    def _on_sound_made(self, event: e.SoundMade) -> None:
        self.made.setdefault(event.epoch, []).append(event)

    def _on_sound_played(self, event: e.SoundPlayed) -> None:
        assert event.epoch not in self.held, "a draft is heard before it is adopted"
        if len(event.samples):
            for epoch, stop_ns in self.stopped_ns.items():
                late = event.epoch <= epoch and event.t_ns > stop_ns + PERIOD_NS
                assert not late, f"reply {event.epoch} sounds after its stop"
        self.played.setdefault(event.epoch, []).append(event.samples)
        if event.done and not event.stopped:
            self.ended.add(event.epoch)

    def _on_turn_ended(self, event: e.TurnEnded) -> None:
        self.turns.append(event.text)

    def _on_item_kept(self, event: e.ItemKept) -> None:
        assert event.text.strip(), "an empty item"
        self.kept.append(event)

    def _on_state_changed(self, event: e.StateChanged) -> None:
        assert event.previous == self.state
        self.state = event.state

    def _on_node_failed(self, event: e.NodeFailed) -> None:
        raise AssertionError(f"{event.node}: {event.error}")

    # ── the end ──────────────────────────────────────────────────────────────────────────────

    def _check_history(self) -> None:
        answers = {item.epoch: item for item in self.kept if item.role == "assistant"}
        assert set(answers) <= set(self.played)
        assert not self.murmured & set(answers), "a murmur is no item of the history"
        for epoch, blocks in self.played.items():
            if epoch in self.murmured:
                continue
            made = sorted(self.made.get(epoch, []), key=lambda sound: (sound.index, sound.part))
            played = np.concatenate(blocks)
            assert_same_sound(played, [sound.samples for sound in made])
            kept = answers[epoch].text if epoch in answers else ""
            heard = heard_text(made, len(played), whole=epoch in self.ended).strip()
            assert kept == heard, f"reply {epoch}: kept {kept!r}, heard {heard!r}"
        starts = [item.start_ns for item in self.kept if item.role == "user"]
        assert len(set(starts)) == len(starts), "one turn was kept twice"

    def _note(self, event: e.Event) -> None:
        values = (getattr(event, entry.name) for entry in fields(event))
        noted = [v.tobytes() if isinstance(v, np.ndarray) else repr(v).encode() for v in values]
        self.digest.update(b"\0".join([event.topic.encode(), *noted]))


def heard_text(made: list[e.SoundMade], played: int, *, whole: bool) -> str:
    """The written text whose words sounded for at least half of their samples.

    Of a reply that came to its end (`whole`), also what no voice could speak.
    """
    text = silent = ""
    for _, group in itertools.groupby(made, key=lambda sound: sound.index):
        first, *others = group
        parts = [first, *others]
        length = sum(len(part.samples) for part in parts)
        entire = length > 0 and not parts[-1].more and not any(part.error for part in parts)
        here = min(played, length)  # of a phrase that broke off, its words tell more
        past = [w for w in first.words if w.start < here and w.start + w.end <= here * 2]
        told = past[-1].char_end if past and length else 0
        told = len(first.written) if entire and played >= length else told
        if told:
            text, silent = text + silent + first.written[:told], ""
        if played < length:
            break
        silent += first.written[told:]
        played -= length
    return text + silent * whole


def assert_same_sound(played: e.Samples, made: list[e.Samples]) -> None:
    """What was played is the beginning of what was made, sample by sample, maybe ducked."""
    whole = np.concatenate([*made, np.zeros(0, np.float32)])[: len(played)]
    assert len(whole) == len(played), "more was played than made"
    assert np.array_equal(np.sign(whole), np.sign(played))
    assert np.all(np.abs(played) <= np.abs(whole))
