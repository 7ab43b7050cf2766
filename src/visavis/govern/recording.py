"""A recording, read back one event at a time, in the order of publication.

`read(path)` opens it. Iterating over the `Recording` gives an `Entry` an event; afterwards its
attributes say how whole it was. A file that breaks off (a crash, a full disk) is read as far as it
goes. Invariant: sound is joined to the events it was taken from, or the entry is not given.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from mcap.records import Message, Metadata

from visavis.flow.errors import InputError
from visavis.flow.events import Event, Samples
from visavis.flow.topics import TOPICS, Topic
from visavis.govern import flac
from visavis.govern.form import Form, Sound
from visavis.govern.scan import MAGIC, Scan
from visavis.govern.tape import FORMAT, CompressedAudio

MAKE_ONE = "visavis talk --audio question.wav --record run.mcap makes one"
# So many events may wait for their sound; those of one pack are a hundred.
WAITING = 10_000


class Unusable(ValueError):
    """A recorded event that this version cannot feed to its stations."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A recorded event. `data` is its JSON; `samples` its sound, where sound was recorded."""

    number: int
    t_ns: int
    topic: str
    form: Form
    data: bytes
    samples: Samples | None = None

    def event(self) -> Event:
        """The event again. Raises `Unusable` when it cannot be made again."""
        if self.form.has_samples and self.samples is None:
            raise Unusable(f"{self.topic} was recorded without its sound")
        try:
            return self.form.decode(self.data, self.samples)
        except msgspec.MsgspecError as error:
            raise Unusable(f"{self.topic} has another form here: {error}") from error


class Recording:
    """What `read` opens. `version`, `settings`, `wiring`, `seed`, `wall_ns`: as it was recorded.

    After a pass: `broken` says why it ended early (empty = it is whole), and `damaged` whether by
    more than that its end is missing; `dropped` counts events that the recorder lost; `cut`: the
    session was broken off; `inexact` counts events whose sound is not to the bit what it was.
    """

    def __init__(self, path: Path, about: Mapping[str, str], topics: Iterable[Topic]) -> None:
        self.path = path
        self.version = about["version"]
        self.wall_ns = int(about["wall_time_ns"])
        self.seed = int(about["seed"])
        self.settings: dict[str, Any] = msgspec.json.decode(about["settings"], type=dict[str, Any])
        self.wiring = msgspec.json.decode(about["wiring"], type=list[dict[str, Any]])
        self.broken = ""
        self.damaged = False
        self.dropped = 0
        self.cut = False
        self.inexact = 0
        self._topics = {topic.name: topic for topic in topics}

    def __iter__(self) -> Iterator[Entry]:
        """Raises `InputError` when it holds what this version cannot understand."""
        scan = Scan(self.path)
        desk = _Desk(self._topics)
        self.broken, self.damaged, self.dropped, self.cut = "", False, 0, False
        number = 0
        try:
            for record in scan:
                if isinstance(record, Metadata):
                    self._note(record)
                    continue
                topic, message = record
                if not topic.endswith("/flac"):
                    if message.sequence != number:
                        self.dropped = max(1, message.sequence - number)
                        return
                    number += 1
                yield from desk.take(topic, message)
            self.broken = scan.broken or desk.missing()
            self.damaged = scan.damaged or bool(not scan.broken and self.broken)
        except (ValueError, msgspec.MsgspecError) as error:
            remedy = f"it was recorded by visavis {self.version}: replay it with that version"
            raise InputError(self.path, str(error), remedy) from error
        finally:
            self.inexact = desk.inexact

    def _note(self, record: Metadata) -> None:
        if record.name == "visavis.end":
            self.dropped = int(record.metadata["dropped"])
            self.cut = record.metadata["cut"] == "1"


def read(path: Path | str, *, topics: Iterable[Topic] = TOPICS) -> Recording:
    """Opens a recording. Raises `InputError` when it is none, or made by a newer visavis."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise InputError(path, "is not an MCAP file", MAKE_ONE)
        first = next(iter(Scan(path)), None)
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror})", MAKE_ONE) from error
    if not isinstance(first, Metadata) or first.name != "visavis":
        raise InputError(path, "is not a recording of visavis, or breaks off at once", MAKE_ONE)
    try:
        if int(first.metadata["format"]) > FORMAT:
            problem = f"was recorded by a newer visavis ({first.metadata['version']})"
            raise InputError(path, problem, "pip install --upgrade visavis")
        return Recording(path, first.metadata, topics)
    except (KeyError, ValueError, msgspec.MsgspecError) as error:
        raise InputError(path, f"its metadata is damaged ({error!r})", MAKE_ONE) from error


class _Desk:
    """Joins sound to events: entries leave in order, each once its samples have come."""

    def __init__(self, topics: Mapping[str, Topic]) -> None:
        self.inexact = 0
        self._topics = topics
        self._forms: dict[str, Form] = {}
        self._waiting: deque[tuple[Entry, Sound | None]] = deque()
        self._sound: dict[str, Samples] = {}
        self._owed: dict[str, int] = {}

    def take(self, topic: str, message: Message) -> Iterator[Entry]:
        """Takes one message; gives the entries that are complete now."""
        if topic.endswith("/flac"):
            self._add_sound(topic.removesuffix("/flac"), message.data)
        else:
            self._add_event(topic, message)
        while self._waiting and (entry := self._complete(*self._waiting[0])):
            self._waiting.popleft()
            yield entry

    def missing(self) -> str:
        """What is wrong if nothing more comes."""
        return f"the sound of {len(self._waiting)} events is missing" if self._waiting else ""

    def _add_event(self, topic: str, message: Message) -> None:
        row = self._topics.get(topic)
        if row is None:
            raise ValueError(f"it holds {topic!r}, which is not known here")
        if topic not in self._forms:
            self._forms[topic] = Form(row.event)
        form = self._forms[topic]
        sound = form.sound(message.data) if row.record == "flac" else None
        if sound is not None:
            self._owed[topic] = self._owed.get(topic, 0) + sound.count
        if len(self._waiting) >= WAITING:
            raise ValueError(self.missing())
        entry = Entry(message.sequence, message.log_time, topic, form, message.data)
        self._waiting.append((entry, sound))

    def _add_sound(self, topic: str, data: bytes) -> None:
        audio = msgspec.json.decode(data, type=CompressedAudio)
        rest = self._sound.get(topic, np.zeros(0, np.float32))
        more = flac.decode(audio.data, self._owed.get(topic, 0) - len(rest))
        self._sound[topic] = np.concatenate([rest, more])

    def _complete(self, entry: Entry, sound: Sound | None) -> Entry | None:
        if sound is None:
            return entry
        rest = self._sound.get(entry.topic, np.zeros(0, np.float32))
        if len(rest) < sound.count:
            return None
        samples, self._sound[entry.topic] = rest[: sound.count], rest[sound.count :]
        self._owed[entry.topic] -= sound.count
        samples.flags.writeable = False
        self.inexact += Sound.of(samples) != sound
        return replace(entry, samples=samples)
