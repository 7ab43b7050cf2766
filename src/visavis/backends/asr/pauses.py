"""Long pauses within an utterance, of which a recogniser need not hear all.

Takes Whisper's spectrogram, gives the frames to keep. Who pauses long in mid-sentence is otherwise
heard to say it again: the decoder loops. A pause is where no band is above the room, so that a
soft voice is none: it is above the room somewhere long before it can be understood. Invariant:
without a pause longer than `LONGEST` every frame is kept, and of a longer one what is next to the
voice is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visavis.backends.log_mel import FRAMES_PER_S, PER_DB

LONGEST = FRAMES_PER_S // 2
# Means over so many mels and frames of steady noise, white or pink, stay within 5 dB.
MELS, FRAMES = 10, 5
ABOVE_ROOM = 5 * PER_DB
# What varies less in every band has no pauses: noise alone, or a voice in noise as loud.
STEADY = 15 * PER_DB
ROOM_PERCENTILE, VOICE_PERCENTILE = 5, 95


def shortened(mel: NDArray[np.float32]) -> NDArray[np.intp]:
    """The frames of a spectrogram, shape (mels, n), without the middle of each long pause."""
    keep = np.ones(mel.shape[1], bool)
    if len(keep) > LONGEST + FRAMES:
        for start, end in _runs(_quiet(mel)):
            if end - start > LONGEST:
                keep[start + LONGEST // 2 : end - LONGEST // 2] = False
    return np.flatnonzero(keep)


def _quiet(mel: NDArray[np.float32]) -> NDArray[np.bool_]:
    levels = np.add.reduceat(mel, np.arange(0, len(mel), MELS), axis=0) / MELS
    around = np.lib.stride_tricks.sliding_window_view(levels, FRAMES, axis=1).mean(axis=2)
    room, voice = np.percentile(around, (ROOM_PERCENTILE, VOICE_PERCENTILE), axis=1)
    if np.max(voice - room) < STEADY:
        return np.zeros(mel.shape[1], bool)
    quiet = np.all(around < (room + ABOVE_ROOM)[:, None], axis=0)
    return np.pad(quiet, (FRAMES // 2, FRAMES // 2))


def _runs(held: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where it holds, [start, end) each."""
    edges = np.flatnonzero(np.diff(held, prepend=False, append=False))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
