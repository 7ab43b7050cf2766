"""Whether words make a finished turn: English and Chinese, from the text alone.

A pure function, so that it can be tested as a table. It gives log-odds, to be added to what other
signals say. A recogniser puts a full stop after anything, so the words count for more than the
punctuation: "I would like the." is not finished, "what time does the museum open" is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from visavis.perceive import chinese, english, english_words

PAIRS = {"“": "”", "「": "」", "『": "』", "《": "》", "（": "）", "(": ")"}
TRAILING_OFF = re.compile(r"(\.\.\.|…|—|–|-)[^\w”’\"]*$")
ANNOTATION = re.compile(r"\[[^\]]*\]|\([^)]*\)|（[^）]*）|【[^】]*】|\*[^*]*\*|♪[^♪]*♪?")
CHINESE = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Completeness:
    """`log_odds` > 0: finished, < 0: not, 0: no opinion; `reason` in a few words."""

    log_odds: float
    reason: str


@lru_cache(maxsize=8)  # a pause asks for the same words with every period
def completeness(text: str) -> Completeness:
    """Judges the words of a turn so far."""
    text = text.strip()
    if not text:
        return Completeness(0.0, "no words")
    if quotation_is_open(text):
        return Completeness(-2.0, "open quotation")
    # The language in which it ends, however it began.
    judge = chinese.judge if CHINESE.search(text[-6:]) else english.judge
    words = TRAILING_OFF.sub("", text)
    if words != text:
        # A recogniser writes this where it heard that more was to come.
        return Completeness(min(judge(words)[0], 0.5) - 2.5, "trails off")
    return Completeness(*judge(text))


def says_something(text: str) -> bool:
    """Whether there are words in it: "." and "[BLANK_AUDIO]" and "(music)" have none."""
    return any(char.isalnum() for char in ANNOTATION.sub("", text))


def quotation_is_open(text: str) -> bool:
    """Whether a quotation or a bracket was opened and not closed."""
    if text.count('"') % 2:
        return True
    return any(text.count(opening) > text.count(closing) for opening, closing in PAIRS.items())


def is_hesitation(text: str) -> bool:
    """Whether the text holds nothing but "um", "呃" and their like."""
    words = re.findall(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+", text.casefold())
    return bool(words) and all(
        word in english_words.HESITATIONS or word in chinese.HESITATIONS for word in words
    )
