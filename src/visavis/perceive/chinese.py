"""Whether a Chinese turn is finished, by how it ends and how it begins.

Rules in order, the first that has an opinion decides. Traditional characters are read as
simplified ones. Chinese marks questions by final particles and question words, and most sentences
could end anywhere; what must go on is a short list.
"""

from __future__ import annotations

import re

Judgement = tuple[float, str]


def _tuple(words: str) -> tuple[str, ...]:
    return tuple(words.split())


SIMPLIFIED = str.maketrans(
    "嗎麼誰幾為個這還過後來說時沒對會從給讓請問應該們樣點關於與許雖儘並況現號碼電話謝見題覺認開關燈講",
    "吗么谁几为个这还过后来说时没对会从给让请问应该们样点关于与许虽尽并况现号码电话谢见题觉认开关灯讲",
)
MARKS = " 。！？!?.,，、；;：:~～"
HESITATIONS = frozenset("呃额")
FILLERS = _tuple("呃 额 嗯 那个 这个 就是 就是说 然后 还有 的话 怎么说")
# "这个" is also what one points at.
POINTED_AT = re.compile(r"(要|是|看|买|喜欢|选|拿|关于|像|不|把|对)(这个|那个)$")
CONNECTIVES = _tuple(
    "和 跟 与 或 或者 但是 可是 不过 因为 所以 如果 要是 虽然 而且 并且 以及 比如 比如说"
    " 例如 除了 关于 对于 由于 为了 通过 根据 按照 尽管 即使 只要 只有 甚至 包括 另外"
)
OPEN_WORDS = _tuple(
    "我想 我要 我觉得 我认为 我希望 想要 请问 请帮我 帮我 告诉我 给我 让我 能不能 可不可以"
    " 有没有 会不会 我的 你的 他的 她的 我们的 一个 一 把 被 在 从 向 往 给 是 很 非常 特别"
    " 最 更 太 比 也 都 就 还 又 才 只 要 想 会 能 应该 必须 正在 地 我 我们 他们 几 哪 第"
    " 每 当 这 那 请 我叫 叫"
)
# What would be open may also be an answer, or close a sentence: "我不想", "是我", "在这".
CLOSED = re.compile(
    r"(?<![是要想会能在])[不没][是要想会能在]$|(是|给|和|跟|找|爱|叫)(我|我们|他们)$|在(这|那)$"
)
ANSWERS = frozenset(
    _tuple(
        "是 是的 对 对的 有 要 想 会 能 行 可以 不 不是 不要 不想 不会 不能 没有 没事 没问题"
        " 不对 再见 停 停下 等等 等一下 等一等 知道 明白 嗯 嗯嗯 当然 不用 不用了 继续 我也是"
        " 我也想 我会 我能 我不想 我不要 我不会 我没有 也是 那是 都是 都要"
    )
)
# Whole as they are, and as often the first words of more: "谢谢。现在几点了？"
PREFACES = frozenset(
    _tuple(
        "你好 您好 嗨 喂 早上好 下午好 晚上好 早安 大家好 谢谢 谢谢你 谢谢您 多谢 好 好的 好吧 好啊"
        " 知道了 明白了 我知道了 我明白了 不好意思 对不起 打扰一下"
    )
)
PARTICLES = re.compile(
    r"(吗|呢|吧|(?<![怎什那这])么|嘛|没有|了没|是不是|对不对|好不好|行不行|可以吗)$"
)
QUESTION = re.compile(
    r"什么|谁|哪|几[点个岁天年月号]|多[少大远长久高重]|怎么|怎样|为啥|如何|是否|能不能|是不是|有没有"
)
QUESTION_WORDS = frozenset(_tuple("什么 谁 哪里 哪儿 几点 多少 为什么 怎么样"))
SUBORDINATE = re.compile(r"^(如果|要是|假如|因为|由于|虽然|尽管|即使|只要|当|每当)")
MAIN = re.compile(r"就|那|所以|但|可是|会|怎么|什么|谁|哪|吗|要")
DIGIT = "0-9零〇一二三四五六七八九幺两"
NUMBER = re.compile(rf"[{DIGIT}][{DIGIT}\s，、,-]*$")
ARITHMETIC = re.compile(r"[加减乘除]|等于")
ENOUGH_DIGITS = 11
REQUESTS = re.compile(
    r"^(请|帮我|告诉我|给我|打开|关[掉上]|播放|念|读|说|讲|唱|写|画|让|介绍|解释|翻译)"
)


def judge(text: str) -> Judgement:
    """Log-odds that the turn is finished, and why."""
    text = text.strip().translate(SIMPLIFIED)
    body, mark = text.rstrip(MARKS), text[-1:]
    if not body:
        return 0.0, "no words"
    opinions = (rule(body, mark) for rule in (_answer, _spelling, _ending, _question, _opening))
    return next((opinion for opinion in opinions if opinion), None) or _statement(body, mark)


def _answer(body: str, mark: str) -> Judgement | None:
    if body in PREFACES:
        return 0.0, "may lead to more"
    return (2.0, "short answer") if body in ANSWERS else None


def _spelling(body: str, mark: str) -> Judgement | None:
    found = NUMBER.search(body)
    if found is None or ARITHMETIC.search(body) or QUESTION.search(body[: found.start()]):
        return None
    digits = len(re.findall(f"[{DIGIT}]", found.group()))
    if digits < 3:
        return None
    return (1.5, "number") if digits >= ENOUGH_DIGITS else (-3.2, "number being spelled")


def _ending(body: str, mark: str) -> Judgement | None:
    """Words that something must follow."""
    if body.endswith(FILLERS) and not POINTED_AT.search(body):
        return -2.8, f"ends on {_tail(body, FILLERS)!r}"
    if body.endswith(CONNECTIVES):
        return -2.5, f"ends on {_tail(body, CONNECTIVES)!r}"
    if PARTICLES.search(body):
        return 2.5, "question complete"
    if body.endswith(OPEN_WORDS) and not CLOSED.search(body):
        return -2.2, f"ends on {_tail(body, OPEN_WORDS)!r}"
    return (-1.2, "ends on a comma") if mark in ",，、；;：:" else None


def _question(body: str, mark: str) -> Judgement | None:
    if QUESTION.search(body):
        begun = len(body) <= 2 and body not in QUESTION_WORDS
        return (0.0, "question begun") if begun else (2.4, "question complete")
    return (1.8, "question") if mark in "?？" else None


def _opening(body: str, mark: str) -> Judgement | None:
    if SUBORDINATE.match(body) and not MAIN.search(body[2:]):
        return -1.8, "subordinate clause"
    return (1.9, "request complete") if REQUESTS.match(body) and len(body) >= 4 else None


def _statement(body: str, mark: str) -> Judgement:
    if body.endswith(_tuple("了 啊 啦 呀 哦 哈")) and len(body) > 2:
        return 1.9, "sentence complete"
    if len(body) < 4:
        return (0.8 if mark in "。！.!" else 0.3), "a few words"
    if body.endswith("的"):
        return 0.5, "sentence"
    return (1.8, "sentence complete") if mark in "。！.!" else (0.9, "sentence")


def _tail(body: str, endings: tuple[str, ...]) -> str:
    return max((ending for ending in endings if body.endswith(ending)), key=len)
