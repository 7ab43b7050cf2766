"""The frozen language model, read from its GGUF: the weights the product runs, nothing else.

Takes the path of the quantised model, gives its dequantised tensors and its vocabulary.
Invariant: no parameter of it ever requires a gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from gguf import GGUFReader
from gguf.quants import dequantize
from torch import Tensor, nn
from torch.nn import functional


def tensors(path: Path, prefix: str = "") -> dict[str, Tensor]:
    """Dequantised float32 tensors whose name starts with `prefix`, as (out, in)."""
    found = {t.name: t for t in GGUFReader(path).tensors if t.name.startswith(prefix)}
    return {
        name: torch.from_numpy(np.array(dequantize(t.data, t.tensor_type), np.float32))
        for name, t in found.items()
    }


def vocabulary(path: Path) -> list[str]:
    """The tokens of the model, by id."""
    tokens: list[str] = GGUFReader(path).fields["tokenizer.ggml.tokens"].contents()
    return tokens


def embeddings(path: Path, tokens: Iterable[str]) -> Tensor:
    """(n, width): the model's own embeddings of single tokens."""
    ids = {token: i for i, token in enumerate(vocabulary(path))}
    return tensors(path, "token_embd")["token_embd.weight"][[ids[t] for t in tokens]].clone()


class Layer(NamedTuple):
    """Weights of one layer; `attend` is query, key, value in one, `gate_up` both in one."""

    norm1: Tensor
    norm2: Tensor
    attend: Tensor
    out: Tensor
    gate_up: Tensor
    down: Tensor


Past = list[tuple[Tensor, Tensor]]
LowRank = tuple[Tensor, Tensor]


class Bend(NamedTuple):
    """Low-rank additions to one layer's matrices: (rank, in) and (out, rank) each."""

    attend: LowRank
    out: LowRank
    gate_up: LowRank
    down: LowRank


class Adapter(nn.Module):
    """Low-rank additions to every layer; they start as nothing."""

    def __init__(self, model: FrozenModel, rank: int) -> None:
        super().__init__()
        first = model.layers[0]
        self.inward, self.outward = nn.ParameterDict(), nn.ParameterDict()
        for name in Bend._fields:
            rows, columns = getattr(first, name).shape
            depth = len(model.layers)
            inward = torch.randn(depth, rank, columns) * columns**-0.5
            self.inward[name] = nn.Parameter(inward)
            self.outward[name] = nn.Parameter(torch.zeros(depth, rows, rank))

    def bends(self) -> list[Bend]:
        """One for each layer."""
        pairs = {n: (self.inward[n].unbind(), self.outward[n].unbind()) for n in Bend._fields}
        depth = len(self.inward["out"])
        return [
            Bend(*((pairs[n][0][i], pairs[n][1][i]) for n in Bend._fields)) for i in range(depth)
        ]


