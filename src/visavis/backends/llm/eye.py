"""The eye of a llama.cpp engine: its vision tower, and how much of a picture it takes in.

Takes an mmproj file and the bundle's settings. Gives them to llama.cpp's parameters. What a tower
that cuts pictures into tiles first brings them to, llama.cpp reads from the file alone: a copy of
the file says what the settings say. Does not look into files (bundle/projector.py does).
"""

from __future__ import annotations

import shutil
import struct
from pathlib import Path
from typing import Any

from visavis.backends.settings import Settings

PREPROC_SIDE = "clip.vision.preproc_image_size"
MOST_TOKENS, MOST_SIDE = 1 << 20, 16_384
HEAD_BYTES = 1 << 20
WHOLE_NUMBERS = (4, 5)  # GGUF value types: unsigned and signed, 32 bits


def open_eye(params: Any, mmproj: Path, settings: Settings, folder: Path) -> None:
    """Names the tower in `params`. `folder`: where a copy of it may lie until it is loaded."""
    if side := settings.whole("preproc_image_size", 0, 0, MOST_SIDE):
        mmproj = with_number(mmproj, PREPROC_SIDE, side, folder / mmproj.name)
    params.mmproj.path = str(mmproj)
    # A warm-up encodes the largest picture there is: seconds for nothing.
    params.mmproj_use_gpu = params.warmup = False
    params.image_min_tokens = settings.whole("image_min_tokens", -1, -1, MOST_TOKENS)
    params.image_max_tokens = settings.whole("image_max_tokens", -1, -1, MOST_TOKENS)


def with_number(path: Path, key: str, value: int, to: Path) -> Path:
    """A copy at `to` of a GGUF file with another whole number under `key`.

    The file itself, if it has no such key.
    """
    name = key.encode()
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    found = head.find(struct.pack("<Q", len(name)) + name)
    kind_at = found + 8 + len(name)
    if found < 0 or struct.unpack_from("<I", head, kind_at)[0] not in WHOLE_NUMBERS:
        return path
    shutil.copyfile(path, to)
    with to.open("r+b") as copy:
        copy.seek(kind_at + 4)
        copy.write(struct.pack("<I", value))
    return to
