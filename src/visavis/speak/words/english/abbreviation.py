"""English abbreviations in full, and Roman numerals where they are surely numbers.

The full stop of an abbreviation stays where it ends the text. Acronyms are left to the voice.
"""

from __future__ import annotations

import re

from visavis.speak.words.english.number import cardinal, ordinal
from visavis.speak.words.rule import any_of, split, table


def _table(text: str) -> dict[str, str]:
    pairs = (line.split(maxsplit=1) for line in text.strip().splitlines())
    return dict(pairs)


_TITLES = _table("""
Mr Mister
Mrs Missus
Ms Miz
Prof Professor
Rev Reverend
Hon Honourable
Capt Captain
Col Colonel
Gen General
Lt Lieutenant
Maj Major
Sgt Sergeant
Gov Governor
Sen Senator
Rep Representative
Mt Mount
Ft Fort
""")
_NUMBERED = _table("""
No number
no number
Nos numbers
nos numbers
Fig figure
fig figure
Figs figures
Vol volume
vol volume
Ch chapter
ch chapter
Sec section
sec section
Eq equation
eq equation
Art article
p page
pp pages
""")
_WORDS = _table("""
e.g for example
i.e that is
a.k.a also known as
etc et cetera
vs versus
cf compare
viz namely
approx approximately
ca circa
est established
dept department
Dept Department
Ave Avenue
Blvd Boulevard
Rd Road
Inc Incorporated
Ltd Limited
Corp Corporation
Co Company
Bros Brothers
Jr Junior
Sr Senior
""")
_DAYS = _table("""
Jan January
Feb February
Apr April
Jun June
Jul July
Aug August
Sept September
Oct October
Nov November
Dec December
Mon Monday
Tue Tuesday
Tues Tuesday
Wed Wednesday
Thu Thursday
Thurs Thursday
Fri Friday
Mar March
May May
Sep September
Sat Saturday
Sun Sunday
""")
_SPANS = any_of(_DAYS)
_AMBIGUOUS = {"Mar", "May", "Sat", "Sun"}
_REIGNS = any_of(
    split(
        "Henry Louis Elizabeth Charles George James Edward William Philip Richard Mary "
        "Catherine Peter Alexander Nicholas Frederick Ferdinand Napoleon Ramesses Ptolemy "
        "Darius Alfonso Christian Gustav Ivan Leopold Wilhelm Paul Benedict Pius Leo Francis "
        "Gregory Clement Innocent Urban"
    )
)
_PARTS = any_of(
    split(
        "Chapter Part Act Volume Section Article Book Phase Type Class Stage War Bowl "
        "Appendix Title Figure Table Unit Level"
    )
)
_ROMAN = r"(?=[IVX])(X{0,3}(?:IX|IV|V?I{0,3}))(?!\w)"
_VALUES = {"I": 1, "V": 5, "X": 10}


def _full(m: re.Match[str]) -> str:
    return _FULL[m[1]] + ("." if m.end() == len(m.string) else "")


def _street(m: re.Match[str]) -> str:
    """Main St. opens, Elm Dr.: behind a name; St. Paul, Dr. Li: before one."""
    before, short, after = m[1] or "", m[2], m[3]
    opens = m.start() == 0 or m.string[: m.start()].rstrip().endswith((".", "!", "?", ":"))
    behind_a_name = bool(before) and not (after and (opens or short == "Dr"))
    if behind_a_name:
        said = "Street" if short == "St" else "Drive"
    else:
        said = "Saint" if short == "St" else "Doctor"
    end = "." if m.end() == len(m.string) else ""
    return f"{before}{said}{end}{after}"


def _value(roman: str) -> int:
    values = [_VALUES[char] for char in roman]
    return sum(-value if value < max(values[i:]) else value for i, value in enumerate(values))


def _reign(m: re.Match[str]) -> str:
    return f"{m[1]} the {ordinal(_value(m[2]))}" if len(m[2]) > 1 else m[0]


def _span(m: re.Match[str]) -> str:
    """Mon–Fri, Jan–Mar."""
    end = "." if m[0].endswith(".") and m.end() == len(m.string) else ""
    return f"{_DAYS[m[1]]} to {_DAYS[m[2]]}{end}"


def _part(m: re.Match[str]) -> str:
    return f"{m[1]} {cardinal(_value(m[2]))}"


_FULL = _TITLES | _WORDS | {k: v for k, v in _DAYS.items() if k not in _AMBIGUOUS}
ABBREVIATIONS = table(
    r"\w\.|[IVX]\b|№|w/|\bvs\b|[a-z] ?[-–—] ?[A-Z]",
    (r"((?:\b[A-Z][a-z]+|\b\d+(?:st|nd|rd|th)) )?\b(St|Dr)\.(?!\w)((?: [A-Z])?)", _street),
    (rf"\b({any_of(_NUMBERED)})\. ?(?=\d)", lambda m: _NUMBERED[m[1]] + " "),
    (r"№\s?(?=\d)", "number "),
    (rf"\b({_REIGNS}) {_ROMAN}", _reign),
    (rf"\b({_PARTS}) {_ROMAN}(?!['’])", _part),
    (rf"(?<![\w.])({any_of(_FULL)})\.(?!\w)", _full),
    (rf"\b({_SPANS})\.? ?[-–—] ?({_SPANS})\b\.?", _span),
    (r"\bw/o\b", "without"),
    (r"\bw/(?=\s|\w)", "with "),
    (r"\bvs\b", "versus"),
)
