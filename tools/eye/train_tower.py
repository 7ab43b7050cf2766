"""Phase A: teach the tower to say what it sees, in the language model's own word embeddings.

Every output token is drawn to the embedding of its word (`words.py`): cross entropy over the
vocabulary with the distance to each embedding as the score, plus the squared distance itself, so
that the token lands where the frozen model expects a word. No language model runs here, so
pictures are cheap. Steps, not time, drive the schedule; everything needed to go on is in the
checkpoint.

    python tools/eye/train_tower.py --model SmolLM2-135M-Instruct.Q4_1.gguf --steps 3000
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import checkpoint
import language
import numpy as np
import side
import torch
from codebook import Codebook
from geometry import Geometry
from pool import Pool, order
from scene import Scene
from torch import Tensor, nn
from torch.nn import functional
from tower import Tower
from words import NOTHING, SLOTS, VOCABULARY, token, words

TAP = 4  # layers under the side task
GROUPS = {"background": (0,), "count": (2,), "size": (3,), "colour": (4, 8, 12),
          "shape": (5, 9, 13), "place": (6, 7, 10, 11, 14, 15)}  # fmt: skip


class Reader(nn.Module):
    """Scores of every word for every token; and of every class for every patch.

    The codebook says which token a word is; it is learnt elsewhere and stays as it is here.
    """

    def __init__(self, codebook: Codebook, geometry: Geometry) -> None:
        super().__init__()
        self.codebook = codebook.requires_grad_(False)
        self.register_buffer("own", codebook.own(), persistent=False)
        self.sharpness = nn.Parameter(torch.tensor(math.log(2.0)))
        self.prior = nn.Parameter(torch.zeros(SLOTS, len(VOCABULARY)))
        self.patch = nn.Linear(geometry.width, sum(side.CLASSES))

    def scores(self, tokens: Tensor, said: Tensor) -> Tensor:
        """(batch, slots, vocabulary): minus half the squared distance, sharpened, to the token
        that each word would make when the other words of its group are as said."""
        slots = torch.arange(SLOTS)
        rest = self.codebook.inner(said) - self.own[slots, said]
        square = self.own.square().sum(-1) / 2
        near = torch.einsum("bsw,svw->bsv", tokens - rest, self.own) - square
        return near * self.sharpness.exp() + self.prior

    def loss(self, tokens: Tensor, said: Tensor, tapped: Tensor, under: Tensor) -> Tensor:
        """Of tokens (batch, slots, width) that should say `said` (batch, slots)."""
        weight = torch.where(said == VOCABULARY.index(NOTHING), 0.25, 1.0)
        scores = self.scores(tokens, said).transpose(1, 2)
        wrong = functional.cross_entropy(scores, said, reduction="none")
        spread = self.codebook.word.var(0).sum()
        far = (tokens - self.codebook.inner(said)).square().sum(-1) / spread
        slots = ((wrong + 0.5 * far) * weight).sum() / weight.sum()
        return slots + 0.3 * self._side(tapped, under)

    def _side(self, tapped: Tensor, under: Tensor) -> Tensor:
        split = self.patch(tapped.float()).split(side.CLASSES, -1)
        losses = [
            functional.cross_entropy(s.transpose(1, 2), under[:, k], ignore_index=-1)
            for k, s in enumerate(split)
        ]
        return torch.stack(losses).sum()


def targets(scenes: list[Scene], geometry: Geometry) -> tuple[Tensor, Tensor]:
    """What the tokens should say (n, slots) and what lies under the patches (n, 3, grid²)."""
    said = [[VOCABULARY.index(w) for w in words(s)] for s in scenes]
    under = np.stack([side.patches(s, geometry.side, geometry.grid) for s in scenes])
    return torch.tensor(said), torch.from_numpy(under).long()


def codebook_of(args: argparse.Namespace) -> Codebook:
    """The codebook of phase B when it is there, else the model's own embeddings."""
    codebook = Codebook(language.embeddings(args.model, [token(w) for w in VOCABULARY]))
    state = checkpoint.load(args.folder / f"{args.reading}.pt")
    if state is not None:
        codebook.load_state_dict(state["codebook"])
    return codebook


