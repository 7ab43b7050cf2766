from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator

import pytest

from tests.flow.nodes import Probe, cancel, indices, paused, start, taps, token
from visavis.flow import events as e
from visavis.flow.clock import SimulatedClock
from visavis.flow.simulate import SimulatedLoop

MS = 1_000_000


def at_ms(events: Iterable[e.Event], topic: str) -> list[float]:
    return [event.t_ns / MS for event in events if event.topic == topic]


def run_to(loop: SimulatedLoop, t_ms: float) -> None:
    loop.run(until=lambda: loop.clock.now_ns() >= t_ms * MS)


class Worker(Probe):
    """Makes `count` tokens for a reply, `each_ms` of simulated time apart."""

    def __init__(self, clock: SimulatedClock, count: int = 3, each_ms: int = 50) -> None:
        super().__init__("worker")
        self._clock, self._count, self._each_ns = clock, count, each_ms * MS
        self._over = -1
        self.made: list[int] = []

    def on(self, event: e.Event) -> Iterator[e.Event]:
        self.got.append(event)
        for index in range(self._count):
            if event.epoch <= self._over:
                yield e.ReplyWritten(t_ns=0, epoch=event.epoch, reason="cancelled")
                return
            self._clock.spend(self._each_ns)
            self.made.append(index)
            yield token(index, epoch=event.epoch)
        yield e.ReplyWritten(t_ns=0, epoch=event.epoch, reason="end")

    def cancel(self, epoch: int) -> None:
        self._over = epoch


def test_ticks_come_exactly_each_period() -> None:
    loop = SimulatedLoop()
    seen = taps(loop)
    run_to(loop, 100)
    assert at_ms(seen, "clock.ticked") == [0, 20, 40, 60, 80, 100]
    assert indices(seen) == [0, 1, 2, 3, 4, 5]


def test_what_a_lane_yields_comes_at_its_billed_time() -> None:
    loop = SimulatedLoop()
    seen = taps(loop)
    loop.add(Worker(loop.clock), ["reply.start"], lane="llm")
    loop.post(start(1, t_ns=10 * MS), stamp=False)
    loop.run(until=lambda: loop.clock.now_ns() >= 300 * MS)
    assert at_ms(seen, "reply.start") == [10]
    assert at_ms(seen, "token.made") == [60, 110, 160]
    assert at_ms(seen, "reply.written") == [160], "what costs nothing comes at once"


def test_a_lane_serves_one_job_after_the_other() -> None:
    loop = SimulatedLoop()
    seen = taps(loop)
    loop.add(Worker(loop.clock, count=2), ["reply.start"], lane="llm")
    for _ in range(2):
        loop.post(start(1))
    run_to(loop, 300)
    assert at_ms(seen, "token.made") == [50, 100, 150, 200]


def test_two_lanes_work_at_the_same_time() -> None:
    loop = SimulatedLoop()
    seen = taps(loop)
    for lane in ("left", "right"):
        loop.add(Worker(loop.clock, count=2), ["reply.start"], lane=lane)
    loop.post(start(1))
    run_to(loop, 300)
    assert at_ms(seen, "token.made") == [50, 50, 100, 100]


def test_time_goes_on_for_inline_nodes_while_a_lane_works() -> None:
    loop = SimulatedLoop()
    worker, inline = Worker(loop.clock, count=1, each_ms=90), Probe()
    loop.add(worker, ["reply.start"], lane="llm")
    loop.add(inline, ["clock.ticked", "token.made"])
    loop.post(start(1))
    run_to(loop, 100)
    order = [event.topic for event in inline.got]
    assert order == [*(["clock.ticked"] * 5), "token.made", "clock.ticked"]


class Hasty(Probe):
    """Knows what is coming while it works, and how far it had come by then."""

    def __init__(self, loop: SimulatedLoop) -> None:
        super().__init__("hasty", self._work)
        self.known: list[int] = []
        self._loop, self._coming = loop, 0

    def coming(self, event: e.Event) -> None:
        self._coming += isinstance(event, e.SpeechPaused)

    def _work(self, event: e.Event) -> list[e.Event]:
        self.known.append(self._coming)
        self._loop.clock.spend(100 * MS)
        return []


