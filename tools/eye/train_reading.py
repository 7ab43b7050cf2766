"""Phase B: find the tokens that the frozen model reads best; no vision runs here.

The codebook (`codebook.py`) stands in for the tower: the loss of right answers goes through the
frozen model into the token vectors, and into a small low-rank adapter when `--rank` asks for one.
Steps drive everything; the checkpoint holds all that is needed to go on.

    python tools/eye/train_reading.py --model SmolLM2-135M-Instruct.Q4_1.gguf --steps 600
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

import checkpoint
import language
import torch
from codebook import Codebook
from pool import order
from questions import Question
from reading import Reading, shown
from scene import Scene, scene
from tokens import Tokenizer
from torch import Tensor, nn
from train_tower import rate_at
from words import SLOTS, VOCABULARY, token, words


def said_in(scenes: list[Scene]) -> Tensor:
    """The words of scenes as numbers, (n, slots)."""
    return torch.tensor([[VOCABULARY.index(w) for w in words(s)] for s in scenes])


class Run:
    """Everything a checkpoint holds, and one step of training."""

    def __init__(self, args: argparse.Namespace) -> None:
        torch.manual_seed(args.seed)
        self.args, self.step = args, 0
        self.path = args.folder / f"{args.name}.pt"
        model = language.FrozenModel(args.model, torch.bfloat16)
        embedded = language.embeddings(args.model, [token(w) for w in VOCABULARY])
        self.codebook = Codebook(embedded)
        self.adapter = language.Adapter(model, args.rank) if args.rank else None
        groups: list[dict[str, Any]] = [
            {"params": list(self.codebook.parameters()), "base": args.rate, "weight_decay": 0.0}
        ]
        if self.adapter:
            groups.append({"params": list(self.adapter.parameters()), "base": args.adapter_rate})
        self.optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.01)
        self._resume()
        if not args.eager:
            model.compile()
        tokenizer = Tokenizer(args.model)
        self.reading = Reading(model, tokenizer, SLOTS + 2, args.room, args.variants)

    def _resume(self) -> None:
        state = checkpoint.load(self.path)
        if state is None:
            return
        self.codebook.load_state_dict(state["codebook"])
        if self.adapter and state["adapter"]:
            self.adapter.load_state_dict(state["adapter"])
        self.optimiser.load_state_dict(state["optimiser"])
        torch.set_rng_state(state["rng"])
        self.step = state["step"]

    def save(self) -> None:
        """Write the checkpoint."""
        checkpoint.save(
            self.path,
            {
                "phase": "reading",
                "step": self.step,
                "rank": self.args.rank,
                "codebook": self.codebook.state_dict(),
                "adapter": self.adapter.state_dict() if self.adapter else None,
                "optimiser": self.optimiser.state_dict(),
                "rng": torch.get_rng_state(),
            },
        )

    def advance(self) -> tuple[float, list[tuple[Question, bool]]]:
        """One step; gives its loss and what was answered right."""
        args = self.args
        for group in self.optimiser.param_groups:
            group["lr"] = group["base"] * rate_at(self.step, args.steps, 20, args.cool)
        indices = order(self.step, args.batch, args.scenes, args.seed)
        scenes = [scene("train", int(i)) for i in indices]
        pictures = self.codebook(said_in(scenes))
        # The tower will not be exact: the tokens must be readable when they are a little off.
        pictures = pictures + args.noise * torch.randn_like(pictures)
        rng = random.Random(f"reading/{args.seed}/{self.step}")
        answered = self.reading.answer(pictures, scenes, rng, self.adapter)
        self.optimiser.zero_grad(set_to_none=True)
        answered.loss.backward()
        for group in self.optimiser.param_groups:
            nn.utils.clip_grad_norm_(group["params"], 1.0)
        self.optimiser.step()
        self.step += 1
        return answered.loss.item(), answered.right

    @torch.no_grad()
    def measure(self) -> list[tuple[Question, bool]]:
        """Answers about scenes of another split."""
        right: list[tuple[Question, bool]] = []
        for start in range(0, self.args.check, self.args.batch):
            scenes = [scene("check", i) for i in range(start, start + self.args.batch)]
            rng = random.Random(start)
            pictures = self.codebook(said_in(scenes))
            right += self.reading.answer(pictures, scenes, rng, self.adapter).right
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
            print(
                f"step {run.step} loss {smooth:.3f} s/step {pace:.2f} {shown(list(recent))}",
                flush=True,
            )
        if run.step % args.every == 0 or run.step == args.steps:
            run.save()
            print(f"check step {run.step} {shown(run.measure())}", flush=True)

    run.save()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--model", type=Path, required=True, help="GGUF of the language model")
    parser.add_argument("--folder", type=Path, default=checkpoint.default_folder())
    parser.add_argument("--name", default="reading")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--cool", type=int, default=150, help="steps over which the rate falls")
    parser.add_argument("--batch", type=int, default=8, help="pictures a step")
    parser.add_argument("--room", type=int, default=110, help="text tokens a picture")
    parser.add_argument("--rate", type=float, default=4e-3)
    parser.add_argument("--rank", type=int, default=0, help="of the adapter; 0 for none")
    parser.add_argument("--adapter-rate", type=float, default=1e-3)
    parser.add_argument("--noise", type=float, default=0.02)
    parser.add_argument("--scenes", type=int, default=60_000)
    parser.add_argument("--check", type=int, default=64, help="scenes to measure on")
    parser.add_argument("--variants", type=int, default=24, help="different prefixes")
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--every", type=int, default=100, help="steps between checkpoints")
    parser.add_argument("--report", type=int, default=10)
    parser.add_argument("--eager", action="store_true", help="do not compile")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
