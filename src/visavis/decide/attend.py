"""Attention: when to look, and what the session sees with a question.

Takes facts about the eyes; gives commands to look, and the views and remarks that go with the
user's words. Frames cost nothing until they are looked at: at the onset of speech, when the scene
changes under it, at the moment of the question, and now and then. What else there is to see, such
as a screen, is looked at beside that (beside.py). Invariants: a question waits for the camera's
view at most `WAIT_NS`, and for no other; without a command to look nothing is taken; what is known
of views is bounded. Without eyes it gives nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from visavis.decide.beside import Beside
from visavis.decide.describe import Descriptions
from visavis.decide.initiative import in_language
from visavis.decide.known import Known
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS, NS_PER_S
from visavis.flow.events import CAMERA

WAIT_NS = 500 * NS_PER_MS
"""For the view of a question. It is there in a few milliseconds, if there is a frame at all."""
IDLE_NS = NS_PER_S
"""Between two looks at a scene that changes while nobody speaks: for the memory alone."""

AGO = {
    "en": "The picture is from {ago} ago, not from now.",
    "zh": "这张图是{ago}前的，不是现在的。",
}
BLIND = {
    "en": {
        "dark": "The camera is on, but it is dark: nothing can be seen.",
        "absent": "The camera shows nothing at the moment.",
        "frozen": "The camera is frozen: the picture is old.",
        "old": "The camera has stopped: the picture is old.",
        "blurred": "The picture is blurred.",
    },
    "zh": {
        "dark": "摄像头开着，但太暗，什么也看不见。",
        "absent": "摄像头现在没有画面。",
        "frozen": "摄像头的画面卡住了，这张图是旧的。",
        "old": "摄像头没有新画面了，这张图是旧的。",
        "blurred": "画面模糊。",
    },
}
UNSEEN = ("dark", "absent")
"""Conditions in which there is nothing to show, or nothing on what would be shown."""


class Sight:
    """What is seen. `heartbeat_s`: how often to look although nothing happens; None = no eyes.

    `streams`: what there is to look at.
    """

    def __init__(
        self, heartbeat_s: float | None = None, streams: Sequence[str] = (CAMERA,)
    ) -> None:
        self.has_eyes = heartbeat_s is not None
        self._heartbeat_ns = round((heartbeat_s or 0) * NS_PER_S)
        self._has_camera = self.has_eyes and CAMERA in streams
        others = [stream for stream in streams if stream != CAMERA]
        self._beside = Beside(others if self.has_eyes else (), self._heartbeat_ns)
        self._condition = ""
        self._newest: e.View | None = None
        self._view: e.View | None = None  # of the question's moment
        self._before: tuple[int, e.View | None] | None = None  # moment and view until one pointed
        self._moment_ns = -1  # of the question
        self._waits_until_ns = -1  # for the view of that moment
        self._is_old = False
        self._looked_ns = 0
        self._texts: Known[str] = Known()  # what is written in views
        self.descriptions = Descriptions()
        self._recalled: e.MemoryRecalled | None = None

    # ── looking ──────────────────────────────────────────────────────────────────────────────

    def look(self, event: e.Event, reason: str, moment_ns: int = -1) -> Iterator[e.Event]:
        """The command to look, if there are eyes. With a moment: that of the question."""
        if self._has_camera:
            self._looked_ns = event.t_ns
            if moment_ns >= 0:
                if reason == "pointed" and self._moment_ns >= 0:
                    self._before = self._moment_ns, self._view
                self._moment_ns, self._waits_until_ns = moment_ns, event.t_ns + WAIT_NS
            yield _look(event, reason, moment_ns)
        if reason == "speech":
            yield from _looks(event, reason, self._beside.at_onset(event.t_ns))

    def on_change(self, event: e.SceneChanged, *, speaking: bool) -> Iterator[e.Event]:
        """The scene changed: looked at again under speech, and now and then without."""
        if event.stream != CAMERA:
            self._beside.change(event.stream)  # the next tick sees to it
        elif speaking or event.t_ns - self._looked_ns >= IDLE_NS:
            yield from self.look(event, "change")

    def on_tick(self, event: e.Event) -> Iterator[e.Event]:
        """The heartbeat."""
        if event.t_ns - self._looked_ns >= self._heartbeat_ns:
            yield from self.look(event, "heartbeat")

    def look_beside(self, event: e.Event, *, speaking: bool) -> Iterator[e.Event]:
        """At what else there is to see, if it is time."""
        yield from _looks(event, "change", self._beside.due(event.t_ns, speaking=speaking))

    def open_turn(self) -> None:
        """The user speaks (again): the moment of the question is yet to come."""
        self._moment_ns, self._waits_until_ns = -1, -1
        self._view, self._is_old, self._before = None, False, None

    # ── what comes of it ─────────────────────────────────────────────────────────────────────

    def take(self, event: e.ViewTaken) -> bool:
        """A view was taken; whether the question's picture is another one with it."""
        before = self.views()
        view = event.view
        if view.stream != CAMERA:
            self._beside.take(view)
            return self.views() != before
        if self._newest is None or self._newest.captured_ns <= view.captured_ns:
            self._newest = view
        if event.moment_ns == self._moment_ns >= 0:
            self._view, self._is_old, self._waits_until_ns = view, False, -1
            self._before = None
        elif self._before is not None and event.moment_ns == self._before[0]:
            self._before = event.moment_ns, view
        return self.views() != before

    def miss(self, event: e.ViewMissed) -> None:
        """There was no frame to look at. One may yet come, if there never was one."""
        if event.stream == CAMERA and event.moment_ns == self._moment_ns >= 0:
            self._waits_until_ns = -1 if self._newest is not None else self._waits_until_ns
            if self._before is None:
                self._is_old = True
            else:  # the word that points was too long ago: the end of the speech is the moment
                (self._moment_ns, self._view), self._before = self._before, None

    def see(self, event: e.CameraChanged) -> Iterator[e.Event]:
        """How well the camera sees now. The first picture may be what a question waits for."""
        if event.stream != CAMERA:
            if event.condition in UNSEEN:
                self._beside.lose(event.stream)
            return
        first = self._newest is None and event.condition not in UNSEEN
        self._condition = event.condition
        if event.condition not in UNSEEN and self.waits(event.t_ns) and self._is_old:
            self._looked_ns = event.t_ns
            yield _look(event, "question", self._moment_ns)  # and no longer than before
        elif first:
            yield from self.look(event, "change")  # or it could not be remembered

    def read(self, view_id: str, text: str) -> None:
        """What is written in a view."""
        self._texts.put(view_id, text.strip())

    def recall(self, event: e.MemoryRecalled) -> None:
        """A view of the past that the words of its utterance ask about."""
        self._recalled = event

    def gave_up(self, t_ns: int) -> bool:
        """Whether the wait for the question's view has just been long enough."""
        over = 0 <= self._waits_until_ns <= t_ns
        self._waits_until_ns = -1 if over else self._waits_until_ns
        return over

    def is_moment(self, moment_ns: int) -> bool:
        """Whether this is the question's moment already."""
        return moment_ns == self._moment_ns

    # ── what goes with the words ─────────────────────────────────────────────────────────────

    def waits(self, t_ns: int) -> bool:
        """Whether the view of the question's moment may yet come."""
        return t_ns < self._waits_until_ns

    def views(self, trace: int = 0) -> tuple[e.View, ...]:
        """What goes with what is being asked, the most important last."""
        if recalled := self._recalled_by(trace):
            return (recalled.view,)
        seen = self._view or self._newest
        if seen is not None and self._condition in UNSEEN and not self._is_old:
            seen = None  # a black picture says less than the remark
        beside = self._beside.views
        return (*beside, seen) if seen is not None else beside

    def offset_ms(self, views: Sequence[e.View]) -> float:
        """How much later than the question's moment the camera's view was taken."""
        seen = [view for view in views if view.stream == CAMERA]
        if not seen or self._moment_ns < 0:
            return float("nan")
        return (seen[-1].captured_ns - self._moment_ns) / NS_PER_MS

    def remark(self, language: str, trace: int = 0) -> str:
        """What must be known of the picture beside it; empty when all is well."""
        if not self.has_eyes:
            return ""
        if recalled := self._recalled_by(trace):
            return in_language(AGO, language).format(ago=_ago(recalled.ago_ms, language))
        condition = self._condition
        if self._is_old and condition not in ("frozen", "dark"):
            condition = "absent" if self._newest is None else "old"
        said = BLIND.get(language.partition("-")[0], BLIND["en"])
        return said.get(condition, "")

    def known(self, messages: Sequence[e.Message]) -> tuple[e.Message, ...]:
        """The messages, their views with what is known of them in words.

        What is written in a view always goes with it; how it was described, once another picture
        has taken its place.
        """
        shown = [view.id for message in messages for view in message.views]
        newest = shown[-1] if shown else ""
        return tuple(
            replace(message, views=tuple(self._told(view, newest) for view in message.views))
            if message.views
            else message
            for message in messages
        )

    def undescribed(self, t_ns: int, *, free: bool) -> e.View | None:
        """The view to put into words now, the floor being free or not; asked every period."""
        return self.descriptions.due(self._newest, t_ns, free=free)

    def _told(self, view: e.View, newest: str) -> e.View:
        text = self._texts.get(view.id, "")
        if view.stream == CAMERA:
            described = "" if view.id == newest else self.descriptions.of(view.id)
            return replace(view, text=described, written=text)
        return replace(view, text=text)

    def _recalled_by(self, trace: int) -> e.MemoryRecalled | None:
        """What the utterance asks about of the past."""
        recalled = self._recalled
        return recalled if recalled is not None and recalled.trace == trace > 0 else None


def _look(event: e.Event, reason: str, moment_ns: int = -1, stream: str = CAMERA) -> e.LookStart:
    return e.LookStart(
        t_ns=event.t_ns, trace=event.trace, moment_ns=moment_ns, reason=reason, stream=stream
    )


def _looks(event: e.Event, reason: str, streams: Sequence[str]) -> Iterator[e.Event]:
    return (_look(event, reason, stream=stream) for stream in streams)


def _ago(ago_ms: float, language: str) -> str:
    seconds = max(1, round(ago_ms / 1000))
    minutes = round(seconds / 60)
    if language.startswith("zh"):
        return f"{seconds}秒" if seconds < 90 else f"{minutes}分钟"
    if seconds < 90:
        return f"{seconds} second{'s' * (seconds != 1)}"
    return f"{minutes} minutes"
