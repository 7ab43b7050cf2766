"""What a voice over our own means, by its sound and its words, in English and Chinese alike."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.decide.interrupt import PATIENT, SHORT, WORDLESS, Verdict, Voice
from visavis.decide.wording import (
    STOPPERS,
    STOPPERS_ZH,
    adds_nothing,
    content,
    hushes,
    leads_on,
    only_listens,
    refuses,
    repeats,
    stops,
    words_of,
)
from visavis.flow.events import VoiceMeasured

MS = 16
START = 16_000
SPEECH, HUM = 0.1, 0.95


def measured(ms: float, *, hum: float = SPEECH, below_db: float = math.nan) -> VoiceMeasured:
    """A voice that has lasted so long, so much weaker than this user's turns."""
    end = START + round(ms * MS)
    return VoiceMeasured(
        t_ns=0, start=START, end=end, level_db=-30, usual_db=-30 - below_db, hum=hum
    )


def verdict(
    words: str = "",
    ms: float = 300,
    *,
    final: bool = False,
    hum: float = SPEECH,
    below_db: float = math.nan,
    said: str = "",
    names: tuple[str, ...] = (),
) -> Verdict:
    """Of a voice that has been measured until now."""
    sound = measured(ms, hum=hum, below_db=below_db)
    voice = Voice(START, words=words, measured=sound, said=said, names=names)
    return voice.verdict(START + round(ms * MS), final=final)


# ── the sound alone ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("ms", "expected"), [(80, "unsure"), (100, "unsure"), (136, "insists")])
def test_speech_insists_as_soon_as_it_is_no_click(ms: float, expected: str) -> None:
    assert verdict(ms=ms) is Verdict(expected)


def test_a_click_does_not_insist_however_long_the_detector_waits() -> None:
    voice = Voice(START, measured=measured(80))
    assert voice.verdict(START + 300 * MS, final=False) is Verdict.UNSURE


@pytest.mark.parametrize(
    ("ms", "doubted_ms", "expected"),
    [(120, 60, "insists"), (120, 61, "unsure"), (140, 100, "unsure"), (300, 200, "insists")],
)
def test_a_voice_that_may_be_our_own_echo_insists_once_enough_is_more(
    ms: float, doubted_ms: int, expected: str
) -> None:
    sound = replace(measured(ms), doubted=doubted_ms * MS)
    assert Voice(START, measured=sound).verdict(START + round(ms * MS), final=False) is Verdict(
        expected
    )


@pytest.mark.parametrize("ms", [136, 300, 900, 1_900])
def test_a_hum_only_lowers_our_voice(ms: float) -> None:
    assert verdict(ms=ms, hum=HUM) is Verdict.UNSURE


def test_a_hum_that_opens_into_speech_insists() -> None:
    voice = Voice(START, measured=measured(136, hum=HUM))
    assert voice.verdict(START + 140 * MS, final=False) is Verdict.UNSURE
    voice.measured = measured(200, hum=SPEECH)
    assert voice.verdict(START + 200 * MS, final=False) is Verdict.INSISTS


def test_without_measurements_a_voice_insists_later() -> None:
    voice = Voice(START)
    assert voice.verdict(START + 200 * MS, final=False) is Verdict.UNSURE
    assert voice.verdict(START + 260 * MS, final=False) is Verdict.INSISTS


@pytest.mark.parametrize("hum", [SPEECH, HUM])
def test_a_voice_without_words_is_nothing_once_it_is_over_or_lasts_too_long(hum: float) -> None:
    wordless_ms = WORDLESS / MS
    assert verdict(ms=80, final=True, hum=hum) is Verdict.NOTHING
    assert verdict(ms=900, final=True, hum=hum) is Verdict.NOTHING
    assert verdict(ms=wordless_ms, hum=hum) is Verdict.NOTHING
    assert verdict(ms=wordless_ms - 50, hum=hum) is not Verdict.NOTHING


def test_punctuation_alone_is_nothing() -> None:
    assert verdict(" . ", 200, final=True) is Verdict.NOTHING


