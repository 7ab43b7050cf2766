"""The recorder: everything is in the file, nothing waits for it, and nothing is lost in silence."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from pathlib import Path

import msgspec
import numpy as np
import pytest
from mcap.reader import make_reader

from tests.govern import toys
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS, NS_PER_S
from visavis.flow.errors import InputError, VisavisError
from visavis.flow.ring import AudioRing
from visavis.govern import flac, record
from visavis.govern.record import Recorder
from visavis.govern.recording import read
from visavis.govern.tape import Tape


def tick(index: int) -> e.ClockTicked:
    return e.ClockTicked(t_ns=index * 20 * NS_PER_MS, index=index)


def token(text: str) -> e.TokenMade:
    return e.TokenMade(t_ns=0, epoch=1, text=text, index=0)


def chunk(start: int, samples: e.Samples) -> e.AudioAligned:
    return e.AudioAligned(t_ns=start * NS_PER_S // 16_000, start=start, samples=samples)


def test_any_reader_finds_a_channel_a_topic_with_its_schema(tmp_path: Path) -> None:
    events = toys.record(tmp_path / "run.mcap")
    with (tmp_path / "run.mcap").open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        messages = [*reader.iter_messages(log_time_order=False)]
        notes = {note.name: note.metadata for note in reader.iter_metadata()}
        assert reader.get_header().profile == "visavis"
    recorded = [event for event in events if event.topic != "audio.captured"]
    found = [entry for entry in messages if "/" not in entry[1].topic]
    assert [channel.topic for _, channel, _ in found] == [event.topic for event in recorded]
    for (schema, channel, message), event in zip(found, recorded, strict=True):
        assert schema is not None
        assert schema.name == f"visavis.{type(event).__name__}"
        assert (schema.encoding, channel.message_encoding) == ("jsonschema", "json")
        assert message.log_time == event.t_ns
        fields = msgspec.json.decode(message.data)
        assert fields["t_ns"] == event.t_ns
        assert fields.keys() == msgspec.json.decode(schema.data)["properties"].keys()
    assert [message.sequence for _, _, message in found] == [*range(len(recorded))]
    assert notes["visavis"]["seed"] == "1"
    assert msgspec.json.decode(notes["visavis"]["wiring"])[2]["lane"] == "asr"
    assert notes["visavis.end"]["events"] == str(len(recorded))


def test_the_sound_is_flac_by_a_known_schema_and_only_where_the_table_says(tmp_path: Path) -> None:
    events = toys.record(tmp_path / "run.mcap")
    sounds: dict[str, list[e.Samples]] = {}
    with (tmp_path / "run.mcap").open("rb") as file:
        for schema, channel, message in make_reader(file).iter_messages(log_time_order=False):
            if channel.topic.endswith("/flac"):
                assert schema is not None
                assert schema.name == "foxglove.CompressedAudio"
                audio = msgspec.json.decode(message.data)
                assert audio.keys() == {"timestamp", "format", "data"}
                data = msgspec.convert(audio["data"], bytes)
                sounds.setdefault(channel.topic, []).append(flac.decode(data, 10**6))
    assert sounds.keys() == {"audio.aligned/flac", "sound.made/flac"}
    for topic, found in sounds.items():
        made = [x.samples for x in events if f"{x.topic}/flac" == topic]  # type: ignore[attr-defined]
        np.testing.assert_array_equal(np.concatenate(found), np.concatenate(made))
    seconds = sum(len(x) for x in sounds["audio.aligned/flac"]) / 16_000
    assert len(sounds["audio.aligned/flac"]) <= seconds + 2
    assert len(sounds["sound.made/flac"]) == Counter(x.topic for x in events)["sound.made"]


def test_a_picture_is_kept_once_by_a_known_schema_and_shown_when_it_was_seen(
    tmp_path: Path,
) -> None:
    events = toys.record(tmp_path / "run.mcap")
    brought = [event for event in events if getattr(event, "data", b"") and hasattr(event, "view")]
    found = []
    with (tmp_path / "run.mcap").open("rb") as file:
        for schema, channel, message in make_reader(file).iter_messages(log_time_order=False):
            if channel.topic.endswith("/jpeg"):
                assert schema is not None
                assert schema.name == "foxglove.CompressedImage"
                shape = msgspec.json.decode(schema.data)
                assert shape["required"] == ["timestamp", "frame_id", "data", "format"]
                assert shape["properties"]["data"]["contentEncoding"] == "base64"
                found.append((channel.topic, message.log_time, msgspec.json.decode(message.data)))
    assert {topic for topic, _, _ in found} == {"view.taken/jpeg", "memory.recalled/jpeg"}
    for (topic, t_ns, picture), event in zip(found, brought, strict=True):
        assert isinstance(event, e.ViewTaken | e.MemoryRecalled)
        assert (topic, t_ns) == (f"{event.topic}/jpeg", event.t_ns)
        assert msgspec.convert(picture["data"], bytes) == event.data
        assert picture["format"] == ("png" if event.data[1:4] == b"PNG" else "jpeg")
        assert picture["frame_id"] == "camera"
        seconds, rest = divmod(event.view.captured_ns, NS_PER_S)
        assert picture["timestamp"] == {"sec": seconds, "nsec": rest}
    assert {picture["format"] for _, _, picture in found} == {"jpeg", "png"}


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        toys.record(tmp_path / name, seed)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()


def test_the_file_gets_its_name_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    path.write_bytes(b"an older one")
    recorder = Recorder(path)
    recorder.write(tick(0))
    assert path.read_bytes() == b"an older one"
    recorder.close()
    recorder.close()
    assert [entry.topic for entry in read(path)] == ["clock.ticked"]
    assert [*tmp_path.iterdir()] == [path]


def test_what_was_left_unfinished_before_stays(tmp_path: Path) -> None:
    left = tmp_path / "run.mcap.part"
    left.write_bytes(b"of a session that was broken off")
    with Recorder(tmp_path / "run.mcap") as recorder:
        recorder.write(tick(0))
    assert left.read_bytes() == b"of a session that was broken off"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.mcap", "run.mcap.part"]


def test_what_is_older_than_a_second_can_be_read_while_it_records(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "run.mcap", threaded=False)
    silence = np.zeros(320, np.float32)
    for index in range(200):
        recorder.write(tick(index))
        recorder.write(chunk(index * 320, silence))
    unfinished = read(tmp_path / "run.mcap.part")
    entries = [*unfinished]
    assert unfinished.broken
    assert entries[-1].t_ns >= (199 * 20 - 1000) * NS_PER_MS
    assert sum(entry.topic == "audio.aligned" for entry in entries) >= 148
    recorder.close()


def test_a_thread_of_its_own_writes_the_same(tmp_path: Path) -> None:
    events = toys.record(tmp_path / "a")
    with Recorder(
        tmp_path / "b", rows=toys.ROWS, settings={"toy": 1}, seed=1, wall_ns=toys.WALL_NS
    ) as recorder:
        for event in events:
            recorder.write(event)
    assert recorder.dropped == 0
    assert (tmp_path / "b").read_bytes() == (tmp_path / "a").read_bytes()


class Stuck:
    """Holds the recorder's thread back until it is released."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.release = threading.Event()
        self.reached = threading.Event()
        encode = Tape.encode

        def wait(tape: Tape, event: e.Event, samples: e.Samples | None) -> bytes:
            self.reached.set()
            assert self.release.wait(30)
            return encode(tape, event, samples)

        monkeypatch.setattr(Tape, "encode", wait)


