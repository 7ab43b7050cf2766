"""Words that point: "this", "over there", "那个", by which one shows what one speaks of.

Takes a text, gives where its first such word stands. The same words do other work: "that" joins
clauses, "there is" says that something exists, "this week" and "那时候" are times, "那我们" is "so
we", "那个，" is an "um". When in doubt it does not point: then the end of speech is the moment, as
for any question. Pure.
"""

from __future__ import annotations

import re

from visavis.perceive.chinese import SIMPLIFIED


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


WORD = re.compile(r"[a-zA-Z]+(?:['’][a-zA-Z]+)?|[^\sa-zA-Z'’\u2e80-\u9fff]+")
TIMES = _set(
    "morning afternoon evening night week weekend month year years time times moment instant minute"
    " second hour day days summer winter spring autumn season century decade"
    " monday tuesday wednesday thursday friday saturday sunday"
)
NOT_THINGS = TIMES | _set("case way reason sense regard respect much many who whom")

BE = _set("is are was were isn't aren't wasn't weren't what's who's where's how's be been")
# After these, "that" stands for a thing; after most others it joins a clause.
BEFORE_A_THING = BE | _set(
    "at of in on with for to from about like behind under over near by beside than into inside"
    " around through off without see look read does do did has have can could will would should"
    " take buy show use want need hold open describe explain identify translate know call watch"
    " paint draw count find get got give put move touch check try cost costs means mean and or not"
    " but me all what who how why when where made makes"
)
SUBJECTS = _set(
    "i you he she we they it there the a an my your his her our their its this these those"
    " i'm you're he's she's we're they're it's i've you've i'd you'd i'll you'll"
)
# "That's right" is no thing, nor is "is that so".
OPINIONS = _set(
    "right true okay ok fine great good nice cool it all enough why how because what so correct"
    " wrong possible normal bad funny strange interesting important sure easy hard"
)
EXISTENCE = BE | _set(
    "will would has have had must might may can could should seems exists there's there're s"
)
# "Get there", "hello there", "are you there".
NO_PLACE = BE | _set(
    "get gets got go goes going went gone arrive arrived live lives lived drive fly walk travel"
    " hi hello hey you anyone anybody someone somebody still if will would could can should"
)
WHERE = _set("over up down in out right back")
# "Here you are", "I'm here to help".
HERE_AFTER, HERE_BEFORE = _set("we you to is"), _set("you still i'm we're")
ON_THE_WAY = _set(
    "on in at by behind under over near beside with to next above below between left right and"
)

MEASURES = "个些位种本张只条件支块双台辆把座栋幅朵棵匹头间家瓶杯盒包根颗顶道副碗盘枚扇"
PLACES = "里|儿|边|上面|下面|后面|前面|旁边|左边|右边|东西|人|男|女|孩|字|一[" + MEASURES + "]"
TIMES_CHINESE = "时候?|次|会儿|阵|天|周|月|年|段|早上|晚上|星期|礼拜|季|小时|世纪|学期"
NO_THING = f"[个件段些]?(?:{TIMES_CHINESE}|事|情况|意思|原因)"
NEAR_CHINESE = f"这(?!么|样|就|下|几|{NO_THING})"
FAR_CHINESE = f"那(?=[{MEASURES}]|{PLACES}|是(?!因为|当然|不是|肯定|的))(?!{NO_THING})"
POINTED = re.compile(f"(?<!去)(?:{NEAR_CHINESE}|{FAR_CHINESE})(?:[{MEASURES}]|里|儿|边)?")
FILLER = re.compile(r"(?:^|[，。,.!？?！\s])[这那]个(?=[，,、…\s]|[这那]个|我|你|请|就是|$)")


def pointing(text: str) -> tuple[int, int] | None:
    """The characters [start, end) of the first word that points; None if none does."""
    found = [span for span in (_chinese(text), _english(text)) if span is not None]
    return min(found, default=None)


def _chinese(text: str) -> tuple[int, int] | None:
    text = text.translate(SIMPLIFIED)
    fillers = {match.end() - 2 for match in FILLER.finditer(text)}
    for match in POINTED.finditer(text):
        if match.start() not in fillers:
            return match.span()
    return None


def _english(text: str) -> tuple[int, int] | None:
    matches = list(WORD.finditer(text))
    words = ["", *(match.group().lower().replace("’", "'") for match in matches), "", ""]
    for at, match in enumerate(matches, 1):
        if _points(words[at - 1], words[at], words[at + 1], words[at + 2]):
            return match.start(), match.start() + len(words[at].partition("'")[0])
    return None


def _points(before: str, word: str, after: str, next_after: str) -> bool:
    match word:
        case "this" | "these" | "those":
            return after == "way" or after not in NOT_THINGS
        case "that":
            says = after in ("is", "was") and next_after in OPINIONS | {"not"}
            return not says and _that_points(before, after)
        case "that's":
            return after not in OPINIONS
        case "here":
            return after not in HERE_AFTER and before not in HERE_BEFORE
        case "there":
            return _there_points(before, after)
        case _:
            return False


def _that_points(before: str, after: str) -> bool:
    if after in NOT_THINGS or (after in OPINIONS and before in BE | {"", "not"}):
        return False
    if before in BE:
        return True
    if after in SUBJECTS:
        return False
    return before in BEFORE_A_THING or not before[-1:].isalpha()


def _there_points(before: str, after: str) -> bool:
    if after in EXISTENCE or before in NO_PLACE:
        return False
    at_an_end = not after[:1].isalpha()
    return at_an_end or before in WHERE or after in ON_THE_WAY
