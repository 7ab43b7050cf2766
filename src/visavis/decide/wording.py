"""Words over our own, by what they do: stop us, only listen, repeat us, or say something.

Pure functions over words, English and Chinese alike. Whisper has no spelling for a hum: of "mm",
"mm-hm", "uh-huh" it makes "Mm.", "Huh?", "Ah.", "NMMM.", "Bye.", "You" or nothing (tiny.en, 290
short sounds of 30 voices), of a synthetic voice's "mm" also "Amen." and of its "uh-huh" "I have.";
so any interjection listens, and so does what it is known to invent.
"""

from __future__ import annotations

import re

Words = list[str]


def _phrases(*lines: str) -> tuple[str, ...]:
    """Separated by commas; longest first, so that a pattern of them finds the longest."""
    found = {" ".join(phrase.split()) for line in lines for phrase in line.split(",")}
    return tuple(sorted(found - {""}, key=lambda phrase: (-len(phrase), phrase)))


STOPPERS = _phrases(
    "stop, wait, no, nope, hold, pause, quiet, silence, enough, cancel, shush, shut, hush",
    "hang on, nevermind, never mind, not now, one moment, one second, just a moment",
    "just a second, be quiet, excuse me, actually, but, sorry",
)
"""They stop us however short, at the beginning of what is said."""
STOPPERS_ZH = _phrases(
    "停, 等等, 等一下, 等一会, 等一會, 等会, 等會, 等下, 稍等, 慢着, 打住, 闭嘴, 閉嘴, 够了, 夠了",
    "对不起, 對不起, 抱歉, 安静, 安靜, 别说, 別說, 别讲, 別講, 不对, 不對, 不是, 不要, 错了, 錯了",
    "可是, 但是, 不过, 不過",
)
ALONE_ZH = _phrases("不, 别, 別, 等")
"""They stop us if nothing follows: 不错 is praise."""
LEADS = _phrases("please, well, hey, now, can, could, you, just, so")
"""May stand before what stops, like anything that listens."""

HUSHES = _phrases(
    "stop, wait, hold on, hold it, hang on, pause, quiet, be quiet, silence, enough, thats enough",
    "cancel, shush, hush, shut up, nevermind, never mind, not now, one moment, one second",
    "one minute, just a moment, just a second, just a minute",
)
"""They ask for silence, and for nothing else if nothing else is said."""
HUSHES_ZH = _phrases(
    "停, 停止, 停下, 停下来, 停下來, 停一下, 等等, 等一下, 等一会, 等一會, 等会, 等會, 等下, 稍等",
    "慢着, 打住, 闭嘴, 閉嘴, 住口, 够了, 夠了, 安静, 安靜, 别说, 別說, 别再说, 別再說, 别讲, 別講",
    "不要说, 不要說, 不说, 不說, 别吵, 別吵",
)
BESIDE_HUSHES = _phrases(
    "no, nope, it, that, this, there, for, a moment, a second, a minute, talking, speaking",
    "right now, will, would, sorry, excuse me",
)
"""May stand around them, like what leads or listens: "no, stop it please"."""
BESIDE_HUSHES_ZH = _phrases(
    "请, 請, 你, 先, 再, 吧, 了, 啦, 话, 話, 不, 别, 別, 等, 一下, 儿, 兒, 话了, 不要"
)

REFUSING = _phrases("no, nope, nah")
"""Alone over ours, they ask for silence too, unless we had asked."""
BEHIND_HUSHES = _phrases("no, nope, it, that, please, well, hey, so, just, sorry, excuse me")
"""Said after them, as a turn of its own, they ask for no more than these did."""
BEHIND_HUSHES_ZH = _phrases("算了, 不用了, 没事, 沒事, 没事了, 沒事了")
ASKING = _phrases(
    "would, do, does, did, can, could, shall, should, will, is, are, was, were, have, has, may",
    "what, which, who, where, when, why, how",
)
"""A sentence that begins with them may be on the way to its question mark."""