def test_a_slow_disk_costs_events_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    stuck = Stuck(monkeypatch)
    recorder = Recorder(tmp_path / "run.mcap")
    recorder.write(tick(0))
    assert stuck.reached.wait(30)
    for index in range(1, record.QUEUE_DEPTH + 11):
        recorder.write(tick(index))
    assert recorder.dropped == 10
    stuck.release.set()
    with caplog.at_level(logging.WARNING):
        recorder.close()
    assert "10 events could not be recorded" in caplog.text
    recording = read(tmp_path / "run.mcap")
    assert len([*recording]) == record.QUEUE_DEPTH + 1
    assert recording.dropped == 10


def test_sound_is_recorded_as_it_was_even_when_the_ring_has_gone_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck = Stuck(monkeypatch)
    ring = AudioRing(0.02)
    levels = np.random.default_rng(0).integers(-999, 999, (9, 320)).astype(np.float32) / 32768
    with Recorder(tmp_path / "run.mcap") as recorder:
        for index, samples in enumerate(levels):
            recorder.write(chunk(index * 320, ring.write(samples)))
        assert np.shares_memory(ring.slice(8 * 320, 9 * 320), ring.slice(8 * 320, 9 * 320))
        stuck.release.set()
    entries = [*read(tmp_path / "run.mcap")]
    np.testing.assert_array_equal([entry.media for entry in entries], levels)


def test_an_event_that_json_cannot_hold_is_counted_and_the_rest_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Recorder(tmp_path / "run.mcap", threaded=False) as recorder:
        for text in ("a", "\ud83d", "b"):
            recorder.write(token(text))
    assert recorder.dropped == 1
    assert "token.made" in caplog.text
    recording = read(tmp_path / "run.mcap")
    assert [entry.number for entry in recording] == [0]
    assert recording.dropped == 1


def test_a_full_disk_ends_the_recording_and_not_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = Recorder(tmp_path / "run.mcap", threaded=False)
    for index in range(120):
        recorder.write(tick(index))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Tape, "_flush", full)
    for index in range(120, 240):
        recorder.write(tick(index))
    assert recorder.dropped == 240 - 150
    with pytest.raises(VisavisError, match=r"No space left.*run\.mcap\.part"):
        recorder.close()
    assert len([*read(tmp_path / "run.mcap.part")]) == 100
    assert not (tmp_path / "run.mcap").exists()


def test_a_session_that_is_broken_off_leaves_a_complete_file(tmp_path: Path) -> None:
    def session() -> None:
        with Recorder(tmp_path / "run.mcap", threaded=False) as recorder:
            recorder.write(tick(0))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        session()
    recording = read(tmp_path / "run.mcap")
    assert len([*recording]) == 1
    assert recording.cut
    assert not recording.broken


def test_sound_off_the_16_bit_grid_is_counted(tmp_path: Path) -> None:
    with Recorder(tmp_path / "run.mcap", threaded=False) as recorder:
        recorder.write(chunk(0, np.array([0.5, 0.1, 1.0, np.nan], np.float32)))
        recorder.write(chunk(4, np.array([0.25], np.float32)))
    assert recorder.off_grid == 3
    recording = read(tmp_path / "run.mcap")
    assert len([*recording]) == 2
    assert recording.inexact == 1


@pytest.mark.parametrize("name", ["", "missing/run.mcap"])
def test_a_file_that_cannot_be_made_is_an_input_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="name a"):
        Recorder(tmp_path / name)
