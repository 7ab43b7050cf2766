"""Reading: whatever happened to the file, one gets a true beginning of it or one clear line."""

from __future__ import annotations

import io
import zlib
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcap.data_stream import RecordBuilder
from mcap.records import Chunk
from mcap.writer import CompressionType, Writer

from tests.govern import toys
from visavis.flow.clock import NS_PER_S
from visavis.flow.errors import InputError
from visavis.govern import scan
from visavis.govern.recording import Entry, Recording, Unusable, read
from visavis.govern.tape import FORMAT

ABOUT = {
    "format": str(FORMAT),
    "version": "9.9.9",
    "wall_time_ns": "1",
    "seed": "0",
    "settings": "{}",
    "wiring": "[]",
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "run.mcap"
    toys.record(path, 5, 3)
    return path.read_bytes()


@pytest.fixture(scope="module")
def entries(whole: bytes, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, ...]]:
    path = tmp_path_factory.mktemp("entries") / "run.mcap"
    path.write_bytes(whole)
    return [shape(entry) for entry in read(path)]


def shape(entry: Entry) -> tuple[Any, ...]:
    media = entry.media.tobytes() if isinstance(entry.media, np.ndarray) else entry.media
    return entry.number, entry.t_ns, entry.topic, entry.data, media


def made(path: Path, about: dict[str, str] = ABOUT, fill: Any = None) -> Recording:
    """A file with that metadata and what `fill(writer)` adds."""
    with path.open("wb") as file:
        writer = Writer(file, compression=CompressionType.NONE)
        writer.start("visavis")
        writer.add_metadata("visavis", about)
        if fill is not None:
            fill(writer)
        writer.finish()
    return read(path)


def add_event(writer: Writer, topic: str, number: int, data: bytes) -> None:
    schema = writer.register_schema("x", "jsonschema", b"{}")
    writer.add_message(writer.register_channel(topic, "json", schema), 0, data, 0, number)


def test_events_come_back_with_their_sound_and_pictures(tmp_path: Path) -> None:
    events = toys.record(tmp_path / "run.mcap")
    recorded = [event for event in events if event.topic != "audio.captured"]
    recording = read(tmp_path / "run.mcap")
    pictures: list[bytes] = []
    for entry, event in zip(recording, recorded, strict=True):
        if entry.topic == "sound.played":
            with pytest.raises(Unusable, match="without its sound"):
                entry.event()
            continue
        again = entry.event()
        assert again == event
        if (samples := getattr(event, "samples", None)) is not None:
            np.testing.assert_array_equal(again.samples, samples)  # type: ignore[attr-defined]
            assert not again.samples.flags.writeable  # type: ignore[attr-defined]
        if (picture := getattr(event, "data", None)) is not None:
            assert again.data == picture  # type: ignore[attr-defined]
            pictures.append(picture)
    assert any(pictures)
    assert not all(pictures)
    assert (recording.broken, recording.dropped, recording.inexact) == ("", 0, 0)
    assert (recording.seed, recording.wall_ns) == (1, toys.WALL_NS)
    assert recording.settings == {"toy": 1}
    assert recording.wiring[0]["name"] == "toy.align"


def test_a_recording_can_be_read_twice(tmp_path: Path) -> None:
    toys.record(tmp_path / "run.mcap")
    recording = read(tmp_path / "run.mcap")
    assert [shape(entry) for entry in recording] == [shape(entry) for entry in recording]


FREELY = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80, deadline=None
)


@FREELY
@given(share=st.floats(0, 0.999))
def test_a_file_that_breaks_off_gives_a_true_beginning(
    whole: bytes, entries: list[Any], tmp_path: Path, share: float
) -> None:
    path = tmp_path / "cut.mcap"
    path.write_bytes(whole[: int(len(whole) * share)])
    try:
        recording = read(path)
    except InputError:
        assert share < 0.05
        return
    found = [shape(entry) for entry in recording]
    assert found == entries[: len(found)]
    if len(found) < len(entries):
        assert recording.broken


