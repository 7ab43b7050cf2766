"""What a voice over our own means: stop us, go on, or wait for more.

Takes the words so far and how long the voice has lasted; gives a verdict. Pure. English and
Chinese are looked up in the same way: a list of what stops us and a list of what only listens.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from visavis.flow.events import INPUT_RATE_HZ, VoiceMeasured


def _set(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


SUSTAINED_MS = 500
"""Voice that lasts this long without being a backchannel has taken the floor: backchannels are
0.2–0.4 s long."""

STOPPERS = _set(
    "stop wait no hold pause quiet enough cancel shush nevertheless actually but sorry",
    "停 停下 停一下 等 等等 等一下 不对 不是 别说了 闭嘴 够了 打住 不 可是 但是",
)
BACKCHANNELS = _set(
    "uh-huh uhhuh uh huh mm-hm mm-hmm mmhm mm hm hmm mhm mmm yeah yes yep yup right okay ok sure",
    "i see good great nice wow oh ah aha really cool exactly true got it of course",
    "嗯 嗯嗯 对 对对 对对对 是 是的 是啊 好 好的 好吧 哦 噢 啊 行 没错 明白 知道了 原来如此 真的",
)
_WORD = re.compile(r"[a-z0-9'’-]+|[\u4e00-\u9fff]+")


class Verdict(Enum):
    """What to do about it."""

    UNSURE = "unsure"
    INSISTS = "insists"
    NOTHING = "nothing"
    BACKCHANNEL = "backchannel"
    ASIDE = "aside"
    ECHO = "echo"
    INTERRUPTION = "interruption"


def words_of(text: str) -> list[str]:
    """Lower-case words; a run of Chinese characters is one word."""
    return _WORD.findall(text.lower())


def only_listens(words: list[str]) -> bool:
    """Whether every word is a backchannel."""
    return bool(words) and all(
        word in BACKCHANNELS or word.replace("-", "") in BACKCHANNELS for word in words
    )


def classify(text: str, voiced_ms: int, *, final: bool) -> Verdict:
    """The verdict on `text` after `voiced_ms` of voice; `final`: the voice has paused."""
    words = words_of(text)
    if words and words[0] in STOPPERS:
        return Verdict.INTERRUPTION
    if only_listens(words):
        return Verdict.BACKCHANNEL if final else Verdict.UNSURE
    if final:
        return Verdict.INTERRUPTION if words else Verdict.NOTHING
    return Verdict.INTERRUPTION if voiced_ms >= SUSTAINED_MS else Verdict.UNSURE


@dataclass(slots=True)
class Voice:
    """A voice over our reply that is not understood yet: since sample `start`, saying `words`."""

    start: int
    words: str = ""
    said: str = ""
    measured: VoiceMeasured | None = None

    def verdict(self, end: int, *, final: bool) -> Verdict:
        """What it means, heard up to sample `end`."""
        voiced_ms = (end - self.start) * 1000 // INPUT_RATE_HZ
        return classify(self.words, voiced_ms, final=final)
