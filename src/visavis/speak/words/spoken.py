"""Text in words: each part by the rules of its language.

Takes one line of text without marks, and the language of the reply. Invariant: English and
Chinese come out without a digit; any other language comes out as it went in.
"""

from __future__ import annotations

import re
import unicodedata

from visavis.speak.tongues import runs
from visavis.speak.words.chinese.text import in_chinese
from visavis.speak.words.english.text import in_english

_READERS = {"en": in_english, "zh": in_chinese, "cmn": in_chinese, "yue": in_chinese}
_FULL_WIDTH = str.maketrans("０１２３４５６７８９＄％＋－＝＃＆＠～￡", "0123456789$%+-=#&@~£")
_BETWEEN_DIGITS = {"．": ".", "：": ":", "／": "/"}
_NUMERAL = re.compile(r"[①-⑳⑴-⒇⒈-⒛]")
_FRACTION = re.compile(r"((?<=\d)\s?)?([½¼¾⅐-⅞])")
_SPACES = re.compile(r" {2,}")
_SPACE_BEFORE = re.compile(r" (?=[,.;:!?)，。！？；：、）](?!\d))")


def in_words(text: str, language: str = "") -> str:
    """`text` with its numbers, signs and short forms in words."""
    text = _ascii(text)
    said = "".join(_read(run.text, run.language) for run in runs(text, language))
    return _SPACE_BEFORE.sub("", _SPACES.sub(" ", said)).strip()


def _read(text: str, language: str) -> str:
    reader = _READERS.get(language.partition("-")[0].lower())
    return reader(text) if reader else text


def _ascii(text: str) -> str:
    """Digits and signs of all widths as ASCII; ½ as 1/2, ③ as 3."""
    text = re.sub("(?<=[０-９])，(?=[０-９]{3})", ",", text).translate(_FULL_WIDTH)
    text = re.sub(r"(?<=\d)[．：／](?=\d)", lambda m: _BETWEEN_DIGITS[m[0]], text)
    text = _NUMERAL.sub(lambda m: f"{int(unicodedata.numeric(m[0]))} ", text)
    return _FRACTION.sub(_vulgar, text)


def _vulgar(m: re.Match[str]) -> str:
    parts = unicodedata.normalize("NFKC", m[2]).replace("\u2044", "/")
    return parts if m[1] is None else f" {parts}"
