"""A script played to a server of the OpenAI Realtime protocol: a fake one, on the loopback."""

from __future__ import annotations

import base64
import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http import HTTPStatus

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from visavis.backends.tts.fake import FakeTts
from visavis.bench.measure import measure
from visavis.bench.realtime import RealtimeRunner
from visavis.bench.remote.link import ServerFailed, address
from visavis.bench.result import Episode
from visavis.bench.scenario import SCENARIOS
from visavis.bench.script import Cue, Line, Manner, Script
from visavis.bench.voice import Voice
from visavis.engines import make_resampler
from visavis.flow.clock import SimulatedClock
from visavis.flow.errors import InputError

RATE_HZ = 24_000
SILENCE_S = 0.1
LINES = (Line("question", ("hello",), Cue("start", 0.1)),)
QUESTION = Script("fake", "a question", 1, LINES, end=Cue("answer", 0.2))
IMPATIENT = Script("fake", "waiting", 1, LINES, end=Cue("idle", 0.1), patience_s=0.3)
INTERRUPTION = Script(
    "fake",
    "an interruption",
    1,
    (
        Line("question", ("a tale",), Cue("start", 0.1)),
        Line("interruption", ("stop",), Cue("reply", 0.3)),
    ),
    end=Cue("reply", 0.2),
)


@dataclass
class FakeServer:
    """Answers each turn `delay_s` after its end with a tone, all at once; a voice stops it."""

    delay_s: float = 0.1
    answer_s: float = 4.0
    beta: bool = False
    got: list[dict] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    path: str = ""

    def __call__(self, connection: ServerConnection) -> None:
        self.connection = connection
        self.headers = dict(connection.request.headers.raw_items())
        self.path = connection.request.path
        with contextlib.suppress(ConnectionClosed):
            self.greet()
            self.listen()

    def greet(self) -> None:
        session = {"input_audio_format": "pcm16"} if self.beta else {"type": "realtime"}
        self.send("session.created", session=session)

    def listen(self) -> None:
        quiet_s, speaking, replies = 0.0, False, 0
        for raw in self.connection:
            message = json.loads(raw)
            if message["type"] != "input_audio_buffer.append":
                self.got.append(message)
                if message["type"] == "session.update":
                    self.updated(message["session"])
                continue
            samples = np.frombuffer(base64.b64decode(message["audio"]), "<i2")
            loud = np.max(np.abs(samples.astype(int)), initial=0) > 300
            quiet_s = 0.0 if loud else quiet_s + len(samples) / RATE_HZ
            if loud and not speaking:
                speaking = True
                self.send("input_audio_buffer.speech_started", item_id=f"u{replies}")
            if speaking and quiet_s >= SILENCE_S:
                speaking, replies = False, replies + 1
                self.send("input_audio_buffer.speech_stopped", item_id=f"u{replies}")
                self.send("input_audio_buffer.committed", item_id=f"u{replies}")
                self.answer(f"r{replies}")

    def updated(self, session: dict) -> None:
        self.send("session.updated", session=session)

    def answer(self, reply: str) -> None:
        time.sleep(self.delay_s)  # thinking
        part = "audio" if self.beta else "output_audio"
        self.send("response.created", response={"id": reply, "status": "in_progress"})
        for _ in range(round(self.answer_s / 0.5)):
            self.send(f"response.{part}.delta", response_id=reply, item_id=f"i{reply}",
                      content_index=0, delta=tone(0.5))  # fmt: skip
        self.send(f"response.{part}_transcript.done", response_id=reply, transcript="Well.")
        self.send(f"response.{part}.done", response_id=reply)
        self.send("response.done", response={"id": reply, "status": "completed"})

    def send(self, type: str, **fields: object) -> None:
        self.connection.send(json.dumps({"type": type, **fields}))


def tone(length_s: float) -> str:
    at_s = np.arange(round(length_s * RATE_HZ)) / RATE_HZ
    samples = (9000 * np.sin(2 * np.pi * 440 * at_s)).astype("<i2")
    return base64.b64encode(samples.tobytes()).decode()


Serve = Callable[..., str]