def optimisers(model: nn.Module, reader: Reader, rate: float) -> list[torch.optim.Optimizer]:
    """Orthogonalised momentum for the inner matrices, Adam for the rest."""
    inner = [p for n, p in model.named_parameters() if p.ndim == 2 and _is_inner(n)]
    known = {id(p) for p in inner}
    rest = [
        p
        for p in (*model.parameters(), *reader.parameters())
        if p.requires_grad and id(p) not in known
    ]
    return [
        torch.optim.Muon(inner, lr=rate, weight_decay=0.05, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(rest, lr=rate, betas=(0.9, 0.98), weight_decay=0.0),
    ]


def _is_inner(name: str) -> bool:
    return name.split(".", maxsplit=1)[0] not in {"patches", "position"}


def rate_at(step: int, steps: int, warm: int, cool: int) -> float:
    """Rises, holds, then falls over the last `cool` steps: more steps may be added while it
    holds, and the past stays the same."""
    return min(1.0, (step + 1) / warm, max(0.02, (steps - step) / cool))


class Run:
    """Everything a checkpoint holds, and one step of training."""

    def __init__(self, args: argparse.Namespace) -> None:
        torch.manual_seed(args.seed)
        self.args, self.geometry, self.step = args, Geometry(side=args.side), 0
        self.tower = Tower(self.geometry)
        self.reader = Reader(codebook_of(args), self.geometry)
        self.optimisers = optimisers(self.tower, self.reader, args.rate)
        self.path = args.folder / f"{args.name}.pt"
        self.pool = Pool(args.folder / "scenes", "train", args.pool, args.side)
        self.check = Pool(args.folder / "scenes", "check", 480, args.side)
        if not self._resume():
            pictures, _ = self.pool.take(np.arange(512))
            self.tower.whiten(torch.from_numpy(pictures))
            self._speak_up(torch.from_numpy(pictures[:64]))
        with torch.no_grad():
            self.tower.begin.copy_(self.reader.codebook.begin)
            self.tower.end.copy_(self.reader.codebook.end)
        self.forward = self.tower if args.eager else torch.compile(self.tower, dynamic=False)

    @torch.no_grad()
    def _speak_up(self, pictures: Tensor) -> None:
        """Scale the projector so that tokens start about as long as words are."""
        said, _ = self.tower(pictures)
        wanted = self.reader.codebook.word.square().mean().sqrt()
        self.tower.project.weight.mul_(wanted / said[:, 1:-1].square().mean().sqrt())

    def _resume(self) -> bool:
        state = checkpoint.load(self.path)
        if state is None:
            return False
        self.tower.load_state_dict(state["tower"])
        # A newer codebook may have been given: it replaces the one of the checkpoint.
        kept = {k: v for k, v in state["reader"].items() if not k.startswith("codebook.")}
        self.reader.load_state_dict(kept, strict=False)
        for optimiser, kept in zip(self.optimisers, state["optimisers"], strict=True):
            optimiser.load_state_dict(kept)
        torch.set_rng_state(state["rng"])
        self.step = state["step"]
        return True

    def save(self) -> None:
        """Write the checkpoint."""
        checkpoint.save(
            self.path,
            {
                "phase": "tower",
                "step": self.step,
                "geometry": self.geometry.as_dict(),
                "tower": self.tower.state_dict(),
                "reader": self.reader.state_dict(),
                "optimisers": [o.state_dict() for o in self.optimisers],
                "rng": torch.get_rng_state(),
            },
        )

    def advance(self) -> float:
        """One step; gives its loss."""
        args = self.args
        indices = order(self.step, args.batch, args.pool, args.seed)
        pictures, scenes = self.pool.take(indices)
        said, under = targets(scenes, self.geometry)
        for optimiser in self.optimisers:
            optimiser.zero_grad(set_to_none=True)
            for group in optimiser.param_groups:
                group["lr"] = args.rate * rate_at(self.step, args.steps, 100, args.cool)
        with torch.autocast("cpu", torch.bfloat16, enabled=args.half):
            tokens, tapped = self.forward(torch.from_numpy(pictures), TAP)
        loss = self.reader.loss(tokens[:, 1:-1], said, tapped, under)
        loss.backward()
        nn.utils.clip_grad_norm_(self.tower.parameters(), 2.0)
        for optimiser in self.optimisers:
            optimiser.step()
        self.step += 1
        return loss.item()

    @torch.no_grad()
    def measure(self) -> dict[str, float]:
        """Share of right words by role, on scenes of another split, over the things shown."""
        right: dict[str, list[Tensor]] = {}
        for said, guess, is_text in self._guesses():
            content = said != VOCABULARY.index(NOTHING)
            for role, slots in GROUPS.items():
                chosen = content[:, slots] & (~is_text[:, None] | (role == "background"))
                right.setdefault(role, []).append((guess == said)[:, slots][chosen])
            right.setdefault("text", []).append((guess == said)[is_text, 4])
            right.setdefault("whole", []).append((guess == said).all(1))
        return {role: torch.cat(hits).float().mean().item() for role, hits in right.items()}

    def _guesses(self) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        for start in range(0, self.check.size, self.args.batch):
            pictures, scenes = self.check.take(np.arange(start, start + self.args.batch))
            said, _ = targets(scenes, self.geometry)
            tokens, _ = self.forward(torch.from_numpy(pictures), TAP)
            is_text = torch.tensor([s.text is not None for s in scenes])
            yield said, self.reader.scores(tokens[:, 1:-1], said).argmax(-1), is_text


def main() -> None:
    args = _arguments()
    torch.set_num_threads(args.threads)
    run, stop = Run(args), checkpoint.Stop()
    print(f"from step {run.step} to {args.steps}", flush=True)
    began, first, smooth = time.perf_counter(), run.step, 0.0
    while run.step < args.steps and not stop.is_asked:
        loss = run.advance()
        smooth = loss if not smooth else 0.95 * smooth + 0.05 * loss
        if run.step % args.report == 0:
            speed = (run.step - first) * args.batch / (time.perf_counter() - began)
            print(f"step {run.step} loss {smooth:.3f} pictures/s {speed:.1f}", flush=True)
        if run.step % args.every == 0 or run.step == args.steps:
            run.save()
            shares = " ".join(f"{role} {share:.3f}" for role, share in run.measure().items())
            print(f"check step {run.step} {shares}", flush=True)

    run.save()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--model", type=Path, required=True, help="GGUF of the language model")
    parser.add_argument("--folder", type=Path, default=checkpoint.default_folder())
    parser.add_argument("--name", default="tower")
    parser.add_argument("--reading", default="reading", help="checkpoint with the codebook")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--cool", type=int, default=600, help="steps over which the rate falls")
    parser.add_argument("--batch", type=int, default=96)
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--side", type=int, default=128)
    parser.add_argument("--pool", type=int, default=60_000, help="different scenes to draw from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--every", type=int, default=100, help="steps between checkpoints")
    parser.add_argument("--report", type=int, default=20)
    parser.add_argument("--half", action="store_true", help="bfloat16 products")
    parser.add_argument("--eager", action="store_true", help="do not compile")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
