"""The recogniser: what the user says, while it is being said and once it is said.

Takes `speech.started`, `audio.aligned`, `speech.paused`, `turn.ended`, `turn.dropped`; gives
`words.heard` and `speech.fading`. Runs in the lane `asr`. An utterance begins with a voice and goes
on over pauses until its turn is over; all of its events bear the number of its first stretch.
Invariant: every sample of it is recognised once it is final, from `preroll_ms` before its onset on,
however late and in what pieces the events come: it reads the ring from where it stopped.

When the sound dies down, that is told, and a recognition starts at once without waiting for
`speech.paused`: if nothing more was said by then, the words are there when the pause is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from visavis.backends.contract import Asr, Hypothesis, Locating
from visavis.flow.events import (
    INPUT_RATE_HZ,
    AudioAligned,
    Event,
    SpeechFading,
    SpeechPaused,
    SpeechStarted,
    TurnDropped,
    TurnEnded,
    WordsHeard,
)
from visavis.flow.ring import AudioRing
from visavis.flow.text import join
from visavis.perceive.agreement import Agreement
from visavis.perceive.envelope import FRAME, Envelope
from visavis.perceive.pointing import pointing

DYING = INPUT_RATE_HZ * 24 // 1_000
# A recognition that ends so shortly before the voice does has heard all of it.
NEAR = INPUT_RATE_HZ * 32 // 1_000


@dataclass(slots=True)
class Utterance:
    """What is known of the utterance that began with stretch `trace` at sample `start`.

    `said`: text of the sound before sample `base`, which is settled. The backend has been fed
    [base, fed). `pause`: the last one, the text from `base` to it, and where that points. `draft`:
    a recognition of all that was fed. `tried`: where the newest recognition ended, which is
    `newest` if it was thorough. `faded`: where the sound last died down. `pointed`: the sample at
    which the text before `base` points, -1 = it does not.
    """

    trace: int
    start: int
    base: int
    fed: int
    tried: int
    envelope: Envelope
    faded: int = -1
    voiced: bool = True
    said: str = ""
    pointed: int = -1
    language: str = ""
    agreement: Agreement = field(default_factory=Agreement)
    pause: tuple[int, str, int] | None = None
    draft: Hypothesis | None = None
    newest: Hypothesis | None = None


class Recogniser:
    """One utterance after the other.

    `longest_s`: what the backend can take; a longer utterance is recognised in parts, cut where
    it was quiet. `part_s`: who goes on after a pause so late begins a new part, because a
    recognition takes the longer the more it hears. `quiet_ms`: so much quiet starts one.
    `behind_ms`: chunks older than that are left to the next one. `tail_ms`: how much is heard
    beyond a pause.
    """

    name = "perceive.asr"

    def __init__(
        self,
        asr: Asr,
        ring: AudioRing,
        *,
        preroll_ms: float = 300,
        tail_ms: float = 160,
        quiet_ms: float = 32,
        behind_ms: float = 60,
        part_s: float = 12,
        longest_s: float = 28,
    ) -> None:
        self._asr, self._ring = asr, ring
        self._preroll, self._tail, self._quiet, self._behind = (
            round(ms * INPUT_RATE_HZ / 1_000) for ms in (preroll_ms, tail_ms, quiet_ms, behind_ms)
        )
        self._part_length = round(part_s * INPUT_RATE_HZ)
        self._longest = round(longest_s * INPUT_RATE_HZ)
        self._utterance: Utterance | None = None
        self._floor = 0  # sound before this belongs to turns that are over

    def on(self, event: Event) -> Iterator[Event]:
        match event:
            case SpeechStarted():
                self._begin(event)
            case AudioAligned():
                yield from self._listen(event)
            case SpeechPaused():
                yield from self._settle(event)
            case TurnEnded() | TurnDropped():
                self._end(event)

    def close(self) -> None:
        self._asr.close()

    # ── the events ───────────────────────────────────────────────────────────────────────────

    def _begin(self, event: SpeechStarted) -> None:
        if (utterance := self._utterance) is not None:
            utterance.voiced = True
            if utterance.pause and utterance.pause[0] - utterance.base > self._part_length:
                self._part(utterance)
            return
        at = max(event.start - self._preroll, self._floor, self._ring.begin)
        self._utterance = Utterance(event.trace, event.start, at, at, at, Envelope(at))
        self._asr.open()

    def _listen(self, event: AudioAligned) -> Iterator[Event]:
        utterance, end = self._utterance, event.start + len(event.samples)
        if utterance is None or not utterance.voiced:
            return
        if end <= utterance.fed or self._ring.end - end > self._behind:
            return
        quiet = self._quiet_for(utterance, end)
        if quiet >= self._quiet:
            if (faded := end - quiet) > utterance.faded:
                utterance.faded = faded
                yield SpeechFading(t_ns=event.t_ns, trace=utterance.trace, end=faded)
            if not self._has_heard(utterance, faded):
                self._feed(utterance, end)
                yield from self._partial(utterance, self._draft(utterance), event)
        elif quiet < DYING:
            # Else the voice may be ending, and one begun now would keep that of the end waiting.
            yield from self._partial(utterance, self._feed(utterance, end), event)

    def _settle(self, event: SpeechPaused) -> Iterator[Event]:
        utterance = self._utterance
        if utterance is None:
            return
        utterance.voiced = False
        found = self._final(utterance, event.end)
        utterance.agreement.settle(found.text)
        pointed = self._pointed(utterance, found.text)
        utterance.pause = event.end, found.text, pointed
        text = join(utterance.said, found.text)
        words = self._words(utterance, event, event.end, text, len(text), found, final=True)
        yield replace(words, pointed=pointed)

    def _final(self, utterance: Utterance, end: int) -> Hypothesis:
        """All that was said up to the pause that began at sample `end`."""
        newest = utterance.newest
        # Where a word points can be told of a recognition of all that was fed only.
        if newest and self._has_heard(utterance, end) and not pointing(newest.text):
            return newest
        if utterance.draft is None or utterance.fed < end:
            self._feed(utterance, min(end + self._tail, self._ring.end))
        return self._draft(utterance)

    def _has_heard(self, utterance: Utterance, end: int) -> bool:
        """Whether the newest recognition is one of the whole voice, if that ended at `end`."""
        return utterance.newest is not None and utterance.tried >= end - NEAR

    def _end(self, event: TurnEnded | TurnDropped) -> None:
        if self._utterance is not None and self._utterance.trace == event.trace:
            self._floor = event.end
            self._utterance = None

    # ── the backend ──────────────────────────────────────────────────────────────────────────

    def _feed(self, utterance: Utterance, end: int) -> Hypothesis | None:
        """Feeds what has not been fed; what the ring has lost meanwhile is lost."""
        if utterance.base < self._ring.begin:
            self._catch_up(utterance)
        while end - utterance.base > self._longest:
            self._part(utterance)
        start = max(utterance.fed, self._ring.begin)
        if start >= end:
            return None
        samples = self._ring.whole(start, end)
        utterance.fed, utterance.draft = end, None
        found = self._asr.feed(samples)
        if found is not None:
            utterance.tried, utterance.newest = end, found if found.thorough else None
        return found

    def _catch_up(self, utterance: Utterance) -> None:
        """Goes on with what is left of sound that was overwritten before it was recognised."""
        begin = self._ring.begin
        utterance.base = utterance.fed = utterance.tried = begin
        utterance.pause, utterance.agreement = None, Agreement()
        utterance.draft = utterance.newest = None
        self._asr.open()

    def _draft(self, utterance: Utterance) -> Hypothesis:
        """A recognition of all that was fed."""
        if utterance.draft is None:
            utterance.draft = utterance.newest = self._asr.flush()
            utterance.tried = utterance.fed
        utterance.language = utterance.draft.language or utterance.language
        return utterance.draft

    def _pointed(self, utterance: Utterance, text: str) -> int:
        """The middle of the first word that points; `text` is what was just recognised.

        Asked only where there is such a word: a recogniser needs 12 ms to tell.
        """
        if utterance.pointed >= 0 or not isinstance(self._asr, Locating):
            return utterance.pointed
        where = pointing(text)
        found = self._asr.locate(*where) if where is not None else None
        return utterance.base + (found[0] + found[1]) // 2 if found is not None else -1

    def _part(self, utterance: Utterance) -> None:
        """Settles the first part of the utterance, up to its last pause if it had one."""
        if utterance.pause is not None:
            cut, text, utterance.pointed = utterance.pause
        else:
            earliest = utterance.base + self._longest // 2
            cut = min(max(utterance.envelope.quietest(), earliest), earliest + self._longest // 2)
            self._feed_anew(utterance, utterance.base, cut)
            text = self._asr.flush().text
            utterance.pointed = self._pointed(utterance, text)
        utterance.said = join(utterance.said, text)
        utterance.base = utterance.tried = cut
        utterance.agreement = Agreement()
        self._feed_anew(utterance, cut, max(cut, utterance.fed))

    def _feed_anew(self, utterance: Utterance, start: int, end: int) -> None:
        utterance.fed, utterance.pause = end, None
        utterance.draft = utterance.newest = None
        self._asr.open()
        self._asr.feed(self._ring.slice(max(start, self._ring.begin), end))

    def _quiet_for(self, utterance: Utterance, end: int) -> int:
        """Samples since the sound was last loud."""
        envelope = utterance.envelope
        if envelope.end < self._ring.begin:
            envelope = utterance.envelope = Envelope(self._ring.begin)
        whole = max(0, end - envelope.end) // FRAME * FRAME
        envelope.feed(self._ring.slice(envelope.end, envelope.end + whole))
        return envelope.end - envelope.loud_until(utterance.base)

    # ── the words ────────────────────────────────────────────────────────────────────────────

    def _partial(
        self, utterance: Utterance, found: Hypothesis | None, cause: Event
    ) -> Iterator[WordsHeard]:
        if found is None or not found.text:
            return
        utterance.language = found.language or utterance.language
        piece = utterance.agreement.update(found.text)
        text = join(utterance.said, piece)
        stable = len(text) - len(piece) + len(utterance.agreement.stable)
        yield self._words(utterance, cause, utterance.fed, text, stable, found)

    def _words(
        self,
        utterance: Utterance,
        cause: Event,
        end: int,
        text: str,
        stable: int,
        found: Hypothesis,
        *,
        final: bool = False,
    ) -> WordsHeard:
        return WordsHeard(
            t_ns=cause.t_ns,
            trace=utterance.trace,
            text=text,
            stable=stable,
            final=final,
            start=utterance.start,
            end=end,
            language=utterance.language,
            confidence=found.confidence,
            hesitation=found.hesitation,
        )
