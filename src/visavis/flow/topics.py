"""THE TABLE of topics: how often each event comes, how it may queue, how long it is worth anything.

One row a topic. The bus enforces the rows, the recorder and the docs are derived from them.

depth     how many may wait at one subscriber
full      what happens to one more: drop_oldest, drop_newest, latest_only (the newest replaces
          what waits), refuse (an overload: `Overflow` is raised, and counted)
max_age   older ones are dropped before delivery
fenced    belongs to a reply; dropped wherever it surfaces once its epoch is over
raises    the epoch from which replies live on: `this` = the event's own, `next` = the one after
back      one of the few that flow against the line
record    event = its fields; flac / jpeg = its media too; no = not at all
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from visavis.flow import events as e

Full = Literal["drop_oldest", "drop_newest", "latest_only", "refuse"]
Record = Literal["event", "flac", "jpeg", "no"]


@dataclass(frozen=True, slots=True)
class Topic:
    """A row of the table."""

    event: type[e.Event]
    rate_hz: float
    depth: int
    full: Full = "refuse"
    max_age_ms: int | None = None
    fenced: bool = False
    raises: Literal["", "this", "next"] = ""
    back: bool = False
    record: Record = "event"

    @property
    def name(self) -> str:
        return self.event.topic


TOPICS: tuple[Topic, ...] = (
    Topic(e.ClockTicked, 50, 250, "drop_oldest"),
    # source
    Topic(e.AudioCaptured, 50, 512, "drop_oldest", record="no"),
    Topic(e.FrameCaptured, 30, 1, "latest_only", max_age_ms=500),
    Topic(e.SourceEnded, 0.01, 8),
    Topic(e.NoticeRaised, 0.01, 16, "drop_oldest"),
    # align
    Topic(e.AudioAligned, 50, 512, "drop_oldest", record="flac"),
    Topic(e.FrameAligned, 30, 1, "latest_only", max_age_ms=500),
    # perceive
    Topic(e.SpeechStarted, 1, 64),
    Topic(e.SpeechFading, 3, 64, "drop_oldest"),
    Topic(e.SpeechPaused, 1, 64),
    Topic(e.VoiceMeasured, 3, 64, "drop_oldest"),
    Topic(e.WordsHeard, 3, 64),
    Topic(e.SceneChanged, 0.5, 8, "drop_oldest"),
    Topic(e.SightJudged, 0.05, 16, "drop_oldest"),
    Topic(e.CameraChanged, 0.05, 16, "drop_oldest"),
    Topic(e.ViewTaken, 1, 16, "drop_oldest", record="jpeg"),
    Topic(e.ViewMissed, 0.1, 16, "drop_oldest"),
    Topic(e.ViewRead, 0.5, 8, "drop_oldest"),
    Topic(e.TurnDoubted, 1, 8, "drop_oldest"),
    Topic(e.TurnScored, 1, 8, "drop_oldest"),
    Topic(e.TurnExpected, 0.5, 16),
    Topic(e.TurnLingered, 0.1, 16),
    Topic(e.TurnEnded, 0.3, 16),
    Topic(e.TurnDropped, 0.3, 16),
    # memory
    Topic(e.ViewKept, 0.2, 16, "drop_oldest"),
    Topic(e.MemoryRecalled, 0.05, 8, "drop_oldest", record="jpeg"),
    # decide: facts, then commands
    Topic(e.StateChanged, 2, 64),
    Topic(e.ItemKept, 0.5, 64),
    Topic(e.PromptPrefill, 1, 1, "latest_only"),
    Topic(e.ItemAmended, 0.01, 16),
    Topic(e.ReplyStart, 0.3, 16, raises="this"),
    Topic(e.ReplyAdopt, 0.3, 16),
    Topic(e.ReplyCancel, 0.3, 16, raises="next"),
    Topic(e.PlaybackDuck, 0.3, 16),
    Topic(e.PlaybackRestore, 0.3, 16),
    Topic(e.PlaybackHold, 0.3, 16),
    Topic(e.PlaybackRelease, 0.3, 16),
    Topic(e.PlaybackStop, 0.3, 16),
    Topic(e.ToolRun, 0.05, 16, fenced=True),
    Topic(e.LookStart, 1, 8, "drop_oldest", back=True),
    Topic(e.ViewDescribe, 0.1, 1, "latest_only"),
    # think
    Topic(e.PromptPrefilled, 1, 16, "drop_oldest"),
    Topic(e.ViewDescribed, 0.1, 8, "drop_oldest"),
    Topic(e.TokenMade, 60, 1024, fenced=True),
    Topic(e.ReplyWritten, 0.3, 16, back=True),
    Topic(e.ToolCalled, 0.05, 16, fenced=True),
    Topic(e.ToolFinished, 0.05, 16),
    # speak
    Topic(e.PhraseReady, 2, 512, fenced=True),
    Topic(e.PhraseReleased, 2, 64, fenced=True),
    Topic(e.SoundMade, 2, 64, fenced=True, record="flac"),
    Topic(e.SoundPlayed, 50, 250, back=True),
    # from any node
    Topic(e.NodeFailed, 0.01, 64, "drop_oldest"),
)

BY_NAME = {topic.name: topic for topic in TOPICS}