def test_no_more_than_two_seconds_are_lost_where_it_breaks_off(
    whole: bytes, entries: list[Any], tmp_path: Path
) -> None:
    path = tmp_path / "cut.mcap"
    path.write_bytes(whole[: len(whole) // 2])
    *_, last = read(path)
    assert last.t_ns > entries[-1][1] / 2 - 2 * NS_PER_S


@FREELY
@given(share=st.floats(0, 0.9999), flip=st.integers(1, 255))
def test_a_damaged_file_never_gives_a_false_event(
    whole: bytes, entries: list[Any], tmp_path: Path, share: float, flip: int
) -> None:
    path = tmp_path / "damaged.mcap"
    damaged = bytearray(whole)
    damaged[int(len(whole) * share)] ^= flip
    path.write_bytes(damaged)
    try:
        found = [shape(entry) for entry in read(path)]
    except InputError:
        return
    assert found == entries[: len(found)]


@pytest.mark.parametrize("content", [b"", b"RIFF....WAVE", b"<html>", scan.MAGIC])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "run.mcap"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"run\.mcap.*visavis talk"):
        read(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.mcap", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            read(path)


def test_somebody_elses_mcap_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "robot.mcap").open("wb") as file:
        writer = Writer(file)
        writer.start("ros2")
        add_event(writer, "/tf", 0, b"{}")
        writer.finish()
    with pytest.raises(InputError, match="not a recording of visavis"):
        read(tmp_path / "robot.mcap")


def test_a_newer_recording_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"newer visavis \(9.9.9\); pip install --upgrade"):
        made(tmp_path / "run.mcap", ABOUT | {"format": str(FORMAT + 1)})


@pytest.mark.parametrize("key", ["format", "seed", "settings", "wiring"])
def test_damaged_metadata_is_refused(tmp_path: Path, key: str) -> None:
    with pytest.raises(InputError, match="metadata is damaged"):
        made(tmp_path / "run.mcap", ABOUT | {key: "?"})
    with pytest.raises(InputError, match="metadata is damaged"):
        made(tmp_path / "run.mcap", {name: ABOUT[name] for name in ABOUT if name != key})


def test_a_topic_that_is_not_known_names_the_version_that_knows_it(tmp_path: Path) -> None:
    recording = made(tmp_path / "run.mcap", fill=lambda w: add_event(w, "tea.made", 0, b"{}"))
    with pytest.raises(InputError, match=r"'tea.made'.*by visavis 9.9.9"):
        list(recording)


def test_an_event_of_another_form_is_told_from_a_difference(tmp_path: Path) -> None:
    recording = made(tmp_path / "run.mcap", fill=lambda w: add_event(w, "token.made", 0, b"{}"))
    (entry,) = recording
    with pytest.raises(Unusable, match=r"token\.made has another form"):
        entry.event()


def test_a_gap_in_the_numbers_ends_the_reading(tmp_path: Path) -> None:
    def fill(writer: Writer) -> None:
        for number in (0, 1, 5):
            add_event(writer, "token.made", number, b"{}")

    recording = made(tmp_path / "run.mcap", fill=fill)
    assert [entry.number for entry in recording] == [0, 1]
    assert recording.dropped == 3


def test_sound_that_never_comes_is_told(tmp_path: Path) -> None:
    sound = b'{"t_ns":0,"start":0,"samples":{"count":320,"crc32":1}}'
    recording = made(tmp_path / "run.mcap", fill=lambda w: add_event(w, "audio.aligned", 0, sound))
    assert [*recording] == []
    assert "sound of 1 events" in recording.broken


VIEW = b'{"id":"ab","captured_ns":0,"width":0,"height":0,"stream":"camera","text":""}'
TAKEN = (
    b'{"t_ns":0,"trace":0,"epoch":0,"view":%b,"moment_ns":0,"reason":"speech",'
    b'"data":{"size":%d,"crc32":%d}}'
)
PICTURE = b"\xff\xd8\xff a picture"
SHOWN = TAKEN % (VIEW, len(PICTURE), zlib.crc32(PICTURE))


def image(data: bytes) -> bytes:
    text = b64encode(data)
    return b'{"timestamp":{"sec":0,"nsec":0},"frame_id":"c","data":"%b","format":"jpeg"}' % text


