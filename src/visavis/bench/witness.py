"""The witness: a tap that notes what an episode needs, and tells the director what happens.

Takes every event of a session; gives the marks, soundings, history and envelopes of an `Episode`,
and the values that only samples can tell. Knows nothing of what was to be said.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visavis.bench.director import Director
from visavis.bench.result import Episode, Mark
from visavis.bench.sounded import Replies, heard, is_same_sound, soundings
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_S

FRAME_S = 0.02
"""Of the envelopes."""


class Witness:
    """Watches one session."""

    def __init__(self, director: Director, rate_hz: int) -> None:
        self.replies = Replies()
        self.marks: list[Mark] = []
        self.history: list[tuple[str, str]] = []
        self.error = ""
        self._director = director
        self._rate_hz = rate_hz
        self._user: list[tuple[float, float]] = []
        self._now_s = 0.0

    def watch(self, event: e.Event) -> None:
        """Takes one event."""
        self._now_s = event.t_ns / NS_PER_S
        self.replies.watch(event)
        marked = mark(event)
        if marked is not None:
            self.marks.append(marked)
        match event:
            case e.ClockTicked():
                self._director.passed(self._now_s)
            case e.SoundPlayed() if len(event.samples):
                self._director.sounded(event.epoch, self._now_s)
            case e.StateChanged(state="idle") if event.previous != "idle":
                self._director.idled(self._now_s)
            case e.ItemKept():
                self.history.append((event.role, event.text))
            case e.AudioCaptured(encoding="f32"):
                self._user.append((self._now_s - FRAME_S, _peak(np.frombuffer(event.data, "<f4"))))
            case e.NodeFailed():
                self.error = self.error or f"{event.node}: {event.error}"

    def tell(self, episode: Episode) -> None:
        """Fills in what was seen."""
        told = self.replies.sounded()
        episode.length_s = self._now_s
        episode.sounding = [part for reply in told for part in soundings(reply, self._rate_hz)]
        episode.marks, episode.history = self.marks, self.history
        episode.error = episode.error or self.error
        over = [reply for reply in told if reply.ending]
        episode.values["heard_exact"] = [float(reply.kept == heard(reply)) for reply in over]
        episode.values["same_sound"] = [float(is_same_sound(reply)) for reply in told]
        blocks = [
            (t_s + at / self._rate_hz, _peak(samples[at : at + round(FRAME_S * self._rate_hz)]))
            for reply in told
            for t_s, samples in reply.blocks
            for at in range(0, len(samples), round(FRAME_S * self._rate_hz))
        ]
        episode.envelopes = {
            "user": envelope(self._user, episode.length_s),
            "reply": envelope(blocks, episode.length_s),
        }


def mark(event: e.Event) -> Mark | None:
    """The event as a mark, if it is one of those that tell how the episode went."""
    text: str | None = None
    match event:
        case e.SpeechStarted() | e.SpeechPaused() | e.ReplyAdopt():
            text = ""
        case e.PlaybackDuck() | e.PlaybackRestore() | e.PlaybackHold():
            text = ""
        case e.PlaybackRelease() | e.PlaybackStop():
            text = ""
        case e.WordsHeard(final=True) | e.TurnExpected():
            text = event.text
        case e.TurnEnded():
            text = " · ".join((event.text, *event.reasons))
        case e.TurnDropped() | e.ReplyCancel():
            text = event.reason
        case e.ReplyStart():
            text = "held" if event.held else event.say
        case e.SoundPlayed(done=True):
            text = "cut" if event.stopped else "whole"
        case e.NodeFailed():
            text = f"{event.node}: {event.error}"
    if text is None:
        return None
    return Mark(round(event.t_ns / NS_PER_S, 4), event.topic, text, event.epoch)


def envelope(peaks: Sequence[tuple[float, float]], length_s: float) -> list[float]:
    """The highest peak in each 20 ms, from peaks at times."""
    frames = np.zeros(int(length_s / FRAME_S) + 1)
    for t_s, peak in peaks:
        at = min(max(round(t_s / FRAME_S), 0), len(frames) - 1)
        frames[at] = max(frames[at], peak)
    return [round(float(peak), 3) for peak in frames]


def _peak(samples: e.Samples) -> float:
    return float(np.max(np.abs(samples), initial=0.0))
