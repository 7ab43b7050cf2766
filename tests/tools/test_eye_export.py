from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from export import LARGEST, write
from geometry import Geometry
from gguf import GGUFReader
from gguf.quants import dequantize

from visavis.bundle import gguf as header

SMALL = Geometry(side=64, width=64, layers=2, heads=2, hidden=96, merged=64, gated=96, width_out=32)


def parameters(g: Geometry) -> dict[str, np.ndarray]:
    """Random parameters under the names and in the shapes of the tower."""
    rng = np.random.default_rng(0)
    shapes: dict[str, tuple[int, ...]] = {
        "patches.weight": (g.width, 3 * g.patch**2),
        "patches.bias": (g.width,),
        "position": (g.grid**2, g.width),
        "post.weight": (g.width,),
        "post.bias": (g.width,),
        "merge.weight": (g.merged, 4 * g.width),
        "merge.bias": (g.merged,),
        "linear.weight": (g.merged, g.merged),
        "norm.weight": (g.merged,),
        "norm.bias": (g.merged,),
        "gate.weight": (g.gated, g.merged),
        "rise.weight": (g.gated, g.merged),
        "project.weight": (g.width_out, g.gated),
        "begin": (g.width_out,),
        "end": (g.width_out,),
    }
    for i in range(g.layers):
        at = f"blocks.{i}."
        for name in ("ln1", "ln2"):
            shapes |= {f"{at}{name}.weight": (g.width,), f"{at}{name}.bias": (g.width,)}
        for name in ("query", "key", "value", "out"):
            shapes |= {f"{at}{name}.weight": (g.width, g.width), f"{at}{name}.bias": (g.width,)}
        shapes |= {f"{at}up.weight": (g.hidden, g.width), f"{at}up.bias": (g.hidden,)}
        shapes |= {f"{at}down.weight": (g.width, g.hidden), f"{at}down.bias": (g.width,)}
    return {name: rng.standard_normal(s).astype(np.float32) for name, s in shapes.items()}


@pytest.mark.parametrize(("small", "tolerance"), [(False, 2e-3), (True, 0.03)])
def test_what_is_written_can_be_read_back(tmp_path: Path, small: bool, tolerance: float) -> None:
    given = parameters(SMALL)
    write(tmp_path / "eye.gguf", given, SMALL, small)
    read = {
        t.name: dequantize(t.data, t.tensor_type) for t in GGUFReader(tmp_path / "eye.gguf").tensors
    }
    assert len(read) == len(given)
    for theirs, ours in {
        "v.blk.1.attn_k.weight": given["blocks.1.key.weight"],
        "v.blk.0.ffn_up.weight": given["blocks.0.up.weight"],
        "v.blk.0.ffn_down.weight": given["blocks.0.down.weight"],
        "v.position_embd.weight": given["position"],
        "adapter.linear.dense_h_to_4h.weight": given["rise.weight"],
        "adapter.linear.dense_4h_to_h.weight": given["project.weight"],
        "adapter.boi": given["begin"][None],
        "v.patch_embd.weight": given["patches.weight"].reshape(64, 3, 16, 16),
        "adapter.conv.weight": given["merge.weight"].reshape(64, 64, 2, 2),
    }.items():
        np.testing.assert_allclose(read[theirs], ours, atol=tolerance)


def test_the_header_says_what_llama_cpp_asks_for(tmp_path: Path) -> None:
    write(tmp_path / "eye.gguf", parameters(SMALL), SMALL, small=True)
    fields = GGUFReader(tmp_path / "eye.gguf").fields
    assert fields["general.architecture"].contents() == "clip"
    assert fields["clip.projector_type"].contents() == "adapter"
    assert fields["clip.has_vision_encoder"].contents() is True
    assert fields["clip.use_gelu"].contents() is True
    assert fields["clip.vision.image_size"].contents() == SMALL.side
    assert fields["clip.vision.attention.head_count"].contents() == SMALL.heads
    header.check(tmp_path / "eye.gguf")


@pytest.mark.parametrize("small", [True, False])
def test_the_real_eye_is_small_enough_to_ship(tmp_path: Path, small: bool) -> None:
    geometry = Geometry()
    assert write(tmp_path / "eye.gguf", parameters(geometry), geometry, small) < LARGEST
    assert geometry.tokens + 2 <= 64
    assert geometry.hidden != geometry.width
