"""How well does the eye see? Held-out scenes, asked through llama.cpp, in conversations.

Every scene is drawn at camera size, coded as PNG or JPEG, and put before each of two questions
behind a history, the way the product does (`picture_reach = 0`: the newest question has the
picture, the one before keeps its words). The table has one row a kind and group, and beside it the
same questions with another scene's picture and with none: what remains there is guessing. `novel`
are scenes with a pair that training never showed. Needs no torch.

    python tools/eye/evaluate.py --scenes 500 --jobs 2
"""

from __future__ import annotations

import argparse
import base64
import functools
import io
import json
import random
import re
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from manner import PRODUCT_EXAMPLES, PRODUCT_SYSTEM, again, talked
from PIL import Image
from questions import GROUPS, Question, questions
from scene import Scene, draw, scene, visible_size

# Never asked in training: a picture must not get into answers that have nothing to do with it.
GENERAL = (
    ("What is the capital of Italy?", "rome"),
    ("What is the capital of Russia?", "moscow"),
    ("What is the capital of China?", "beijing"),
    ("What is the capital of Egypt?", "cairo"),
    ("How many seconds are in a minute?", "sixty 60"),
    ("How many legs does a cat have?", "four 4"),
    ("How many letters are in the alphabet?", "26 twenty"),
    ("How many eyes do people have?", "two 2"),
    ("What color is the sun?", "yellow"),
    ("What color is milk?", "white"),
    ("What color is a strawberry?", "red"),
    ("What is the opposite of big?", "small"),
    ("What is the opposite of day?", "night"),
    ("What is the largest country?", "russia"),
    ("What is the longest river?", "nile amazon"),
    ("What is the tallest mountain?", "everest"),
    ("Who painted the Mona Lisa?", "leonardo vinci"),
    ("What do cats eat?", "meat fish mice food"),
    ("What day comes after Friday?", "saturday"),
    ("What month comes after March?", "april"),
    ("What is one plus one?", "two 2"),
    ("What is frozen water called?", "ice"),
    ("Is the sky blue?", "yes"),
    ("Do people breathe air?", "yes"),
)
Message = dict[str, Any]
Picture = Callable[[int], Scene | None]
Source = tuple[Path, Path, Path | None, int]
"""Of an engine: model, eye, adapter, threads."""
SHARE = 50
"""Scenes of a piece of work."""


@dataclass(slots=True)
class Tally:
    """What came of one pass."""

    hits: defaultdict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    novel: list[bool] = field(default_factory=list)
    first_ms: list[float] = field(default_factory=list)
    next_ms: list[float] = field(default_factory=list)
    picture_tokens: int = 0
    samples: list[str] = field(default_factory=list)

    def add(self, seen: Scene, question: Question, answer: str) -> None:
        right = question.is_answered_by(answer)
        self.hits[question.kind].append(right)
        for group, kinds in GROUPS.items():
            if question.kind in kinds:
                self.hits[f"[{group}]"].append(right)
        if seen.is_novel:
            self.novel.append(right)
        self.samples.append(f"{'  ' if right else 'x '}{question.asked} -> {answer}")

    def join(self, other: Tally) -> None:
        """Takes over what came of more scenes."""
        for row, right in other.hits.items():
            self.hits[row] += right
        self.novel += other.novel
        self.first_ms += other.first_ms
        self.next_ms += other.next_ms
        self.samples += other.samples

    def share(self, row: str) -> str:
        found = self.hits.get(row)
        return f"{sum(found) / len(found):.3f} ({len(found)})" if found else "-"