def test_a_picture_comes_back_to_its_event(tmp_path: Path) -> None:
    def fill(writer: Writer) -> None:
        add_event(writer, "view.taken", 0, SHOWN)
        add_event(writer, "view.taken/jpeg", 0, image(PICTURE))

    (entry,) = made(tmp_path / "run.mcap", fill=fill)
    assert entry.media == PICTURE


def test_a_picture_that_never_comes_is_told(tmp_path: Path) -> None:
    recording = made(tmp_path / "run.mcap", fill=lambda w: add_event(w, "view.taken", 0, SHOWN))
    assert [*recording] == []
    assert "picture of 1 events is missing" in recording.broken


@pytest.mark.parametrize(
    "messages",
    [
        [("view.taken", SHOWN), ("view.taken/jpeg", image(PICTURE[:-1] + b"E"))],
        [("view.taken", SHOWN), ("view.taken/jpeg", image(PICTURE[:-1]))],
        [("view.taken", SHOWN), *2 * [("view.taken/jpeg", image(PICTURE))]],
        [("view.taken/jpeg", image(PICTURE)), ("view.taken", SHOWN)],
        [("view.taken", SHOWN), ("view.taken/jpeg", b'{"data":"?"}')],
        [("view.taken", TAKEN % (VIEW, 2**27, 0))],
        [("turn.ended/jpeg", image(PICTURE))],
    ],
    ids=["another", "shorter", "twice", "too soon", "none", "too large", "of nothing"],
)
def test_a_picture_that_is_not_the_events_is_refused(
    tmp_path: Path, messages: list[tuple[str, bytes]]
) -> None:
    def fill(writer: Writer) -> None:
        for topic, data in messages:
            add_event(writer, topic, 0, data)

    recording = made(tmp_path / "run.mcap", fill=fill)
    with pytest.raises(InputError, match=r"run\.mcap"):
        list(recording)


@pytest.mark.parametrize("count", [-1, 2**70])
def test_a_senseless_count_of_samples_is_refused(tmp_path: Path, count: int) -> None:
    sound = b'{"t_ns":0,"start":0,"samples":{"count":%d,"crc32":1}}' % count
    recording = made(tmp_path / "run.mcap", fill=lambda w: add_event(w, "audio.aligned", 0, sound))
    with pytest.raises(InputError, match=r"run\.mcap"):
        list(recording)


def bombs() -> Iterator[tuple[str, Chunk]]:
    packed = zstandard.compress(bytes(scan.CHUNK_BYTES + 1))
    lying = {"data": packed, "compression": "zstd", "uncompressed_crc": 0}
    times = {"message_start_time": 0, "message_end_time": 0}
    yield "claims little", Chunk(**lying, uncompressed_size=10, **times)
    yield "claims much", Chunk(**lying, uncompressed_size=2**60, **times)
    yield "other", Chunk(**lying | {"compression": "lz4"}, uncompressed_size=10, **times)


@pytest.mark.parametrize(("name", "chunk"), [*bombs()], ids=lambda value: str(value)[:13])
def test_a_chunk_that_unpacks_to_too_much_is_not_unpacked(
    tmp_path: Path, name: str, chunk: Chunk
) -> None:
    path = tmp_path / "bomb.mcap"
    made(path)
    data = path.read_bytes()
    bomb = RecordBuilder()
    chunk.write(bomb)
    # Behind the metadata, in front of the end of the data section.
    at = data.index(bytes([15]) + (4).to_bytes(8, "little"))
    path.write_bytes(data[:at] + bomb.end() + data[at:])
    recording = read(path)
    assert [*recording] == []
    assert "chunk" in recording.broken


def test_a_length_that_lies_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    file = io.BytesIO()
    writer = Writer(file)
    writer.start("visavis")
    writer.add_metadata("visavis", ABOUT)
    # An attachment that says it is 60 MB long, of a name that says it has 4 GB.
    head = bytes([9]) + (60 << 20).to_bytes(8, "little") + bytes(16) + b"\xff\xff\xff\xff"
    path.write_bytes(file.getvalue() + head)
    recording = read(path)
    assert [*recording] == []
    assert recording.broken
