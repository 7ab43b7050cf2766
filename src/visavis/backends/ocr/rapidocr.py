"""Reading by RapidOCR: PP-OCRv6 small for Chinese and English, through onnxruntime.

The models come inside the library's own package and are named to it by path, so that nothing is
ever fetched. A detector looks for lines first; where there are none, nothing else is run. On one
thread of a 2-core machine, a picture of 640×480 takes 52 ms without writing, one of 1280×720
200 ms, and each line about 50 ms more. Lines are read one by one: six at a time take 94 ms each,
because all are made as wide as the widest. Two threads are slower beside other work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.backends.contract import Line, Ocr, Options
from visavis.backends.settings import MOST_THREADS, Settings
from visavis.flow.errors import BackendMissing, BundleError, EngineError
from visavis.flow.ring import Pixels

DETECTOR, READER = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"
SIDES = (480, 960)
PART = 0.75
"""Of the picture's longer side, in which lines are looked for, within `SIDES` pixels; they are read
in its own. Of two pages in 14 pixels on a screen of 1920×1080, made 1280×720, 11 % of the words are
found at 480, 83 % at 736, 93 % at 960; of 1920×1080 itself 95 %."""


Corners = NDArray[np.float32]
"""Of a box, shape (4, 2), in order around it."""


class RapidOcr:
    """Stateless: each picture stands alone."""

    languages: tuple[str, ...] = ("en", "zh")

    def __init__(self, *, threads: int = 1) -> None:
        try:
            import rapidocr
        except ImportError as error:
            raise BackendMissing("ocr/rapidocr", error.name or "rapidocr", "eyes") from error
        models = Path(rapidocr.__file__).parent / "models"
        for name in (DETECTOR, READER):
            if not (models / name).is_file():
                raise BundleError(
                    models / name, "is missing", "pip install --force-reinstall 'visavis[eyes]'"
                )
        self._engine = rapidocr.RapidOCR(
            params={
                "Global.log_level": "critical",
                # Whether a line stands on its head: nobody holds a page so for long.
                "Global.use_cls": False,
                "Global.text_score": 0.0,
                "EngineConfig.onnxruntime.intra_op_num_threads": threads,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                "Det.model_path": str(models / DETECTOR),
                "Det.limit_type": "max",
                "Det.limit_side_len": SIDES[0],
                "Rec.model_path": str(models / READER),
            }
        )
        # The library loads its models when they are first needed, which is too late.
        for _ in self.read(_sample()):
            pass

    def read(self, pixels: Pixels, most_lines: int = 0) -> Iterator[Line]:
        """Lines from top to bottom, and from left to right where they stand side by side."""
        # The library takes arrays in the order blue, green, red.
        picture = np.ascontiguousarray(pixels[:, :, ::-1])
        boxes = self._boxes(picture)
        if 0 < most_lines < len(boxes):
            smallest = sorted(map(_height, boxes))[-most_lines]
            boxes = [box for box in boxes if _height(box) >= smallest][:most_lines]
        for box in boxes:
            text, confidence = self._line(picture, box)
            if text.strip():
                yield Line(text, confidence, _upright(box))

    def _boxes(self, picture: Pixels) -> Sequence[Corners]:
        """Where lines are, in reading order."""
        low, high = SIDES
        side = round(min(high, max(low, PART * max(picture.shape))))
        try:
            if self._engine.text_det is not None:
                self._engine.text_det.limit_side_len = side
            found: Any = self._engine(picture, use_det=True, use_rec=False)
        except Exception as error:
            raise EngineError(f"ocr/rapidocr: {error}") from error
        return [] if found.boxes is None else list(found.boxes)

    def _line(self, picture: Pixels, box: Corners) -> tuple[str, float]:
        try:
            cut = self._engine.crop_text_regions(picture, np.asarray([box], np.float32))
            found: Any = self._engine.recognize_txt(cut)
        except Exception as error:
            raise EngineError(f"ocr/rapidocr: {error}") from error
        return found.txts[0], float(found.scores[0])

    def close(self) -> None:
        """Nothing to give back: the sessions go with the object."""


def _height(corners: Corners) -> float:
    """Of the writing: the shorter side of its box, which may stand askew."""
    return float(
        min(np.linalg.norm(corners[1] - corners[0]), np.linalg.norm(corners[2] - corners[1]))
    )


def _upright(corners: Corners) -> tuple[float, float, float, float]:
    """The upright box around four corners."""
    (left, top), (right, bottom) = np.min(corners, axis=0), np.max(corners, axis=0)
    return float(left), float(top), float(right), float(bottom)


def _sample() -> Pixels:
    """Black bars on white, which the detector takes for a line, so that all models are run."""
    pixels = np.full((64, 256, 3), 255, np.uint8)
    for left in range(20, 236, 12):
        pixels[20:44, left : left + 4] = 0
    return pixels


def load(options: Options) -> Ocr:
    """Settings: `threads` (1)."""
    settings = Settings("ocr/rapidocr", options.settings)
    return RapidOcr(threads=settings.whole("threads", 1, 1, MOST_THREADS))
