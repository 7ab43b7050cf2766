"""English questions about what was seen before: when, and whether it is about seeing at all.

"How long ago was the war" and "as I said before" are about the past and not about what was seen;
"have you ever seen a whale before" is not about this camera. Pure.
"""

from __future__ import annotations

import re

from visavis.flow.text import is_question
from visavis.memory.when import BEFORE, BEYOND, Asked, Found, Phrases, When, about, within

UNITS_S = {"second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600, "hr": 3600}
SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen"
)
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMBERS: dict[str, float] = {
    **{word: n for n, word in enumerate(SMALL.split())},
    **{word: 10 * n for n, word in enumerate(TENS.split(), 2)},
    **{"a": 1, "an": 1, "half a": 0.5, "half an": 0.5, "a half": 0.5, "a quarter of an": 0.25},
    **{"a couple of": 2, "a couple": 2, "couple of": 2, "a few": 4, "few": 4, "several": 5},
    **{"some": 5, "a good": 1, "a hundred": 100, "one hundred": 100, "two hundred": 200},
}
VAGUE = ("a few", "few", "several", "some", "a couple of", "a couple", "couple of")
_WORDS = "|".join(sorted(NUMBERS, key=len, reverse=True))
NUMBER = (
    rf"(?:\d+(?:\.\d+)?|(?:{TENS.replace(' ', '|')})[ -](?:{SMALL.replace(' ', '|')})|{_WORDS})"
)
UNIT = r"(seconds?|secs?|minutes?|mins?|hours?|hrs?)"
LATER = r"(?:ago|earlier|before(?: now| this| that)?|back|previously|prior)\b"

AGO = re.compile(
    rf"\b({NUMBER})(?: (?:or|to) ({NUMBER}))? {UNIT}( and a half)?"
    rf"(?: or so| or (two|three))? {LATER}"
)
AND_A_HALF_AGO = re.compile(rf"\b({NUMBER})()? and a half {UNIT}()()? {LATER}")
LAST_STRETCH = re.compile(
    rf"\b(?:in|within|during|over|for) the (?:last|past) (?:({NUMBER}) )?{UNIT}\b"
)
LONG_AGO = re.compile(
    rf"\b{NUMBER} (?:days?|weeks?|fortnights?|months?|years?|decades?|centur(?:y|ies)) {LATER}"
    r"|\b(?:days|weeks|months|years|decades|centuries|ages) ago\b|\byesterday\b|\blong ago\b"
    r"|\blast (?:night|week|month|year|summer|winter|spring|autumn|fall|weekend|\w+day|time)\b"
    r"|\bthe other (?:day|night|week)\b|\bin (?:1[0-9]|20)\d\d\b|\b\w+ hundred years ago\b"
)
MOMENT = re.compile(r"\b(?:only |just )?an? (?:moment|second|sec|instant|tick) (?:ago|earlier)\b")
WHILE = re.compile(r"\ba (?:short |little )?(?:while|bit) (?:ago|earlier|back)\b|\bminutes ago\b")
WHILE_S = 240
FIRST_WORDS = re.compile(
    r"\bat first\b(?! (?:sight|glance))|\b(?:in|at) the (?:very )?(?:beginning|start)\b"
    r"|\bthe (?:very )?(?:first|earliest) (?:thing|picture|image|photo|slide|page|view|object|one)"
    r"|\b(?:initially|originally)\b|\bwhen (?:we|you) (?:started|began)\b"
)
BEFORE_THAT = re.compile(
    r"\bbefore (?:the|my|your|that|this) ([\w ]+?)(?: (?:came|appeared|was)\b|[.?!,]|$)"
)
BEFORE_WORDS = re.compile(
    r"\bbefore(?: now| this| that)?(?= *(?:[.?!,;]|$|and\b|is\b|was\b))|\bjust now\b"
    r"|\b(?:slightly |a bit |a little |much )?earlier(?: on| today)?\b|\bpreviously\b"
    r"|\b(?:a )?(?:moments|seconds) (?:ago|earlier)\b|\brecently\b"
    r"|\bthe (?:previous|preceding|prior) \w+"
    r"|\bthe last (?=(?:thing|picture|image|slide|page|view|object|one|photo|person)\b)"
)
UNTIMED = re.compile(
    r"\b(?:did you|have you) (?:just |already )?(?:see|seen|notice|noticed)\b|\byou saw\b"
    r"|\bwhere (?:did i|have i|had i)(?: last)? (?:put|leave|left|lay|laid|place|placed)\b"
    r"|\bi (?:just )?showed you\b|\bdid i show you\b"
    r"|\b(?:what|which|who|where|how many)\b.* (?:was|were)"
    r" (?:the|my|that|those|there|on|in|written)\b"
)

