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
# What is said before the turn proper: "你好，".
LEADING = re.compile(r"^((你好|您好|好的?|嗯|呃|是的|对)[，,。！!\s]+)+")
FILLERS = _tuple("呃 额 嗯 那个 这个 就是 就是说 然后 还有 的话")
# "这个" is also what one points at: "读一下这个", "左边那个".
POINTED_AT = re.compile(
    r"(要|是|看|买|欢|爱|选|拿|给[我你他她]|读|念|听|吃|喝|玩|用|穿|换|试|学|讲|翻译|解释|打开|关掉"
    r"|一下|就|着|的|[左右前后里外旁]边|[上下前后里外]面|中间)(这个|那个)$"
)
CONNECTIVES = _tuple(
    "和 跟 与 或 或者 但是 可是 不过 因为 所以 如果 要是 虽然 而且 并且 以及 比如 比如说"
    " 例如 除了 关于 对于 由于 为了 通过 根据 按照 尽管 即使 只要 只有 甚至 包括 另外"
    " 首先 其次 其实 实际上 总之 反正 既然 不但 不仅 自从 所以说 或者说 还是说 也就是说"
    " 等于 除以 乘以"
)
OPEN_WORDS = _tuple(
    "我想 我要 觉得 认为 希望 想要 请问 请帮我 帮我 告诉我 提醒我 给我 让我 能不能 可不可以"
    " 有没有 会不会 要不要 是不是 我的 你的 他的 她的 我们的 一 把 被 在 从 向 往 给 是 很 非常"
    " 特别 最 更 太 比 也 都 就 还 又 才 只 要 想 会 能 该 应该 必须 正在 地 我 我们 他们 几 哪"
    " 第 每 当 这 那 请 我叫 叫 怎么"
)
# One of something not named yet; "一下", "一次", "一点" name it themselves.
ONE_OF = re.compile(r"一[个只杯张首本间封篇部份瓶条位段家台件]$")
# What would be open may also be an answer, or close a sentence: "我不想", "是我", "在这".
CLOSED = re.compile(
    r"(?<![是要想会能在])[不没][是要想会能在]$|(是|和|跟|找|[^请能以再会，,\s]给)(我|我们|他们)$|在(这|那)$"
    r"|[不也]觉得$|(是|给|听|用)(我|你|他|她|我们)的$|^一[个只]$"
)
# What would begin a clause or a noun is the object: "等等我", "五分钟后提醒我", "下一个".
OBJECT = re.compile(
    r"(爱|欢|叫|等|帮帮|看|着|管|信|懂|骗|打|烦|识|教|理|陪|救|恨|碰|抱|解|谅)(我|我们|他们)$"
    r"|(点|后|时|分|候|上)提醒我$|[哪下上换第后来另这那同]一[个只杯张首本间封篇部份瓶条位段家台件]$"
)
# Words that only end like an open one: "星期一", "开会", "成都", "三只".
COMPOUND = re.compile(
    r"([期拜周十百千万加减乘于]一|[功智性技]能|([不有么]|^很?)可能|[开机社聚约晚误体学年一]会"
    r"|[想梦思理感联]想|[太老]太|[成首京古]都|[当的草土场工基外各本陆内]地|[两三四五六七八九十百]只"
    r"|不[需重必]要|重要|必要|存在|^现在|方向|很特别|[人天]才|天哪)$"
)
# "哪", "几" and "能不能" at the end ask, if this is before them or a question mark behind.
ASKED_OF = re.compile(r"([在去到是往来住]哪|[期拜周于第月初是得]几)$")
ASKED = re.compile(r"(哪个?|几个?|要不要|怎么|怎么说)$|^(能不能|可不可以|有没有|会不会|是不是)$")
DAY = r"([今昨明后前]天|[上下这]周|最近|每天|平时|以前|刚才|刚刚|星期[一二三四五六日天])"
HOUR = r"(早上|上午|中午|下午|晚上)"
# Turns that announce what is still to be said, as (what, log-odds, reason).
ANNOUNCEMENTS = tuple(
    (re.compile(pattern), log_odds, reason)
    for pattern, log_odds, reason in (
        (r"[，,。]\s*(不|不对|不是)$", -1.5, "takes something back"),
        (r"(^|[，,。])怎么说$", -2.0, "looks for words"),
        (
            r"(想|要|先)(请?问|请教)[你您]?(问|一下)?(一?个问题|一?件事)?$|我想(知道|请你|买|订|说)$"
            r"|有一?个(问题|请求|朋友)$",
            -1.8,
            "announces what follows",
        ),
        (
            r"(?<![跟对和听])([他她]|[他她我]们|有人|老师|妈|爸|朋友|我是)([跟对和]我)?说$|(?<!没)听说$",
            -1.8,
            "announces what was said",
        ),
        (
            rf"(帮我|给我|替我|^请)(查|找|搜|订|预订|设|设置|买|打开|介绍|讲)(一下)?{DAY}?{HOUR}?$"
            rf"|^介绍一下$|提醒我({DAY}|去|买){HOUR}?$",
            -1.5,
            "request without its object",
        ),
        (
            r"(觉得|认为|希望|听说|但是|所以|而且|因为|如果|既然|以为|为什么|^那)[你他她它]们?$",
            -2.0,
            "subject without a verb",
        ),
        (rf"^[我你他她]们?{DAY}{HOUR}?$", -1.5, "subject without a verb"),
        (rf"^{DAY}{HOUR}?$", 0.3, "a time"),
        (rf"^{DAY}?我{DAY}?(去|买|看|看到|看见|发现|遇到)了$", 0.3, "may have an object"),
        (
            r"(的时候|小时候|(?<![天年月周时钟])[以之][前后])$|从[^，,从]+到$",
            -1.5,
            "says only when or where",
        ),
        (r"[0-9十百千万零一二三四五六七八九]\s*[加减乘]$", -2.0, "sum without its end"),
        (
            r"^(你知道|请问|告诉我|我想知道)?(哪里|哪儿)(有|可以|能)$"
            r"|谁(发明|发现|创造|建造|设计|提出|写|画)了$",
            -1.8,
            "question without its object",
        ),
        (
            r"^.{0,3}(知道|告诉我|明白|一下|想问)(为什么|什么|谁|哪里|哪儿|什么时候)$",
            0.3,
            "question begun",
        ),
        (r"^(不管|无论)[^都也就还了]*$", -1.8, "subordinate clause"),
        (r"^(关于|对于|至于|除了|自从)[^，,我你他是有吗什怎呢]*$", -1.8, "names only the topic"),
    )
)
ANSWERS = frozenset(
    _tuple(
        "是 是的 对 对的 有 要 想 会 能 行 可以 不 不是 不要 不想 不会 不能 没有 没事 没问题"
        " 不对 再见 停 停下 等等 等一下 等一等 知道 明白 嗯 嗯嗯 当然 不用 不用了 继续 我也是"
        " 我也想 我会 我能 我不想 我不要 我不会 我没有 也是 那是 都是 都要 当然可以 当然是 当然不是"
        " 当然了 不可能"
    )
)
# An answer, or the first words of one: "应该是" and "应该是三点".
HEDGES = frozenset(_tuple("应该是 应该会 应该 我觉得是 我想是 可能 可能是 必须"))
# Whole as they are, and as often the first words of more: "谢谢。现在几点了？"
PREFACES = frozenset(
    _tuple(
        "你好 您好 嗨 喂 早上好 下午好 晚上好 早安 大家好 谢谢 谢谢你 谢谢您 多谢 好 好的 好吧 好啊"
        " 知道了 明白了 我知道了 我明白了 不好意思 对不起 打扰一下 我想想 让我想想"
        " 我想一下 让我想一下 你知道"
    )
)
PARTICLES = re.compile(
    r"(吗|呢|吧|(?<![怎什那这])么|嘛|(?<!有)没有|了没|[，,]\s*是不是|对不对|好不好|行不行|可以吗)$"
)
QUESTION = re.compile(
    r"什么|谁|哪|几[点个岁天年月号]|多[少大远长久高重]|怎么|怎样|为啥|如何|是否|能不能|是不是|有没有"
)
QUESTION_WORDS = frozenset(_tuple("什么 谁 哪里 哪儿 几点 多少 为什么 怎么样"))
SUBORDINATE = re.compile(
    r"^(如果|要是|假如|因为|由于|虽然|尽管|即使|只要|既然|当(?![然地时初])|每当)"
)
MAIN = re.compile(r"就|那|所以|但|可是|会|怎么|什么|谁|哪|吗|要")
DIGIT = "0-9零〇一二三四五六七八九幺两"
NUMBER = re.compile(rf"[{DIGIT}][{DIGIT}\s，、,-]*$")
ARITHMETIC = re.compile(r"[加减乘除]|等于")
ENOUGH_DIGITS = 11
AS_DIGITS = str.maketrans("零〇一二三四五六七八九幺两", "0012345678912")
# Numbers that are whole though short: of an emergency, of a service, of a room.
SHORT_NUMBER = re.compile(
    r"([打拨][^\d打拨]{0,8}(11[0-9]|12[02]|911|999|100\d\d|12\d{3}|95\d{3})|(房间|房号|门牌)\D{0,8}\d{3,4})$"
)
LONG_NUMBER = re.compile(r"(电话|手机|号码|卡号|账号|身份证)号?码?是?$")
REQUESTS = re.compile(
    r"^(请|帮我|告诉我|给我|打开|关[掉上]|播放|念|读|说|讲|唱|写|画|让|介绍|解释|翻译)"
)


