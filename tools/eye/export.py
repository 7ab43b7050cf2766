"""Write the trained eye as an mmproj GGUF that mainline llama.cpp loads.

Takes named arrays (the tower's parameters) and a `Geometry`, gives a file. The graph is the one
llama.cpp calls "adapter": a tower with pre-norm layers, a 2 x 2 merge, a gated projector, learnt
begin and end tokens, and no special token of the vocabulary. Invariant: matrices are q8_0 or f16,
everything that is added or normalised is f32.

    python tools/eye/export.py --out eye.gguf
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import adapter
import numpy as np
from geometry import EPSILON, Geometry
from gguf import GGMLQuantizationType, GGUFWriter, LlamaFileType
from gguf.quants import quantize
from numpy.typing import NDArray

Array = NDArray[np.float32]
LARGEST = 12_000_000  # bytes: what may ship inside the package

_BLOCK = {"query": "attn_q", "key": "attn_k", "value": "attn_v", "out": "attn_out",
          "ln1": "ln1", "ln2": "ln2", "up": "ffn_up", "down": "ffn_down"}  # fmt: skip
_REST = {
    "patches": "v.patch_embd",
    "position": "v.position_embd.weight",
    "post": "v.post_ln",
    "merge": "adapter.conv",
    "linear": "adapter.linear.linear",
    "norm": "adapter.linear.norm1",
    "gate": "adapter.linear.gate",
    "rise": "adapter.linear.dense_h_to_4h",
    "project": "adapter.linear.dense_4h_to_h",
    "begin": "adapter.boi",
    "end": "adapter.eoi",
}


def gguf_name(name: str) -> str:
    """The name in the GGUF of a parameter of the tower."""
    parts = name.split(".")
    if parts[0] == "blocks":
        return f"v.blk.{parts[1]}.{_BLOCK[parts[2]]}.{parts[3]}"
    return ".".join([_REST[parts[0]], *parts[1:]])


def write(path: Path, arrays: Mapping[str, Array], geometry: Geometry, small: bool) -> int:
    """Write the GGUF, q8_0 when `small` and f16 otherwise; gives its size in bytes."""
    writer = GGUFWriter(path, "clip")
    _describe(writer, geometry, small)
    for name, array in arrays.items():
        _add(writer, gguf_name(name), _shaped(name, array, geometry), small)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path.stat().st_size


def _describe(writer: GGUFWriter, geometry: Geometry, small: bool) -> None:
    writer.add_type("mmproj")
    writer.add_name("visavis eye")
    writer.add_license("apache-2.0")
    writer.add_file_type(LlamaFileType.MOSTLY_Q8_0 if small else LlamaFileType.MOSTLY_F16)
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_string("clip.projector_type", "adapter")
    writer.add_bool("clip.use_gelu", True)
    sizes = {
        "image_size": geometry.side,
        "patch_size": geometry.patch,
        "embedding_length": geometry.width,
        "feed_forward_length": geometry.hidden,
        "projection_dim": geometry.width_out,
        "block_count": geometry.layers,
        "attention.head_count": geometry.heads,
    }
    for key, size in sizes.items():
        writer.add_uint32(f"clip.vision.{key}", size)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", EPSILON)
    writer.add_array("clip.vision.image_mean", [0.5] * 3)
    writer.add_array("clip.vision.image_std", [0.5] * 3)


def _shaped(name: str, array: Array, geometry: Geometry) -> Array:
    """Matrices that llama.cpp runs as convolutions get their four dimensions."""
    if name == "patches.weight":
        return array.reshape(-1, 3, geometry.patch, geometry.patch)
    if name == "merge.weight":
        return array.reshape(-1, geometry.width, 2, 2)
    if name in {"begin", "end"}:
        return array.reshape(1, -1)
    return array


def _add(writer: GGUFWriter, name: str, array: Array, small: bool) -> None:
    if array.ndim == 4:
        # The patch embedding is wanted in f32, the 2 x 2 merge in f16, quantised neither.
        kind = np.float32 if name.startswith("v.patch") else np.float16
        writer.add_tensor(name, np.ascontiguousarray(array, kind))
    elif array.ndim == 1 or name.startswith(("v.position", "adapter.boi", "adapter.eoi")):
        writer.add_tensor(name, np.ascontiguousarray(array, np.float32))
    elif small and array.shape[1] % 32 == 0:
        packed = quantize(np.ascontiguousarray(array), GGMLQuantizationType.Q8_0)
        writer.add_tensor(name, packed, raw_dtype=GGMLQuantizationType.Q8_0)
    else:
        writer.add_tensor(name, array.astype(np.float16))


def _adapter(path: Path, state: dict[str, Any]) -> int:
    halves = {
        half: {n.split(".")[1]: p.numpy() for n, p in state.items() if n.startswith(half)}
        for half in ("inward", "outward")
    }
    smollm2 = adapter.parts(heads=9, kv=3, head=64, hidden=1536, width=576)
    return adapter.write(path, halves["inward"], halves["outward"], smollm2)


def main() -> int:
    import checkpoint

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--folder", type=Path, default=checkpoint.default_folder())
    parser.add_argument("--name", default="tower")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--f16", action="store_true", help="twice the size, a little closer")
    args = parser.parse_args()
    state = checkpoint.load(args.folder / f"{args.name}.pt")
    if state is None:
        print(f"no checkpoint {args.name} in {args.folder}", file=sys.stderr)
        return 1
    arrays = {name: p.float().numpy() for name, p in state["tower"].items()}
    size = write(args.out, arrays, Geometry(**state["geometry"]), small=not args.f16)
    print(f"{args.out}: {size / 1e6:.1f} MB, step {state['step']}")
    if state.get("adapter"):
        beside = args.out.with_suffix(".adapter.gguf")
        print(f"{beside}: {_adapter(beside, state['adapter']) / 1e6:.1f} MB")
    return 0 if size <= LARGEST else 1


if __name__ == "__main__":
    sys.exit(main())
