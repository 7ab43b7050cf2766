"""Does llama.cpp compute what the trainer computes? Preparation, tower and projector, end to end.

Encodes pictures of several sizes with libmtmd (inside the `xllamacpp` wheel, through ctypes) and
with torch, and compares the picture tokens; also compares the tokenizers. Needs torch and
xllamacpp in one environment, or `--dump` in one and `--against` in the other.

    python tools/eye/parity.py --model LM.gguf --mmproj eye.gguf
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scene import Pixels, draw, letterbox, scene

SIZES = ((128, 128), (640, 480), (320, 240), (1280, 720), (300, 400), (97, 131))
_IMAGE = 1  # mtmd_input_chunk_type
_TEXTS = ("What color is the circle?", " what's that, 3.14 or 42?", "A_b  c\n\nD's café!", "It's.")


class _Opaque(ctypes.Structure):
    """A parameter struct passed by value: larger than any, so its layout need not be known."""

    _fields_ = (("bytes", ctypes.c_uint8 * 512),)


class _Text(ctypes.Structure):
    _fields_ = (
        ("text", ctypes.c_char_p),
        ("length", ctypes.c_size_t),
        ("add_special", ctypes.c_bool),
        ("parse_special", ctypes.c_bool),
    )


class Mtmd:
    """The C interface of llama.cpp's multimodal library, as far as encoding needs it."""

    def __init__(self, model: Path, mmproj: Path) -> None:
        found = importlib.util.find_spec("xllamacpp")
        assert found is not None
        assert found.origin is not None, "xllamacpp is not installed here"
        self._c = ctypes.CDLL(str(next(Path(found.origin).parent.glob("xllamacpp*.so"))))
        self._log = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)(
            lambda *_: None
        )
        for setter in ("llama_log_set", "mtmd_log_set", "mtmd_helper_log_set"):
            getattr(self._c, setter)(self._log, None)
        self._c.llama_backend_init()
        self._model = self._call(
            "llama_model_load_from_file", str(model).encode(), self._defaults("llama_model_")
        )
        self._context = self._call(
            "mtmd_init_from_file",
            str(mmproj).encode(),
            self._model,
            self._defaults("mtmd_context_"),
        )
        assert self._context is not None, "llama.cpp refused the mmproj"

    def _defaults(self, of: str) -> _Opaque:
        make = getattr(self._c, f"{of}params_default" if "mtmd" in of else f"{of}default_params")
        make.restype = _Opaque
        params: _Opaque = make()
        if "mtmd" in of:
            params.bytes[0] = 0  # use_gpu
        return params

    def _call(self, name: str, *args: object) -> int | None:
        function = getattr(self._c, name)
        function.restype = ctypes.c_void_p
        wrapped = [ctypes.c_void_p(a) if isinstance(a, int) else a for a in args]
        address: int | None = function(*wrapped)
        return address

    def encode(self, picture: Pixels, width: int) -> tuple[NDArray[np.float32], float]:
        """The picture's tokens (n, width) and how long they took, in milliseconds."""
        height, across = picture.shape[:2]
        flat = np.ascontiguousarray(picture).tobytes()
        init = self._c.mtmd_bitmap_init
        init.restype = ctypes.c_void_p
        bitmap = ctypes.c_void_p(init(ctypes.c_uint32(across), ctypes.c_uint32(height), flat))
        self._c.mtmd_default_marker.restype = ctypes.c_char_p
        marker: bytes = self._c.mtmd_default_marker()
        text = _Text(marker, len(marker), False, True)
        chunks = self._call("mtmd_input_chunks_init")
        pointers = (ctypes.c_void_p * 1)(bitmap)
        failed = self._c.mtmd_tokenize(
            ctypes.c_void_p(self._context), ctypes.c_void_p(chunks), ctypes.byref(text),
            pointers, ctypes.c_size_t(1),
        )  # fmt: skip
        assert not failed, f"mtmd_tokenize: {failed}"
        return self._encoded(chunks, width)

    def _encoded(self, chunks: int | None, width: int) -> tuple[NDArray[np.float32], float]:
        context = ctypes.c_void_p(self._context)
        for chunk in self._chunks(chunks):
            if self._c.mtmd_input_chunk_get_type(chunk) != _IMAGE:
                continue
            count = self._c.mtmd_input_chunk_get_n_tokens
            count.restype = ctypes.c_size_t
            began = time.perf_counter()
            assert not self._c.mtmd_encode_chunk(context, chunk), "mtmd_encode_chunk failed"
            took = (time.perf_counter() - began) * 1e3
            get = self._c.mtmd_get_output_embd
            get.restype = ctypes.POINTER(ctypes.c_float)
            tokens = np.ctypeslib.as_array(get(context), (count(chunk), width)).copy()
            return tokens, took
        raise AssertionError("no picture in the prompt")

    def _chunks(self, chunks: int | None) -> Iterator[ctypes.c_void_p]:
        size = self._c.mtmd_input_chunks_size
        size.restype = ctypes.c_size_t
        for i in range(size(ctypes.c_void_p(chunks))):
            yield ctypes.c_void_p(self._call_at("mtmd_input_chunks_get", chunks, i))

    def _call_at(self, name: str, chunks: int | None, index: int) -> int | None:
        function = getattr(self._c, name)
        function.restype = ctypes.c_void_p
        address: int | None = function(ctypes.c_void_p(chunks), ctypes.c_size_t(index))
        return address

    def tokenize(self, text: str) -> list[int]:
        """Ids of plain text."""
        vocabulary = ctypes.c_void_p(self._call("llama_model_get_vocab", self._model))
        raw, room = text.encode(), (ctypes.c_int32 * 256)()
        count = self._c.llama_tokenize(
            vocabulary, raw, ctypes.c_int32(len(raw)), room, 256, ctypes.c_bool(False),
            ctypes.c_bool(False),
        )  # fmt: skip
        return list(room[:count])


