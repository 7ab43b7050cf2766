"""Chinese questions about what was seen before: when, and whether it is about seeing at all. Pure.

"多久以前" and "你刚才说什么" are about the past and not about what was seen. Traditional characters
are read as simplified ones.
"""

from __future__ import annotations

import re

from visavis.flow.text import is_question
from visavis.memory.lexicon import SIMPLIFIED
from visavis.memory.when import BEYOND, Asked, Found, Phrases, about, within

DIGITS = {character: n for n, character in enumerate("零一二三四五六七八九")} | {
    "两": 2,
    "〇": 0,
    "俩": 2,
}
UNITS_S = {"秒": 1, "秒钟": 1, "分": 60, "分钟": 60, "小时": 3600, "钟头": 3600, "刻钟": 900}
NUMERAL = "[零〇一二三四五六七八九十百两俩\\d.]+"
COUNT = f"(?:半|十?几|好几|{NUMERAL})"
UNIT = "(秒钟?|分钟?|小时|钟头|刻钟)"
BACK = "(?:之前|以前|前)"

AGO = re.compile(f"({COUNT})(?:到|至|或)?个?(半)?{UNIT}(半)?钟?(?:左右|多)?{BACK}")
LAST_STRETCH = re.compile(f"(?:最近|过去|这)的?({COUNT})个?(半)?{UNIT}(半)?钟?")
LONG_AGO = re.compile(
    f"(?:{COUNT}|很多|多)个?(?:天|周|星期|礼拜|月|年|世纪){BACK}|昨[天晚日夜]|前[天年]|去年|很久{BACK}"
    "|上个?(?:周|星期|礼拜|月|次)|古代|历史上"
)
MOMENTS = (
    (re.compile(f"(?:一小?会儿?|不一会儿?){BACK}"), 60),
    (re.compile(f"不久{BACK}|没多久{BACK}"), 180),
)
FIRST_WORDS = re.compile("最开始|一开始|刚开始|开头|最初|起初|最先|最早|第一(?=[张页个幅眼样件次])")
BEFORE_THAT = re.compile("(?:在|那[个只张]?)([\u3400-\u9fff]{1,6}?)(?:出现|来)?(?:之前|以前)")
BEFORE_WORDS = re.compile(
    "刚才|刚刚|方才|适才|先前|早些时候|早先|前面(?=的|看|那)|(?:上|前)一(?=[张页个幅眼样件])|上(?=张图|页)"
    "|(?:^|[，,。你我他她它您们上里是面这那还])(?:之前|以前)|(?:之前|以前)(?=的|那|看|拿|有|在|是|出现|显示|桌|放)"
    "|(?<=[你我他])刚(?=看|拿|给)"
)
UNTIMED = re.compile("看[到见]过?.*了?[吗没]|看[到见]过|见过|放(?:在|到)?(?:了)?(?:哪|什么地方)")

HOW_LONG = re.compile("多久|多长时间|多少[年天]|几年前是|什么时候")
SPEECH = re.compile("(?:说|讲|问|聊|提|回答|听)(?:了|过|的|到|起|什么|啥|谁)|谈(?:了|过|到)|叫我")
SEEING = re.compile(
    "看[到见过的着了]|看$|见[到过]|瞧见|画面|镜头|图片?|照片|屏幕|幻灯片|页|显示|展示|出现|给你看|拿|手[里上]"
    "|写|穿|戴|颜色|样子|[上里下面边前后旁](?:有|是|放|摆|站|坐|写)|[有放摆]着?(?:什么|啥|几|多少|谁|哪)"
    "|什么样|是什么|在(?:哪|什么地方|不在)|那里有|这里有|牌子"
)
PLACE = re.compile("([\u3400-\u9fff]{1,2}[上里下旁])面?边?(?:有|放|是|摆|写|的|站|坐|$)")
OPEN = re.compile("什么|啥|哪|谁|几|多少|怎么|记得")
CLOSED = re.compile("[吗没呢]$|有没有|是不是")
OF_THEMSELVES = re.compile("我")

PHRASES = Phrases(
    open=OPEN,
    closed=CLOSED,
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
    text = re.sub(r"[\s。！？!?]+", "", text.translate(SIMPLIFIED).casefold())
    if HOW_LONG.search(text) or (SPEECH.search(text) and not re.search("看[到见]", text)):
        return None
    about_sight = bool(SEEING.search(text))
    return PHRASES.asked(text, _when, marked=marked, about_sight=about_sight)


def _when(text: str) -> Found | None:
    if found := LONG_AGO.search(text):
        return BEYOND, found.span()
    for moment, aim_s in MOMENTS:
        if found := moment.search(text):
            return about(aim_s, vague=True), found.span()
    if found := AGO.search(text):
        return about(_seconds(found), vague="几" in found[1]), found.span()
    if found := LAST_STRETCH.search(text):
        return within(_seconds(found)), found.span()
    return PHRASES.order(text)


def _seconds(found: re.Match[str]) -> float:
    count, half_before, unit, half_after = found.groups()
    return (_number(count) + 0.5 * bool(half_before or half_after)) * UNITS_S[unit]


def _number(text: str) -> float:
    """A numeral: 5, 十五, 两百三十, 半; 两三 and 三五 are what lies between; 几 is four."""
    if text == "半":
        return 0.5
    if "几" in text:
        return 14.0 if text[0] == "十" else 4.0
    if text.replace(".", "", 1).isdigit() and text.isascii():
        return float(text)
    if not {"十", "百"} & set(text):
        values = [DIGITS.get(character, 0) for character in text]
        return sum(values) / len(values)
    total, digit = 0.0, 0.0
    for character in text:
        if character in "十百":
            total += (digit or 1) * (10 if character == "十" else 100)
            digit = 0
        else:
            digit = DIGITS.get(character, 0)
    return total + digit
