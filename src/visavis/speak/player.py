"""Station speak, node `player`: what sounds in each output period, and what was heard of it.

Takes clock.ticked, sound.made, reply.start, reply.adopt, reply.cancel, and the five playback
commands: duck, restore, hold, release, stop. Gives sound.played. Invariants: every sample of a
reply that is not cut is given once and in order; a tick gives at most one period, at its own place
on the output axis; nothing of a held reply before it is adopted; joined, `heard` is the beginning
of the written reply, and all of it when it ended by itself; a reply has exactly one `done`, at its
end or when playback is told to stop (a reply cancelled without a stop has none). Knows no device:
what it gives, the ear plays.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from visavis.flow.events import (
    ClockTicked,
    Event,
    PlaybackDuck,
    PlaybackHold,
    PlaybackRelease,
    PlaybackRestore,
    PlaybackStop,
    ReplyAdopt,
    ReplyCancel,
    ReplyStart,
    Samples,
    SoundMade,
    SoundPlayed,
)
from visavis.speak.gain import Gain
from visavis.speak.playhead import Playing

SILENCE: Samples = np.zeros(0, np.float32)


class Player:
    """Hands out the sound of one reply at a time.

    `rate_hz` and `period_ms` must give a whole number of samples. `duck_db`: the volume while
    ducked; `ramp_ms`: how long a change takes. A phrase, or a part of one, that never comes is
    given up after `patience_ms` if later phrases are waiting.

    Bounds: `max_seconds` of sound wait at most, in `max_phrases` phrases; what exceeds them is
    refused and counted. Once sound was refused, the reply's later sound is refused too: so nothing
    sounds behind text that did not, and that text is told only if the reply comes to its end.
    """

    name = "speak.player"

    def __init__(
        self,
        rate_hz: int,
        *,
        period_ms: int = 20,
        duck_db: float = -18.0,
        ramp_ms: float = 10.0,
        max_seconds: float = 60.0,
        max_phrases: int = 4096,
        patience_ms: int = 500,
    ) -> None:
        assert rate_hz * period_ms % 1000 == 0, "a period is a whole number of samples"
        self.period = rate_hz * period_ms // 1000
        self.underruns = 0
        self.refused = 0
        self._gain = Gain(max(int(rate_hz * ramp_ms / 1000), 1))
        self._duck = 10.0 ** (duck_db / 20.0)
        self._max_samples = int(max_seconds * rate_hz)
        self._max_phrases = max_phrases
        self._patience = max(patience_ms // period_ms, 1)
        self._next = 0  # where the next period begins on the output axis
        self._over = 0  # replies up to this epoch sound no more
        self._begin(0)

    def on(self, event: Event) -> Iterable[Event]:
        match event:
            case ClockTicked():
                return self._tick(event)
            case SoundMade():
                self._accept(event)
            case ReplyStart() if event.epoch > self._epoch:
                self._begin(event.epoch)
                self._drafted = event.held
            case ReplyAdopt() if event.epoch == self._epoch:
                self._drafted = False
            case ReplyCancel():
                self._finish(event.epoch)
            case PlaybackDuck():
                self._gain.aim(self._duck)
            case PlaybackRestore():
                self._gain.aim(1.0)
            case PlaybackHold() | PlaybackRelease():
                self._held = isinstance(event, PlaybackHold)
            case PlaybackStop():
                return self._stop(event)
        return ()

    def _begin(self, epoch: int) -> None:
        self._epoch = epoch
        self._waiting: dict[int, Playing] = {}  # by index; those under or before the playhead
        self._queued = 0  # samples in them
        self._index = 0  # of the phrase under the playhead
        self._missed = 0  # periods for which that phrase has been missing
        self._passed = ""  # text without sound, behind the last word heard
        self._full = False  # was sound refused?
        self._drafted = False  # not adopted yet
        self._held = False  # told to stand still
        self._sounds = False  # has any of it sounded?
        self._trace = 0
        self._gain.reset()

    def _finish(self, epoch: int) -> None:
        """No more of replies up to `epoch`."""
        self._over = max(self._over, epoch)
        if self._epoch <= epoch:
            self._begin(epoch)

    def _accept(self, sound: SoundMade) -> None:
        if sound.epoch < self._epoch or sound.epoch <= self._over:
            return
        if sound.epoch > self._epoch:
            self._begin(sound.epoch)
        if not self._place(self._fitting(sound)):
            self.refused += 1
            return
        self._trace = sound.trace

    def _place(self, sound: SoundMade) -> bool:
        """Whether the part has found its place behind those that came before it."""
        phrase = self._waiting.get(sound.index)
        if phrase is not None:
            placed = phrase.add(sound)
        else:
            has_room = len(self._waiting) < self._max_phrases
            placed = sound.part == 0 and sound.index >= self._index and has_room
            if placed:
                self._waiting[sound.index] = Playing(sound)
        self._queued += len(sound.samples) * placed
        return placed

    def _fitting(self, sound: SoundMade) -> SoundMade:
        """The part, without its samples if there is no room for them."""
        count = len(sound.samples)
        if not count or not (self._full or self._queued + count > self._max_samples):
            return sound
        self._full = True
        self.refused += 1
        return replace(sound, samples=SILENCE, error=sound.error or "refused")

    def _stop(self, stop: PlaybackStop) -> Iterable[Event]:
        epoch = stop.epoch or self._epoch
        if epoch < self._epoch or epoch <= self._over:
            return ()
        self._finish(epoch)
        end = SoundPlayed(
            t_ns=stop.t_ns,
            trace=stop.trace,
            epoch=epoch,
            start=self._next,
            samples=SILENCE,
            done=True,
            stopped=True,
        )
        return (end,)

    def _tick(self, tick: ClockTicked) -> Iterable[Event]:
        start = tick.index * self.period
        self._next = start + self.period
        if self._held or self._drafted:
            return ()
        samples, heard, done = self._period()
        if not (len(samples) or heard or done):
            return ()
        played = SoundPlayed(
            t_ns=tick.t_ns,
            trace=self._trace,
            epoch=self._epoch,
            start=start,
            samples=samples,
            heard=heard,
            done=done,
        )
        if done:
            self._finish(self._epoch)
        return (played,)

    def _period(self) -> tuple[Samples, str, bool]:
        """One period's samples (fewer if there are no more), the text heard in it, and the end."""
        parts: list[Samples] = []
        heard, room, done = "", self.period, False
        while not done and (phrase := self._under_playhead()) and (room or phrase.is_over):
            part = phrase.take(room)
            if part is not None:
                parts.append(part)
                room -= len(part)
                self._missed = 0
            heard += self._tell(phrase)
            if phrase.is_over:
                done = self._pass(phrase)
            elif phrase.is_dry:
                break
        if done:
            heard += self._passed
        elif room and self._sounds:
            self.underruns += 1
        samples = np.concatenate(parts) if len(parts) > 1 else (parts or [SILENCE])[0]
        self._queued -= len(samples)
        self._sounds = self._sounds or len(samples) > 0
        return self._gain.apply(samples), heard, done

    def _under_playhead(self) -> Playing | None:
        phrase = self._waiting.get(self._index)
        if phrase is not None and (phrase.is_over or not phrase.is_dry):
            return phrase
        if len(self._waiting) > (phrase is not None):
            self._missed += 1
            if self._missed > self._patience:
                return self._give_up(phrase)
        return phrase

    def _give_up(self, phrase: Playing | None) -> Playing:
        """What is missing was waited for long enough: the playhead goes on without it."""
        if phrase is None:
            self._index = min(self._waiting)
            return self._waiting[self._index]
        phrase.end()
        return phrase

    def _tell(self, phrase: Playing) -> str:
        """The text heard now. That without sound is told with the next word that sounds."""
        text = phrase.heard()
        if text:
            text, self._passed = self._passed + text, ""
        if phrase.is_over:
            self._passed += phrase.rest()
        return text

    def _pass(self, phrase: Playing) -> bool:
        """The playhead leaves the phrase: was it the last?"""
        del self._waiting[self._index]
        self._index += 1
        self._missed = 0
        return phrase.is_last