# ── words that stop us ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        *("stop", "Stop.", "Wait, no", "no!", "No no no", "Hold on.", "Oh, wait.", "please stop"),
        *("Okay, but why?", "Can you stop?", "Excuse me", "Hang on", "Never mind.", "Shut up!"),
        *("Ah. Okay, okay. Wait, wait.", "yeah, no"),
        *("停", "等一下", "不对", "嗯，等等", "别说了", "不", "對不起，等一下", "可是", "But—"),
    ],
)
@pytest.mark.parametrize("final", [True, False])
@pytest.mark.parametrize("hum", [SPEECH, HUM])
def test_a_stop_word_interrupts_however_short(text: str, final: bool, hum: float) -> None:
    assert verdict(text, 100, final=final, hum=hum) is Verdict.INTERRUPTION


@pytest.mark.parametrize("text", ["visavis", "Hey Visavis", "okay, vis-a-vis", "小爱"])
def test_a_wake_word_interrupts(text: str) -> None:
    assert verdict(text, 200, names=("vis-à-vis", "visavis", "小爱")) is Verdict.INTERRUPTION


# ── words that only listen ───────────────────────────────────────────────────────────────────

LISTENING = (
    *("uh-huh", "Okay, okay.", "mm-hmm", "Yeah.", "right", "I see.", "Oh really?", "Of course."),
    *("That’s true.", "Oh wow.", "Yeah, right.", "Got it.", "Mhm, okay.", "Oh no.", "really"),
    # As Whisper spells hums.
    *("Ah.", "Oh.", "NMMM.", "Mm.", "Hmm", "Um", "Uh-huh", "Huh?", "You", "Bye.", "Thank you."),
    *(
        "Emma.",
        "Mm-mm.",
        "Em.",
        "Uh...",
        "uh, huh",
        "Mm-hmm. Mm-hmm.",
        "Aha!",
        "Ooh.",
        "Muh.",
        "Ow.",
    ),
    *("Wuh-huh.", "Mumham.", "Ha ha.", "I see you."),
    *("Amen.", "I have a...", "I hope.", "I'll...", "Uh-oh.", "in them.", "Elle."),
    *("Is it?", "Oh, did he?", "That is right.", "I understand.", "Mkay.", "Please go on."),
    *("嗯哼", "我知道了", "谢谢你", "对的", "就是啊", "很好", "呵呵"),
    *(
        "嗯",
        "嗯嗯",
        "对对对",
        "好的。",
        "是啊",
        "哦",
        "啊",
        "明白",
        "真的吗？",
        "對",
        "嗯，原来如此",
    ),
    *("不错", "对，没错"),
)


@pytest.mark.parametrize("text", LISTENING)
def test_a_backchannel_is_one_only_when_the_voice_is_over(text: str) -> None:
    assert verdict(text, 300, final=True) is Verdict.BACKCHANNEL
    assert verdict(text, 300, final=False) is Verdict.INSISTS
    assert verdict(text, 300, final=False, hum=HUM) is Verdict.UNSURE
    # A long drawn one is still one.
    assert verdict(text, 1_200, final=True) is Verdict.BACKCHANNEL


@pytest.mark.parametrize(
    ("text", "leads"),
    [
        *((text, True) for text in ("Okay.", "Yeah.", "Mm-hmm. Okay.", "I see.", "对", "嗯，好的")),
        *(
            (text, False)
            for text in ("Mm-hmm.", "Uh, huh", "Ah.", "You", "Thank you.", "嗯嗯", "哦")
        ),
        *((text, False) for text in ("", "okay but", "why")),
    ],
)
def test_a_backchannel_in_words_often_leads_on_and_a_hum_does_not(text: str, leads: bool) -> None:
    assert leads_on(words_of(text)) == leads


