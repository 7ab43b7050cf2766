"""Write a low-rank adapter of the language model as a GGUF that llama.cpp loads beside it.

Takes the adapter's arrays, (layers, rank, in) inward and (layers, out, rank) outward for each of
the joined matrices of `language.Layer`, gives a file. Invariant: matrices that were joined for
speed share their inward half and are taken apart by rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from gguf import GGUFWriter
from numpy.typing import NDArray

Array = NDArray[np.float32]


def parts(heads: int, kv: int, head: int, hidden: int, width: int) -> dict[str, dict[str, int]]:
    """Of each joined matrix: the names in the GGUF and their rows, in order."""
    return {
        "attend": {"attn_q": heads * head, "attn_k": kv * head, "attn_v": kv * head},
        "out": {"attn_output": width},
        "gate_up": {"ffn_gate": hidden, "ffn_up": hidden},
        "down": {"ffn_down": width},
    }


def write(
    path: Path,
    inward: Mapping[str, Array],
    outward: Mapping[str, Array],
    rows: Mapping[str, Mapping[str, int]],
) -> int:
    """Write the adapter in f16; gives its size in bytes."""
    writer = GGUFWriter(path, "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    # llama.cpp scales by alpha over rank: equal means as trained.
    writer.add_float32("adapter.lora.alpha", float(inward["out"].shape[1]))
    for name, array in _tensors(inward, outward, rows):
        writer.add_tensor(name, np.ascontiguousarray(array, np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path.stat().st_size


def _tensors(
    inward: Mapping[str, Array],
    outward: Mapping[str, Array],
    rows: Mapping[str, Mapping[str, int]],
) -> Iterator[tuple[str, Array]]:
    for joined, names in rows.items():
        for layer in range(len(inward[joined])):
            start = 0
            for name, count in names.items():
                at = f"blk.{layer}.{name}.weight"
                yield f"{at}.lora_a", inward[joined][layer]
                yield f"{at}.lora_b", outward[joined][layer, start : start + count]
                start += count
            assert start == outward[joined].shape[1], f"rows of {joined} are left over"
