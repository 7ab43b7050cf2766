"""Text to token ids and the chat template, from the vocabulary inside the model's GGUF.

Takes text, gives ids of byte-pair tokens as llama.cpp cuts them for SmolLM2 (`parity.py` checks).
Invariant: ids joined give the text back. Ordinary text can never become a control token.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from gguf import GGUFReader

END_OF_TURN = "<|im_end|>"
START_OF_TURN = "<|im_start|>"

# Digits are cut off one by one first; the rest is cut as GPT-2 does.
_DIGIT = re.compile(r"(\d)")
_PIECE = re.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+"
)  # fmt: skip


def _byte_letters() -> dict[int, str]:
    """GPT-2's printable stand-in for each byte."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [b for b in range(256) if b not in plain]
    return {b: chr(b) for b in plain} | {b: chr(256 + k) for k, b in enumerate(rest)}


class Tokenizer:
    """Byte-pair encoding over the vocabulary and merges of one GGUF."""

    def __init__(self, path: Path) -> None:
        fields = GGUFReader(path).fields
        names: list[str] = fields["tokenizer.ggml.tokens"].contents()
        merges: list[str] = fields["tokenizer.ggml.merges"].contents()
        self.ids = {name: i for i, name in enumerate(names)}
        self._rank = {tuple(pair.split(" ")): k for k, pair in enumerate(merges)}
        self._letters = _byte_letters()
        self._word = lru_cache(4096)(self._cut)

    def encode(self, text: str) -> list[int]:
        """Ids of plain text."""
        pieces = [p for part in _DIGIT.split(text) for p in _PIECE.findall(part)]
        return [i for piece in pieces for i in self._word(piece)]

    def turn(self, role: str, content: str) -> list[int]:
        """Ids of one whole turn of the chat template."""
        return [
            self.ids[START_OF_TURN],
            *self.encode(f"{role}\n{content}"),
            self.ids[END_OF_TURN],
            *self.encode("\n"),
        ]

    def opening(self, role: str) -> list[int]:
        """Ids that open a turn."""
        return [self.ids[START_OF_TURN], *self.encode(f"{role}\n")]

    def closing(self) -> list[int]:
        """Ids that end a turn."""
        return [self.ids[END_OF_TURN], *self.encode("\n")]

    def _cut(self, piece: str) -> tuple[int, ...]:
        parts = [self._letters[b] for b in piece.encode()]
        while len(parts) > 1:
            ranks = [self._rank.get(pair, len(self._rank)) for pair in pairwise(parts)]
            best = min(range(len(ranks)), key=ranks.__getitem__)
            if ranks[best] == len(self._rank):
                break
            parts[best : best + 2] = [parts[best] + parts[best + 1]]
        return tuple(self.ids[part] for part in parts)
