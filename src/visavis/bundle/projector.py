"""Does a vision tower fit its language model? Looks at the headers of both, never at weights.

Takes two GGUF files, roles `mmproj` and `model`. Gives a complaint in words, or nothing. llama.cpp
refuses some mismatches and aborts the process over others, when it builds the graph: so the shapes
on which its graphs rest must agree with the numbers in the header, and the tower must speak in
vectors as wide as the model's own. Of 298 copies of an eye with one byte of the header changed,
those that pass load and see, or fail with an error; none aborts.
Source: llama.cpp, tools/mtmd/clip.cpp and its keys and tensor names (2026).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from visavis.bundle import gguf
from visavis.bundle.gguf import Header
from visavis.bundle.malformed import Malformed

KINDS = frozenset({
    "adapter", "cogvlm", "d1omni_v", "deepseek4v", "deepseekocr", "deepseekocr2", "dots3note_v",
    "dots_ocr", "exaone4_5", "gemma3", "gemma3nv", "gemma4uv", "gemma4v", "glm4v", "glm5v",
    "granite4_vision", "hunyuanocr", "hunyuanvl", "idefics3", "internvl", "janus_pro", "kimik25",
    "kimivl", "ldp", "ldpv2", "lfm2", "lightonocr", "ling3vl", "llama4", "mimovl", "minicpmv4_6",
    "minimax_m3", "mlp", "nemotron_v2_vl", "paddleocr", "phi4", "pixtral", "qwen2.5o",
    "qwen2.5vl_merger", "qwen2vl_merger", "qwen3vl_merger", "resampler", "step3vl", "yasa2",
    "youtuvl",
})  # fmt: skip
"""What llama.cpp can see with."""

OUTPUT = {
    "adapter": ("adapter.linear.dense_4h_to_h.weight", 1),
    "gemma3": ("mm.input_projection.weight", 0),
    "gemma4v": ("mm.input_projection.weight", 1),
    "idefics3": ("mm.model.fc.weight", 1),
    "mlp": ("mm.2.weight", 1),
    "qwen2.5vl_merger": ("mm.2.bias", 0),
    "qwen2vl_merger": ("mm.2.bias", 0),
    "qwen3vl_merger": ("mm.2.bias", 0),
    "resampler": ("resampler.proj.weight", 0),
}
"""Which axis of which tensor is as wide as what the tower gives. Of other kinds it is not known."""

POSITIONED = frozenset({"adapter", "gemma3", "idefics3", "mlp", "resampler"})
"""Kinds whose towers look up where a patch lies. Others compute it."""

_NUMBERS = ("image_size", "patch_size", "embedding_length", "block_count", "attention.head_count")
_LAYER = ("attn_out", "ffn_up", "ffn_down")
_ATTENTION = re.compile(r"v\.blk\.\d+\.attn_(q|k|v|qkv)\.weight")
MOST_LAYERS, MOST_SIDE = 1024, 1 << 14


def complaint(mmproj: Path, model: Path) -> str:
    """What keeps the two from being used together; empty if nothing that shows does."""
    path = mmproj
    try:
        _check_tower(tower := gguf.read(mmproj))
        path = model
        language = gguf.read(model)
        if (architecture := language.values["general.architecture"]) == "clip":
            raise Malformed("is a vision tower, not a language model")
        width = language.values.get(f"{architecture}.embedding_length")
        path = mmproj
        _check_width(tower, width, model.name)
    except Malformed as error:
        return f"{path.name} {error}"
    return ""


def _check_tower(header: Header) -> None:
    """Raises `Malformed` unless this is a tower that sees, whole as far as its header says."""
    values = header.values
    if (architecture := values["general.architecture"]) != "clip":
        raise Malformed(f"is no vision tower but a model ({architecture})")
    if not values.get("clip.has_vision_encoder"):
        raise Malformed("is no vision tower (it has no vision encoder)")
    kind = _kind(header)
    if kind not in KINDS:
        raise Malformed(f"is a vision tower of a kind that is not known ({kind or 'none'})")
    if any(map(_ATTENTION.match, header.shapes)):
        _check_transformer(header)


def _check_transformer(header: Header) -> None:
    """Its layers and patches have the sizes that the header states."""
    image, patch, width, layers, heads = (_number(header.values, name) for name in _NUMBERS)
    if not patch <= image <= MOST_SIDE:
        raise _malformed(f"patches of {patch} in a picture of {image} pixels")
    if width % heads:
        raise _malformed(f"{heads} heads cannot share a width of {width}")
    if layers > MOST_LAYERS or not all(_has_layer(header, n) for n in range(layers)):
        raise _malformed(f"it lacks a part of its {layers} layers")
    for name, shape in header.shapes.items():
        if _ATTENTION.fullmatch(name) and shape[0] != width:
            raise _malformed(f"{name} is {shape[0]} wide, not {width}")
    patches = header.shapes.get("v.patch_embd.weight", ())
    if not patches or (len(patches) == 4 and patches != (patch, patch, patches[2], width)):
        raise _malformed("its patches are missing, or have another size")
    positions = header.shapes.get("v.position_embd.weight", ())
    if positions[:1] != ((width,) if positions or _kind(header) in POSITIONED else ()):
        raise _malformed("its positions are missing, or have another width")


def _has_layer(header: Header, n: int) -> bool:
    apart = [f"v.blk.{n}.attn_{part}.weight" in header.shapes for part in ("q", "k", "v")]
    joined = f"v.blk.{n}.attn_qkv.weight" in header.shapes
    rest = all(f"v.blk.{n}.{part}.weight" in header.shapes for part in _LAYER)
    return rest and (joined or all(apart))


def _check_width(tower: Header, wanted: int | None, model: str) -> None:
    """Raises `Malformed` unless the tower speaks in vectors as wide as the model's."""
    name, axis = OUTPUT.get(_kind(tower), ("", 0))
    shape = tower.shapes.get(name, ())
    if name and len(shape) <= axis:
        raise _malformed(f"it lacks {name}")
    if name and wanted and shape[axis] != wanted:
        gives = f"it gives {shape[axis]} numbers a token, {model} takes {wanted}"
        raise Malformed(f"was made for another model ({gives})")


def _kind(header: Header) -> str:
    values = header.values
    return str(values.get("clip.vision.projector_type") or values.get("clip.projector_type") or "")


def _number(values: Mapping[str, Any], name: str) -> int:
    value = values.get(f"clip.vision.{name}")
    if not isinstance(value, int) or value <= 0:
        raise _malformed(f"clip.vision.{name} is {value!r}")
    return value


def _malformed(why: str) -> Malformed:
    return Malformed(f"is a malformed vision tower ({why})")
