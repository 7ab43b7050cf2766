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
    """Samples of a FLAC file, shape (n,), n > 0.

    Raises `ValueError` when it is none, is cut off, or has more than `limit` samples.
    """
    parts: list[NDArray[np.int16]] = []
    count = 0
    try:
        with av.open(io.BytesIO(data), "r", format="flac") as container:
            for frame in container.decode(audio=0):
                parts.append(frame.to_ndarray().reshape(-1).astype(np.int16, copy=False))
                count += len(parts[-1])
                if count > limit:
                    raise ValueError(f"more than {limit} samples")
    except (av.FFmpegError, IndexError) as error:
        raise ValueError(f"not FLAC: {error}") from error
    if not parts:
        raise ValueError("not FLAC: no sound in it")
    return np.concatenate(parts).astype(np.float32) / np.float32(FULL_SCALE)
