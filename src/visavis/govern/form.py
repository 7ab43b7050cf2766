"""The form of an event in a recording: JSON, its JSON schema, and back.

An event is an object of its fields, in their order, but for its media: `samples` become
`{"count": n, "crc32": c}` (CRC-32 of the float32 bytes), the `data` of a picture `{"size": n,
"crc32": c}`. The sound or the picture itself is stored apart, or can be made again, and either way
is known by this note. Floats are written so that they read back exactly, so two events are equal
when their bytes are. Knows nothing of files.
"""

from __future__ import annotations

import dataclasses
import zlib
from typing import Annotated, Any, get_type_hints

import msgspec
import numpy as np

from visavis.flow.events import Event, Samples

Json = dict[str, Any]
Media = Samples | bytes
LONGEST = 1 << 28
"""Samples in one event: more than an hour at any rate."""

LARGEST = 1 << 26
"""Bytes of one picture."""


class Sound(msgspec.Struct, frozen=True):
    """What a recorded event says of its samples."""

    count: Annotated[int, msgspec.Meta(ge=0, le=LONGEST)]
    crc32: int

    @classmethod
    def of(cls, samples: Samples) -> Sound:
        # + 0: rounding leaves −0.0 here and there, which 16-bit sound does not know.
        exact = np.asarray(samples, np.float32) + np.float32(0)
        return cls(len(exact), zlib.crc32(exact.data))


class Picture(msgspec.Struct, frozen=True):
    """What a recorded event says of its picture. `size`: bytes; 0 = it has none."""

    size: Annotated[int, msgspec.Meta(ge=0, le=LARGEST)]
    crc32: int

    @classmethod
    def of(cls, data: bytes) -> Picture:
        return cls(len(data), zlib.crc32(data))


Note = Sound | Picture
NOTES: dict[str, type[Note]] = {"samples": Sound, "data": Picture}
"""What stands for an event's media, by the field that holds them."""


class Form:
    """How events of one class are written and read. `medium`: which field is media, if one is."""

    def __init__(self, event: type[Event]) -> None:
        hints = get_type_hints(event)
        self._event = event
        self._names = [field.name for field in dataclasses.fields(event)]
        self.medium = next((name for name in self._names if name in NOTES), "")
        self._record = _record_class(event, hints, self.medium) if self.medium else event
        self._decoder = msgspec.json.Decoder(self._record)
        self._encoder = msgspec.json.Encoder(enc_hook=_plain)

    def schema(self) -> Json:
        """JSON schema of the object."""
        return schema_of(self._record)

    def encode(self, event: Event, samples: Samples | None = None) -> bytes:
        """The event as JSON. `samples` stand in for the event's own.

        Raises `UnicodeEncodeError` for text that is not Unicode, `TypeError` for a foreign type.
        """
        if not self.medium:
            return self._encoder.encode(event)
        fields = {name: getattr(event, name) for name in self._names}
        media = fields[self.medium] if samples is None else samples
        fields[self.medium] = _note(media)
        return self._encoder.encode(self._record(**fields))

    def note(self, data: bytes) -> Note | None:
        """What the event says of its media; None when it has none by its nature."""
        found: Note | None = getattr(self._read(data), self.medium) if self.medium else None
        return found

    def decode(self, data: bytes, media: Media | None = None) -> Event:
        """The event again. Raises `ValueError` when the data is not of this form."""
        record = self._read(data)
        if not self.medium:
            assert isinstance(record, Event)
            return record
        assert media is not None, "an event with media needs them"
        fields = {name: getattr(record, name) for name in self._names}
        return self._event(**fields | {self.medium: media})

    def _read(self, data: bytes) -> Any:
        try:
            return self._decoder.decode(data)
        except msgspec.ValidationError:
            # JSON has no NaN: it was written as null.
            values = msgspec.json.decode(data)
            hints = get_type_hints(self._event)
            lost = [k for k, v in values.items() if v is None and hints.get(k) is float]
            if not lost:
                raise
            return msgspec.convert(values | dict.fromkeys(lost, float("nan")), self._record)


def schema_of(kind: type[Any]) -> Json:
    """JSON schema of a class, without references: not every viewer follows them."""
    whole = msgspec.json.schema(kind)
    schema: Json = _resolved(whole, whole.get("$defs", {}))
    return schema


def _note(media: Media) -> Note:
    return Picture.of(media) if isinstance(media, bytes) else Sound.of(media)


def _record_class(event: type[Event], hints: Json, medium: str) -> type[Any]:
    """A class like `event` whose media are a note of them."""
    fields: list[Any] = []
    for field in dataclasses.fields(event):
        kind = NOTES[medium] if field.name == medium else hints[field.name]
        required = field.name == medium or field.default is dataclasses.MISSING
        fields.append((field.name, kind) if required else (field.name, kind, field.default))
    return msgspec.defstruct(
        event.__name__, fields, kw_only=True, namespace={"__doc__": event.__doc__}
    )


def _plain(value: object) -> object:
    """A number of NumPy's as one of Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be recorded")


def _resolved(node: Any, definitions: Json) -> Any:
    if isinstance(node, list):
        return [_resolved(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _resolved(definitions[node["$ref"].rpartition("/")[2]], definitions)
    return {key: _resolved(value, definitions) for key, value in node.items() if key != "$defs"}