def pictures() -> Iterator[Pixels]:
    """One held-out scene in each size."""
    for number, (width, height) in enumerate(SIZES):
        yield draw(scene("check", number), width, height, 1)


def main() -> int:
    args = _arguments()
    if args.dump:
        engine = Mtmd(args.model, args.mmproj)
        coded = [engine.encode(p, 576) for p in pictures()]
        ids = [np.array(engine.tokenize(t)) for t in _TEXTS]
        np.savez(args.dump, *[tokens for tokens, _ in coded], *ids)
        print("encode ms", " ".join(f"{took:.1f}" for _, took in coded))
        return 0
    with np.load(args.against) as kept:
        arrays = [kept[name] for name in kept.files]
    return _compare(args, arrays)


def _compare(args: argparse.Namespace, arrays: list[NDArray[np.float32]]) -> int:
    import checkpoint
    import torch
    from geometry import Geometry
    from tokens import Tokenizer
    from tower import Tower

    state = checkpoint.load(args.folder / f"{args.name}.pt")
    assert state is not None, "no checkpoint"
    geometry = Geometry(**state["geometry"])
    tower = Tower(geometry)
    tower.load_state_dict(state["tower"])
    worst = 0.0
    for picture, theirs in zip(pictures(), arrays, strict=False):
        view = torch.from_numpy(letterbox(picture, geometry.side)[None])
        with torch.no_grad():
            ours = tower(view)[0][0].numpy()
        off = float(np.abs(ours - theirs).max() / np.abs(ours).max())
        worst = max(worst, off)
        print(
            f"{picture.shape[1]}x{picture.shape[0]} tokens {len(theirs)} relative error {off:.2e}"
        )
    tokenizer = Tokenizer(args.model)
    same = [
        tokenizer.encode(text) == list(map(int, theirs))
        for text, theirs in zip(_TEXTS, arrays[len(SIZES) :], strict=True)
    ]
    print("tokenizer", "same" if all(same) else f"differs: {same}")
    return 0 if worst < args.tolerance and all(same) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--model", type=Path, required=True, help="GGUF of the language model")
    parser.add_argument("--mmproj", type=Path, help="GGUF of the eye")
    parser.add_argument("--folder", type=Path, default=Path.home() / ".cache" / "visavis-eye")
    parser.add_argument("--name", default="tower")
    parser.add_argument("--dump", type=Path, help="encode with llama.cpp and keep the tokens here")
    parser.add_argument("--against", type=Path, help="compare torch with tokens kept before")
    parser.add_argument("--tolerance", type=float, default=0.03)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
