"""Symbolic audio: words as levels, so that whole conversations can be simulated exactly.

Word number k of the vocabulary is a run of samples of constant level ±(256 + k) · 32 / 32768, on
the grid of 16-bit PCM; the sign turns at each word, so that a word said twice is two words.
Silence is zero. `encode` writes such audio, `decode` and `spans` read it, `murmur` is voice
without words. The fake backends of hearing understand it. Invariant: `decode(encode(words)) ==
words`, however the samples are cut into chunks.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from visavis.flow.events import INPUT_RATE_HZ, Samples

ENGLISH = """
what where when who which why how is are was do does did can could would should will have has it
that this these the a an i you we they he she my your his her our me him them one two three four
five six seven eight nine ten zero hundred not time day year way thing man woman child world life
hand part place case week company system question number night point home water room mother father
area money story fact month lot left book eye job word business issue side kind head house friend
power hour game line end member law car city name capital france paris museum open weather tomorrow
today red green blue big small far near good bad new old see look tell say know think want need like
go come take give find use ask work call try turn put mean help show read write play run move live
of in on at to for from with about into by up down out there here now please thanks hello goodbye
"""
CHINESE = """
你好 我 你 他 这 是 什么 哪里 谁 怎么 为什么 几点 现在 今天 明天 天气 怎么样 吗 呢 的 了 不 有 在 看
说 知道 颜色 红色 北京 首都 中国 博物馆 开门 时间 请 谢谢 再见
"""
CONTROL = "yes no stop wait okay sure uh-huh mm-hm right 对 不对 停 等一下 好 嗯 那个"
UNFINISHED = "um uh er and but so because or if 呃 然后 因为 但是 我想"
VOCABULARY = tuple(f"{ENGLISH} {CONTROL} {UNFINISHED} {CHINESE}".split())
TRAILING = frozenset(f"{UNFINISHED} the a an my your of to".split())

INDEX = {word: number for number, word in enumerate(VOCABULARY)}
STEP = 32 / 32768
FIRST = 256
MURMUR = 8 * STEP
WORD_MS = 200
# A word is understood once so much of it was heard.
MIN_WORD = INPUT_RATE_HZ * WORD_MS // 2_000


def encode(words: str | Iterable[str], *, word_ms: int = WORD_MS) -> Samples:
    """Samples of these words, shape (n,). A string is split at spaces. Raises `KeyError`."""
    assert word_ms >= WORD_MS, "too short to be told from a part of a word"
    names = words.split() if isinstance(words, str) else list(words)
    length = word_ms * INPUT_RATE_HZ // 1_000
    levels = [(FIRST + INDEX[name]) * STEP * (-1) ** at for at, name in enumerate(names)]
    return np.repeat(np.array(levels, np.float32), length)


def silence(ms: float) -> Samples:
    """Zeros."""
    return np.zeros(round(ms * INPUT_RATE_HZ / 1_000), np.float32)


def murmur(ms: float) -> Samples:
    """Voice without words: a cough, a door."""
    return np.full(round(ms * INPUT_RATE_HZ / 1_000), MURMUR, np.float32)


def decode(samples: Samples) -> list[str]:
    """The words in these samples."""
    return [word for word, _, _ in spans(samples)]


def spans(samples: Samples) -> list[tuple[str, int, int]]:
    """The words in these samples, each with its samples [start, end)."""
    return [
        (VOCABULARY[number], start, end)
        for number, start, end in _runs(samples)
        if end - start >= MIN_WORD and 0 <= number < len(VOCABULARY)
    ]


def join(words: Sequence[str]) -> str:
    """As one writes it: spaces between words, but none beside a Chinese one."""
    text = ""
    for word in words:
        chinese = text[-1:] > "\u2e80" or word > "\u2e80"
        text += word if chinese or not text else f" {word}"
    return text


def _runs(samples: Samples) -> Iterator[tuple[int, int, int]]:
    """(word number, start, end) of each run of one level; what is no word has no word's number."""
    finite = np.where(np.isfinite(samples), samples, 0)
    levels = np.rint(finite / STEP).astype(np.int64)
    edges = [0, *(np.flatnonzero(np.diff(levels)) + 1).tolist(), len(levels)]
    for start, end in itertools.pairwise(edges):
        if end > start:
            yield abs(int(levels[start])) - FIRST, start, end