def judge(text: str) -> Judgement:
    """Log-odds that the turn is finished, and why."""
    text = text.strip().translate(SIMPLIFIED)
    body, mark = LEADING.sub("", text.rstrip(MARKS)), text[-1:]
    if not body:
        return 0.0, "no words"
    rules = (_answer, _spelling, _asked, _announcement, _ending, _question, _opening)
    opinions = (rule(body, mark) for rule in rules)
    return next((opinion for opinion in opinions if opinion), None) or _statement(body, mark)


def _answer(body: str, mark: str) -> Judgement | None:
    if body in PREFACES:
        return 0.0, "may lead to more"
    if body in HEDGES:
        return 0.5, "answer, or its first words"
    return (2.0, "short answer") if body in ANSWERS else None


def _spelling(body: str, mark: str) -> Judgement | None:
    found = NUMBER.search(body)
    if found is None or ARITHMETIC.search(body) or QUESTION.search(body[: found.start()]):
        return None
    if SHORT_NUMBER.search(body.translate(AS_DIGITS)):
        return 1.5, "short number"
    digits = len(re.findall(f"[{DIGIT}]", found.group()))
    if digits < 3 and not LONG_NUMBER.search(body[: found.start()]):
        return None
    return (1.5, "number") if digits >= ENOUGH_DIGITS else (-3.2, "number being spelled")