@pytest.mark.parametrize("text", ["Damn.", "Come on.", "My mom.", "Hey.", "Nah.", "10."])
def test_a_short_hum_listens_whatever_was_written_for_it(text: str) -> None:
    assert verdict(text, 400, final=True, hum=HUM) is Verdict.BACKCHANNEL
    assert verdict(text, 400, final=False, hum=HUM) is Verdict.UNSURE
    assert verdict(text, 400, final=True, hum=SPEECH) is Verdict.INTERRUPTION
    assert verdict(text, SHORT / MS + 100, final=True, hum=HUM) is Verdict.INTERRUPTION


# ── words that say something ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        *("yes what about Rome", "right and who was the king", "I want to know", "You are wrong"),
        *("Is it far away?", "Thank you for asking me", "that's not it", "On the moon"),
        *("Home, man", "嗯那第二个呢", "好的我想问一下", "多少钱"),
    ],
)
def test_what_goes_on_after_a_backchannel_interrupts(text: str) -> None:
    assert verdict(text, 700, final=True) is Verdict.INTERRUPTION
    assert verdict(text, 700, final=False) is Verdict.INTERRUPTION


@pytest.mark.parametrize(
    "text",
    ["Why?", "Paris?", "Okay, why", "moon", "name"],
)
def test_a_single_word_interrupts_when_it_is_all_or_the_voice_goes_on(text: str) -> None:
    assert verdict(text, 400, final=False) is Verdict.INSISTS
    assert verdict(text, 400, final=True) is Verdict.INTERRUPTION
    assert verdict(text, PATIENT / MS, final=False) is Verdict.INTERRUPTION


@pytest.mark.parametrize(
    "text", ["Is it true?", "Did he go on?", "I have a question", "I hope not"]
)
def test_what_listens_at_the_end_only_interrupts_with_more_behind_it(text: str) -> None:
    assert verdict(text, 700, final=True) is Verdict.INTERRUPTION
    assert verdict(text, 1_200, final=False) is Verdict.INTERRUPTION


@pytest.mark.parametrize("text", ["I say", "I", "Thank", "You say", "A sea"])
def test_what_the_beginning_of_a_listening_word_is_heard_as_does_not_stop_us(text: str) -> None:
    assert verdict(text, 400, final=False) is Verdict.INSISTS


def test_what_the_turn_said_before_is_not_said_again() -> None:
    """A remark to someone else, and then a hum: each is judged by its own words."""
    voice = Voice(START, before="put the kettle on", measured=measured(400))
    voice.hear("Put the kettle on.", START - 100)
    voice.hear("Put the kettle on. Uh-huh.", START + 400 * MS)
    assert voice.verdict(START + 400 * MS, final=True) is Verdict.BACKCHANNEL
    voice.hear("", START + 450 * MS)
    assert voice.verdict(START + 450 * MS, final=True) is Verdict.BACKCHANNEL
    voice.hear("Put the kettle on. Uh-huh. Stop.", START + 900 * MS)
    assert voice.verdict(START + 900 * MS, final=True) is Verdict.INTERRUPTION


def test_a_turn_that_says_no_more_than_its_voice_is_covered_by_it() -> None:
    voice = Voice(START, words="Damn.", measured=measured(400, hum=HUM))
    assert voice.verdict(START + 400 * MS, final=True) is Verdict.BACKCHANNEL
    assert voice.covers("Damn")
    assert not voice.covers("Damn. What about Rome?")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Wait, a fox who lived by a river?", "Once there was a fox who lived by a river."),
        ("No, he liked to fish in the morning", "and he liked to fish in the morning"),
        ("停，狐狸非常聪明每天早上", "狐狸非常聪明每天早上去河边"),
    ],
)
def test_what_stops_us_and_then_repeats_us_is_no_echo(text: str, said: str) -> None:
    assert verdict(text, 1_500, final=True, said=said) is Verdict.INTERRUPTION


