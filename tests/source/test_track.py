"""Frames are put where their stamps say, and where these are damaged, one after the other."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import pytest
from av.audio.frame import AudioFrame

from tests.media import shades, tone, write_video, write_wav
from visavis.flow.clock import NS_PER_S
from visavis.source.container import opened, video_stream
from visavis.source.track import Axis, TimeJump, Track


def stamped(*times_s: float | None) -> list[AudioFrame]:
    """Frames with these time stamps."""
    frames = []
    for time_s in times_s:
        frame = av.AudioFrame("s16", "mono", 10)
        frame.time_base = Fraction(1, 1000)
        frame.pts = None if time_s is None else round(time_s * 1000)
        frames.append(frame)
    return frames


def places(path: Path, *times_s: float | None) -> list[float]:
    """Where frames of half a second each are put, in seconds, after a lead of one second."""
    with opened(path) as container:
        axis, after_ns, found = Axis(container, NS_PER_S), NS_PER_S, []
        for frame in stamped(*times_s):
            start_ns = axis.place(frame, after_ns)
            found.append(start_ns / NS_PER_S)
            after_ns = start_ns + NS_PER_S // 2
    return found


@pytest.mark.parametrize(
    ("times_s", "expected_s"),
    [
        ((0, 0.5, 1), [1, 1.5, 2]),
        ((0, 0.501, 0.999), [1, 1.501, 1.999]),
        ((0, 2, 2.5), [1, 3, 3.5]),
        ((None, None, 1), [1, 1.5, 2]),
        ((0, 0.5, 0, 0.5), [1, 1.5, 2, 2.5]),
        ((0, 0.5, 0, 2, 2.5), [1, 1.5, 2, 4, 4.5]),
    ],
)
def test_time_never_runs_back_and_gaps_keep_their_length(
    tmp_path: Path, times_s: tuple[float | None, ...], expected_s: list[float]
) -> None:
    path = write_wav(tmp_path / "a.wav", tone(16_000, 0.1), 16_000)
    assert places(path, *times_s) == pytest.approx(expected_s)


def test_a_jump_of_more_than_an_hour_is_damage(tmp_path: Path) -> None:
    path = write_wav(tmp_path / "a.wav", tone(16_000, 0.1), 16_000)
    assert places(path, 0, 3_600) == [1, 3_601]
    with pytest.raises(TimeJump):
        places(path, 0, 3_601)


def test_an_empty_packet_is_no_end(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mkv", shades(4))
    with opened(path) as container:
        stream = video_stream(container, path)
        packets = list(container.demux(stream))
        empty = av.Packet(b"")
        empty.stream, empty.pts, empty.time_base = stream, 41, stream.time_base

        class Demuxed:
            def demux(self, _: object) -> object:
                return iter([packets[0], empty, *packets[1:]])

        track = Track(Demuxed(), stream)  # type: ignore[arg-type]
        assert len(list(track.frames())) == 4
        assert track.complaint() == "damaged pieces skipped: 1"
