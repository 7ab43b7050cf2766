from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from tests.flow.nodes import kinds, tick, token
from visavis.flow import events as e

EVERY = pytest.mark.parametrize("kind", kinds(), ids=lambda kind: str(kind.__name__))


def example(kind: type[e.Event]) -> e.Event:
    names = [field.name for field in dataclasses.fields(kind)]
    values: dict[str, Any] = dict.fromkeys(names, 0)
    return kind(**values)


@EVERY
def test_an_event_never_changes_and_holds_nothing_else(kind: type[e.Event]) -> None:
    event = example(kind)
    with pytest.raises(dataclasses.FrozenInstanceError):
        event.t_ns = 1  # type: ignore[misc]
    assert not hasattr(event, "__dict__")


@EVERY
def test_a_topic_bears_the_words_of_its_class(kind: type[e.Event]) -> None:
    noun, verb = kind.topic.split(".")
    assert kind.__name__ == noun.capitalize() + verb.capitalize()


@EVERY
def test_an_event_is_explained_and_typed(kind: type[e.Event]) -> None:
    assert kind.__doc__
    assert not kind.__doc__.startswith(kind.__name__ + "("), "the text that dataclass invents"
    fields = [field.name for field in dataclasses.fields(kind)]
    assert fields[:3] == ["t_ns", "trace", "epoch"]
    assert not any("dict" in str(field.type).lower() for field in dataclasses.fields(kind))


def test_time_must_be_given_the_rest_may_be_none() -> None:
    event = tick(index=4, t_ns=9)
    assert (event.t_ns, event.trace, event.epoch) == (9, 0, 0)
    with pytest.raises(TypeError):
        e.ClockTicked(index=0)  # type: ignore[call-arg]


def test_events_are_equal_by_value_and_media_does_not_hinder() -> None:
    assert token(1) == token(1)
    assert token(1) != token(2)
    sounds = [e.AudioAligned(t_ns=0, start=0, samples=np.zeros(n, np.float32)) for n in (3, 4)]
    assert sounds[0] == sounds[1]
    assert "samples" not in repr(sounds[0]), "a log line holds no media"
