"""The tape: the MCAP file of a recording, while it is being written.

Any MCAP reader opens it. Profile `visavis`; a metadata record `visavis` (format, version, settings,
wiring, seed, wall-clock start) at the beginning and `visavis.end` (counts) at the end; a channel a
topic, JSON with a JSON schema (govern/form.py), `sequence` = the event's number, `log_time` = its
`t_ns` on the session axis.

The sound of topics marked `flac` is in the channel `<topic>/flac` as `foxglove.CompressedAudio` of
format `flac`, each message a whole FLAC file; its samples are those of the topic's events, one
after the other. Foxglove shows these messages but plays only Opus and AAC; ours must come back to
the bit. The pictures of topics marked `jpeg` are in `<topic>/jpeg` as `foxglove.CompressedImage`,
one for each event that brings one, right behind it; its time is when the camera saw it.

Invariant: what is older than a second of session time has been handed to the system, whole, so
that a recording of a crash can be read up to the crash. Not thread-safe.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from typing import IO, Any

import msgspec
import numpy as np
from mcap.writer import Writer

from visavis.flow.clock import NS_PER_S
from visavis.flow.events import INPUT_RATE_HZ, Event, MemoryRecalled, Samples, ViewTaken
from visavis.flow.topics import Topic
from visavis.govern import flac
from visavis.govern.form import Form, schema_of

FORMAT = 1
"""Version of the layout above; a reader refuses a higher one."""

FLUSH_NS = NS_PER_S
# A topic at least this frequent carries short pieces of one stream: they are packed, up to the next
# flush or to so many seconds.
STREAM_HZ = 10
PACK_S = 2
PNG = b"\x89PNG"


class Time(msgspec.Struct):
    """A point in time as Foxglove wants it."""

    sec: int
    nsec: int


class CompressedAudio(msgspec.Struct):
    """A piece of compressed sound, in Foxglove's schema of this name."""

    timestamp: Time
    format: str
    data: bytes


class CompressedImage(msgspec.Struct):
    """A picture as it was encoded, in Foxglove's schema of this name. `frame_id`: its stream."""

    timestamp: Time
    frame_id: str
    data: bytes
    format: str


class Tape:
    """Writes events to an open binary file, which it closes in the end."""

    def __init__(
        self,
        file: IO[bytes],
        about: Mapping[str, str],
        topics: Iterable[Topic],
        output_rate_hz: int,
    ) -> None:
        self._file = file
        self._writer = Writer(file)
        self._tracks = {topic.event: Track(topic, output_rate_hz) for topic in topics}
        self._events = 0
        self._flushed_ns = 0
        self.off_grid = 0
        """Samples that 16-bit FLAC could not keep exactly."""
        self._writer.start(profile="visavis")
        self._writer.add_metadata("visavis", dict(about))
        file.flush()

    def encode(self, event: Event, samples: Samples | None) -> bytes:
        """The event as it will be recorded. Raises what `Form.encode` raises."""
        return self._tracks[type(event)].form.encode(event, samples)

    def add(self, number: int, event: Event, data: bytes, samples: Samples | None) -> None:
        """Appends the encoded event and its media. Raises `OSError` when the file cannot grow."""
        if event.t_ns - self._flushed_ns >= FLUSH_NS:
            self._flush(event.t_ns)
        track = self._tracks[type(event)]
        self._writer.add_message(track.id_in(self._writer), event.t_ns, data, event.t_ns, number)
        self._events += 1
        if samples is not None and track.pack(samples, event.t_ns):
            self.off_grid += track.unpack(self._writer)
        elif isinstance(event, (ViewTaken, MemoryRecalled)):
            track.show(self._writer, event)

    def end(self, counts: Mapping[str, str]) -> None:
        """Completes the file; `counts` join the end's metadata. Raises `OSError`."""
        self._flush(self._flushed_ns)
        more = {"events": str(self._events), "off_grid": str(self.off_grid)}
        self._writer.add_metadata("visavis.end", {**counts, **more})
        self._writer.finish()  # type: ignore[no-untyped-call]
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def abandon(self) -> None:
        """Lets go of the file as it is."""
        with contextlib.suppress(OSError):  # it is being abandoned because it failed
            self._file.close()

    def _flush(self, t_ns: int) -> None:
        self._flushed_ns = t_ns
        for track in self._tracks.values():
            self.off_grid += track.unpack(self._writer)
        self._writer.flush()  # type: ignore[no-untyped-call]


class Track:
    """One topic on the tape, with its sound that is not written yet."""

    def __init__(self, topic: Topic, output_rate_hz: int) -> None:
        self.form = Form(topic.event)
        self._topic = topic
        self._streams = topic.rate_hz >= STREAM_HZ
        self._rate_hz = INPUT_RATE_HZ if topic.name.startswith("audio.") else output_rate_hz
        self._full = PACK_S * self._rate_hz if self._streams else 1
        self._id = self._media_id = 0
        self._pack: list[Samples] = []
        self._count = self._packs = self._begin_ns = 0

    def id_in(self, writer: Writer) -> int:
        """The topic's channel; registers it the first time."""
        if not self._id:
            name = f"visavis.{self._topic.event.__name__}"
            self._id = _register(writer, self._topic.name, name, self.form.schema())
        return self._id

    def pack(self, samples: Samples, t_ns: int) -> bool:
        """Keeps the sound, if it is to be recorded at all; whether it should be written now."""
        if self._topic.record != "flac" or not len(samples):
            return False
        if not self._pack:
            # A streamed chunk is stamped at its end.
            length_ns = len(samples) * NS_PER_S // self._rate_hz
            self._begin_ns = max(0, t_ns - length_ns) if self._streams else t_ns
        self._pack.append(samples)
        self._count += len(samples)
        return self._count >= self._full

    def unpack(self, writer: Writer) -> int:
        """Writes the sound kept so far; returns how many samples were not on the 16-bit grid."""
        if not self._pack:
            return 0
        levels, off_grid = flac.quantise(np.concatenate(self._pack))
        self._pack, self._count = [], 0
        time = Time(*divmod(self._begin_ns, NS_PER_S))
        sound = CompressedAudio(time, "flac", flac.encode(levels, self._rate_hz))
        self._add_media(writer, sound, self._begin_ns)
        return off_grid

    def show(self, writer: Writer, event: ViewTaken | MemoryRecalled) -> None:
        """Writes the picture that the event brings, if it does and it is to be recorded."""
        if self._topic.record != "jpeg" or not event.data:
            return
        time = Time(*divmod(max(0, event.view.captured_ns), NS_PER_S))
        kind = "png" if event.data.startswith(PNG) else "jpeg"
        picture = CompressedImage(time, event.view.stream, event.data, kind)
        self._add_media(writer, picture, event.t_ns)

    def _add_media(
        self, writer: Writer, media: CompressedAudio | CompressedImage, t_ns: int
    ) -> None:
        if not self._media_id:
            topic = f"{self._topic.name}/{self._topic.record}"
            name = f"foxglove.{type(media).__name__}"
            self._media_id = _register(writer, topic, name, schema_of(type(media)))
        data = msgspec.json.encode(media)
        writer.add_message(self._media_id, t_ns, data, t_ns, self._packs)
        self._packs += 1


def _register(writer: Writer, topic: str, name: str, schema: Mapping[str, Any]) -> int:
    schema_id = writer.register_schema(name, "jsonschema", msgspec.json.encode(schema))
    channel_id: int = writer.register_channel(topic, "json", schema_id)
    return channel_id
