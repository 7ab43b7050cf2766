from __future__ import annotations

import pytest

from tests.flow.nodes import kinds
from visavis.flow.topics import BY_NAME, TOPICS, Topic

EVERY = pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: str(topic.name))


def test_every_event_has_exactly_one_row() -> None:
    rows = sorted(topic.event.__name__ for topic in TOPICS)
    assert rows == sorted(kind.__name__ for kind in kinds())
    assert len(BY_NAME) == len(TOPICS)


@EVERY
def test_a_row_is_found_by_the_name_of_its_event(topic: Topic) -> None:
    assert BY_NAME[topic.event.topic] is topic


@EVERY
def test_every_queue_is_bounded(topic: Topic) -> None:
    assert 1 <= topic.depth <= 1024
    assert topic.rate_hz > 0
    if topic.full == "latest_only":
        assert topic.depth == 1, "of the newest there is one"


@EVERY
def test_a_queue_lasts_a_stall_of_a_second(topic: Topic) -> None:
    assert topic.full == "latest_only" or topic.depth >= topic.rate_hz


@EVERY
def test_what_raises_the_epoch_is_never_dropped(topic: Topic) -> None:
    if topic.raises:
        assert topic.full == "refuse"
        assert not topic.fenced


@EVERY
def test_media_is_recorded_where_there_is_some(topic: Topic) -> None:
    fields = topic.event.__dataclass_fields__
    assert topic.record != "flac" or "samples" in fields
    assert topic.record != "jpeg" or {"view", "data"} <= fields.keys()


def test_only_these_flow_back() -> None:
    back = {topic.name for topic in TOPICS if topic.back}
    assert back == {"sound.played", "reply.written", "look.start"}


def test_only_work_of_a_reply_is_fenced() -> None:
    # The end of a reply is news however stale: without it the engine would look taken for ever.
    assert {topic.name for topic in TOPICS if topic.fenced} == {
        "token.made",
        "tool.called",
        "tool.run",
        "phrase.ready",
        "phrase.released",
        "sound.made",
    }
