"""What became of a reply, told from its samples."""

from __future__ import annotations

import numpy as np
import pytest

from visavis.bench.result import Sounding
from visavis.bench.sounded import Replies, Reply, heard, is_same_sound, soundings
from visavis.flow import events as e

RATE_HZ = 1000
NONE = np.zeros(0, np.float32)


def tone(count: int, seed: int = 0) -> e.Samples:
    made = np.random.default_rng(seed).uniform(0.2, 0.9, count) * np.resize((1, 1, -1), count)
    return made.astype(np.float32)


def made(
    samples: e.Samples,
    index: int = 0,
    part: int = 0,
    *,
    more: bool = False,
    written: str = "",
    words: tuple[e.WordTime, ...] = (),
) -> e.SoundMade:
    return e.SoundMade(
        t_ns=0, epoch=1, index=index, samples=samples, words=words, written=written, part=part,
        more=more,
    )  # fmt: skip


def played(reply: Reply, samples: e.Samples, at_s: float = 1.0, period: int = 20) -> None:
    for begin in range(0, len(samples), period):
        reply.blocks.append((at_s + begin / RATE_HZ, samples[begin : begin + period]))


def test_parts_and_phrases_are_put_in_order() -> None:
    sound = tone(90)
    reply = Reply(1, [made(sound[60:], 1), made(sound[30:60], 0, 1), made(sound[:30], more=True)])
    assert np.array_equal(reply.source(), sound)


def test_a_reply_that_sounds_through_is_one_sounding() -> None:
    reply = Reply(1, [made(tone(200))])
    played(reply, tone(200))
    assert soundings(reply, RATE_HZ) == [Sounding(1, 1.0, pytest.approx(1.2), ducked=False)]


def test_ducking_is_seen_in_the_samples_to_a_few_milliseconds() -> None:
    sound = tone(300)
    reply = Reply(1, [made(sound)])
    gain = np.repeat([1.0, 0.125, 1.0], 100).astype(np.float32)
    played(reply, sound * gain)
    found = soundings(reply, RATE_HZ)
    assert [part.ducked for part in found] == [False, True, False]
    assert [part.end_s for part in found] == pytest.approx([1.1, 1.2, 1.3], abs=0.005)


def test_what_is_silent_anyway_is_as_loud_as_what_was_before_it() -> None:
    sound = np.concatenate([tone(60), np.zeros(60, np.float32), tone(60)])
    reply = Reply(1, [made(sound)])
    played(reply, sound)
    assert len(soundings(reply, RATE_HZ)) == 1


def test_a_hold_is_a_hole_and_jitter_is_not() -> None:
    sound = tone(120)
    reply = Reply(1, [made(sound)])
    played(reply, sound[:40], 1.0)
    played(reply, sound[40:80], 1.06)
    played(reply, sound[80:], 1.5)
    found = [(part.start_s, part.end_s) for part in soundings(reply, RATE_HZ)]
    assert found == [(1.0, pytest.approx(1.1)), (1.5, pytest.approx(1.54))]


def test_samples_played_once_in_order_are_the_same_sound_at_any_volume() -> None:
    sound = tone(100)
    reply = Reply(1, [made(sound)], ending="whole")
    played(reply, np.concatenate([sound[:50], sound[50:] * np.float32(0.125)]))
    assert is_same_sound(reply)


@pytest.mark.parametrize(
    ("what", "ending"),
    [
        (lambda sound: np.delete(sound, slice(40, 60)), ""),
        (lambda sound: np.concatenate([sound[:60], sound[40:]]), ""),
        (lambda sound: sound[:60], "whole"),
        (lambda sound: np.concatenate([sound, sound[:5]]), "cut"),
        (lambda sound: sound * np.float32(1.1), "whole"),
        (lambda sound: -sound, "whole"),
    ],
    ids=["lost", "doubled", "ends too soon", "more than was made", "louder", "turned round"],
)  # fmt: skip
def test_anything_else_is_not(what: object, ending: str) -> None:
    sound = tone(100)
    reply = Reply(1, [made(sound)], ending=ending)
    assert callable(what)
    played(reply, what(sound))
    assert not is_same_sound(reply)


def test_a_cut_reply_is_the_same_as_far_as_it_went() -> None:
    sound = tone(100)
    reply = Reply(1, [made(sound)], ending="cut")
    played(reply, sound[:60])
    assert is_same_sound(reply)


WORDS = (e.WordTime(0, 40, 4), e.WordTime(40, 80, 8), e.WordTime(80, 100, 12))


def phrase(index: int = 0, *, parts: int = 1, more: bool = False) -> list[e.SoundMade]:
    """A phrase of three words, 100 samples, made in so many parts."""
    pieces = np.split(tone(100), parts)
    return [
        made(
            piece, index, number, more=more or number < parts - 1,
            written="one two six. " if number == 0 else "", words=WORDS if number == 0 else (),
        )
        for number, piece in enumerate(pieces)
    ]  # fmt: skip


@pytest.mark.parametrize("parts", [1, 4])
@pytest.mark.parametrize(
    ("count", "words"),
    [(0, ""), (19, ""), (20, "one"), (59, "one"), (60, "one two"), (100, "one two six."),
     (125, "one two six. one")],
)  # fmt: skip
def test_a_word_was_heard_when_half_of_it_was_played(parts: int, count: int, words: str) -> None:
    sounds = phrase(parts=parts) + phrase(1, parts=parts)
    reply = Reply(1, sounds, ending="cut")
    if count:
        played(reply, reply.source()[:count])
    assert heard(reply) == words


def test_a_phrase_whose_end_is_not_made_yet_was_not_heard_to_its_end() -> None:
    reply = Reply(1, phrase(parts=4)[:2], ending="cut")
    played(reply, reply.source())
    assert heard(reply) == "one"


def test_what_cannot_be_spoken_is_heard_with_what_sounds_after_it() -> None:
    silent = made(NONE, 0, written="*** ")
    reply = Reply(1, [silent, *phrase(1)], ending="cut")
    played(reply, tone(20))
    assert heard(reply) == "*** one"
    trailing = Reply(1, [*phrase(0), made(NONE, 1, written="***")], ending="whole")
    played(trailing, tone(100))
    assert heard(trailing) == "one two six. ***"


def test_replies_are_collected_with_how_they_ended_and_what_was_kept() -> None:
    replies = Replies()
    sound = tone(40)
    events: list[e.Event] = [
        made(sound),
        e.SoundPlayed(t_ns=10**9, epoch=1, start=0, samples=sound[:20]),
        e.SoundPlayed(t_ns=10**9, epoch=1, start=20, samples=NONE, done=True, stopped=True),
        e.ItemKept(t_ns=10**9, epoch=1, role="user", text="hello", start_ns=0),
        e.ItemKept(t_ns=10**9, epoch=1, role="assistant", text="one", start_ns=0),
        e.SoundPlayed(t_ns=10**9, epoch=2, start=40, samples=NONE, done=True),
    ]
    for event in events:
        replies.watch(event)
    (reply,) = replies.sounded()
    assert (reply.ending, reply.kept, len(reply.blocks)) == ("cut", "one", 1)
