"""Whose turn: decides when the user has finished.

Takes `audio.aligned`, `speech.started`, `speech.fading`, `speech.paused`, `words.heard`,
`turn.scored`, `clock.ticked`; gives `turn.ended`, `turn.dropped`, and before them `turn.expected`
(it sounds finished), `turn.lingered` (a long pause, and it does not) and `turn.doubted` (it may be
either: an audio model, where there is one, is asked). Four signals add up as log-odds that the turn
is over: the words, how the voice ends, the audio model if it was asked, and how long this user
usually pauses; the sum says how much silence is enough. Invariants: a turn has one outcome; it is
over only after the words up to this pause are known, or are given up; who resumes before that goes
on in the same turn. Times come from the audio received: late chunks are not silence.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from visavis.flow.clock import NS_PER_MS
from visavis.flow.events import (
    SAMPLES_PER_MS,
    AudioAligned,
    Event,
    SpeechFading,
    SpeechPaused,
    SpeechStarted,
    TurnDoubted,
    TurnDropped,
    TurnEnded,
    TurnExpected,
    TurnLingered,
    TurnScored,
    WordsHeard,
)
from visavis.flow.ring import AudioRing
from visavis.perceive.completeness import (
    Completeness,
    completeness,
    is_hesitation,
    says_something,
)
from visavis.perceive.habit import Habit
from visavis.perceive.prosody import SPAN, Prosody, prosody

# Log-odds of 1.7 are a probability of 0.85.
SURE, OPEN, DOUBTFUL, HOPELESS = 1.7, 0.2, -1.7, -3.0
# Words and voice so sure that the audio model is not asked: its 50 ms of a core are what the answer
# would wait for, and it would lengthen the silence by a quarter of a second at the most.
CERTAIN = 2.5
# More likely over than not: worth an answer that is held.
LIKELY = 0.0
# The audio model is never surer than this, and where the words want more or may lead to more the
# sound has little to say against them: it knows nothing of numbers, of grammar and of manners, and
# "thank you" ends the same with a question behind it.
MODEL_WEIGHT, MODEL_LIMIT, MOST_UNFINISHED = 0.6, 1.5, 0.4
# A last word that may be an "um" (benchmarks/hesitations.py: of those that are, this is more likely
# than not of four in five) makes the words the less of an end the likelier that is.
HARDLY_AN_UM, AN_UM = -2.2, -2.2
# Who has paused may do so again, for about as long.
AGAIN = 1.2
# A recognition that ends so shortly before the voice does has heard all of its words, or guessed
# the last one: good enough for a draft, which the final words confirm or drop.
RECENT_MS = 250
# Chunks may come so much late.
STALL_MS = 300


@dataclass(slots=True)
class Turn:
    """The turn that began with stretch `trace` at sample `start`, and its newest pause."""

    trace: int
    start: int
    words: WordsHeard | None = None  # the newest that are not empty
    kept: WordsHeard | None = None  # likewise, final
    pause: SpeechPaused | None = None
    settled: bool = False  # the words up to `pause` are final
    foreseen: WordsHeard | None = None  # words that were looked at before they were final
    expected: bool = False  # was said of `pause`
    lingered: bool = False  # likewise
    prosody: Prosody = field(default_factory=Prosody)
    doubted: bool = False  # likewise: the audio model was asked about `pause`
    scored: float | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """How likely the turn is over, why, and how much silence makes it so."""

    log_odds: float
    reasons: tuple[str, ...]
    enough_ms: float


class TurnTaking:
    """One turn at a time.

    `sure_ms`, `unsure_ms`, `unfinished_ms`: the silence after which a turn is over that is surely
    complete, may be either, is clearly not complete. `score_ms`: where an audio model (`has_model`)
    was asked, so much silence there must be to decide without its score. `drop_ms`: after which a
    turn without words is over. `late_ms`: so long the final words are waited for, and `lost_ms`
    when there are none at all. `linger_ms`: a pause so long in the middle of a turn is told of.
    `longest_ms`: a turn that lasts longer ends at its next pause.
    """

    name = "perceive.turn"

    def __init__(
        self,
        ring: AudioRing,
        *,
        sure_ms: float = 200,
        unsure_ms: float = 1_200,
        unfinished_ms: float = 2_500,
        has_model: bool = False,
        score_ms: float = 350,
        drop_ms: float = 300,
        linger_ms: float = 900,
        late_ms: float = 4_000,
        lost_ms: float = 4_000,
        longest_ms: float = 120_000,
    ) -> None:
        self._ring = ring
        self._sure_ms, self._unsure_ms, self._unfinished_ms = sure_ms, unsure_ms, unfinished_ms
        self._score_ms, self._has_model = score_ms, has_model
        self._drop_ms, self._late_ms, self._lost_ms = drop_ms, late_ms, lost_ms
        self._linger_ms, self._longest_ms = linger_ms, longest_ms
        self._turn: Turn | None = None
        self._heard = 0  # samples received; not the ring's end, which may be ahead of the events
        self._habit = Habit(unfinished_ms)

    def on(self, event: Event) -> Iterator[Event]:
        match event:
            case AudioAligned():
                # Not decided on here: a voice in these samples is still on its way to us.
                self._heard = event.start + len(event.samples)
                return
            case SpeechStarted():
                self._begin_or_resume(event)
            case SpeechPaused():
                self._pause(event)
            case WordsHeard():
                self._hear(event)
            case TurnScored():
                self._weigh(event)
        if (turn := self._turn) is None:
            return
        if turn.pause is not None:
            yield from self._decide(turn, turn.pause, event)
        elif isinstance(event, SpeechFading) and event.trace == turn.trace:
            yield from self._foresee(turn, event.end, event)

    # ── what comes in ────────────────────────────────────────────────────────────────────────

    def _begin_or_resume(self, event: SpeechStarted) -> None:
        self._habit.begin(event.start)
        turn = self._turn
        if turn is None:
            self._turn = Turn(event.trace, event.start)
        elif turn.pause is not None:
            turn.pause, turn.settled, turn.scored = None, False, None
            turn.expected = turn.lingered = turn.doubted = False

    def _pause(self, event: SpeechPaused) -> None:
        if (turn := self._turn) is None:
            return
        self._habit.pause(event.end)
        start = max(event.start, event.end - SPAN, self._ring.begin)
        voice = self._ring.slice(start, max(start, event.end))
        turn.pause, turn.settled, turn.prosody = event, False, prosody(voice)

    def _hear(self, event: WordsHeard) -> None:
        turn = self._turn
        if turn is None or event.trace != turn.trace:
            return
        if says_something(event.text):
            if turn.kept is None or event.text != turn.kept.text:
                self._habit.words(event.end)
            turn.words = event
            turn.kept = event if event.final else turn.kept
        elif event.final:
            # It was no word, whatever it seemed to be at first.
            turn.words = turn.kept
        if event.final and turn.pause is not None and event.end == turn.pause.end:
            turn.settled = True

    def _weigh(self, event: TurnScored) -> None:
        turn = self._turn
        if turn is not None and turn.pause is not None and event.end == turn.pause.end:
            turn.scored = event.probability

    # ── what goes out ────────────────────────────────────────────────────────────────────────

    def _decide(self, turn: Turn, pause: SpeechPaused, event: Event) -> Iterator[Event]:
        silent_ms = self._silent_ms(pause, event.t_ns)
        since_ms = (event.t_ns - pause.t_ns) / NS_PER_MS
        if not turn.settled and since_ms < (self._late_ms if turn.words else self._lost_ms):
            yield from self._foresee(turn, pause.end, event)
            words = turn.words
            if words and _is_recent(words, pause.end) and self._is_doubtful(turn, words, pause):
                yield from self._consult(turn, pause, event)
            return
        if turn.words is None:
            if silent_ms >= self._drop_ms:
                yield self._drop(
                    turn, pause, event, "no words" if turn.settled else "not recognised"
                )
            return
        verdict = self._judge(turn, turn.words, pause)
        unheard = silent_ms < self._score_ms and self._is_doubtful(turn, turn.words, pause)
        if unheard:
            yield from self._consult(turn, pause, event)
        if unheard or silent_ms < verdict.enough_ms:
            yield from self._foretell(turn, turn.words, pause, event, verdict, silent_ms)
        elif is_hesitation(turn.words.text):
            yield self._drop(turn, pause, event, "only hesitation")
        else:
            yield self._end(turn, turn.words, pause, event, verdict, silent_ms)

    def _foresee(self, turn: Turn, end: int, event: Event) -> Iterator[TurnExpected]:
        """The final words are not there yet; those that are may well be all of them."""
        words = turn.words
        if words is None or words is turn.foreseen or not _is_recent(words, end):
            return
        turn.foreseen = words
        log_odds = _judged(words).log_odds
        if log_odds >= SURE:
            yield _expected(turn, words, end, log_odds, event)

    def _is_doubtful(self, turn: Turn, words: WordsHeard, pause: SpeechPaused) -> bool:
        """Whether the audio model has still to say what it thinks, and it matters."""
        if not self._has_model or turn.scored is not None or is_hesitation(words.text):
            return False
        log_odds = _judged(words).log_odds + turn.prosody.log_odds
        return log_odds < CERTAIN and not self._is_too_long(turn, pause)

    def _consult(self, turn: Turn, pause: SpeechPaused, event: Event) -> Iterator[TurnDoubted]:
        """Ask the audio model, once a pause."""
        if not turn.doubted:
            turn.doubted = True
            yield TurnDoubted(t_ns=event.t_ns, trace=turn.trace, start=turn.start, end=pause.end)

    def _foretell(
        self,
        turn: Turn,
        words: WordsHeard,
        pause: SpeechPaused,
        event: Event,
        verdict: Verdict,
        silent_ms: float,
    ) -> Iterator[Event]:
        if not turn.expected and turn.settled and verdict.log_odds >= LIKELY:
            turn.expected = True
            yield _expected(turn, words, pause.end, verdict.log_odds, event)
        if not turn.lingered and silent_ms >= self._linger_ms and verdict.log_odds < LIKELY:
            turn.lingered = True
            yield TurnLingered(
                t_ns=event.t_ns,
                trace=turn.trace,
                start=turn.start,
                end=pause.end,
                silent_ms=silent_ms,
                language=words.language,
            )

    def _judge(self, turn: Turn, heard: WordsHeard, pause: SpeechPaused) -> Verdict:
        words = _judged(heard)
        sound, reasons = turn.prosody.log_odds, (words.reason, *turn.prosody.reasons)
        if turn.scored is not None:
            sound += _model_log_odds(turn.scored)
            reasons += (f"audio model {turn.scored:.2f}",)
        if words.log_odds <= OPEN:
            sound = min(sound, MOST_UNFINISHED)
        log_odds = words.log_odds + sound
        enough_ms = self._enough_ms(log_odds)
        if self._is_too_long(turn, pause):
            enough_ms, reasons = self._sure_ms, (*reasons, "turn too long")
        return Verdict(log_odds, reasons, enough_ms)

    def _is_too_long(self, turn: Turn, pause: SpeechPaused) -> bool:
        return (pause.end - turn.start) / SAMPLES_PER_MS > self._longest_ms

    def _enough_ms(self, log_odds: float) -> float:
        doubt = (HOPELESS, DOUBTFUL, 0.0, SURE)
        middle_ms = (self._sure_ms + self._unsure_ms) / 2
        silences_ms = (self._unfinished_ms, self._unsure_ms, middle_ms, self._sure_ms)
        enough_ms = float(np.interp(log_odds, doubt, silences_ms))
        usual_ms = self._habit.usual_ms if log_odds < SURE else 0.0
        enough_ms = max(enough_ms, min(AGAIN * usual_ms, self._unsure_ms))
        most_ms = self._unsure_ms if log_odds < SURE else middle_ms
        return max(enough_ms, min(AGAIN * self._habit.hesitated_ms, most_ms))

    def _silent_ms(self, pause: SpeechPaused, now_ns: int) -> float:
        """Silence in the audio that came; by the clock once audio has stopped coming."""
        heard_ms = (self._heard - pause.end) / SAMPLES_PER_MS
        waited_ms = (now_ns - pause.t_ns) / NS_PER_MS - STALL_MS
        return max(heard_ms, waited_ms)

    def _end(
        self,
        turn: Turn,
        words: WordsHeard,
        pause: SpeechPaused,
        event: Event,
        verdict: Verdict,
        silent_ms: float,
    ) -> TurnEnded:
        self._turn = None
        self._habit.end(pause.end)
        late = () if turn.settled else ("recognition late",)
        return TurnEnded(
            t_ns=event.t_ns,
            trace=turn.trace,
            text=words.text,
            start=turn.start,
            end=pause.end,
            probability=_probability(verdict.log_odds),
            reasons=(f"silence {silent_ms:.0f} ms", *verdict.reasons, *late),
            language=words.language,
        )

    def _drop(self, turn: Turn, pause: SpeechPaused, event: Event, reason: str) -> TurnDropped:
        self._turn = None
        return TurnDropped(
            t_ns=event.t_ns, trace=turn.trace, start=turn.start, end=pause.end, reason=reason
        )


def _judged(words: WordsHeard) -> Completeness:
    """What the words say, and that the last of them may be none."""
    said = completeness(words.text)
    if words.hesitation <= 0.0:
        return said
    doubt = max(0.0, _log_odds(words.hesitation) - HARDLY_AN_UM)
    log_odds = max(min(said.log_odds, AN_UM), said.log_odds - doubt)
    if log_odds == said.log_odds:
        return said
    return Completeness(log_odds, f"{said.reason}, unless it hesitates ({words.hesitation:.2f})")


def _is_recent(words: WordsHeard, end: int) -> bool:
    return (end - words.end) / SAMPLES_PER_MS <= RECENT_MS


def _expected(
    turn: Turn, words: WordsHeard, end: int, log_odds: float, cause: Event
) -> TurnExpected:
    return TurnExpected(
        t_ns=cause.t_ns,
        trace=turn.trace,
        text=words.text,
        start=turn.start,
        end=end,
        probability=_probability(log_odds),
        language=words.language,
    )


def _probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, 0.01), 0.99)
    return math.log(bounded / (1 - bounded))


def _model_log_odds(probability: float) -> float:
    opinion = MODEL_WEIGHT * _log_odds(probability)
    return min(MODEL_LIMIT, max(-MODEL_LIMIT, opinion))