def test_a_node_in_a_lane_knows_what_waits_for_it() -> None:
    loop = SimulatedLoop()
    node = Hasty(loop)
    loop.add(node, ["speech.paused"], "lane")
    loop.feed(paused(end=i, t_ns=i * 40 * MS) for i in range(4))
    run_to(loop, 1_000)
    assert node.known == [1, 3, 4, 4]


def test_a_cancel_lands_between_two_yields() -> None:
    loop = SimulatedLoop()
    seen = taps(loop)
    worker = Worker(loop.clock, count=10)
    loop.add(worker, ["reply.start"], lane="llm")
    loop.post(start(1))
    loop.post(cancel(1, t_ns=120 * MS), stamp=False)
    run_to(loop, 600)
    assert at_ms(seen, "token.made") == [50, 100]
    assert worker.made == [0, 1, 2], "the token in the making is made, but no other"
    assert at_ms(seen, "reply.written") == [150]
    assert loop.bus.counts()["token.made"].stale == 1
    assert not loop.busy


def test_busy_from_the_arrival_of_work_to_its_last_event() -> None:
    loop = SimulatedLoop()
    loop.add(Worker(loop.clock, count=2), ["reply.start"], lane="llm")
    busy: list[tuple[float, bool]] = []
    loop.at(5 * MS, lambda: loop.publish(start(1)))
    for t_ms in (1, 5, 60, 104, 106):
        loop.at(t_ms * MS, lambda: busy.append((loop.clock.now_ns() / MS, loop.busy)))
    run_to(loop, 200)
    assert busy == [(1, False), (5, True), (60, True), (104, True), (106, False)]


def test_a_source_is_asked_for_the_next_event_only_when_its_time_has_come() -> None:
    loop = SimulatedLoop()
    asked: list[float] = []

    def source() -> Iterator[e.Event]:
        for t_ms in (5, 25, 45):
            asked.append(loop.clock.now_ns() / MS)
            yield paused(t_ns=t_ms * MS)

    seen = taps(loop)
    loop.feed(source())
    run_to(loop, 100)
    assert at_ms(seen, "speech.paused") == [5, 25, 45]
    assert asked == [0, 5, 25]


def test_a_late_event_does_not_turn_time_back() -> None:
    loop = SimulatedLoop()
    seen = taps(loop)
    loop.at(50 * MS, lambda: loop.post(paused(t_ns=10 * MS), stamp=False))
    run_to(loop, 60)
    assert [event.t_ns / MS for event in seen] == [0, 20, 40, 40, 60]


def test_stop_ends_the_run_even_from_within_a_tick() -> None:
    loop = SimulatedLoop()

    def on(event: e.Event) -> list[e.Event]:
        if indices([event]) == [3]:
            loop.stop()
        return []

    loop.add(Probe("stopper", on), ["clock.ticked"])
    loop.run()
    assert loop.clock.now_ns() == 60 * MS


def broken(event: e.Event) -> list[e.Event]:
    raise ValueError("no good")


def test_a_failure_is_an_event_in_a_lane_as_in_the_line() -> None:
    loop = SimulatedLoop(strict=False)
    seen = taps(loop)
    loop.add(Probe("inline", broken), ["speech.paused"])
    loop.add(Probe("laned", broken), ["speech.paused"], lane="asr")
    loop.post(paused())
    run_to(loop, 20)
    assert [event.node for event in seen if isinstance(event, e.NodeFailed)] == ["inline", "laned"]
    assert not loop.busy


def broken_source() -> Iterator[e.Event]:
    yield paused(t_ns=7 * MS)
    raise OSError("unplugged")