HUSHES = (
    *("Stop.", "Stop it, please.", "Wait, wait.", "Wait, no.", "No, no, stop.", "Okay, stop."),
    *("Hold on a moment, please.", "Can you stop talking?", "That's enough.", "Shut up!"),
    *("Uh, wait a second.", "Never mind.", "stop thank you", "Would you stop it?"),
    *("停！", "等一下。", "嗯，等一下", "别说了。", "请安静", "你先停一下", "等等等等", "够了够了"),
    *("好了，停", "别再说了", "请等一会儿", "请你不要说话", "别吵", "停 stop"),
)
ASKS = (
    *("No.", "No, no, no.", "Stop the music.", "Wait, what?", "Hold on, what about Rome?"),
    *("Where is the bus stop?", "Sorry?", "Right.", "", "Wait for me", "Why did you stop?"),
    *("等一下，那罗马呢？", "不对", "今天停电了吗", "停车场在哪里", "你别走", "不要", "别", "等"),
    *("别停", "別停下", "不停", "请不要停下来", "不用停", "Don't stop."),
)


@pytest.mark.parametrize("text", HUSHES)
def test_what_asks_for_silence_alone_is_known(text: str) -> None:
    assert hushes(words_of(text))
    assert verdict(text, 600, final=True) is Verdict.INTERRUPTION


@pytest.mark.parametrize("text", ["No.", "No, no, no.", "Nope", "不", "不，不"])
def test_a_no_is_known(text: str) -> None:
    assert refuses(words_of(text))


@pytest.mark.parametrize("text", ["", "No way.", "Not now.", "No, stop it.", "不对", "不要"])
def test_more_than_a_no_is_none(text: str) -> None:
    assert not refuses(words_of(text))


@pytest.mark.parametrize("text", ASKS)
def test_what_asks_for_more_than_silence_is_no_such_thing(text: str) -> None:
    assert not hushes(words_of(text))


@pytest.mark.parametrize(
    "words",
    [
        ["m" * 3_000 + "x"],
        ["对啊" * 2_000 + "车"],
        ["停别" * 2_000 + "车"],
        ["uhhuh" * 1_000 + "q"],
        ["mhm" * 1_000 + "z"],
        ["a"] * 3_000 + ["x"],
        ["just", "a"] * 1_000 + ["x"],
        ["stop", "no"] * 1_000 + ["x"],
    ],
    ids=lambda words: f"{words[0][:6]}…",
)
def test_no_text_is_looked_at_in_more_ways_than_it_has_letters(words: list[str]) -> None:
    """Thirty "m" and an "x" took a minute: such a text would never come to an end here."""
    assert not only_listens(words)
    stops(words), leads_on(words), content(words)
    assert not any(asks(words) for asks in (hushes, refuses, adds_nothing))


def test_words_that_were_changed_since_count_anew() -> None:
    voice = Voice(START, before="put a kettle", measured=measured(400))
    voice.hear("Put the kettle on.", START + 400 * MS)
    assert voice.verdict(START + 400 * MS, final=True) is Verdict.INTERRUPTION


def test_late_words_of_what_came_before_say_nothing_of_the_voice() -> None:
    voice = Voice(START, measured=measured(400))
    voice.hear("Okay.", START - 100)
    assert voice.verdict(START - 100, final=True) is Verdict.INSISTS
    assert voice.verdict(START + 400 * MS, final=True) is Verdict.NOTHING


# ── words for someone else ───────────────────────────────────────────────────────────────────


def test_a_voice_much_weaker_than_usual_is_for_someone_else() -> None:
    far = -12.0
    assert verdict(ms=300, below_db=far) is Verdict.UNSURE
    assert verdict("put the kettle on", 500, below_db=far) is Verdict.UNSURE
    assert verdict("put the kettle on", 1_000, below_db=far) is Verdict.ASIDE
    assert verdict("No, it is there.", 600, final=True, below_db=far) is Verdict.ASIDE


def test_its_first_moments_do_not_tell() -> None:
    """Many words begin softly."""
    assert verdict(ms=200, below_db=-12) is Verdict.INSISTS
    assert verdict("stop", 200, final=True, below_db=-12) is Verdict.INTERRUPTION