@pytest.fixture
def serving() -> Iterator[Serve]:
    """Starts a server with a handler, gives its address."""
    with contextlib.ExitStack() as undo:

        def start(handler: Callable[[ServerConnection], None], **options: object) -> str:
            server = undo.enter_context(
                serve(handler, "127.0.0.1", 0, close_timeout=0.5, **options)
            )
            thread = threading.Thread(target=server.serve_forever, name="fake server")
            thread.start()
            undo.callback(thread.join)
            undo.callback(server.shutdown)
            port = server.socket.getsockname()[1]
            return f"ws://127.0.0.1:{port}/v1/realtime"

        yield start


@pytest.fixture(scope="module")
def user() -> Voice:
    return Voice(FakeTts(SimulatedClock()), make_resampler)


def play(url: str, user: Voice, script: Script = QUESTION, **options: str) -> Episode:
    return RealtimeRunner(url, user, **options).play(script)


def sent(server: FakeServer, type: str) -> list[dict]:
    return [message for message in server.got if message["type"] == type]


@pytest.mark.parametrize("beta", [False, True])
def test_a_question_is_answered_and_its_delay_is_measured_from_outside(serving, user, beta):
    server = FakeServer(beta=beta)
    episode = play(serving(server), user)
    measure(episode, ("voice_to_voice", "takeover", "endpoint"))
    assert episode.error == ""
    assert [stretch.kind for stretch in episode.truth] == ["question"]
    [delay_ms] = episode.values["voice_to_voice"]
    # The fake waits for 100 ms of silence, in 20 ms chunks, then 100 ms; the machine may be busy.
    assert 190 <= delay_ms <= 700
    assert episode.values["takeover"] == [1.0]
    assert 90 <= episode.values["endpoint"][0] <= 500
    assert episode.history == [("assistant", "Well.")]
    [update] = sent(server, "session.update")
    assert ("input_audio_format" in update["session"]) is beta


def test_the_users_sound_arrives_in_real_time_and_whole(serving, user):
    heard: list[tuple[float, int]] = []

    class Listener(FakeServer):
        def listen(self) -> None:
            for raw in self.connection:
                message = json.loads(raw)
                if message["type"] == "input_audio_buffer.append":
                    count = len(base64.b64decode(message["audio"])) // 2
                    heard.append((time.monotonic(), count))
                elif message["type"] == "session.update":
                    self.updated(message["session"])

    episode = play(serving(Listener()), user, IMPATIENT)
    assert {count for _, count in heard} == {480}
    took_s = heard[-1][0] - heard[0][0]
    assert took_s == pytest.approx((len(heard) - 1) * 0.02, abs=0.15)
    peaks = np.array(episode.envelopes["user"])
    [question] = episode.truth
    middle = round((question.start_s + question.end_s) / 2 / 0.02)
    assert peaks[middle] > 0.01
    assert np.all(peaks[: int(question.start_s / 0.02)] == 0)


def test_an_interruption_stops_the_playback_and_tells_what_was_heard(serving, user):
    server = FakeServer(answer_s=20.0)
    episode = play(serving(server), user, INTERRUPTION)
    measure(episode, ("silent", "interruption_missed"))
    [silent_ms] = episode.values["silent"]
    assert 0 < silent_ms <= 400
    assert episode.values["interruption_missed"] == [0.0]
    [told] = sent(server, "conversation.item.truncate")
    first = [sound for sound in episode.sounding if sound.reply == 1]
    heard_ms = 1000 * (first[-1].end_s - first[0].start_s)
    assert told["item_id"] == "ir1"
    assert told["audio_end_ms"] == pytest.approx(heard_ms, abs=25)
    assert {sound.reply for sound in episode.sounding} == {1, 2}


def test_wishes_go_along_and_secrets_are_not_shown(serving, user):
    server = FakeServer()
    url = serving(server) + "?key=secret"
    script = Script("fake", "told", 1, LINES, manner=Manner("Be brief."))
    play(url, user, script, token="t0ken", model="big one", voice="alto")
    assert server.headers["Authorization"] == "Bearer t0ken"
    assert server.path.endswith("?key=secret&model=big+one")
    [update] = sent(server, "session.update")
    assert update["session"]["instructions"] == "Be brief."
    assert update["session"]["audio"]["output"]["voice"] == "alto"
    assert address(url, "")[1].endswith("/v1/realtime")


