"""The eye's network: a small vision tower and the projector into the language model.

Takes square pictures (batch, side, side, 3) uint8, gives (batch, 2 + tokens, width_out) float32:
a begin token, one token for each 2 x 2 patches, an end token. Invariant: it computes what
llama.cpp computes for `clip.projector_type = "adapter"`, tensor by tensor (`parity.py`).
"""

from __future__ import annotations

import numpy as np
import torch
from geometry import EPSILON, Geometry
from torch import Tensor, nn
from torch.nn import functional


class Block(nn.Module):
    """One pre-norm transformer layer, all patches seeing all patches."""

    def __init__(self, geometry: Geometry) -> None:
        super().__init__()
        width = geometry.width
        self.heads = geometry.heads
        self.ln1, self.ln2 = nn.LayerNorm(width, EPSILON), nn.LayerNorm(width, EPSILON)
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, geometry.hidden), nn.Linear(geometry.hidden, width)
        for layer in (self.query, self.key, self.value, self.out, self.up, self.down):
            shrink = (2 * geometry.layers) ** -0.5 if layer in (self.out, self.down) else 1.0
            nn.init.normal_(layer.weight, std=shrink * layer.in_features**-0.5)
            nn.init.zeros_(layer.bias)

    def forward(self, x: Tensor) -> Tensor:
        normed = self.ln1(x)
        query, key, value = (
            part(normed).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        # Written out: on a processor the fused kernel's backward is a quarter of the whole step.
        scores = (query * query.shape[-1] ** -0.5) @ key.transpose(-1, -2)
        mixed = scores.softmax(-1).to(value.dtype) @ value
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        return x + self.down(functional.gelu(self.up(self.ln2(x)), approximate="tanh"))


class Tower(nn.Module):
    """Patches, six layers, 2 x 2 merge, gated projector, begin and end."""

    def __init__(self, geometry: Geometry) -> None:
        super().__init__()
        self.geometry = g = geometry
        self.patches = nn.Linear(3 * g.patch**2, g.width)
        self.position = nn.Parameter(_waves(g.grid, g.width) * 0.5)
        self.blocks = nn.ModuleList(Block(g) for _ in range(g.layers))
        self.post = nn.LayerNorm(g.width, EPSILON)
        self.merge = nn.Linear(4 * g.width, g.merged)
        self.linear = nn.Linear(g.merged, g.merged, bias=False)
        self.norm = nn.LayerNorm(g.merged, EPSILON)
        self.gate = nn.Linear(g.merged, g.gated, bias=False)
        self.rise = nn.Linear(g.merged, g.gated, bias=False)
        self.project = nn.Linear(g.gated, g.width_out, bias=False)
        self.begin = nn.Parameter(torch.zeros(g.width_out))
        self.end = nn.Parameter(torch.zeros(g.width_out))

    def forward(self, pictures: Tensor, tap: int = 0) -> tuple[Tensor, Tensor]:
        """Also gives the patches (batch, patches, width) after `tap` layers, for the side task."""
        x = self.patches(cut(pictures, self.geometry)) + self.position
        tapped = x
        for depth, block in enumerate(self.blocks, 1):
            x = block(x)
            tapped = x if depth == tap else tapped
        x = self.merge(_merged(self.post(x), self.geometry.grid))
        x = functional.gelu(self.norm(self.linear(x)), approximate="tanh")
        x = self.project(functional.silu(self.gate(x)) * self.rise(x)).float()
        edge = (len(x), 1, -1)
        return torch.cat([self.begin.expand(edge), x, self.end.expand(edge)], 1), tapped

    @torch.no_grad()
    def whiten(self, pictures: Tensor, floor: float = 0.15, gain: float = 0.7) -> None:
        """Start the patch embedding as whitened principal components of real patches."""
        flat = cut(pictures, self.geometry).flatten(0, 1)
        mean = flat.mean(0)
        _, spread, axes = torch.linalg.svd(flat - mean, full_matrices=False)
        spread = spread / len(flat) ** 0.5
        width = self.geometry.width
        weight = gain * axes[:width] / (spread[:width, None] + floor * spread[8])
        self.patches.weight.copy_(weight)
        self.patches.bias.copy_(-(weight @ mean))


def cut(pictures: Tensor, geometry: Geometry) -> Tensor:
    """(batch, side, side, 3) uint8 to patches (batch, grid², 3·patch²) in [-1, 1], as the
    convolution of llama.cpp orders them: colour, then row, then column."""
    grid, patch = geometry.grid, geometry.patch
    x = pictures.float().mul(1 / 127.5).sub(1).view(-1, grid, patch, grid, patch, 3)
    return x.permute(0, 1, 3, 5, 2, 4).reshape(-1, grid * grid, 3 * patch * patch)


def _merged(x: Tensor, grid: int) -> Tensor:
    """Four neighbouring patches side by side, in the order of a 2 x 2 convolution's weight."""
    width = x.shape[-1]
    x = x.view(-1, grid // 2, 2, grid // 2, 2, width).permute(0, 1, 3, 5, 2, 4)
    return x.reshape(-1, (grid // 2) ** 2, 4 * width)


def _waves(grid: int, width: int) -> Tensor:
    """Sines and cosines of row and column: neighbours start out alike."""
    y, x = np.mgrid[0:grid, 0:grid].astype(np.float32)
    rates = 100.0 ** -(np.arange(width // 4) / (width // 4))
    waves = [f(axis.reshape(-1, 1) * rates) for axis in (x, y) for f in (np.sin, np.cos)]
    return torch.tensor(np.concatenate(waves, 1), dtype=torch.float32)