def test_whether_words_are_for_us_is_waited_for_while_we_stand_still() -> None:
    """ "No, it is on the kitchen table": the first word is there before its level says much."""
    assert verdict("No", 220, below_db=-12) is Verdict.INSISTS
    assert verdict("No", 220, below_db=-6) is Verdict.INTERRUPTION
    assert verdict("No", 240, below_db=-6) is Verdict.INTERRUPTION
    assert verdict("No", 240, below_db=-12) is Verdict.UNSURE
    assert verdict("No", 300, final=True, below_db=-12) is Verdict.ASIDE


def test_what_goes_on_after_an_aside_is_for_us_only_once_it_is_known_to_be_loud() -> None:
    """ "Put the kettle on, … would you?"."""

    def later(ms: float, below_db: float, *, final: bool = False) -> Verdict:
        voice = Voice(START, after_aside=True, measured=measured(ms, below_db=below_db))
        voice.words = "would you"
        return voice.verdict(START + round(ms * MS), final=final)

    assert later(200, 0) is Verdict.INSISTS
    assert later(320, 0) is Verdict.INTERRUPTION
    assert later(320, -12) is Verdict.UNSURE
    assert later(320, -12, final=True) is Verdict.ASIDE
    assert later(200, 0, final=True) is Verdict.INTERRUPTION


@pytest.mark.parametrize("below_db", [-6.0, 0.0, 5.0, math.nan])
def test_a_voice_about_as_loud_as_usual_or_of_unknown_loudness_is_for_us(below_db: float) -> None:
    assert verdict("stop it now", 500, below_db=below_db) is Verdict.INTERRUPTION


# ── our own words ────────────────────────────────────────────────────────────────────────────

SAID = "The Romans built their roads for soldiers, and then wait for the moon to stop."


@pytest.mark.parametrize("text", ["built their roads for", "Romans build their roads for soldiers"])
def test_our_own_words_are_an_echo(text: str) -> None:
    assert verdict(text, 800, said=SAID) is Verdict.UNSURE
    assert verdict(text, 800, said=SAID, final=True) is Verdict.ECHO


@pytest.mark.parametrize(
    "text", ["stop", "wait for", "the moon is far away", "What soldiers?", "moon?", "roads built"]
)
def test_a_word_in_common_is_no_echo(text: str) -> None:
    assert verdict(text, 800, said=SAID, final=True) is Verdict.INTERRUPTION


def test_an_echo_in_chinese() -> None:
    said = "罗马人修建了很多道路"
    assert verdict("修建了很多道路", 800, said=said, final=True) is Verdict.ECHO
    assert verdict("为什么修路", 800, said=said, final=True) is Verdict.INTERRUPTION


def test_nothing_is_an_echo_of_silence() -> None:
    assert not repeats(words_of("anything at all"), [])
    assert not repeats([], words_of(SAID))


# ── whatever comes ───────────────────────────────────────────────────────────────────────────

TEXTS = st.lists(
    st.sampled_from(["okay", "uh-huh", "stop", "the", "moon", "mm", "嗯", "等", "什么", ".", "7"])
).map(" ".join)


@given(TEXTS | st.text(max_size=20), st.integers(0, 5_000), st.sampled_from([SPEECH, HUM]))
def test_what_is_over_is_decided(text: str, ms: int, hum: float) -> None:
    found = verdict(text, ms + 1, final=True, hum=hum)
    assert found not in (Verdict.UNSURE, Verdict.INSISTS)
    assert (found is Verdict.NOTHING) == (not words_of(text))


@given(TEXTS)
def test_to_listen_is_to_have_no_content(text: str) -> None:
    words = words_of(text)
    assert only_listens(words) == (bool(words) and not content(words))
    assert only_listens([*words, *words]) == only_listens(words) or len(set(words)) > 1


@pytest.mark.parametrize("stopper", [*STOPPERS, *STOPPERS_ZH])
def test_no_word_that_stops_listens(stopper: str) -> None:
    assert not only_listens(words_of(stopper))
