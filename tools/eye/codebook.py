"""Which vectors say a word best: learnt through the frozen model, without any vision.

Takes the sixteen words of scenes as numbers, gives picture tokens (batch, 2 + slots, width). A
token starts as the model's embedding of its word; training moves it to where the model reads it
best, and lets a token hint at the words of its own thing (its group of four), which is what helps
the model to bind. The tower is then taught to emit these tokens.
Invariant: a token depends on nothing but its slot and the words of its group.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from words import SLOTS, VOCABULARY

GROUP = 4


class Codebook(nn.Module):
    """Word vectors, slot offsets, and hints within a group of four slots."""

    def __init__(self, embedded: Tensor) -> None:
        super().__init__()
        width = embedded.shape[1]
        self.word = nn.Parameter(embedded.clone())
        self.slot = nn.Parameter(torch.zeros(SLOTS, width))
        self.hint = nn.Parameter(torch.zeros(GROUP, len(VOCABULARY), width))
        self.begin = nn.Parameter(embedded.mean(0))
        self.end = nn.Parameter(embedded.mean(0))

    def forward(self, said: Tensor) -> Tensor:
        """Tokens of words `said` (batch, slots)."""
        edge = (len(said), 1, -1)
        return torch.cat([self.begin.expand(edge), self.inner(said), self.end.expand(edge)], 1)

    def inner(self, said: Tensor) -> Tensor:
        """The same without begin and end: what the projector must give, (batch, slots, width)."""
        groups = said.view(len(said), -1, GROUP)
        hints = torch.stack([role[groups].sum(2) for role in self.hint], 2).flatten(1, 2)
        return self.word[said] + self.slot + hints

    def own(self) -> Tensor:
        """(slots, vocabulary, width): what a word adds to its own slot's token."""
        return (self.word + self.hint).repeat(SLOTS // GROUP, 1, 1)
