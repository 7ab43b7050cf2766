"""The sizes of the eye's network, shared by the trainer and the exporter (no torch here)."""

from __future__ import annotations

from dataclasses import asdict, dataclass

EPSILON = 1e-6  # of every layer norm


@dataclass(frozen=True, slots=True)
class Geometry:
    """The sizes of the network. `hidden` must differ from `width`: llama.cpp tells the two
    feed-forward matrices apart by it."""

    side: int = 128
    patch: int = 16
    width: int = 192
    layers: int = 6
    heads: int = 6
    hidden: int = 768
    merged: int = 384
    gated: int = 768
    width_out: int = 576

    @property
    def grid(self) -> int:
        """Patches along one side."""
        return self.side // self.patch

    @property
    def tokens(self) -> int:
        """Tokens of a picture, without begin and end."""
        return (self.grid // 2) ** 2

    def as_dict(self) -> dict[str, int]:
        """For checkpoints."""
        return asdict(self)