def test_a_server_that_refuses_one_dialect_is_spoken_to_in_the_other(serving, user):
    class Older(FakeServer):
        def greet(self) -> None:
            self.send("session.created")

        def updated(self, session: dict) -> None:
            if "audio" in session:
                self.send("error", error={"message": "unknown parameter: session.audio"})
            else:
                super().updated(session)

    episode = play(serving(Older(beta=True)), user)
    assert episode.error == ""
    assert episode.sounding


# ── servers that misbehave ───────────────────────────────────────────────────────────────────


def failing(serving: Serve, user: Voice, server: FakeServer, script: Script = IMPATIENT) -> str:
    """The error of an episode that names the server, in one line."""
    url = serving(server)
    error = play(url, user, script).error
    assert error.startswith(url)
    assert "; " in error
    assert "\n" not in error
    return error


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ("{ not json", "not JSON"),
        ('{"type": "response.audio.delta", "delta": "%%%"}', "base64"),
    ],
)
def test_garbage_is_told_as_garbage(serving, user, raw, told):
    class Garbage(FakeServer):
        def answer(self, reply: str) -> None:
            self.connection.send(raw)

    assert told in failing(serving, user, Garbage(), QUESTION)


def test_a_server_that_closes_midway_leaves_what_was_measured(serving, user):
    class Quitter(FakeServer):
        def answer(self, reply: str) -> None:
            self.send("response.created", response={"id": reply})
            self.send("response.output_audio.delta", response_id=reply, delta=tone(0.5))
            self.connection.close(1011, "out of memory")

    script = Script("fake", "s", 1, LINES, end=Cue("idle", 2.0))
    url = serving(Quitter())
    episode = play(url, user, script)
    assert "closed the connection (1011, out of memory)" in episode.error
    assert episode.truth
    assert [mark.topic for mark in episode.marks].count("turn.ended") == 1


def test_a_connection_that_breaks_is_told(serving, user):
    class Broken(FakeServer):
        def answer(self, reply: str) -> None:
            self.connection.socket.shutdown(socket.SHUT_RDWR)

    assert "broke the connection off" in failing(serving, user, Broken(), QUESTION)


def test_a_server_that_never_answers_ends_the_episode_all_the_same(serving, user):
    class Mute(FakeServer):
        def answer(self, reply: str) -> None:
            pass

    episode = play(serving(Mute()), user, IMPATIENT)
    assert episode.sounding == []
    assert episode.length_s < 3


def test_what_the_server_complains_of_is_told_when_nothing_is_heard(serving, user):
    class Sorry(FakeServer):
        def answer(self, reply: str) -> None:
            self.send("error", error={"message": "no model is loaded"})

    episode = play(serving(Sorry()), user, IMPATIENT)
    assert episode.error == "the server says: no model is loaded"


def test_a_session_that_is_refused_says_why(serving, user):
    class Refusing(FakeServer):
        def updated(self, session: dict) -> None:
            self.send("error", error={"message": "model not found"})

    with pytest.raises(ServerFailed, match=r"refuses the session \(model not found\); check"):
        play(serving(Refusing()), user)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ({"message": "bad key"}, "bad key"),
        ({"code": "invalid_api_key"}, "invalid_api_key"),
        (None, "no reason"),
        ({"message": "two\nlines"}, "two lines"),
    ],
)
def test_an_error_in_place_of_a_session_is_told_at_once(serving, user, error, told):
    class Complaining(FakeServer):
        def greet(self) -> None:
            self.send("error", error=error)

    begun = time.monotonic()
    with pytest.raises(ServerFailed, match=rf"begins no session \({told}\); check the model"):
        play(serving(Complaining()), user)
    assert time.monotonic() - begun < 3


def test_a_server_that_begins_no_session_is_given_up(serving, user, monkeypatch):
    monkeypatch.setattr("visavis.bench.remote.link.CREATED_S", 0.3)

    class Silent(FakeServer):
        def greet(self) -> None:
            self.send("ping")

    with pytest.raises(ServerFailed, match=r"begins no session within 0\.3 s; give the address"):
        play(serving(Silent()), user)


def test_a_session_refused_after_others_costs_the_episode_alone(serving, user):
    class Tired(FakeServer):
        met = 0

        def greet(self) -> None:
            self.met += 1
            if self.met == 1:
                return super().greet()
            return self.send("error", error={"message": "quota used up"})

    runner = RealtimeRunner(serving(Tired()), user)
    assert runner.play(QUESTION).error == ""
    assert "begins no session (quota used up)" in runner.play(QUESTION).error


