"""A reply's way from the end of the user's speech to its first sound, hop by hop.

Takes what the meter sees. Invariant: the hops add up to `voice_to_voice_ms`. Of a reply that was
begun as a draft, a hop counts from the turn's end on: what lay before it kept nobody waiting.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS, NS_PER_S

# One minute of chunks of 20 ms: far longer than any turn waits for its end to be declared.
MARKS = 3000
NS_PER_SAMPLE = NS_PER_S // e.INPUT_RATE_HZ


@dataclass(frozen=True, slots=True)
class ReplyLatency:
    """One reply's way to its first sound, in milliseconds. None: that step was not seen.

    `recognition_ms` is from the pause to the final words; `late_recognition_ms` what of it lay
    after the turn had ended. Neither is a hop of its own: they lie within `endpoint` and `decide`.
    `draft_lead_ms`: how long before the turn's end this reply was begun, as a draft; what was done
    by then is in no hop.
    """

    epoch: int
    trace: int
    voice_to_voice_ms: float | None
    endpoint_ms: float | None
    decide_ms: float | None
    first_token_ms: float | None
    phrase_ms: float | None
    synthesis_ms: float | None
    output_ms: float | None
    recognition_ms: float | None
    late_recognition_ms: float | None
    draft_lead_ms: float | None = None


class Reply:
    """A reply under way: the first time of each step."""

    def __init__(self, start: e.ReplyStart, turn: e.TurnEnded | None) -> None:
        self.start = start
        self.turn = turn
        self.sounded = False
        self.wanted = not start.held
        self.command: e.ReplyStart | e.ReplyAdopt = start  # that made it the answer
        self.first_ns = {"reply.start": start.t_ns}

    def adopt(self, event: e.ReplyAdopt, turn: e.TurnEnded | None) -> None:
        """It was a draft, and is the answer to `turn`."""
        self.turn, self.wanted, self.command = turn, True, event

    def latency(self, hearing: Hearing) -> ReplyLatency:
        """The break-down, at its first sound."""
        turn_ns = self.turn.t_ns if self.turn else None

        def at(step: str) -> int | None:
            found = self.first_ns.get(step)
            return found if found is None or turn_ns is None else max(found, turn_ns)

        speech_ns = hearing.time_of(self.turn.end) if self.turn else None
        recognition_ms, late_ms = hearing.recognition(self.turn)
        return ReplyLatency(
            epoch=self.start.epoch,
            trace=self.start.trace,
            voice_to_voice_ms=ms(speech_ns, at("sound.played")),
            endpoint_ms=ms(speech_ns, turn_ns),
            decide_ms=ms(turn_ns, at("reply.start")),
            first_token_ms=ms(at("reply.start"), at("token.made")),
            phrase_ms=ms(at("token.made"), at("phrase.ready")),
            synthesis_ms=ms(at("phrase.ready"), at("sound.made")),
            output_ms=ms(at("sound.made"), at("sound.played")),
            recognition_ms=recognition_ms,
            late_recognition_ms=late_ms,
            draft_lead_ms=ms(self.start.t_ns, turn_ns) if self.start.held else None,
        )


class Hearing:
    """When the user's speech ended, was recognised, and was declared a turn."""

    def __init__(self) -> None:
        self.turn: e.TurnEnded | None = None
        self._chunks: deque[tuple[int, int, int]] = deque(maxlen=MARKS)  # start, end, t_ns
        self._paused_ns: dict[int, int] = {}
        self._final_ns: dict[int, int] = {}

    def on_audio(self, event: e.AudioAligned) -> None:
        self._chunks.append((event.start, event.start + len(event.samples), event.t_ns))

    def on_pause(self, event: e.SpeechPaused) -> None:
        _mark(self._paused_ns, event.end, event.t_ns)

    def on_words(self, event: e.WordsHeard) -> None:
        if event.final and event.end not in self._final_ns:
            _mark(self._final_ns, event.end, event.t_ns)

    def on_turn(self, event: e.TurnEnded) -> None:
        self.turn = event

    def time_of(self, sample: int) -> int:
        """Session time of a position on the input axis, rather too early than too late.

        By its index, from which it may be some jitter away; or by the stamp of its chunk's end,
        which is late when the loop was: a stall must not hide the latency that it caused.
        """
        by_index_ns = sample * NS_PER_SAMPLE
        for start, end, t_ns in reversed(self._chunks):
            if start < sample <= end:
                return min(by_index_ns, t_ns - (end - sample) * NS_PER_SAMPLE)
        return by_index_ns

    def recognition(self, turn: e.TurnEnded | None) -> tuple[float | None, float | None]:
        """From the turn's last pause to its final words, and the part after the turn's end."""
        if turn is None:
            return None, None
        paused_ns, final_ns = self._paused_ns.get(turn.end), self._final_ns.get(turn.end)
        if paused_ns is None or final_ns is None:
            return None, None
        return ms(paused_ns, final_ns), max(0.0, (final_ns - turn.t_ns) / NS_PER_MS)


def _mark(marks: dict[int, int], sample: int, t_ns: int) -> None:
    """Notes a time by its sample; the oldest mark is forgotten when there are too many."""
    marks[sample] = t_ns
    if len(marks) > MARKS:
        del marks[next(iter(marks))]


def ms(begin_ns: int | None, end_ns: int | None) -> float | None:
    """Milliseconds between two times, if both are known."""
    return None if begin_ns is None or end_ns is None else (end_ns - begin_ns) / NS_PER_MS
