"""Phase C: the tower before the frozen model, together.

What phase A and B leave open: the tower's tokens are not exactly the codebook's, and its mistakes
are not the codebook's noise. Here the loss of the answers goes through the frozen model into the
tower, while more pictures hold it to its words. Slow (the model is thirty times the tower), so it
comes last and is short. Steps drive everything; the checkpoint holds all that is needed to go on.

    python tools/eye/train_talk.py --model SmolLM2-135M-Instruct.Q4_1.gguf --steps 400
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import deque
from pathlib import Path

import checkpoint
import language
import numpy as np
import torch
from geometry import Geometry
from pool import Pool, order
from questions import Question
from reading import Reading, shown
from tokens import Tokenizer
from torch import nn
from tower import Tower
from train_tower import TAP, Reader, codebook_of, rate_at, targets


class Run:
    """Everything a checkpoint holds, and one step of training."""

    def __init__(self, args: argparse.Namespace) -> None:
        torch.manual_seed(args.seed)
        self.args, self.step = args, 0
        self.path = args.folder / f"{args.name}.pt"
        state = checkpoint.load(self.path)
        start = state or checkpoint.load(args.folder / f"{args.tower}.pt")
        reading = checkpoint.load(args.folder / f"{args.reading}.pt")
        assert start is not None, "phase A comes first"
        self.geometry = Geometry(**start["geometry"])
        self.tower = Tower(self.geometry)
        self.tower.load_state_dict(start["tower"])
        self.reader = Reader(codebook_of(args), self.geometry)
        self.reader.load_state_dict(start["reader"], strict=False)
        model = language.FrozenModel(args.model, torch.bfloat16)
        self.adapter = None
        if reading and reading["rank"]:
            self.adapter = language.Adapter(model, reading["rank"])
            self.adapter.load_state_dict((state or reading)["adapter"])
        self.optimiser = torch.optim.AdamW(self._groups(), betas=(0.9, 0.98), weight_decay=0.01)
        if state is not None:
            self.optimiser.load_state_dict(state["optimiser"])
            torch.set_rng_state(state["rng"])
            self.step = state["step"]
        self.pool = Pool(args.folder / "scenes", "train", args.pool, self.geometry.side)
        self.check = Pool(args.folder / "scenes", "check", 480, self.geometry.side)
        self.few = self.many = self.tower
        if not args.eager:
            model.compile()
            self.few = torch.compile(self.tower, dynamic=False)
            self.many = torch.compile(self.tower, dynamic=False)
        tokenizer = Tokenizer(args.model)
        self.reading = Reading(model, tokenizer, self.geometry.tokens + 2, args.room, args.variants)

    def _groups(self) -> list[dict[str, object]]:
        edges = {id(self.tower.begin), id(self.tower.end)}
        body = [p for p in self.tower.parameters() if id(p) not in edges]
        groups: list[dict[str, object]] = [
            {"params": body, "base": self.args.rate},
            {"params": [self.tower.begin, self.tower.end], "base": 10 * self.args.rate},
            {"params": [p for p in self.reader.parameters() if p.requires_grad],
             "base": self.args.rate},
        ]  # fmt: skip
        if self.adapter:
            groups.append({"params": list(self.adapter.parameters()), "base": self.args.rate})
        return groups

    def save(self) -> None:
        """Write the checkpoint."""
        checkpoint.save(
            self.path,
            {
                "phase": "talk",
                "step": self.step,
                "geometry": self.geometry.as_dict(),
                "tower": self.tower.state_dict(),
                "reader": self.reader.state_dict(),
                "adapter": self.adapter.state_dict() if self.adapter else None,
                "optimiser": self.optimiser.state_dict(),
                "rng": torch.get_rng_state(),
            },
        )

    def advance(self) -> tuple[float, list[tuple[Question, bool]]]:
        """One step; gives the loss of the answers and what was answered right."""
        args = self.args
        for group in self.optimiser.param_groups:
            group["lr"] = group["base"] * rate_at(self.step, args.steps, 20, args.cool)
        self.optimiser.zero_grad(set_to_none=True)
        pictures, scenes = self.pool.take(order(self.step, args.batch, args.pool, args.seed))
        tokens, _ = self.few(torch.from_numpy(pictures))
        rng = random.Random(f"talk/{args.seed}/{self.step}")
        answered = self.reading.answer(tokens, scenes, rng, self.adapter)
        answered.loss.backward()
        self._held()
        for group in self.optimiser.param_groups:
            nn.utils.clip_grad_norm_(group["params"], 1.0)
        self.optimiser.step()
        self.step += 1
        return answered.loss.item(), answered.right

    def _held(self) -> None:
        """More pictures, which only hold the tower to its words: they are cheap."""
        args = self.args
        pictures, scenes = self.pool.take(order(self.step, args.more, args.pool, args.seed + 1))
        said, under = targets(scenes, self.geometry)
        tokens, tapped = self.many(torch.from_numpy(pictures), TAP)
        (args.hold * self.reader.loss(tokens[:, 1:-1], said, tapped, under)).backward()

    @torch.no_grad()
    def measure(self) -> list[tuple[Question, bool]]:
        """Answers about scenes of another split."""
        right: list[tuple[Question, bool]] = []
        for start in range(0, self.args.check_scenes, self.args.batch):
            pictures, scenes = self.check.take(np.arange(start, start + self.args.batch))
            tokens, _ = self.few(torch.from_numpy(pictures))
            right += self.reading.answer(tokens, scenes, random.Random(start), self.adapter).right
        return right


def main() -> None:
    args = _arguments()
    torch.set_num_threads(args.threads)
    run, stop = Run(args), checkpoint.Stop()
    print(f"from step {run.step} to {args.steps}", flush=True)
    began, first, smooth = time.perf_counter(), run.step, 0.0
    recent: deque[tuple[Question, bool]] = deque(maxlen=1000)
    while run.step < args.steps and not stop.is_asked:
        loss, right = run.advance()
        recent.extend(right)
        smooth = loss if not smooth else 0.9 * smooth + 0.1 * loss
        if run.step % args.report == 0:
            pace = (time.perf_counter() - began) / (run.step - first)
            said = f"step {run.step} loss {smooth:.3f} s/step {pace:.2f}"
            print(said, shown(list(recent)), flush=True)
        if run.step % args.every == 0 or run.step == args.steps:
            run.save()
            print(f"check step {run.step} {shown(run.measure())}", flush=True)

    run.save()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--model", type=Path, required=True, help="GGUF of the language model")
    parser.add_argument("--folder", type=Path, default=checkpoint.default_folder())
    parser.add_argument("--name", default="talk")
    parser.add_argument("--tower", default="tower", help="checkpoint of phase A to start from")
    parser.add_argument("--reading", default="reading", help="checkpoint of phase B")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--cool", type=int, default=150, help="steps over which the rate falls")
    parser.add_argument("--batch", type=int, default=8, help="pictures that are asked about")
    parser.add_argument("--more", type=int, default=64, help="pictures that only hold the tower")
    parser.add_argument("--hold", type=float, default=0.3, help="weight of the words")
    parser.add_argument("--room", type=int, default=110, help="text tokens a picture")
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--pool", type=int, default=60_000)
    parser.add_argument("--check-scenes", type=int, default=64)
    parser.add_argument("--variants", type=int, default=24, help="different prefixes")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--every", type=int, default=50, help="steps between checkpoints")
    parser.add_argument("--report", type=int, default=10)
    parser.add_argument("--eager", action="store_true", help="do not compile")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