LISTENING = _phrases(
    "yeah, yah, yea, yes, yep, yup, ya, right, okay, ok, k, sure, alright",
    "all right, fine, true, thats true, so true, very true, thats right, exactly, absolutely",
    "definitely, totally, indeed, certainly, correct, of course, i see, i know, i hear you",
    "got it, gotcha, understood, makes sense, that makes sense, fair enough",
    "good, great, nice, wow, whoa, cool, lovely, wonderful, perfect, amazing, awesome",
    "fantastic, excellent, brilliant, fascinating, interesting, very good, very nice",
    "very interesting, thats great, thats good, thats nice, thats interesting, thats cool",
    "thats funny, thats amazing, that is right, that is true, that is great, that is good",
    "that is nice, that is interesting, that is cool, that is funny, that is amazing",
    "how nice, how interesting, how funny, really, oh really, oh no, oh dear, oh my, my god",
    "oh my god, i understand, mkay, woah",
)
"""Said over ours, they ask for nothing."""
ONWARD = _phrases("go on, please go on, continue, please continue, and then")
"""Likewise, but said after "stop" they ask us to speak again."""
TAGS = _phrases("is it, is that so, did he, did she, did they, was it, was he, was she")
"""Likewise, if nothing follows: "Is it true?" asks."""
LISTENING_ZH = _phrases(
    "对, 對, 对啊, 對啊, 对的, 對的, 是, 是啊, 就是, 就是啊, 很好, 我知道了, 我明白了, 我懂了",
    "谢谢你, 謝謝你",
    "是的, 是吗, 是嗎, 好, 好的, 好吧, 好啊, 行, 可以, 没错, 沒錯, 明白, 明白了, 知道, 知道了, 懂",
    "懂了, 了解, 原来如此, 原來如此, 原来是这样, 真的, 真的吗, 真的嗎, 这样, 這樣, 这样啊, 這樣啊",
    "当然, 當然, 确实, 確實, 不错, 不錯, 厉害, 厲害, 有意思, 太好了, 我知道, 我明白, 谢谢, 謝謝",
)
HUMS = _phrases("uh huh, mm hm, aha, uhoh, uh oh, hehe")
"""Likewise: hums."""
HUMMED = _phrases(
    "bye, bye bye, you, thank you, thanks, i, a",
    "amen, in them, in m, el, elle, hell, l, i have, i have a, i hope, ill",
)
"""What Whisper makes of a hum, or of the beginning of "I see"."""
HUMS_ZH = _phrases("嗯, 嗯哼, 呵呵, 恩, 唔, 哦, 噢, 喔, 啊, 阿, 呃, 哎, 唉, 诶, 欸, 呀, 哈, 哇")
INTERJECTION = r"""(?:
    [mnh]+                                                # mm, hmm, mhm, nmmm
  | h?(?:a+|e+|o+|u+)(?:h+|m+|hm+|mm+)                    # ah, oh, uh, um, em, ooh
  | h?(?:a+|o+) | [ao]+w+ | u                            # a, ha, oo, aw, ow
  | (?:u+h?|a+h?|m+|e+h?|o+h?)h?(?:uh+|um+|m+|hm+|ah?)++  # uhhuh, mmhmm, aha
  | (?:[mh]+[au]+)++[mh]*                                 # muh, mumham, haha
  | [bdlprwy]uh(?:huh)?                                   # wuhhuh
)"""
LONG_WORD = 6
"""So many letters are not common to two speakers by chance."""

_WORD = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]+")
_INSIDE = re.compile(r"['’\-]")


def _any(phrases: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, phrases))


def _run_of(*phrases: tuple[str, ...]) -> str:
    """Any number of these, at least one, without anything between, as Chinese is written.

    Each is taken for what it is at first sight: who tries the ways to cut a run one after the other
    needs a minute for thirty characters.
    """
    return rf"(?:(?>{_any(_phrases(','.join(sum(phrases, ()))))}))+"


def _row_of(kinds: str) -> str:
    """Any number of these, one behind the other, taken for what they are at first sight."""
    return rf"(?:(?>(?:{kinds})(?:\ |$)))*"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.VERBOSE)


_HUM = rf"{_any((*HUMS, *HUMMED))}|{INTERJECTION}"
_AGREES = rf"{_any(LISTENING)}|{_HUM}"
_EN = rf"(?:{_any(TAGS)})$|{_any((*ONWARD, *LISTENING))}|{_HUM}"
_ZH = _run_of(LISTENING_ZH, HUMS_ZH)
_LISTENS = _pattern(_row_of(rf"{_EN}|{_ZH}"))
_HUMS = _pattern(_row_of(rf"{_HUM}|{_run_of(HUMS_ZH)}"))
_STOPS = _pattern(
    _row_of(rf"{_EN}|{_ZH}|{_any(LEADS)}")
    + rf"(?:(?:{_any(STOPPERS)})(?:\ |$)"
    + rf"|(?:{_ZH})?(?:{_any(STOPPERS_ZH)}|(?:{_any(ALONE_ZH)})(?:\ |$)))"
)
_HUSHES = _pattern(
    _row_of(
        rf"{_any((*HUSHES, *BESIDE_HUSHES, *LEADS))}|{_AGREES}"
        rf"|{_run_of(HUSHES_ZH, BESIDE_HUSHES_ZH, LISTENING_ZH, HUMS_ZH)}"
    )
)
_ONWARD = _pattern("(?:不要|不用|不必|别|別|勿)[停等]|不停")
_REFUSES = _pattern(rf"{_row_of(rf'{_any(REFUSING)}|不+')}")
_BEHIND = _pattern(
    _row_of(
        rf"{_any((*HUSHES, *BEHIND_HUSHES))}|{_AGREES}"
        rf"|{_run_of(HUSHES_ZH, BESIDE_HUSHES_ZH, BEHIND_HUSHES_ZH, LISTENING_ZH, HUMS_ZH)}"
    )
)
_ASKS = re.compile(
    rf"[?？]|(?:(?:^|[.!]\s*)(?:{_any(ASKING)})\b"
    r"|\b(?:would|do|did|can|could|shall|should|are|have) (?:you|i|we)\b"
    r"|要不要|是不是|能不能|可不可以|好不好)[^.!。！]*$",
    re.IGNORECASE,
)
_HUSH = _pattern(rf"(?<!\S)(?:{_any(HUSHES)})(?!\S)|{_any(HUSHES_ZH)}")


