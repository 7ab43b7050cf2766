"""English readings of what is dialled, typed or numbered: phones, mail, hosts, files, versions."""

from __future__ import annotations

import re

from visavis.speak.words.english.number import digits, number
from visavis.speak.words.rule import any_of, split, table

_ENDINGS = any_of(
    split(
        "com org net edu gov io ai co uk us ca au eu de fr es it nl ch jp cn in info biz dev "
        "app me tv"
    )
)
NUMBERED = re.compile(
    r"\b(?:pages?|pp?\.|lines?|verses?|chapters?|rows?|items?|nos?\.|numbers|years?|from) ?$",
    re.IGNORECASE,
)
_MARKS = {".": " dot ", "@": " at ", "_": " underscore ", "-": " dash ", "+": " plus "}


def phone(m: re.Match[str]) -> str:
    """Each group digit by digit, a comma between them."""
    plus = "plus " if m[0].startswith("+") else ""
    return plus + ", ".join(digits(group) for group in re.findall(r"\d+", m[0]))


def _local_phone(m: re.Match[str]) -> str:
    """555-0142 is a phone number; 100-2000 and pages 312-1024 are ranges."""
    is_range = m[0][0] in "01" or m[0][1:3] in {"00", "50"}
    return m[0] if is_range or NUMBERED.search(m.string[: m.start()]) else phone(m)


def _trunk_phone(m: re.Match[str]) -> str:
    """030 1234567 is a phone number, 05-10 a range."""
    return phone(m) if len(re.findall(r"\d", m[0])) > 6 else m[0]


def _mail(m: re.Match[str]) -> str:
    return "".join(_MARKS.get(char, char) for char in m[0])


def _host(m: re.Match[str]) -> str:
    return m[0].replace(".", " dot ")


def _version(m: re.Match[str]) -> str:
    prefix = "version " if m[1] else ""
    point = " dot " if m[2].count(".") > 2 else " point "
    return prefix + point.join(number(part) for part in m[2].split("."))


ADDRESSES = table(
    r"@|\w\.[a-z]",
    (r"(?<![\w.])[\w.+-]*\w@\w[\w-]*(?:\.\w[\w-]*)+", _mail),
    (r"(?<![\w@])@(?=\w)", "at "),
    (rf"\b(?:[\w-]+\.)+{_ENDINGS}\b(?![.-]?\w)", _host),
    (r"\b\w*[^\W\d]\w(?:\.[a-z][a-z0-9]+)+\b", _host),
)
PHONES = table(
    r"\d[ .()-]{1,3}\d|\+\d|[Cc]all \d|[Dd]ial \d",
    (r"\+\d{1,3}(?:[ .-]?\(?\d{1,4}\)?){2,5}(?![\w])", phone),
    (r"(?<![\w.+-])(?:1[ .-])?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?![\w-])", phone),
    (r"(?<=\b[Cc]all )\d{3,8}\b(?![-.,]\d|[%°]| times)", phone),
    (r"(?<=\b[Dd]ial )\d{3,8}(?:-\d{2,8})*\b", phone),
    (r"(?<![\w.+-])\(\d{2,5}\)[ -]?\d{3,4}(?:[ -]\d{2,4})*(?![\w-])", phone),
    (r"(?<![\w.,+-])0\d{1,4}(?:[ -]\d{2,4}){1,4}(?![\w-]|[.,]\d)", _trunk_phone),
    (r"(?<![\w.,+-])\d{4}([ -])\d{4}(?:\1\d{4}){1,3}(?![\w-]|[.,]\d)", phone),
    (r"(?<![\w.,+$€£¥-])\d{3}-\d{4}(?![\w%°-]|[.,]\d)", _local_phone),
)
CODES = table(
    r"[^\W\d]-?\d+-\d|\d-\d+-\d|[Rr]oom|[Ff]light",
    (r"(?<![\w.,])\d+(?:-\d+){2,}(?!\w|[.,]\d)", phone),
    (r"(?<=[^\W\d])-?\d+(?:-\d+)+\b", lambda m: " " + phone(m)),
    (r"(?<=[Rr]oom )\d{3,4}\b|(?<=[Ff]light )\d{3,4}\b", phone),
)
VERSIONS = table(
    r"[vV]\.?\d|\d\.\d+\.\d",
    (r"(?<![\w.])([vV])\.?(\d+(?:\.\d+)*)(?![\w]|\.\d)", _version),
    (r"(?<![\w.,])()(\d+(?:\.\d+){2,})(?![\w]|\.\d)", _version),
)