HOW_LONG = re.compile(r"\bhow (?:long|many \w+|much time) (?:ago|before|earlier)\b|\bever\b")
SPEECH = re.compile(
    r"\b(?:you|i|we|they|he|she)(?:'ve| have| had)? (?:just |already )?"
    r"(?:say|said|tell|told|ask|asked|mention|mentioned|talk|talked|talking|speak|spoke|call|called"
    r"|hear|heard|explain|explained|discuss|discussed|answer|answered|promise|promised|meet|met)\b"
)
SEEING = re.compile(
    r"\b(?:see|saw|seen|seeing|look(?:ed|ing)?|show(?:ed|n|ing|s)?|notic(?:e|ed)|spot|spotted"
    r"|visible|view|picture|image|photo|camera|scene|frame|screen|slides?|page|written|wrote"
    r"|displayed|wearing|wore|hold(?:ing)?|held)\b|\bin (?:my|your) hands?\b|\bin front of\b"
)
PLACED = re.compile(
    r"\b(?:was|were|lay|stood|sat|had)\b.*\b(?:(?:on|in|under|behind|beside|near|inside|at|next to"
    r"|left of|right of|above|below|between) (?:the|my|your|that|this|a|it)|there|here)\b"
)
LOOKS = re.compile(
    r"\b(?:what|which) (?:colou?r|shape|number|letters?|words?|text|size|kind|object|thing|things"
    r"|objects|animal|fruit|sign)\b|\bhow many \w+"
    r"|\bwhat (?:was|were) (?:it|that|this|there|these)\b|\bwhat did (?:it|the \w+) (?:say|read)\b"
)
OF_THEMSELVES = re.compile(r"\b(?:i|i've|i'd|i'm|we|we've)\b")
OPEN = re.compile(
    r"\b(?:what|what's|which|who|whose|where|when|how|describe|remember|recall|tell me|show me)\b"
)
PLACE = re.compile(
    r"\b(?:on|in|under|behind|beside|near|inside|at|next to|above|below|of|from)"
    r" (?:the|my|your|this|that|a|an|it) (?:\w+ )??(\w+)"
)
YES_OR_NO = re.compile(
    r"^(?:so |and |hey |um |okay |but )*(?:have|has|had|did|do|does|is|are|was|were|can|could)\b"
)

PHRASES = Phrases(
    open=OPEN,
    closed=YES_OR_NO,
    themselves=OF_THEMSELVES,
    untimed=UNTIMED,
    place=PLACE,
    first=FIRST_WORDS,
    before_that=BEFORE_THAT,
    before=BEFORE_WORDS,
)


def asked(text: str) -> Asked | None:
    """What the question asks of the past; None = nothing that was seen."""
    marked = is_question(text)
    text = " ".join(re.sub(r"[^\w.?!,;' -]+", " ", text.casefold().replace("’", "'")).split())
    if HOW_LONG.search(text) or SPEECH.search(text):
        return None
    about_sight = bool(SEEING.search(text) or PLACED.search(text) or LOOKS.search(text))
    return PHRASES.asked(text, _when, marked=marked, about_sight=about_sight)


def _when(text: str) -> Found | None:
    """When it was, and where in the text that is said."""
    if found := LONG_AGO.search(text):
        return BEYOND, found.span()
    if found := MOMENT.search(text):  # "a second ago" is not a second
        return BEFORE, found.span()
    if found := AND_A_HALF_AGO.search(text) or AGO.search(text):
        return _ago(found, "and a half" in found[0]), found.span()
    if found := WHILE.search(text):
        return about(WHILE_S, vague=True), found.span()
    if found := LAST_STRETCH.search(text):
        return within(_number(found[1] or "a") * _unit_s(found[2])), found.span()
    return PHRASES.order(text)


def _ago(found: re.Match[str], and_a_half: bool) -> When:
    least, most, unit, _, other = found.groups()
    count = _number(least)
    if other or most:
        count = (count + _number(other or most)) / 2
    return about((count + 0.5 * and_a_half) * _unit_s(unit), vague=least in VAGUE)


def _unit_s(unit: str) -> float:
    return UNITS_S[unit.removesuffix("s")]


def _number(text: str) -> float:
    if text in NUMBERS:
        return NUMBERS[text]
    parts = re.split("[ -]", text)
    return sum(NUMBERS[part] for part in parts) if parts[0] in NUMBERS else float(text)