def test_a_source_that_fails_is_an_event() -> None:
    loop = SimulatedLoop(strict=False)
    seen = taps(loop)
    loop.feed(broken_source())
    run_to(loop, 100)
    (failed,) = [event for event in seen if isinstance(event, e.NodeFailed)]
    assert (failed.node, failed.error, failed.t_ns) == ("source", "unplugged", 7 * MS)
    assert at_ms(seen, "clock.ticked")[-1] == 100


@pytest.mark.parametrize("lane", ["", "asr"])
def test_strict_raises(lane: str) -> None:
    loop = SimulatedLoop()
    loop.add(Probe("poor", broken), ["speech.paused"], lane=lane)
    loop.post(paused())
    with pytest.raises(ValueError, match="no good"):
        run_to(loop, 20)


def test_strict_raises_what_a_source_raises() -> None:
    loop = SimulatedLoop()
    loop.feed(broken_source())
    with pytest.raises(OSError, match="unplugged"):
        run_to(loop, 20)


def test_close_abandons_the_job_in_hand_and_closes_the_nodes() -> None:
    loop = SimulatedLoop()
    order: list[str] = []

    class Holder(Probe):
        def on(self, event: e.Event) -> Iterator[e.Event]:
            try:
                for index in range(10**9):
                    loop.clock.spend(MS)
                    yield token(index)
            finally:
                order.append("abandoned")

        def close(self) -> None:
            order.append("closed")

    loop.add(Holder(), ["reply.start"], lane="llm")
    loop.post(start(1))
    run_to(loop, 50)
    loop.close()
    assert order == ["abandoned", "closed"]


def test_real_work_is_billed_to_its_lane() -> None:
    loop = SimulatedLoop(SimulatedClock(bill_work=True))
    seen = taps(loop)
    worker = Probe("worker", lambda event: [token(sum(range(20_000)) * 0)])
    loop.add(worker, ["speech.paused"], lane="asr")
    loop.post(paused(t_ns=5 * MS), stamp=False)
    loop.run(until=lambda: bool(at_ms(seen, "token.made")))
    assert at_ms(seen, "token.made")[0] > 5.01


# ── the same seed gives the same run ─────────────────────────────────────────────────────────


def digest(seed: int) -> str:
    """A busy line of seeded chance: its every event, hashed."""
    chance = random.Random(seed)
    loop = SimulatedLoop()
    seen = taps(loop)

    def lane(topic: Callable[[int, int], e.Event]) -> Callable[[e.Event], Iterator[e.Event]]:
        def on(event: e.Event) -> Iterator[e.Event]:
            for index in range(chance.randrange(4)):
                loop.clock.spend(chance.randrange(40 * MS))
                yield topic(index, event.epoch)

        return on

    def decide(event: e.Event) -> list[e.Event]:
        if chance.random() < 0.3:
            return [cancel(loop.bus.fence.floor), start(loop.bus.fence.floor + 1)]
        return []

    loop.add(Probe("decide", decide), ["speech.paused"])
    loop.add(Probe("asr", lane(lambda index, _: paused(end=index))), ["audio.captured"], "asr")
    loop.add(Probe("llm", lane(token)), ["reply.start"], "llm")
    loop.add(Probe("tts", lane(lambda index, _: paused(end=index))), ["token.made"], "tts")
    chunk = {"data": b"", "encoding": "s16", "rate_hz": 16_000, "channels": 1}
    loop.feed(e.AudioCaptured(t_ns=i * 30 * MS, **chunk) for i in range(100))  # type: ignore[arg-type]
    run_to(loop, 4_000)
    assert len(seen) > 400
    times = [event.t_ns for event in seen]
    assert times == sorted(times)
    return hashlib.sha256(repr(seen).encode()).hexdigest()


@pytest.mark.parametrize("seed", range(5))
def test_the_same_seed_gives_the_same_run_to_the_bit(seed: int) -> None:
    assert digest(seed) == digest(seed)


def test_another_seed_gives_another_run() -> None:
    assert len({digest(seed) for seed in range(5)}) == 5
