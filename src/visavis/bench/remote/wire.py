"""What is said on the wire: the OpenAI Realtime protocol in its two dialects.

Takes texts from the socket; gives messages whose names are those of the GA dialect. The beta
dialect (until 2025) names some differently and has a flat session; servers speak either. Invariant:
whatever a server sends becomes a message or a `Malformed`, at a bounded cost.

Source: OpenAI, Realtime API reference: client events and server events.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from visavis.flow.events import Samples

Dialect = Literal["ga", "beta"]
Message = dict[str, Any]

RATE_HZ = 24_000
LARGEST = 8 * 2**20  # bytes of a message; a minute of sound is 3.8 MB in base64
FULL_SCALE = 32_768
NAMES = {
    "response.audio.delta": "response.output_audio.delta",
    "response.audio.done": "response.output_audio.done",
    "response.audio_transcript.delta": "response.output_audio_transcript.delta",
    "response.audio_transcript.done": "response.output_audio_transcript.done",
    "conversation.item.created": "conversation.item.added",
}
"""Beta names, and what they are called now."""


class Malformed(Exception):
    """What came is not of this protocol; says what it is instead."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is asked of a session. Empty: the server's own choice."""

    instructions: str = ""
    voice: str = ""


def parse(raw: str | bytes) -> Message:
    """One message. Raises `Malformed`."""
    if isinstance(raw, bytes):
        raise Malformed("a binary message")
    try:
        message = json.loads(raw)
    except (ValueError, RecursionError):
        raise Malformed(f"what is not JSON ({_begin(raw)})") from None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise Malformed(f"a message without a type ({_begin(raw)})")
    message["type"] = NAMES.get(message["type"], message["type"])
    return message


def dialect(created: Message) -> Dialect:
    """Which one a server speaks, by its `session.created`."""
    session = created.get("session")
    flat = isinstance(session, dict) and "input_audio_format" in session
    return "beta" if flat else "ga"


def session_update(wishes: Wishes, spoken: Dialect) -> Message:
    """Asks for 16-bit sound at 24 kHz both ways, and that the server minds whose turn it is."""
    turns = {"type": "server_vad", "create_response": True, "interrupt_response": True}
    session: Message = {"instructions": wishes.instructions} if wishes.instructions else {}
    if spoken == "beta":
        session |= {"modalities": ["audio", "text"], "turn_detection": turns}
        session |= {"input_audio_format": "pcm16", "output_audio_format": "pcm16"}
        if wishes.voice:
            session["voice"] = wishes.voice
        return {"type": "session.update", "session": session}
    sound = {"type": "audio/pcm", "rate": RATE_HZ}
    output: Message = {"format": sound} | ({"voice": wishes.voice} if wishes.voice else {})
    session |= {"type": "realtime", "output_modalities": ["audio"]}
    session["audio"] = {"input": {"format": sound, "turn_detection": turns}, "output": output}
    return {"type": "session.update", "session": session}


def append(samples: Samples) -> Message:
    """The user's sound, mono at 24 kHz."""
    pcm = np.clip(np.round(samples * FULL_SCALE), -FULL_SCALE, FULL_SCALE - 1).astype("<i2")
    return {
        "type": "input_audio_buffer.append",
        "audio": base64.b64encode(pcm.tobytes()).decode("ascii"),
    }


def truncate(item: str, content_index: int, audio_end_ms: int) -> Message:
    """Of this item, so much was heard."""
    return {
        "type": "conversation.item.truncate",
        "item_id": item,
        "content_index": content_index,
        "audio_end_ms": audio_end_ms,
    }


def sound(message: Message) -> bytes:
    """The bytes of a delta. Raises `Malformed`."""
    try:
        return base64.b64decode(message["delta"], validate=True)
    except (KeyError, TypeError, ValueError, binascii.Error):
        raise Malformed("sound that is not base64") from None


def named(message: Message, key: str) -> str:
    """A field that is a text, of the message or of its response; empty if there is none."""
    value = message.get(key)
    return value if isinstance(value, str) else ""


def inner(message: Message, key: str) -> Message:
    """A field that is an object; empty if it is not."""
    value = message.get(key)
    return value if isinstance(value, dict) else {}


def complaint(message: Message) -> str:
    """What an `error` message says, in a line."""
    error = inner(message, "error")
    said = named(error, "message") or named(error, "code") or named(error, "type") or "no reason"
    return " ".join(said.split())[:200]


def _begin(raw: str) -> str:
    return repr(raw[:40] + ("…" if len(raw) > 40 else ""))
