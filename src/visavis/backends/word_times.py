"""When each written word sounds, from the durations of a sentence's phonemes.

Takes the text and its phonemes with their samples. Gives a `WordTime` for each word of the text.
The phonemes of a sentence are in runs, mostly one a word; but "of the" is one run, "iPhone" two,
"1987" several. So what the words are alone, one after the other, is laid beside what they are
together; to count runs would not do, as one of each makes the count right and the words wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from itertools import accumulate

from visavis.flow.events import WordTime

Phone = tuple[str, int]
"""A phoneme (empty: the sentence's begin or end) and its samples."""
SILENT = frozenset(' .,;:!?"()¡¿—…')
STRESS = frozenset("ˈˌ")
MOST_PAIRS = 1_000_000
"""Of phonemes to compare: a phrase has a twentieth of that. The time grows faster than they do."""
MARKS = SILENT | STRESS | frozenset("ːʲ")
"""What is no phoneme, or comes and goes with the words around it."""


def word_times(
    text: str, phones: Sequence[Phone], alone: Callable[[str], Iterable[str]]
) -> tuple[WordTime, ...]:
    """The times of the words of `text`, in samples from the first phoneme on; none of no sound.

    `alone` gives the phonemes of a word that stands alone.
    """
    words = [m for m in re.finditer(r"\S+", text) if any(c.isalnum() for c in m[0])]
    sounds, firsts = _sounding(phones)
    if not sounds or not words:
        return ()
    parts = [[p for p in alone(word[0]) if p not in MARKS] for word in words]
    firsts = _borders(parts, firsts, [phoneme for phoneme, _, _ in sounds])
    lasts = [*(max(i - 1, 0) for i in firsts[1:]), len(sounds) - 1]
    return tuple(
        WordTime(sounds[i][1], max(sounds[i][1], sounds[j][2]), word.end())
        for i, j, word in zip(firsts, lasts, words, strict=True)
    )


def _borders(
    words: Sequence[Sequence[str]], runs: Sequence[int], phonemes: Sequence[str]
) -> list[int]:
    """The first of the `phonemes` of each word, which is the first of a run if one is near."""
    places = [i for i, phoneme in enumerate(phonemes) if phoneme not in MARKS]
    beside = _beside([p for word in words for p in word], [phonemes[i] for i in places])
    begins = accumulate(map(len, words[:-1]), initial=0)
    borders = [0]
    for begin in list(begins)[1:]:
        at = places[min(beside[begin], len(places) - 1)] if places else 0
        while at > 0 and phonemes[at - 1] in STRESS:
            at -= 1
        near = [run for run in runs if abs(run - at) <= 1]
        at = near[0] if near and at not in near else at
        borders.append(max(at, borders[-1]))
    return borders


def _beside(alone: Sequence[str], together: Sequence[str]) -> list[int]:
    """For each phoneme of `alone`, and their end, the one of `together` that it has become."""
    if len(alone) * len(together) > MOST_PAIRS:
        return [k * len(together) // max(len(alone), 1) for k in range(len(alone) + 1)]
    beside = []
    for _, i, j, begin, end in SequenceMatcher(None, alone, together, False).get_opcodes():
        beside += [begin + round(k * (end - begin) / (j - i)) for k in range(j - i)]
    return [*beside, len(together)]


def _sounding(phones: Sequence[Phone]) -> tuple[list[tuple[str, int, int]], list[int]]:
    """The phonemes that sound, with begin and end, and which of them follow a silent one."""
    sounds: list[tuple[str, int, int]] = []
    firsts: list[int] = []
    at, silent = 0, True
    for phoneme, count in phones:
        if phoneme and phoneme not in SILENT:
            if silent:
                firsts.append(len(sounds))
            sounds.append((phoneme, at, at + count))
        silent = not phoneme or phoneme in SILENT
        at += count
    return sounds, firsts
