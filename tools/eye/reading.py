"""How the frozen model reads a picture: one batch of questions, its loss and its answers.

Takes picture tokens and scenes, gives the loss of the answers through the frozen model and which
of them came out right. Invariant: gradients reach the picture tokens (and an adapter, if there is
one), never the model.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass

import torch
from language import Adapter, Bend, FrozenModel, Past
from manner import beginnings
from questions import GROUPS, Question
from scene import Scene
from talk import MANNER, Packer
from tokens import Tokenizer
from torch import Tensor
from torch.nn import functional

LONGEST_PREFIX = 320


@dataclass(frozen=True, slots=True)
class Answered:
    """`loss` is weighted over answer tokens; `right` says of each question if the words
    that depend on the picture were, given the words before them."""

    loss: Tensor
    right: list[tuple[Question, bool]]


class Reading:
    """The frozen model with its cached prefixes, and the packer of questions."""

    def __init__(
        self, model: FrozenModel, tokenizer: Tokenizer, picture: int, room: int, variants: int
    ) -> None:
        self.model, self.picture, self.room = model, picture, room
        self.packer = Packer(tokenizer, picture, room)
        self._known: dict[tuple[int, ...], Past] = {}
        self.beginnings = beginnings(tokenizer, variants, LONGEST_PREFIX, seed=5)

    def answer(
        self, pictures: Tensor, scenes: list[Scene], rng: random.Random, adapter: Adapter | None
    ) -> Answered:
        """Ask about each scene; `pictures` (batch, picture, width) are its tokens."""
        beginning = rng.choice(self.beginnings)
        packed, prefix = self.packer.pack(scenes, rng, beginning.asked), beginning.ids
        bends = adapter.bends() if adapter else None
        past = self._padded(prefix, bends)
        x = torch.cat([pictures, self.model.embed(packed.ids)], 1)
        start = torch.arange(self.picture).expand(len(scenes), -1)
        at = len(prefix) + torch.cat([start, packed.at], 1)
        hidden, _ = self.model.run(x, at, self._sees(packed.sees, len(prefix)), past, bends)
        asked = packed.labels >= 0
        scores = self.model.logits(hidden[:, self.picture :][asked])
        wanted, weights = packed.labels[asked], packed.weights[asked]
        wrong = functional.cross_entropy(scores, wanted, reduction="none")
        hits = packed.weights <= MANNER
        hits[asked] |= scores.argmax(-1) == wanted
        right = [(q, bool(hits[row, a:b].all())) for row, a, b, q in packed.spans]
        return Answered((wrong * weights).sum() / weights.sum(), right)

    def _padded(self, ids: list[int], bends: list[Bend] | None) -> Past:
        """The prefix, padded to one length so that compiled code fits all."""
        known = self._known.get(tuple(ids))
        if known is not None:
            return known
        missing = LONGEST_PREFIX - len(ids)
        past = [
            (functional.pad(key, (0, 0, 0, missing)), functional.pad(value, (0, 0, 0, missing)))
            for key, value in self.model.prefix(ids, bends)
        ]
        if bends is None:  # an adapter changes with every step
            self._known[tuple(ids)] = past
        return past

    def _sees(self, text: Tensor, prefix: int) -> Tensor:
        """(batch, 1, picture + room, prefix + picture + room): who may look at what."""
        batch, n = len(text), self.picture + self.room
        before = (torch.arange(LONGEST_PREFIX) < prefix).expand(batch, n, -1)
        corner = torch.ones(self.picture, self.picture, dtype=torch.bool).tril()
        top = functional.pad(corner, (0, self.room)).expand(batch, -1, -1)
        return torch.cat([before, torch.cat([top, text], 1)], 2)[:, None]


def table(right: list[tuple[Question, bool]]) -> dict[str, tuple[float, int]]:
    """Share of right answers and number of questions, by kind and by group."""
    hits: dict[str, list[bool]] = defaultdict(list)
    for question, ok in right:
        hits[question.kind].append(ok)
        for group, kinds in GROUPS.items():
            if question.kind in kinds and len(kinds) > 1:
                hits[f"[{group}]"].append(ok)
    return {kind: (sum(h) / len(h), len(h)) for kind, h in sorted(hits.items())}


def shown(right: list[tuple[Question, bool]]) -> str:
    """The table in one line."""
    return " ".join(f"{kind} {share:.2f}/{n}" for kind, (share, n) in table(right).items())
