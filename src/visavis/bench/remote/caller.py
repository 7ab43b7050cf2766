"""The caller: the user's end of a session with a server, without its socket.

Takes the server's messages and the passing of time; gives messages to send back, and in the end
the marks, soundings and history of an `Episode`, as far as they can be known from outside. Does
what real clients do: on `speech_started` it stops its playback and tells the server how much was
heard. Marks bear the names of our own topics, so that the same measures fit. Invariant: whatever
the server does, the caller's memory stays bounded.
"""

from __future__ import annotations

from typing import Literal

from visavis.bench.director import Director
from visavis.bench.remote.playback import Grain, Playback, soundings
from visavis.bench.remote.replies import Replies, Reply
from visavis.bench.remote.wire import Message, complaint, inner, named, sound, truncate
from visavis.bench.result import Episode, Mark
from visavis.bench.witness import FRAME_S, envelope

SETTLED_S = 0.2
UNANSWERED_S = 6.0
"""After the end of a turn: longer than the 5 s in which an answer counts."""
MOST_MARKS = 5000


class Caller:
    """Takes `received` and `passed` in order of time, in seconds of the episode."""

    def __init__(self, director: Director) -> None:
        self.complaint = ""  # the server's latest error
        self.marks: list[Mark] = []
        self.history: list[tuple[str, str]] = []
        self._director = director
        self._playback = Playback()
        self._replies = Replies()
        self._grains: list[Grain] = []
        self._now_s = 0.0
        self._user_speaks = False  # as the server believes
        self._turn_open = False
        self._unanswered = False
        self._busy_s: float | None = None  # the last moment when something was under way

    # ── what happens ─────────────────────────────────────────────────────────────────────────

    def received(self, message: Message, t_s: float) -> list[Message]:
        """Takes a message; gives what to send back. Raises `Malformed`."""
        self._play(t_s)
        answer: list[Message] = []
        match message["type"]:
            case "input_audio_buffer.speech_started":
                answer = self._user_began()
            case "input_audio_buffer.speech_stopped":
                self._user_speaks, self._unanswered = False, True
                self._mark("speech.paused")
            case "input_audio_buffer.committed":
                self._turn_ended()
            case "response.created":
                self._began(self._replies.of(named(inner(message, "response"), "id")))
            case "response.output_audio.delta":
                self._sound(message)
            case "response.output_audio.done":
                self._replies.of(named(message, "response_id")).made = True
            case "response.output_audio_transcript.done":
                self._keep("assistant", named(message, "transcript"))
            case "conversation.item.input_audio_transcription.completed":
                self._keep("user", named(message, "transcript"))
                self._mark("words.heard", named(message, "transcript"))
            case "response.done":
                self._done(inner(message, "response"))
            case "error":
                self.complaint = complaint(message)
                self._mark("error", self.complaint)
        self._settle()
        return answer

    def passed(self, t_s: float) -> None:
        """It is `t_s` now."""
        self._play(t_s)
        self._settle()
        self._director.passed(t_s)

    def tell(self, episode: Episode, spoken: list[tuple[float, float]]) -> None:
        """Fills in what was seen; `spoken`: the user's sound, (time, peak) of each 20 ms."""
        episode.length_s = self._now_s
        episode.sounding = soundings(self._grains)
        episode.marks, episode.history = self.marks, self.history
        heard = [
            ((grain.start_s + 1e-6) // FRAME_S * FRAME_S, grain.peak) for grain in self._grains
        ]
        episode.envelopes = {
            "user": envelope(spoken, episode.length_s),
            "reply": envelope(heard, episode.length_s),
        }

    # ── the user, as the server hears them ───────────────────────────────────────────────────

    def _user_began(self) -> list[Message]:
        """Stops the playback; tells how much of each item was heard."""
        self._user_speaks = self._turn_open = True
        self._mark("speech.started")
        cut = [reply for reply in self._replies.going_on() if reply.items]
        if not cut:
            return []
        self._mark("playback.stop")
        items = [item for reply in cut for item in reply.unfinished()]
        self._playback.clear()
        for reply in cut:
            reply.dropped = True  # its late sound is not played
            self._end(reply, "cut")
        return [truncate(item.id, item.content_index, item.heard_ms) for item in items if item.id]

    def _turn_ended(self) -> None:
        if self._turn_open:
            self._mark("turn.ended")
        self._user_speaks = self._turn_open = False
        self._unanswered, self._busy_s = True, self._now_s

    # ── the replies ──────────────────────────────────────────────────────────────────────────

    def _began(self, reply: Reply) -> None:
        self._turn_ended()  # of a server that does not say so
        self._unanswered = False
        for older in self._replies.going_on():
            if older is not reply and not older.waiting:
                self._end(older, "cut")  # of a server that does not tell that it gave it up
        self._mark("reply.start", reply=reply.number)

    def _sound(self, message: Message) -> None:
        reply = self._replies.of(named(message, "response_id"))
        self._unanswered = False
        if reply.dropped:
            return
        reply.ending = ""  # one that seemed over goes on
        item = reply.item(named(message, "item_id"), message.get("content_index"))
        self._playback.push(item, sound(message))

    def _done(self, response: Message) -> None:
        reply = self._replies.of(named(response, "id"))
        reply.made = True
        status = named(response, "status")
        if status in ("cancelled", "failed", "incomplete"):
            reply.cancelled = True
            self._mark("reply.cancel", status, reply.number)
        if status == "failed":
            self.complaint = complaint(inner(response, "status_details"))
        self._end_if_over(reply)

    def _end_if_over(self, reply: Reply) -> None:
        if reply.made and not reply.waiting and not reply.ending:
            self._end(reply, "cut" if reply.cancelled else "whole")

    def _end(self, reply: Reply, ending: Literal["whole", "cut"]) -> None:
        reply.ending = ending if reply.heard_until_s is not None else "unheard"
        if reply.heard_until_s is not None:
            self._mark("sound.played", ending, reply.number, reply.heard_until_s)

    # ── time ─────────────────────────────────────────────────────────────────────────────────

    def _play(self, t_s: float) -> None:
        self._now_s = max(self._now_s, t_s)
        for grain in self._playback.played(self._now_s):
            self._grains.append(grain)
            if grain.audible:
                self._replies.number(grain.reply).heard_until_s = grain.end_s
                self._director.sounded(grain.reply, grain.start_s)
        for reply in self._replies.going_on():
            self._end_if_over(reply)

    def _settle(self) -> None:
        """Tells the director once when nothing is under way any more."""
        if self._user_speaks or self._playback.waiting_s or self._replies.going_on():
            self._busy_s = self._now_s
            return
        patience_s = UNANSWERED_S if self._unanswered else SETTLED_S
        if self._busy_s is not None and self._now_s - self._busy_s >= patience_s:
            self._busy_s, self._unanswered = None, False
            self._director.idled(self._now_s)

    def _mark(self, topic: str, text: str = "", reply: int = 0, at_s: float | None = None) -> None:
        if len(self.marks) < MOST_MARKS:
            self.marks.append(
                Mark(round(self._now_s if at_s is None else at_s, 4), topic, text, reply)
            )

    def _keep(self, role: str, text: str) -> None:
        if len(self.history) < MOST_MARKS:
            self.history.append((role, text))