def _asked(body: str, mark: str) -> Judgement | None:
    """Question words at the very end: "厕所在哪" asks, "你觉得哪" goes on."""
    if ASKED_OF.search(body):
        return 2.0, "question complete"
    return (1.5, "question") if mark in "?？" and ASKED.search(body) else None


def _announcement(body: str, mark: str) -> Judgement | None:
    """What only says that more is to come: "我想问一下", "他跟我说"."""
    found = ((log_odds, reason) for what, log_odds, reason in ANNOUNCEMENTS if what.search(body))
    return next(found, None)


def _ending(body: str, mark: str) -> Judgement | None:
    """Words that something must follow."""
    if body.endswith(FILLERS) and not POINTED_AT.search(body):
        return -2.8, f"ends on {_tail(body, FILLERS)!r}"
    if body.endswith(CONNECTIVES):
        return -2.5, f"ends on {_tail(body, CONNECTIVES)!r}"
    if PARTICLES.search(body):
        return 2.5, "question complete"
    return _open_word(body) or ((-1.2, "ends on a comma") if mark in ",，、；;：:" else None)


def _open_word(body: str) -> Judgement | None:
    """ "我觉得我" goes on, "星期一" and "下一个" only look like it."""
    if any(whole.search(body) for whole in (OBJECT, CLOSED, COMPOUND)):
        return None
    if ONE_OF.search(body):
        return -2.2, "one of what is not named"
    if body.endswith(OPEN_WORDS):
        return -2.2, f"ends on {_tail(body, OPEN_WORDS)!r}"
    return None


def _question(body: str, mark: str) -> Judgement | None:
    if QUESTION.search(body):
        begun = len(body) <= 2 and body not in QUESTION_WORDS
        return (0.0, "question begun") if begun else (2.4, "question complete")
    return (1.8, "question") if mark in "?？" else None


def _opening(body: str, mark: str) -> Judgement | None:
    if SUBORDINATE.match(body) and not MAIN.search(body[2:]):
        return -1.8, "subordinate clause"
    if not REQUESTS.match(body) or len(body) < 4:
        return None
    # "打开客厅的" lacks a noun; "给我红色的" does not.
    if body.endswith("的") and "给我" not in body:
        return -1.0, "request without its object"
    return 1.9, "request complete"


def _statement(body: str, mark: str) -> Judgement:
    if OBJECT.search(body):
        return 1.2, "ends on an object"
    if body.endswith(_tuple("了 啊 啦 呀 哦 哈")) and len(body) > 2:
        return 1.9, "sentence complete"
    if len(body) < 4:
        return (0.8 if mark in "。！.!" else 0.3), "a few words"
    if body.endswith("的"):
        return 0.5, "sentence"
    return (1.8, "sentence complete") if mark in "。！.!" else (0.9, "sentence")


def _tail(body: str, endings: tuple[str, ...]) -> str:
    return max((ending for ending in endings if body.endswith(ending)), key=len)
