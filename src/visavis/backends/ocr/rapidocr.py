"""Reading by RapidOCR: PP-OCRv6 small for Chinese and English, through onnxruntime.

The models come inside the library's own package and are named to it by path, so that nothing is
ever fetched. A detector looks for lines first; where there are none, nothing else is run. On one
thread of a 2-core machine, a picture of 640×480 takes 52 ms without writing, and about 60 ms more
for each line. Two threads are slower beside other work: 150 ms without writing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from visavis.backends.contract import Line, Ocr, Options
from visavis.flow.errors import BackendMissing, BundleError, EngineError
from visavis.flow.ring import Pixels

DETECTOR, READER = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"
SIDE = 480
"""Pixels of the longer side in which lines are looked for; they are read in the picture's own.
The library's 736 of the shorter one found nothing more on writing of 14 pixels, in 293 ms."""


class RapidOcr:
    """Stateless: each picture stands alone."""

    languages: tuple[str, ...] = ("en", "zh")

    def __init__(self, *, threads: int = 1, side: int = SIDE) -> None:
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
                "Det.limit_side_len": side,
                "Rec.model_path": str(models / READER),
            }
        )
        # The library loads its models when they are first needed, which is too late.
        self.read(_sample())

    def read(self, pixels: Pixels) -> Sequence[Line]:
        """Lines from top to bottom, and from left to right where they stand side by side."""
        try:
            # The library takes arrays in the order blue, green, red.
            found: Any = self._engine(np.ascontiguousarray(pixels[:, :, ::-1]))
        except Exception as error:
            raise EngineError(f"ocr/rapidocr: {error}") from error
        if found.boxes is None or found.txts is None:
            return []
        return [
            Line(text, float(score), _upright(box))
            for text, score, box in zip(found.txts, found.scores, found.boxes, strict=True)
        ]

    def close(self) -> None:
        """Nothing to give back: the sessions go with the object."""


def _upright(corners: Any) -> tuple[float, float, float, float]:
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
    """Settings: `threads` (1), `side` (480)."""
    return RapidOcr(**options.settings)
