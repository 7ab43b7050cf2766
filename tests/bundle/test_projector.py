"""A vision tower beside its language model: what would abort, or could not see, is refused."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tests.bundle.test_gguf import F32, KEYS, STRING, U32, gguf, key, tensor, text
from visavis.bundle.projector import complaint

BOOL = 7
WIDTH, PATCH, LAYERS, WIDE = 8, 4, 2, 32


def number(name: str, value: int) -> bytes:
    return key(f"clip.vision.{name}", U32, struct.pack("<I", value))


def word(name: str, value: str) -> bytes:
    return key(name, STRING, text(value))


TOWER_KEYS = (
    word("general.architecture", "clip"),
    key("clip.has_vision_encoder", BOOL, b"\1"),
    word("clip.projector_type", "adapter"),
    number("image_size", 16),
    number("patch_size", PATCH),
    number("embedding_length", WIDTH),
    number("block_count", LAYERS),
    number("attention.head_count", 2),
)
SHAPES = {
    "v.patch_embd.weight": (PATCH, PATCH, 3, WIDTH),
    "v.position_embd.weight": (WIDTH, 16),
    **{
        f"v.blk.{layer}.{part}.weight": (WIDTH, WIDTH)
        for layer in range(LAYERS)
        for part in ("attn_q", "attn_k", "attn_v", "attn_out", "ffn_up", "ffn_down")
    },
    "adapter.linear.dense_4h_to_h.weight": (16, WIDE),
}


def tower(keys: tuple[bytes, ...] = TOWER_KEYS, **changed: tuple[int, ...] | None) -> bytes:
    """`changed`: tensors by name, dots as `__`, with another shape or None for none."""
    shapes = dict(SHAPES)
    for name, shape in changed.items():
        shapes.pop(name.replace("__", "."))
        if shape:
            shapes[name.replace("__", ".")] = shape
    tensors = tuple(tensor(name, shape, 0, 0) for name, shape in shapes.items())
    return gguf(keys, tensors, data_bytes=4096)


def instead(old: bytes, *new: bytes) -> tuple[bytes, ...]:
    return (*(each for each in TOWER_KEYS if each != old), *new)


MODEL = gguf((*KEYS, key("llama.embedding_length", U32, struct.pack("<I", WIDE))))


def look(tmp_path: Path, mmproj: bytes, model: bytes = MODEL) -> str:
    (tmp_path / "eye.gguf").write_bytes(mmproj)
    (tmp_path / "lm.gguf").write_bytes(model)
    return complaint(tmp_path / "eye.gguf", tmp_path / "lm.gguf")


def test_a_tower_that_fits_passes(tmp_path: Path) -> None:
    assert look(tmp_path, tower()) == ""


def test_of_kinds_whose_graph_we_do_not_know_only_the_header_is_judged(tmp_path: Path) -> None:
    assert look(tmp_path, tower(instead(TOWER_KEYS[2], word("clip.projector_type", "yasa2")))) == ""
    both = instead(
        TOWER_KEYS[2],
        word("clip.vision.projector_type", "gemma4v"),
        word("clip.audio.projector_type", "gemma4a"),
    )
    assert look(tmp_path, tower(both)).endswith("(it lacks mm.input_projection.weight)")


def test_a_tower_without_ordinary_layers_passes(tmp_path: Path) -> None:
    keys = (*TOWER_KEYS[:2], word("clip.projector_type", "gemma3nv"))
    assert look(tmp_path, gguf(keys, (tensor("v.conv_stem.conv.weight", (4,), 0, 0),))) == ""


HALF = number("embedding_length", WIDTH // 2)
WITHOUT_LAYERS = [
    f"v__blk__1__{part}__weight" for part in ("attn_q", "attn_v", "attn_out", "ffn_up", "ffn_down")
]


@pytest.mark.parametrize(
    ("mmproj", "said"),
    [
        (MODEL, "eye.gguf is no vision tower but a model (llama)"),
        (b"<html>", "eye.gguf is not a GGUF file"),
        (tower()[:-3000], "truncated"),
        (tower(instead(TOWER_KEYS[1])), "it has no vision encoder"),
        (tower(instead(TOWER_KEYS[1], key("clip.has_vision_encoder", BOOL, b"\0"))), "no vision"),
        (tower(instead(TOWER_KEYS[2])), "of a kind that is not known (none)"),
        (
            tower(instead(TOWER_KEYS[2], word("clip.projector_type", "qwen2a"))),
            "of a kind that is not known (qwen2a)",
        ),
        (tower(instead(TOWER_KEYS[3])), "clip.vision.image_size is None"),
        (tower(instead(TOWER_KEYS[4], number("patch_size", 0))), "clip.vision.patch_size is 0"),
        (tower(instead(TOWER_KEYS[4], number("patch_size", 32))), "patches of 32 in a picture"),
        (tower(instead(TOWER_KEYS[4], number("patch_size", 8))), "its patches are missing, or"),
        (tower(instead(TOWER_KEYS[5], HALF)), "is 8 wide, not 4"),
        (
            tower(instead(TOWER_KEYS[5], key("clip.vision.embedding_length", F32, b"\0\0\0A"))),
            "clip.vision.embedding_length is 8.0",
        ),
        (tower(instead(TOWER_KEYS[6], number("block_count", 3))), "lacks a part of its 3 layers"),
        (tower(instead(TOWER_KEYS[6], number("block_count", 1 << 30))), "layers"),
        (tower(instead(TOWER_KEYS[7], number("attention.head_count", 3))), "3 heads"),
        (tower(v__patch_embd__weight=None), "its patches are missing"),
        (tower(v__position_embd__weight=None), "its positions are missing"),
        (tower(v__position_embd__weight=(9, 16)), "its positions are missing, or"),
        *((tower(**{name: None}), "lacks a part of its 2 layers") for name in WITHOUT_LAYERS),
        (tower(adapter__linear__dense_4h_to_h__weight=None), "it lacks adapter.linear"),
        (
            tower(adapter__linear__dense_4h_to_h__weight=(16, 64)),
            "was made for another model (it gives 64 numbers a token, lm.gguf takes 32)",
        ),
    ],
)
def test_what_is_no_tower_for_this_model_is_refused(
    tmp_path: Path, mmproj: bytes, said: str
) -> None:
    assert said in look(tmp_path, mmproj)


def test_a_tower_in_the_place_of_the_model_is_named(tmp_path: Path) -> None:
    assert look(tmp_path, tower(), tower()) == "lm.gguf is a vision tower, not a language model"


@pytest.mark.model
def test_the_eye_of_the_package_fits_its_model(eye: Path, model_options: object) -> None:
    model = model_options("smollm2-135m").files["model"]  # type: ignore[operator]
    assert complaint(eye, model) == ""