class Engine:
    """llama.cpp's server inside this process, with the model and the eye."""

    def __init__(self, model: Path, mmproj: Path, adapter: Path | None, threads: int = 2) -> None:
        import xllamacpp

        params = xllamacpp.CommonParams()
        params.model.path, params.mmproj.path = str(model), str(mmproj)
        params.mmproj_use_gpu, params.warmup, params.verbosity = False, False, -1
        params.n_ctx, params.n_parallel, params.cpuparams.n_threads = 2048, 1, threads
        params.cpuparams_batch.n_threads = threads
        if adapter is not None:
            found = xllamacpp.CommonAdapterLoraInfo()
            found.path, found.scale = str(adapter), 1.0
            params.lora_adapters = [found]
        self._server = xllamacpp.Server(params)

    def ask(self, messages: list[Message], longest: int = 48) -> tuple[str, dict[str, float]]:
        """The answer and llama.cpp's timings."""
        reply = self._server.handle_chat_completions(
            {"messages": messages, "max_tokens": longest, "temperature": 0, "cache_prompt": True}
        )
        reply = json.loads(reply) if isinstance(reply, str) else reply
        text: str = reply["choices"][0]["message"]["content"]
        return text.strip(), reply["timings"]


def conversation(rng: random.Random, asked: str) -> list[Message]:
    """The product's opening and up to seven exchanges; every other time the last of them is the
    same question about another scene, whose answer must not come again."""
    said = [*PRODUCT_EXAMPLES, *talked(rng)]
    if rng.random() < 0.5 and (before := again(asked, rng)):
        said.append((before.asked, before.answer))
    turns = [
        {"role": role, "content": text}
        for pair in said
        for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    return [{"role": "system", "content": PRODUCT_SYSTEM}, *turns]


def coded(seen: Scene, number: int) -> str:
    """The scene as a data URL: JPEG of 640 pixels, or PNG of 320, by turns."""
    side, form, kind = (640, "JPEG", "jpeg") if number % 2 else (320, "PNG", "png")
    width, height = visible_size(seen.aspect, side)
    buffer = io.BytesIO()
    Image.fromarray(draw(seen, width, height, 1 if side > 320 else 2)).save(buffer, form)
    return f"data:image/{kind};base64,{base64.b64encode(buffer.getvalue()).decode()}"


def asked_about(seen: Scene, count: int, kept: Counter[str], rng: random.Random) -> list[Question]:
    """`count` questions, of the kinds asked least so far: all kinds end up about equal."""
    offered = questions(seen, rng)
    offered.sort(key=lambda q: kept[q.kind])
    kept.update(q.kind for q in offered[:count])
    return offered[:count]


def run(engine: Engine, scenes: range, each: int, picture: Picture) -> Tally:
    """Ask about these scenes of the test split; `picture` gives what is shown for each."""
    tally, kept = Tally(), Counter[str]()
    for number in scenes:
        seen, rng = scene("test", number), random.Random(number)
        asked = asked_about(seen, each, kept, rng)
        shown = picture(number)
        url = coded(shown, number) if shown else None
        for start in range(0, len(asked), 2):
            for question, answer, took in _talk(engine, rng, url, asked[start : start + 2]):
                tally.add(seen, question, answer)
                (tally.first_ms if question is asked[start] else tally.next_ms).append(took)
    print(f"scenes {scenes.start} to {scenes.stop} are done", file=sys.stderr, flush=True)
    return tally


def _talk(
    engine: Engine, rng: random.Random, url: str | None, asked: list[Question]
) -> Iterator[tuple[Question, str, float]]:
    messages = conversation(rng, asked[0].asked)
    for question in asked:
        # The product prefills the history and shows the picture when speech starts; only what comes
        # after is waited for. Here the history alone is prefilled: the times include the picture.
        engine.ask(messages, 0)
        words: Message = {"type": "text", "text": question.asked}
        seen = [{"type": "image_url", "image_url": {"url": url}}] if url else []
        text, timings = engine.ask([*messages, {"role": "user", "content": [*seen, words]}])
        yield question, text, timings["prompt_ms"]
        exchange = [{"role": "user", "content": [words]}, {"role": "assistant", "content": text}]
        messages = [*messages, *exchange]


def general(engine: Engine, picture: Picture) -> str:
    """Share of right answers to general questions, each behind three pictures or none."""
    right = []
    for number, (asked, keys) in enumerate(GENERAL * 3):
        rng, shown = random.Random(number), picture(number)
        said = Question("general", asked, "", frozenset(keys.split()), ())
        for _, answer, _ in _talk(engine, rng, coded(shown, number) if shown else None, [said]):
            words = set(re.findall(r"[a-z]+|[0-9]+", answer.lower()))
            right.append(bool(words & said.key))
    return f"{sum(right) / len(right):.3f} ({len(right)})"


def report(seeing: Tally, other: Tally, none: Tally) -> Iterator[str]:
    """The table, line by line."""
    yield "| kind | seeing | another scene's picture | no picture |"
    yield "|---|---|---|---|"
    rows = sorted(seeing.hits, key=lambda row: (row[0] != "[", row))
    for row in rows:
        shares = " | ".join(tally.share(row) for tally in (seeing, other, none))
        yield f"| {row.strip('[]')} | {shares} |"
    if seeing.novel:
        share = sum(seeing.novel) / len(seeing.novel)
        yield f"| novel pairs | {share:.3f} ({len(seeing.novel)}) | | |"
    yield ""
    for name, times in (("first question", seeing.first_ms), ("next question", seeing.next_ms)):
        if times:
            middle, high = statistics.median(times), statistics.quantiles(times, n=20)[18]
            yield f"prompt time, {name}: median {middle:.0f} ms, p95 {high:.0f} ms"


PASSES: dict[str, Picture] = {
    "seeing": lambda n: scene("test", n),
    "other": lambda n: scene("test", n + 7),
    "none": lambda _: None,
}
"""What is shown for a scene."""


@functools.cache
def _engine(model: Path, mmproj: Path, adapter: Path | None, threads: int) -> Engine:
    """This process's."""
    return Engine(model, mmproj, adapter, threads)


def _share(source: Source, name: str, scenes: range, each: int) -> Tally:
    return run(_engine(*source), scenes, each, PASSES[name])


def _aside(source: Source, name: str) -> str:
    return general(_engine(*source), PASSES[name])


def main() -> int:
    args = _arguments()
    began = time.perf_counter()
    baseline = min(args.scenes, args.baselines)
    source = args.model, args.mmproj, args.adapter, max(1, 2 // args.jobs)
    sizes = {"seeing": args.scenes, "other": baseline, "none": baseline}
    tallies = {name: Tally() for name in PASSES}
    with ProcessPoolExecutor(args.jobs) as pool:
        shares = [
            (name, pool.submit(_share, source, name, scenes, args.each))
            for name, size in sizes.items()
            for scenes in (range(size)[at : at + SHARE] for at in range(0, size, SHARE))
        ]
        asides = [pool.submit(_aside, source, name) for name in ("seeing", "none")]
        for name, share in shares:
            tallies[name].join(share.result())
        with_picture, without = (aside.result() for aside in asides)
    if args.show:
        print("\n".join(tallies["seeing"].samples[: args.show]))
    print("\n".join(report(*tallies.values())))
    print(f"general questions: {with_picture} with a picture beside them, {without} with none")
    print(f"{args.scenes} scenes, {time.perf_counter() - began:.0f} s")
    return 0


def _model_in_store() -> Path | None:
    """The language model of the tiny tier, when it has been pulled."""
    try:
        from visavis import config
        from visavis.bundle.store import Store

        return Path(Store(config.load().models).find("smollm2-135m").options.files["model"])
    except Exception as error:  # noqa: BLE001 - any reason ends in the same advice
        print(f"give --model, or run visavis pull --tier tiny ({error})", file=sys.stderr)
        return None


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    cache = Path.home() / ".cache" / "visavis-eye"
    parser.add_argument("--model", type=Path, help="GGUF of the language model")
    parser.add_argument("--mmproj", type=Path, default=cache / "eye.gguf", help="GGUF of the eye")
    parser.add_argument("--adapter", type=Path, help="GGUF of a low-rank adapter")
    parser.add_argument("--scenes", type=int, default=500)
    parser.add_argument("--baselines", type=int, default=150, help="scenes for the two baselines")
    parser.add_argument("--each", type=int, default=5, help="questions a scene")
    parser.add_argument("--jobs", type=int, default=1, help="processes; times are of one alone")
    parser.add_argument("--show", type=int, default=0, help="answers to print")
    args = parser.parse_args()
    args.model = args.model or _model_in_store()
    if args.model is None:
        parser.exit(1)
    return args


if __name__ == "__main__":
    sys.exit(main())