def words_of(text: str) -> Words:
    """Lower-case words without punctuation; a run of Chinese characters is one word."""
    return _WORD.findall(_INSIDE.sub("", text.lower()))


def content(words: Words) -> Words:
    """From the first word on that is no backchannel; Chinese in pairs of characters."""
    joined = " ".join(words)
    listened = _LISTENS.match(joined)
    assert listened is not None, "the pattern matches nothing at all too"
    return _units(joined[listened.end() :].split(), 2)


def only_listens(words: Words) -> bool:
    """Whether all of it is backchannels ("okay okay", "oh really", "嗯嗯对")."""
    return bool(words) and not content(words)


def leads_on(words: Words) -> bool:
    """Whether this backchannel is one that often has more behind it ("okay, but …"): not a hum."""
    return only_listens(words) and not _HUMS.fullmatch(" ".join(words))


def stops(words: Words) -> bool:
    """Whether it begins with what stops us ("stop", "please wait", "yeah no", "嗯等一下").

    Backchannels and leads may stand before it; "oh no" as a whole is one.
    """
    return bool(_STOPS.match(" ".join(words))) and not only_listens(words)


def hushes(words: Words, names: tuple[str, ...] = ()) -> bool:
    """Whether all that is said asks us to be silent ("stop it, please", "no, wait", "嗯等一下").

    One of `names` may be said with it.
    """
    joined = f" {' '.join(words)} "
    for name in names:
        joined = joined.replace(f" {' '.join(words_of(name))} ", " ")
    joined = joined.strip()
    asks = _HUSH.search(joined) and _HUSHES.fullmatch(joined)
    return bool(asks) and not _ONWARD.search(joined)


def refuses(words: Words) -> bool:
    """Whether all of it is a no ("no, no", "不")."""
    return bool(words) and bool(_REFUSES.fullmatch(" ".join(words)))


def may_ask(text: str) -> bool:
    """Whether there is a question in what we said, or its last sentence may become one."""
    return bool(_ASKS.search(text))


def adds_nothing(words: Words) -> bool:
    """Whether, said behind such words, it asks for no more than they did ("please", "好的")."""
    joined = " ".join(words)
    return bool(words and _BEHIND.fullmatch(joined)) and not _ONWARD.search(joined)


def calls(words: Words, names: tuple[str, ...]) -> bool:
    """Whether one of `names` (a wake word) is among the words."""
    text = f" {' '.join(words)} "
    return any(f" {' '.join(words_of(name))} " in text for name in names if words_of(name))


def repeats(words: Words, said: Words) -> bool:
    """Whether nearly all the words occur, in this order, in what was said: an echo of it.

    Two words at least (or four Chinese characters), or a long one; never one or two that stop us,
    and of more than these every one must occur: "Wait, a fox?" is no echo of "a fox".
    """
    units = _units(words, 1)
    size = sum(0.5 if unit > "\u3400" else 1 for unit in units)
    if size < 2 and not any(len(unit) >= LONG_WORD for unit in units):
        return False
    stopping = stops(words)
    if size <= 2 and stopping:
        return False
    forgiven = 0 if stopping else len(units) // 5
    return len(units) - _common(units, _units(said, 1)) <= forgiven


def _units(words: Words, size: int) -> Words:
    """The words, runs of Chinese cut into pieces of so many characters."""
    pieces = re.compile(rf"[a-z0-9]+|[^a-z0-9]{{1,{size}}}")
    return [piece for word in words for piece in pieces.findall(word)]


def _common(left: Words, right: Words) -> int:
    """The length of the longest subsequence that both have."""
    row = [0] * (len(right) + 1)
    for word in left:
        before = list(row)
        for j, other in enumerate(right):
            row[j + 1] = before[j] + 1 if word == other else max(before[j + 1], row[j])
    return row[-1]
