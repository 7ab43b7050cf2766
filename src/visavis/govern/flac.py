"""Sound as FLAC: float samples on the 16-bit grid k / 32768, to a whole FLAC file and back.

Lossless: all sound in visavis lies on that grid by construction. What does not is rounded to it,
and counted.
"""

from __future__ import annotations

import io

import av
import numpy as np
from av.audio.frame import AudioFrame
from numpy.typing import NDArray

from visavis.flow.events import Samples

FULL_SCALE = 32_768
# What a frame begins with, blocks of one size or of many.
SYNCS = (b"\xff\xf8", b"\xff\xf9")
# So many samples more than stated cost little memory; syncs are found by chance, too.
SLACK = 1 << 24
# The muxer would leave 8 KiB of room for tags in each file, and sign it with its version.
OPTIONS = {"metadata_header_padding": "0", "fflags": "bitexact"}


def quantise(samples: Samples) -> tuple[NDArray[np.int16], int]:
    """16-bit samples, shape (n,), and how many were not on the grid (NaN becomes 0)."""
    scaled = np.nan_to_num(samples * np.float32(FULL_SCALE), nan=0.0)
    levels = np.clip(np.rint(scaled), -FULL_SCALE, FULL_SCALE - 1)
    lost = int(np.count_nonzero(levels != samples * np.float32(FULL_SCALE)))
    return levels.astype(np.int16), lost


def encode(levels: NDArray[np.int16], rate_hz: int) -> bytes:
    """A FLAC file of mono 16-bit samples, shape (n,), n > 0."""
    file = io.BytesIO()
    with av.open(file, "w", format="flac", options=OPTIONS) as container:
        stream = container.add_stream("flac", rate=rate_hz, layout="mono")
        stream.format = "s16"
        frame = AudioFrame.from_ndarray(levels.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate = rate_hz
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return file.getvalue()


def decode(data: bytes, limit: int) -> Samples:
    """Samples of a FLAC file as `encode` writes it, shape (n,), n > 0.

    Raises `ValueError` when it is none, is cut off, or has more than `limit` samples.
    """
    info, frames = _parts(data)
    shape = int.from_bytes(info[10:18], "big")
    channels, bits, total = (shape >> 41 & 7) + 1, (shape >> 36 & 31) + 1, shape & (1 << 36) - 1
    if (channels, bits) != (1, 16):
        raise ValueError(f"FLAC of {channels} channels of {bits} bits")
    # The decoder keeps to the largest block that the header states; so this bounds what comes out.
    syncs = sum(frames.count(sync) for sync in SYNCS)
    if total > limit or syncs * int.from_bytes(info[2:4], "big") > 4 * total + SLACK:
        raise ValueError(f"more than {limit} samples")
    levels = _levels(info, frames)
    if not total or len(levels) != total:
        raise ValueError(f"not FLAC, or cut off: {len(levels)} of {total} samples")
    return levels.astype(np.float32) / np.float32(FULL_SCALE)


def _parts(data: bytes) -> tuple[bytes, bytes]:
    """The stream's description (STREAMINFO, RFC 9639 8.2) and its frames."""
    info, at, last = b"", 4, data[:4] != b"fLaC"
    while not last:
        head = data[at : at + 4]
        at += 4 + int.from_bytes(head[1:], "big")
        last = len(head) < 4 or head[0] >= 0x80
        if head and head[0] & 0x7F == 0:
            info = data[at - 34 : at]
    if len(info) != 34:
        raise ValueError("not FLAC: it has no description")
    return info, data[at:]


def _levels(info: bytes, frames: bytes) -> NDArray[np.int16]:
    # Given to the decoder in one piece. FFmpeg's splitter, which would cut it into frames, finds
    # false ones in sound of few and sparse levels, and then fails.
    decoder = av.CodecContext.create("flac", "r")
    decoder.extradata = info
    try:
        found = [*decoder.decode(av.Packet(frames)), *decoder.decode(None)] if frames else []
    except av.FFmpegError as error:
        raise ValueError(f"not FLAC: {error}") from error
    parts = [frame.to_ndarray().reshape(-1).astype(np.int16, copy=False) for frame in found]
    return np.concatenate(parts) if parts else np.zeros(0, np.int16)