class FrozenModel:
    """A llama-shaped model without gradients for its own weights: SmolLM2-135M.

    `products` is the type that matrices are kept and multiplied in: bfloat16 is twice as fast on
    a processor that has it, float32 is for parity. The residual stream is float32 always.
    """

    def __init__(self, path: Path, products: torch.dtype = torch.float32) -> None:
        reader = GGUFReader(path)
        number = {
            key: reader.fields[f"llama.{name}"].contents()
            for key, name in {
                "layers": "block_count", "heads": "attention.head_count",
                "kv": "attention.head_count_kv", "base": "rope.freq_base",
                "epsilon": "attention.layer_norm_rms_epsilon", "width": "embedding_length",
            }.items()
        }  # fmt: skip
        kept = tensors(path)
        self.embedding = kept["token_embd.weight"]
        self.readout = self.embedding.to(products)
        self.norm, self.products = kept["output_norm.weight"], products
        self.heads, self.kv, self.epsilon = number["heads"], number["kv"], number["epsilon"]
        self.width, self.head = number["width"], number["width"] // number["heads"]
        self.layers = [self._layer(kept, f"blk.{i}.") for i in range(number["layers"])]
        turns = number["base"] ** -(torch.arange(0, self.head, 2) / self.head)
        self._fast: Callable[..., tuple[Tensor, tuple[Tensor, Tensor]]] = self.step
        angle = torch.arange(2048)[:, None] * turns
        self.cosine, self.sine = angle.cos(), angle.sin()

    def compile(self) -> None:
        """Compile the layer, for batches of one shape. Prefixes stay as they are: each has a
        length of its own, and would be compiled anew."""
        self._fast = torch.compile(self.step, dynamic=False)

    def _layer(self, kept: dict[str, Tensor], at: str) -> Layer:
        def joined(*names: str) -> Tensor:
            return torch.cat([kept[f"{at}{n}.weight"] for n in names]).to(self.products)

        return Layer(
            norm1=kept[f"{at}attn_norm.weight"],
            norm2=kept[f"{at}ffn_norm.weight"],
            attend=joined("attn_q", "attn_k", "attn_v"),
            out=joined("attn_output"),
            gate_up=joined("ffn_gate", "ffn_up"),
            down=joined("ffn_down"),
        )

    def embed(self, ids: Tensor) -> Tensor:
        """Embeddings of token ids, float32."""
        return self.embedding[ids]

    def run(
        self,
        x: Tensor,
        at: Tensor,
        mask: Tensor,
        past: Past | None = None,
        bends: list[Bend] | None = None,
    ) -> tuple[Tensor, Past]:
        """Hidden states (batch, n, width) of embeddings `x` at positions `at` (batch, n).

        `mask` (batch or 1, 1, n, past + n) is true where a query may look; `past` keys and values
        (1, kv heads, past, head) are shared by the batch; `bends` are low-rank additions.
        """
        cosine, sine = self.cosine[at][:, :, None], self.sine[at][:, :, None]
        grown: Past = []
        step = self.step if x.shape[0] == 1 else self._fast
        for i, layer in enumerate(self.layers):
            before = past[i] if past else None
            bend = bends[i] if bends else None
            x, pair = step(layer, x, cosine, sine, mask, before, bend)
            grown.append(pair)
        return functional.rms_norm(x, (self.width,), self.norm, self.epsilon), grown

    def step(
        self,
        layer: Layer,
        x: Tensor,
        cosine: Tensor,
        sine: Tensor,
        mask: Tensor,
        before: tuple[Tensor, Tensor] | None,
        bend: Bend | None,
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """One layer; also gives its new keys and values."""
        flat = functional.rms_norm(x, (self.width,), layer.norm1, self.epsilon)
        mixed = self._times(flat, layer.attend, bend and bend.attend)
        query, key, value = mixed.unflatten(-1, (-1, self.head)).split(
            [self.heads, self.kv, self.kv], 2
        )
        query, key = (_turned(part.float(), cosine, sine) for part in (query, key))
        key, value = (part.to(self.products).transpose(1, 2) for part in (key, value))
        pair = key, value
        if before is not None:
            key, value = (
                torch.cat([old.expand(len(x), -1, -1, -1), new], 2)
                for old, new in zip(before, pair, strict=True)
            )
        seen = self._attend(query, key, value, mask)
        x = x + self._times(seen, layer.out, bend and bend.out).float()
        flat = functional.rms_norm(x, (self.width,), layer.norm2, self.epsilon)
        gate, up = self._times(flat, layer.gate_up, bend and bend.gate_up).chunk(2, -1)
        x = x + self._times(functional.silu(gate) * up, layer.down, bend and bend.down).float()
        return x, pair

    def _attend(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        """Written out: the fused kernel's backward is slow on a processor, and grouped heads need
        no copies of key and value here. `query` (batch, n, heads, head), gives (batch, n, width).
        """
        batch, n = query.shape[:2]
        grouped = (query * self.head**-0.5).to(self.products).unflatten(2, (self.kv, -1))
        grouped = grouped.permute(0, 2, 3, 1, 4).flatten(2, 3)
        scores = (grouped @ key.transpose(-1, -2)).float().unflatten(2, (-1, n))
        shares = scores.masked_fill(~mask[:, :, None], float("-inf")).softmax(-1)
        seen = (shares.to(self.products).flatten(2, 3) @ value).unflatten(2, (-1, n))
        return seen.permute(0, 3, 1, 2, 4).reshape(batch, n, self.width)

    def _times(self, x: Tensor, weight: Tensor, bend: LowRank | None) -> Tensor:
        x = x.to(self.products)
        plain = functional.linear(x, weight)
        if bend is None:
            return plain
        inward, outward = (part.to(self.products) for part in bend)
        return plain + functional.linear(functional.linear(x, inward), outward)

    def logits(self, hidden: Tensor) -> Tensor:
        """Scores over the vocabulary, float32."""
        return functional.linear(hidden.to(self.products), self.readout).float()

    @torch.no_grad()
    def prefix(self, ids: list[int], bends: list[Bend] | None = None) -> Past:
        """Keys and values of a text that everything after it shares."""
        n = len(ids)
        mask = torch.ones(1, 1, n, n, dtype=torch.bool).tril()
        return self.run(self.embed(torch.tensor([ids])), torch.arange(n)[None], mask, None, bends)[
            1
        ]


def _turned(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Rotary positions on neighbouring pairs: the order in which GGUF stores query and key."""
    even, odd = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], -1).flatten(-2)
