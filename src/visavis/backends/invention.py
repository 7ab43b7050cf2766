"""What a recogniser writes when nobody spoke, and how to tell.

A model trained on subtitles fills silence and noise with what subtitles are full of. Pure
functions over a text and its evidence. Invariant: words with good evidence are never dropped,
whatever they are: "thank you" is an invention over noise and an answer over speech.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from dataclasses import dataclass

# Measured with Whisper tiny.en and base (multilingual) on 60 spoken phrases, clean to 0 dB of
# noise, and on 135 pieces of noise: no-speech of speech at most 0.37, of noise at least 0.49;
# mean log-probability of speech above -1.35. Of 584 beginnings and ends of sentences and short
# answers to tiny.en, no-speech of 5 % was above 0.45, and at most 0.73, with good words; of 564
# noises nearly all words were above 0.8, or below -1.4, or what silence is known to bring, or hums.
NO_SPEECH = 0.45
SURELY_NO_SPEECH = 0.8
NOISE_LOG_PROB = -1.4
WEAK_NO_SPEECH = 0.2
WEAK_LOG_PROB = -1.3
POOR_LOG_PROB = -1.1
HOPELESS_LOG_PROB = -1.7
# Above this a text repeats itself: Radford et al. 2022, §4.5.
COMPRESSION = 2.4
MIN_REPEATS, MIN_REPEATS_OF_ONE = 3, 5
# The fastest speakers reach 7 words, or 9 Chinese characters, a second; a short piece is judged
# mildly, because the voiced part is not all of it.
UNITS_PER_S = 9.0
UNITS_GRACE = 2

# "Mmm", "ooh", "hahaha", and letters that are drawn out: a voice, but no word.
HUMMED = re.compile(r"[mhn]{2,}|h?(?:a+|e+|o+|u+)[hm]+|(?:h[aeo]){2,}h?|[aeou]|.*([a-z])\1{3}.*")

ANNOTATION = re.compile(r"\[[^\]]*\]|\([^)]*\)|（[^）]*）|【[^】]*】|\*[^*]*\*|[♪♫]+")
UNIT = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")

USUAL = """
you, i, oh, ah, a, so, the, bye, bye bye, okay, hmm, mm, silence, music, applause, the end,
thank you, thanks, thank you very much, thanks for watching, thank you for watching,
thank you so much for watching, thanks for listening, thank you for listening, subscribe,
please subscribe, like and subscribe, please like and subscribe, dont forget to subscribe,
see you next time, ill see you next time, see you in the next video,
ill see you in the next video, to be continued, well be right back,
谢谢, 谢谢大家, 谢谢观看, 感谢观看, 感谢您的观看, 谢谢收看, 感谢收看, 谢谢收听, 再见,
下期再见, 下次再见, 我们下期再见, 请订阅, 请订阅我的频道, 嗯, 啊, 哦
"""
PHRASES = frozenset(phrase.strip() for phrase in USUAL.split(","))
SIGNATURES = (
    *("subtitles by", "captions by", "transcribed by", "transcript by", "translated by"),
    *("amaraorg", "字幕由", "字幕志愿者", "字幕制作", "字幕製作", "请不吝点赞", "明镜与点点"),
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """How sure a recognition is. `seconds`: how much sound it was made from."""

    log_prob: float
    no_speech: float
    seconds: float


def cleaned(text: str) -> str:
    """The text without annotations ("[BLANK_AUDIO]", "(music)"); empty if no word is left."""
    rest = " ".join(ANNOTATION.sub(" ", text).split())
    return rest if any(unicodedata.category(c)[0] in "LN" for c in rest) else ""


def repeats_itself(text: str) -> bool:
    """Whether the text is a loop: one piece over and over ("no, no, no" is still speech)."""
    data = text.encode()
    if len(data) / len(zlib.compress(data)) > COMPRESSION:
        return True
    units = [unit.casefold() for unit in UNIT.findall(text)]
    for size in range(1, len(units) // MIN_REPEATS + 1):
        length = size * (MIN_REPEATS if size > 1 else MIN_REPEATS_OF_ONE)
        tail = units[-length:]
        if len(tail) == length and tail[size:] == tail[:-size]:
            return True
    return False


def is_impossible(text: str, evidence: Evidence) -> bool:
    """Whether nobody can have said this in that time."""
    too_many = len(UNIT.findall(text)) > UNITS_GRACE + UNITS_PER_S * evidence.seconds
    return too_many or repeats_itself(text)


def is_doubtful(text: str, evidence: Evidence) -> bool:
    """Whether a second, more careful recognition is worth its time."""
    return is_impossible(text, evidence) or evidence.log_prob < POOR_LOG_PROB


def is_invented(text: str, evidence: Evidence) -> bool:
    """Whether to take this for silence or noise."""
    if evidence.no_speech > SURELY_NO_SPEECH or evidence.log_prob < HOPELESS_LOG_PROB:
        return True
    poor = evidence.log_prob < NOISE_LOG_PROB
    if evidence.no_speech > NO_SPEECH and (poor or is_hummed(text)):
        return True
    if is_impossible(text, evidence):
        return True
    weak = evidence.no_speech > WEAK_NO_SPEECH or evidence.log_prob < WEAK_LOG_PROB
    return weak and is_known(text)


def is_hummed(text: str) -> bool:
    """Whether no word of it is one."""
    return all(HUMMED.fullmatch(unit) for unit in UNIT.findall(text.casefold()))


def is_known(text: str) -> bool:
    """Whether recognisers are known to write this over silence."""
    folded = " ".join("".join(c for c in text.casefold() if c.isalnum() or c == " ").split())
    return folded in PHRASES or any(mark in folded for mark in SIGNATURES)
