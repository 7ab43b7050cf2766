"""What is said on the wire, in both dialects."""

from __future__ import annotations

import base64
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.bench.remote import wire
from visavis.bench.remote.wire import Malformed, Wishes


@pytest.mark.parametrize(
    ("beta", "ga"),
    [
        ("response.audio.delta", "response.output_audio.delta"),
        ("response.audio.done", "response.output_audio.done"),
        ("response.audio_transcript.done", "response.output_audio_transcript.done"),
        ("conversation.item.created", "conversation.item.added"),
        ("response.done", "response.done"),
    ],
)
def test_both_dialects_have_the_names_of_the_newer_one(beta: str, ga: str):
    assert wire.parse(json.dumps({"type": beta}))["type"] == ga
    assert wire.parse(json.dumps({"type": ga}))["type"] == ga


@pytest.mark.parametrize(
    "raw", ["", "{", "[]", "7", "null", '"x"', "{}", '{"type": 7}', b"{}", "[" * 100_000]
)
def test_what_is_no_message_is_told_as_what_it_is(raw):
    with pytest.raises(Malformed):
        wire.parse(raw)


LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5)


@given(
    st.recursive(
        LEAVES,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    )
)
def test_fields_of_any_shape_are_read_without_a_fault(value):
    message = {"type": "error", "error": value, "response": value, "delta": value}
    assert isinstance(wire.complaint(message), str)
    assert isinstance(wire.inner(message, "response"), dict)
    assert isinstance(wire.named(message, "delta"), str)


def test_the_dialect_is_known_by_the_shape_of_the_session():
    flat = {"type": "session.created", "session": {"input_audio_format": "pcm16"}}
    nested = {"type": "session.created", "session": {"type": "realtime", "audio": {}}}
    assert wire.dialect(flat) == "beta"
    assert wire.dialect(nested) == "ga"
    assert wire.dialect({"type": "session.created", "session": 7}) == "ga"


def test_the_newer_session_is_nested_and_typed():
    session = wire.session_update(Wishes("Be brief.", "alto"), "ga")["session"]
    assert session["type"] == "realtime"
    assert session["instructions"] == "Be brief."
    assert session["audio"]["input"]["format"] == {"type": "audio/pcm", "rate": 24_000}
    assert session["audio"]["input"]["turn_detection"]["type"] == "server_vad"
    assert session["audio"]["output"]["voice"] == "alto"


def test_the_older_session_is_flat():
    session = wire.session_update(Wishes(), "beta")["session"]
    assert session["input_audio_format"] == session["output_audio_format"] == "pcm16"
    assert session["turn_detection"]["type"] == "server_vad"
    assert not {"type", "voice", "instructions"} & set(session)


def test_sound_goes_out_as_16_bit_and_never_wraps():
    samples = np.array([0.0, 0.5, 1.5, -1.5], np.float32)
    message = wire.append(samples)
    sent = np.frombuffer(base64.b64decode(message["audio"]), "<i2")
    assert sent.tolist() == [0, 16_384, 32_767, -32_768]


@pytest.mark.parametrize("delta", ["%%%", 7, None, "abc", "ü"])
def test_sound_that_is_no_base64_is_told(delta):
    with pytest.raises(Malformed, match="base64"):
        wire.sound({"type": "response.output_audio.delta", "delta": delta})


def test_a_complaint_is_one_short_line():
    long = {"type": "error", "error": {"message": "no such\nmodel " + "x" * 5000}}
    assert wire.complaint(long).startswith("no such model x")
    assert len(wire.complaint(long)) <= 200
    assert wire.complaint({"type": "error"}) == "no reason"
