"""Events as JSON: nothing is lost on the way, and any viewer understands the schemas."""

from __future__ import annotations

import dataclasses
import math
import zlib
from typing import Any, get_type_hints

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.flow import events as e
from visavis.flow.topics import TOPICS
from visavis.govern.form import Form, Picture, Sound

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
WHOLE = st.integers(-(2**62), 2**62)
VIEW = st.builds(e.View, TEXT, WHOLE, WHOLE, WHOLE, TEXT, TEXT)
MESSAGE = st.builds(e.Message, TEXT, TEXT, st.lists(VIEW, max_size=2).map(tuple))
KINDS: dict[Any, st.SearchStrategy[Any]] = {
    int: WHOLE,
    str: TEXT,
    bool: st.booleans(),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bytes: st.binary(max_size=20),
    tuple[str, ...]: st.lists(TEXT, max_size=3).map(tuple),
    tuple[e.Span, ...]: st.lists(st.builds(e.Span, WHOLE, WHOLE), max_size=3).map(tuple),
    e.View: VIEW,
    tuple[e.Message, ...]: st.lists(MESSAGE, max_size=3).map(tuple),
    tuple[e.WordTime, ...]: st.lists(st.builds(e.WordTime, WHOLE, WHOLE, WHOLE), max_size=3).map(
        tuple
    ),
    e.Samples: st.lists(st.integers(-32768, 32767), max_size=20).map(
        lambda levels: np.array(levels, np.float32) / np.float32(32768)
    ),
}


def any_event() -> st.SearchStrategy[e.Event]:
    def of(kind: type[e.Event]) -> st.SearchStrategy[e.Event]:
        hints = get_type_hints(kind)
        names = [field.name for field in dataclasses.fields(kind)]
        return st.builds(kind, **{name: KINDS[hints[name]] for name in names})

    return st.one_of([of(topic.event) for topic in TOPICS])


@settings(deadline=None)
@given(any_event())
def test_an_event_reads_back_as_it_was(event: e.Event) -> None:
    form = Form(type(event))
    data = form.encode(event)
    media = getattr(event, form.medium) if form.medium else None
    again = form.decode(data, media)
    assert again == event
    assert form.encode(again) == data
    assert not form.medium or getattr(again, form.medium) is media


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_a_schema_has_no_references_and_only_plain_types(topic: Any) -> None:
    def check(schema: dict[str, Any], path: str) -> None:
        assert schema.get("type") in ("object", "array", "string", "number", "integer", "boolean")
        assert not schema.keys() & {"$ref", "$defs", "anyOf", "oneOf"}, path
        for name, inner in schema.get("properties", {}).items():
            check(inner, f"{path}.{name}")
        if schema["type"] == "array":
            check(schema["items"], f"{path}[]")

    schema = Form(topic.event).schema()
    assert schema["type"] == "object"
    assert [*schema["properties"]][:1] == ["t_ns"]
    check(schema, topic.name)


def test_a_number_of_numpys_is_a_number() -> None:
    event = e.TurnScored(
        t_ns=1,
        start=np.int64(3),  # type: ignore[arg-type]
        end=4,
        probability=np.float32(0.1),  # type: ignore[arg-type]
    )
    again = Form(e.TurnScored).decode(Form(e.TurnScored).encode(event))
    assert again == dataclasses.replace(event, start=3, probability=float(np.float32(0.1)))


def test_what_is_not_a_number_stays_so() -> None:
    event = e.TurnScored(t_ns=1, start=0, end=4, probability=math.nan)
    again = Form(e.TurnScored).decode(Form(e.TurnScored).encode(event))
    assert isinstance(again, e.TurnScored)
    assert math.isnan(again.probability)
    assert again.end == 4


def test_text_that_is_not_unicode_and_foreign_types_are_refused() -> None:
    token = e.TokenMade(t_ns=0, text="\ud83d", index=0)
    with pytest.raises(UnicodeEncodeError):
        Form(e.TokenMade).encode(token)
    with pytest.raises(TypeError, match="object"):
        Form(e.TokenMade).encode(dataclasses.replace(token, text=object()))  # type: ignore[arg-type]


def test_data_of_another_form_is_refused() -> None:
    with pytest.raises(ValueError, match="index"):
        Form(e.TokenMade).decode(b'{"t_ns":1,"text":"a"}')
    with pytest.raises(ValueError, match="text"):
        Form(e.TokenMade).decode(b'{"t_ns":1,"text":null,"index":3}')


def test_sound_is_known_by_each_of_its_samples() -> None:
    sound = np.arange(8, dtype=np.float32) / 32768
    other = sound.copy()
    other[5] += np.float32(1 / 32768)
    assert Sound.of(sound) == Sound.of(sound[::1].copy())
    assert Sound.of(sound) != Sound.of(other)
    assert Sound.of(sound[::2]) == Sound.of(sound[::2].copy())
    assert Sound.of(sound[:0]) == Sound(0, 0)


def test_a_picture_is_known_by_its_bytes_and_does_not_lie_in_the_event() -> None:
    view = e.View("ab", 5, 64, 48)
    taken = e.ViewTaken(t_ns=1, view=view, moment_ns=2, reason="speech", data=b"\xff\xd8 picture")
    form = Form(e.ViewTaken)
    data = form.encode(taken)
    assert form.note(data) == Picture(10, zlib.crc32(taken.data))
    assert form.encode(dataclasses.replace(taken, data=b"\xff\xd8 pictur!")) != data
    assert len(form.encode(dataclasses.replace(taken, data=bytes(10**6)))) < len(data) + 10
    assert form.note(form.encode(dataclasses.replace(taken, data=b""))) == Picture(0, 0)


def test_minus_zero_sounds_like_zero() -> None:
    assert Sound.of(np.full(4, -0.0, np.float32)) == Sound.of(np.zeros(4, np.float32))
