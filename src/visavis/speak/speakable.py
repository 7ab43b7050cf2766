"""What is read aloud of what was written.

Takes the written phrases of one reply, in order. Gives the spoken text of each; empty = nothing to
say. Invariant: what it gives is one line of plain text without marks, tags, controls or U+FFFD, and
has at least one letter or digit, or is empty. Remembers only what is hidden, and the language of
the last phrase.
"""

from __future__ import annotations

import html
import re
import unicodedata

from visavis.speak.formula import plain_formulas
from visavis.speak.hidden import Hidden
from visavis.speak.tongues import has_letters, runs
from visavis.speak.words.spoken import in_words

_LINK = r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)"
_ADDRESS = (  # read as its host
    r"<?(?:(?:https?|ftp)://(?:www\.)?|\bwww\.)([^\s/<>()?#，。；！？、]+)[^\s<>()，。；！？、]*(?<![.,;:!?])>?"
)
_TAG = r"</?[A-Za-z][\w:-]*(?:\s+[\w:-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'<>]+))*\s*/?>"
_LATE_TAG = re.compile(_TAG)
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#\d{1,7}|#[Xx][0-9A-Fa-f]{1,6});")
_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.MULTILINE), becomes)
    for pattern, becomes in (
        (r"<!--.*?-->|<\|[^|<>]*\|>|<0x[0-9A-Fa-f]+>", " "),  # comments, tokens of the model
        (_LINK, r"\1"),
        (r"\]\([^()\s]*\)", " "),  # the end of a link that began in another phrase
        (_ADDRESS, r"\1"),
        (
            r"\b((?:[\w-]+\.)+[a-z]{2,6})/[^\s<>()，。；！？、]*(?<![.,;:!?])",
            r"\1",
        ),  # and bare ones
        (r"<(?:mailto:)?([\w.+-]+@[\w.-]+)>|\bmailto:(?=\w)", r"\1"),
        (_TAG, " "),
        (r"^\s*\|?(?:\s*:?-{2,}:?\s*\|)+(?:\s*:?-{2,}:?\s*)?\|?\s*$", " "),  # a table's ruler
        (r"^\s*(?:[-*_=]\s*){3,}$", " "),  # a rule across the page
        (r"^\s{0,3}(?:>\s?)+", ""),  # quotations
        (r"^\s*#{1,6}\s+", ""),  # headings
        (r"\s#+\s*$", ""),
        (r"^\s*[-*+•‣▪◦]\s+(?:\[[ xX]\]\s+)?", ""),  # bullets, ticked or not
        (r"\[\^?\d{1,3}\]", " "),  # notes and citations
        (r"(?<![\w])[:;]-?[)(DPp](?![\w])", " "),  # faces
        (r"(?<!\w):[a-z][a-z0-9_+-]+:(?!\w)", " "),  # :names_of_emoji:
        (r"(?<=\w)~{3,}(?=\w)", " "),
        (r"`+|~{2,}", ""),
        (r"\*+(?=[^\s*\w])|(?<![\w*\s])\*+|(?<!\w)\*+(?=\w)|(?<=\w)\*+(?!\w)", ""),  # not 2*3
        (r"(?<!\w)_+|_+(?!\w)", ""),
        (r"(?<=\w)_+(?=\w)(?![\w.+-]*@\w)", " "),
        (r"^\s*\||\|\s*$", ""),  # table rows
        (r"\s*\|\s*", ", "),
        (r"[\[\]{}\\]", " "),
        (
            r"[^\s0-9]\ufe0f|[#*]\ufe0f?\u20e3|[\u2190-\u2193\u2195-\u21ff\u27a1]\ufe0f",
            " ",
        ),  # emoji
    )
)
_KEPT_SYMBOLS = frozenset("°℃℉№")
_HIDDEN = (
    frozenset("\ufffd\u20e3\u2139\u3030")
    | {chr(code) for code in range(0xFE00, 0xFE10)}  # variation selectors
    | {chr(code) for code in range(0xE0100, 0xE01F0)}
    | {chr(code) for code in range(0x25A0, 0x2600)}  # shapes
    | {chr(code) for code in range(0x2900, 0x2C00)}  # arrows and more shapes
)
_LEADING = re.compile(r"^(?:[\s!?;:…)}”’»」』）】》〉！？。，；：、]|[.,](?!\d)|[—–*-]+\s)+")
_BLANK_LINES = re.compile(r"\n\s*\n")
_SPACES = re.compile(r"\s+")
_SPACE_BEFORE_MARK = re.compile(r"\s+([,.;:!?])(?=\s|$)")
_STRAY_COMMA = re.compile(r",\s*(?=[,.;:!?](?:\s|$))")


class Speakable:
    """Reads the phrases of one reply in `language`: `speak` each in its order."""

    def __init__(self, language: str = "") -> None:
        self._language = self._last = language
        self._hidden = Hidden()

    @property
    def is_inside(self) -> bool:
        """Is what comes next code or a thought, not to be read aloud?"""
        return bool(self._hidden)

    def speak(self, written: str) -> str:
        """The spoken text of the next phrase; empty if it has nothing to say."""
        bare = _bare(self._hidden.outside(written))
        if not has_letters(bare):  # "2024." is read as the phrase before it was
            return _worded(bare, self._last)
        self._last = runs(bare, self._language)[-1].language
        return _worded(bare, self._language)


def plain(text: str, language: str = "") -> str:
    """One line of words without Markdown, tags, emoji and controls; empty if none can be read.

    `language` is the reply's; English and Chinese are told apart within the text.
    """
    return _worded(_bare(text), language)


def _bare(text: str) -> str:
    """The text without its marks, its numbers as they were written."""
    text = plain_formulas(_BLANK_LINES.sub("\n", _unescaped(text)))
    for pattern, becomes in _RULES:
        text = pattern.sub(becomes, text)
    text = unicodedata.normalize("NFC", "".join(_audible(char) for char in text))
    while (bare := _LATE_TAG.sub(" ", text)) != text:  # what the marks within it had hidden
        text = bare
    text = _STRAY_COMMA.sub("", _SPACE_BEFORE_MARK.sub(r"\1", _SPACES.sub(" ", text)))
    return _LEADING.sub("", text).strip()


def _unescaped(text: str) -> str:
    """&lt; as <, also &amp;lt;: before the rules, which then see the tags and marks."""
    while (plainer := _ENTITY.sub(lambda m: html.unescape(m[0]), text)) != text:
        text = plainer
    return text


def _worded(bare: str, language: str) -> str:
    spoken = in_words(bare, language)
    return spoken if any(char.isalnum() for char in spoken) else ""


def _audible(char: str) -> str:
    """The character, a space for white space, nothing for what has no sound."""
    if char.isspace():
        return " "
    category = unicodedata.category(char)
    if char in _KEPT_SYMBOLS:
        return char
    if char in _HIDDEN or category in {"Cc", "Cf", "Cs", "Co", "Cn", "So", "Me"}:
        return ""
    return "" if 0x1F3FB <= ord(char) <= 0x1F3FF else char
