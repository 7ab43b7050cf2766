"""A recording, read back one event at a time, in the order of publication.

`read(path)` opens it. Iterating over the `Recording` gives an `Entry` an event; afterwards its
attributes say how whole it was. A file that breaks off (a crash, a full disk) is read as far as it
goes. Invariant: sound and pictures are joined to the events they were taken from, or the entry is
not given.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
from mcap.records import Message, Metadata

from visavis.flow.errors import InputError
from visavis.flow.events import Event
from visavis.flow.topics import TOPICS, Topic
from visavis.govern.form import Form, Media, Note
from visavis.govern.media import PictureShelf, Shelf, SoundShelf
from visavis.govern.scan import MAGIC, Scan
from visavis.govern.tape import FORMAT

MAKE_ONE = "visavis talk --audio question.wav --record run.mcap makes one"
# So many events may wait for their media; those of one pack of sound are a hundred.
WAITING = 10_000
SHELVES: dict[str, type[Shelf]] = {"flac": SoundShelf, "jpeg": PictureShelf}
MEDIA = {"samples": "sound", "data": "picture"}


class Unusable(ValueError):
    """A recorded event that this version cannot feed to its stations."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A recorded event. `data` is its JSON; `media` its sound or picture, where that was kept."""

    number: int
    t_ns: int
    topic: str
    form: Form
    data: bytes
    media: Media | None = None

    def event(self) -> Event:
        """The event again. Raises `Unusable` when it cannot be made again."""
        if self.form.medium and self.media is None:
            raise Unusable(f"{self.topic} was recorded without its {MEDIA[self.form.medium]}")
        try:
            return self.form.decode(self.data, self.media)
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
                if "/" not in topic:
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
    """Joins media to events: entries leave in order, each once its media have come."""

    def __init__(self, topics: Mapping[str, Topic]) -> None:
        self._topics = topics
        self._forms: dict[str, Form] = {}
        self._shelves: dict[str, Shelf] = {}
        self._waiting: deque[tuple[Entry, Note | None]] = deque()

    @property
    def inexact(self) -> int:
        """Events whose media are not to the bit what they were."""
        return sum(shelf.inexact for shelf in self._shelves.values())

    def take(self, topic: str, message: Message) -> Iterator[Entry]:
        """Takes one message; gives the entries that are complete now."""
        of, _, media = topic.partition("/")
        if not media:
            self._add_event(topic, message)
        elif of in self._shelves:
            self._shelves[of].add(message.data)
        else:
            raise ValueError(f"it holds {topic!r}, and no event that this belongs to")
        while self._waiting and (entry := self._complete(*self._waiting[0])):
            self._waiting.popleft()
            yield entry

    def missing(self) -> str:
        """What is wrong if nothing more comes."""
        if not self._waiting:
            return ""
        what = MEDIA[self._waiting[0][0].form.medium]
        return f"the {what} of {len(self._waiting)} events is missing"

    def _add_event(self, topic: str, message: Message) -> None:
        row = self._topics.get(topic)
        if row is None:
            raise ValueError(f"it holds {topic!r}, which is not known here")
        if topic not in self._forms:
            self._forms[topic] = Form(row.event)
            if row.record in SHELVES:
                self._shelves[topic] = SHELVES[row.record]()
        form = self._forms[topic]
        note = form.note(message.data) if topic in self._shelves else None
        if note is not None:
            self._shelves[topic].owe(note)
        if len(self._waiting) >= WAITING:
            raise ValueError(self.missing())
        entry = Entry(message.sequence, message.log_time, topic, form, message.data)
        self._waiting.append((entry, note))

    def _complete(self, entry: Entry, note: Note | None) -> Entry | None:
        if note is None:
            return entry
        media = self._shelves[entry.topic].take(note)
        return None if media is None else replace(entry, media=media)
