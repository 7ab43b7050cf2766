"""Questions around a picture, packed as tokens.

Takes scenes and a tokenizer, gives packed batches. A picture is shared by its questions: they are
branches of a tree that see the prefix, the picture and themselves, so a picture is read once for
five questions. Invariant: a token's position is the one it has in a conversation of its own.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import torch
from manner import GENERAL, plain
from questions import Question, questions
from scene import Scene
from tokens import END_OF_TURN, Tokenizer
from torch import Tensor

MANNER = 0.2  # weight of the words of an answer that any picture would have
# Share of scenes that offer a kind (0.3 when not named); less for what is to be learnt more of.
OFFERED = {"background": 1.0, "see": 1.0, "count": 0.6, "text_colour": 0.5, "number": 0.4,
           "word": 0.17, "is_it": 0.6, "exists": 0.2, "is_the": 0.12, "general": 0.4}  # fmt: skip
# To compare is the hardest: of several things, so many more questions of these kinds are asked,
# and their one word counts as much as others' two.
COMPARED, MORE = frozenset({"exists", "is_the"}), 3
# So often all questions of a scene are drawn to find one that was asked before about another scene.
REPEATS = 6


@dataclass(frozen=True, slots=True)
class Packed:
    """A batch of pictures with their questions, `n` text tokens each.

    `ids`, `at` (batch, n); `at` counts from the end of the prefix. `sees` (batch, n, tokens + n).
    `labels` (batch, n): the next token, or -100; `weights` alike. `spans`: where each answer is.
    """

    ids: Tensor
    at: Tensor
    sees: Tensor
    labels: Tensor
    weights: Tensor
    spans: list[tuple[int, int, int, Question]]


class Packer:
    """Packs questions into `room` text tokens behind `picture` picture tokens."""

    def __init__(self, tokenizer: Tokenizer, picture: int, room: int) -> None:
        self._tokenizer, self._picture, self._room = tokenizer, picture, room
        self._close = tokenizer.closing() + tokenizer.opening("assistant")
        self._end = tokenizer.ids[END_OF_TURN]
        self._next = tokenizer.encode("\n") + tokenizer.opening("user")

    def pack(self, scenes: list[Scene], rng: random.Random, asked: frozenset[str]) -> Packed:
        """As many random questions of each scene as there is room for.

        `asked` are plain questions of the conversation so far: they come first, as a model repeats
        what it has answered once.
        """
        shape = (len(scenes), self._room)
        ids, at = torch.full(shape, self._end), torch.zeros(shape, dtype=torch.long)
        branch, weights = torch.full(shape, -1), torch.zeros(shape)
        labels = torch.full(shape, -100)
        spans: list[tuple[int, int, int, Question]] = []
        for row, scene in enumerate(scenes):
            start = 0
            for number, chain in enumerate(self._chains(scene, rng, asked)):
                text, wanted, weight, answers = self._branch(chain)
                if start + len(text) > self._room:
                    continue
                end = start + len(text)
                ids[row, start:end] = torch.tensor(text)
                at[row, start:end] = self._picture + torch.arange(len(text))
                labels[row, start:end] = torch.tensor(wanted)
                weights[row, start:end] = torch.tensor(weight)
                branch[row, start:end] = number
                spans += [(row, start + a, start + b, q) for a, b, q in answers]
                start = end
        sees = (branch[:, :, None] == branch[:, None]) & torch.ones(
            self._room, self._room
        ).tril().bool()
        picture = torch.ones(len(scenes), self._room, self._picture, dtype=torch.bool)
        return Packed(ids, at, torch.cat([picture, sees], 2), labels, weights, spans)

    def _chains(
        self, scene: Scene, rng: random.Random, before: frozenset[str]
    ) -> list[list[Question]]:
        """Branches; some ask twice, so that the eye is also asked about behind an answer."""
        asked = questions(scene, rng)
        if scene.text is not None:  # there is little to ask: once more, in other words
            asked += [q for q in questions(scene, rng) if OFFERED.get(q.kind, 0.3) < 1]
        elif len(scene.things) > 1:
            more = [questions(scene, rng) for _ in range(MORE)]
            asked += [q for again in more for q in again if q.kind in COMPARED]
        said, answer, key = rng.choice(GENERAL)
        asked.append(Question("general", said, answer, frozenset({key}), ()))
        # What few scenes offer is asked first, so that kinds come out about equally often.
        asked.sort(key=lambda q: rng.random() ** OFFERED.get(q.kind, 0.3), reverse=True)
        drawn = [q for _ in range(REPEATS) for q in questions(scene, rng)]
        chains = [[q] for q in drawn if plain(q.asked) in before][:1]
        while asked:
            length = 2 if len(asked) > 1 and rng.random() < 0.2 else 1
            chains.append(asked[:length])
            asked = asked[length:]
        return chains

    def _branch(
        self, chain: list[Question]
    ) -> tuple[list[int], list[int], list[float], list[tuple[int, int, Question]]]:
        text: list[int] = []
        wanted: list[int] = []
        weight: list[float] = []
        answers: list[tuple[int, int, Question]] = []
        for turn, question in enumerate(chain):
            lead = self._next if turn else []
            lead = lead + self._tokenizer.encode(question.asked) + self._close
            answer = [*self._tokenizer.encode(question.answer), self._end]
            # The last token of the lead predicts the first of the answer.
            answers.append(
                (len(text) + len(lead) - 1, len(text) + len(lead) + len(answer) - 1, question)
            )
            wanted += [-100] * (len(lead) - 1) + [*answer, -100]
            weight += [0.0] * (len(lead) - 1) + [*self._weights(question, answer), 0.0]
            text += lead + answer
        return text, wanted, weight, answers

    def _weights(self, question: Question, answer: list[int]) -> list[float]:
        """Words that depend on the picture count most, and no question by its length."""
        keys = {i for word in question.key for i in self._forms(word)}
        weight = max(1, sum(i in keys for i in answer)) ** -0.5
        weight *= 2 if question.kind in COMPARED else 1
        return [weight if i in keys else MANNER for i in answer]

    def _forms(self, word: str) -> list[int]:
        return [self._tokenizer.encode(form)[0] for form in (word, f" {word}", word.capitalize())]