def test_a_message_without_end_is_refused(serving, user, monkeypatch):
    monkeypatch.setattr("visavis.bench.remote.link.LARGEST", 2**20)

    class Endless(FakeServer):
        def answer(self, reply: str) -> None:
            self.connection.send(json.dumps({"type": "x", "delta": "A" * 2**21}))

    assert "a message of more than 1 MB" in failing(serving, user, Endless(), QUESTION)


def test_a_server_that_does_not_read_is_given_up(serving, user, monkeypatch):
    monkeypatch.setattr("visavis.bench.remote.link.SEND_S", 0.3)
    monkeypatch.setattr("visavis.bench.remote.session.append", lambda _: {"type": "x" * 2**19})
    released = threading.Event()

    class Deaf(FakeServer):
        def listen(self) -> None:
            self.updated({})
            released.wait(20)

    try:
        assert "does not read" in failing(serving, user, Deaf(), QUESTION)
    finally:
        released.set()


def test_nobody_there_is_told_at_once(user):
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with pytest.raises(ServerFailed, match=f"ws://127.0.0.1:{port}/: cannot be reached .*--url"):
        play(f"ws://127.0.0.1:{port}/", user)


def test_who_was_there_once_and_is_gone_costs_the_episode_alone(serving, user):
    server = FakeServer()
    with contextlib.ExitStack() as undo:
        listening = undo.enter_context(serve(server, "127.0.0.1", 0))
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        port = listening.socket.getsockname()[1]
        runner = RealtimeRunner(f"ws://127.0.0.1:{port}/", user)
        assert runner.play(QUESTION).error == ""
        listening.shutdown()
        thread.join()
    assert "cannot be reached" in runner.play(QUESTION).error


@pytest.mark.parametrize(
    ("status", "told"), [(401, "token"), (404, "address"), (503, "answers HTTP 503")]
)
def test_a_refusal_is_told_by_its_cause(serving, user, status, told):
    def refuse(connection: ServerConnection, _: object) -> object:
        return connection.respond(HTTPStatus(status), "no")

    with pytest.raises(ServerFailed, match=told):
        play(serving(FakeServer(), process_request=refuse), user)


@pytest.mark.parametrize("url", ["", "localhost:80", "http://x/", "ws://", "ws:///v1"])
def test_an_address_of_another_kind_is_refused(user, url):
    with pytest.raises(InputError, match="ws://"):
        RealtimeRunner(url, user)


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("ws://127.0.0.1:99999/x", "port"),
        ("ws://127.0.0.1:0/", "port"),
        ("ws://127.0.0.1:abc/", "port"),
        ("ws://127.0.0.1:-5/", "port"),
        ("ws://[::1", "is no URL"),
        ("ws://[zz]/", "is no URL"),
        ("ws://u:hidden@[::1?key=hidden", "is no URL"),
        ("ws://u:hidden@x:99999/?key=hidden", "port"),
        ("ws://a..b/", "host"),
        ("ws://.a/", "host"),
        ("ws://a b/", "host"),
        ("ws://a\0b/", "host"),
        ("ws://" + "a" * 64 + ".org/", "host"),
    ],
)
def test_an_address_that_leads_nowhere_is_refused_before_it_is_tried(url, problem):
    with pytest.raises(InputError, match=f"{problem}.*; ") as refused:
        address(url, "")
    assert "hidden" not in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "url", ["ws://[::1]:80/", "wss://münchen.example/v1", "ws://a_b:65535/x", "ws://10.0.0.1./"]
)
def test_an_address_that_can_be_is_taken(url):
    assert address(url, "")[1] == url


def test_an_address_that_the_library_refuses_is_told_in_a_line(user):
    with pytest.raises(ServerFailed, match=r"cannot be connected to .*username") as refused:
        play("ws://hidden@127.0.0.1/", user)
    assert "hidden" not in str(refused.value)


def test_scenarios_in_a_room_are_not_for_servers(user):
    runner = RealtimeRunner("ws://localhost/", user)
    assert [bool(runner.why_not(scenario)) for scenario in SCENARIOS] == [
        scenario.room for scenario in SCENARIOS
    ]
