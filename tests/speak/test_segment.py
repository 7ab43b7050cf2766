"""Tokens become phrases: where they end, when they are released, and that no text is lost."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Collection

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from visavis.flow.clock import NS_PER_MS
from visavis.flow.events import PhraseReady, ReplyStart, ReplyWritten, TokenMade
from visavis.speak.growing import is_wide
from visavis.speak.segment import BOUND, CONTEXT, Segmenter


def start(segmenter: Segmenter, epoch: int = 1, language: str = "en") -> None:
    assert not list(segmenter.on(ReplyStart(t_ns=0, epoch=epoch, messages=(), language=language)))


def token(segmenter: Segmenter, text: str, epoch: int = 1, t_ns: int = 5) -> list[PhraseReady]:
    return list(segmenter.on(TokenMade(t_ns=t_ns, trace=7, epoch=epoch, text=text, index=0)))


def written(segmenter: Segmenter, reason: str = "end", epoch: int = 1) -> list[PhraseReady]:
    return list(segmenter.on(ReplyWritten(t_ns=9, trace=7, epoch=epoch, reason=reason)))


def phrases(*pieces: str, in_context: Collection[str] = ()) -> list[PhraseReady]:
    segmenter = Segmenter(in_context=in_context)
    start(segmenter)
    made = [phrase for piece in pieces for phrase in token(segmenter, piece)]
    return made + written(segmenter)


def texts(text: str) -> list[str]:
    return [phrase.written for phrase in phrases(text) if phrase.written]


def length(text: str) -> int:
    return sum(3 if is_wide(char) else 1 for char in text)


@pytest.mark.parametrize(
    "parts",
    [
        ["The clinic on Main St. opens at 7:15 a.m. on Friday. ", "Bring the card."],
        ["今天很冷。", "记得带伞！", "你几点出门？"],
        ["Pi is 3.14 or so. ", "Yes."],
        ["Dr. Smith and Mr. Jones met Prof. Li. ", "They talked."],
        ["He lives in the U.S. and in the U.K. Senate house. ", "Fine."],
        ["Use v2.3.1. ", "Then go on."],
        ["Mail bob.b@example.com. ", "Or see https://a.org/x.y?z=1! ", "Thanks."],
        ["It costs 18,4 or 1,200 in all. ", "No more."],
        ["共１，２００人，", "很多。"],
        ["第3，4名，", "好。"],
        ["Is it 5? ", "It is 5. ", "Good!"],
        ["Well... ", "I think so… ", "maybe."],
        ["It opens at 7 a.m. ", "Bring the card."],
        ["It opens at 7 a.m. Friday. ", "Bring it."],
        ["He was in the U.S. ", "The end."],
        ["Cats and dogs etc. ", "They bark."],
        ["Cats e.g. Tom etc. are here."],
        ["No. ", "No. 5 is it."],
        ["J. R. R. Tolkien wrote it. ", "I read it."],
        ['"Stop!" he said. ', "He left."],
        ['He said "Stop." ', "He left."],
        ["**Done.** ", "Next."],
        ["1. Apples\n", "2. Pears\n", "3. Plums"],
        ["One\n", "\nTwo\n", "Three"],
        ["他说：“好。”", "然后走了。"],
        ["你好!", "今天OK.", "好的"],
        ["什么？", "！好。"],  # released before what follows is known
        ["Ja. ", "Nein! ", "Wirklich?"],
        ["क्या हाल है। ", "ठीक।"],
        ["Of course, ", "the capital of France is Paris, ", "and so on."],
    ],
)
def test_phrases_end_where_sentences_and_clauses_end(parts: list[str]) -> None:
    assert texts("".join(parts)) == parts


def test_what_is_spoken_of_a_phrase_is_in_words() -> None:
    made = phrases("The clinic on Main St. opens at 7:15 a.m. on Friday. Bring 2 cards.")
    assert [phrase.spoken for phrase in made] == [
        "The clinic on Main Street opens at seven fifteen AM on Friday.",
        "Bring two cards.",
    ]


def test_numbers_are_read_in_the_language_of_the_reply() -> None:
    segmenter = Segmenter()
    start(segmenter, language="zh")
    assert [phrase.spoken for phrase in token(segmenter, "7:15。")] == ["七点十五分。"]
    start(segmenter, epoch=2, language="fr")
    token(segmenter, "7:15", epoch=2)
    assert [phrase.spoken for phrase in written(segmenter, epoch=2)] == ["7:15"]


def test_an_east_asian_stop_releases_before_the_next_character() -> None:
    segmenter = Segmenter()
    start(segmenter)
    assert [p.written for p in token(segmenter, "今天很冷。")] == ["今天很冷。"]
    assert [p.written for p in token(segmenter, "记得带")] == []


def test_a_full_stop_waits_for_what_follows_and_no_longer() -> None:
    segmenter = Segmenter()
    start(segmenter)
    assert not token(segmenter, "It is 3.")
    assert not token(segmenter, "14 or so.")
    assert [p.written for p in token(segmenter, " ")] == ["It is 3.14 or so. "]


def test_an_abbreviation_waits_for_the_word_that_follows() -> None:
    segmenter = Segmenter()
    start(segmenter)
    assert not token(segmenter, "Open till 7 p.m. ")
    assert not token(segmenter, "Th")
    assert [p.written for p in token(segmenter, "en ")] == ["Open till 7 p.m. "]


def test_the_first_phrase_is_short_and_later_ones_may_be_longer() -> None:
    text = "Of course I can, and I can tell you more about the sea, " * 8
    lengths = [len(part) for part in texts(text)]
    assert lengths[0] <= 20 < max(lengths[2:])
    assert min(lengths[2:-1]) > lengths[0]


def test_six_hundred_words_without_a_stop_are_spoken_from_the_start() -> None:
    segmenter = Segmenter()
    start(segmenter)
    first_at = next(i for i in range(600) if token(segmenter, "word "))
    assert first_at < 15
    parts = texts("word " * 600)
    assert all(part.endswith("word ") for part in parts[:-1])
    assert max(map(len, parts)) <= max(BOUND)


def test_text_without_any_space_is_bounded_too() -> None:
    assert max(length(part) for part in texts("无" * 500)) <= max(BOUND) + 2
    assert max(length(part) for part in texts("x" * 5000)) <= max(BOUND)


def test_a_long_sentence_is_cut_before_a_joining_word() -> None:
    text = "The old lighthouse on the shore was built by hand and it still stands"
    assert texts(text)[0] == "The old lighthouse on the shore was built by hand "


def test_a_cut_never_parts_a_character_from_its_accents() -> None:
    for part in texts("e\u0301" * 300):
        assert not part.startswith("\u0301")
    for part in texts("👩\u200d👧" * 200):
        assert not part.startswith("\u200d")
        assert not part.endswith("\u200d")


@pytest.mark.parametrize("reason", ["end", "length", "failed"])
def test_the_rest_is_flushed_as_the_last_phrase_for_every_reason(reason: str) -> None:
    segmenter = Segmenter()
    start(segmenter)
    token(segmenter, "All of it")
    (last,) = written(segmenter, reason)
    assert (last.written, last.spoken, last.last) == ("All of it", "All of it", True)


def test_an_empty_reply_has_one_empty_last_phrase() -> None:
    segmenter = Segmenter()
    start(segmenter)
    (last,) = written(segmenter)
    assert (last.index, last.written, last.spoken, last.last) == (0, "", "", True)
    assert not written(segmenter)


def test_a_cancelled_or_stale_reply_gives_nothing_more() -> None:
    segmenter = Segmenter()
    assert not token(segmenter, "Before any reply. Yes.")
    start(segmenter, epoch=1)
    token(segmenter, "Half a")
    assert not written(segmenter, "cancelled")
    assert not token(segmenter, " sentence. And more.")
    start(segmenter, epoch=3)
    assert not token(segmenter, "Stale. Yes. ", epoch=1)
    assert not written(segmenter, epoch=1)
    (phrase,) = token(segmenter, "New. ", epoch=3)
    assert (phrase.written, phrase.index, phrase.char_start) == ("New. ", 0, 0)


def test_a_phrase_carries_its_cause_and_language() -> None:
    segmenter = Segmenter()
    start(segmenter, language="zh")
    (phrase,) = token(segmenter, "好。")
    assert (phrase.t_ns, phrase.trace, phrase.epoch, phrase.language) == (5, 7, 1, "zh")


def test_code_and_thoughts_do_not_use_up_the_short_first_phrase() -> None:
    text = (
        "<think>Let me see. It is long.</think>\n```\nx = 1\n```\nOf course, it is a long answer."
    )
    spoken = [phrase.spoken for phrase in phrases(text) if phrase.spoken]
    assert spoken == ["Of course,", "it is a long answer."]


def test_a_fence_that_never_closes_does_not_hang() -> None:
    made = phrases("Look. ", "```python\n", *["print(1); x = 'a. B'\n"] * 300)
    assert "".join(phrase.written for phrase in made).count("print") == 300
    assert [phrase.spoken for phrase in made if phrase.spoken] == ["Look."]
    assert made[-1].last


@pytest.mark.parametrize(
    "parts",
    [
        ["The capital ", "of France is Paris. ", "It is big."],
        ["Yes, I would ", "be glad to help you."],
        ["It’s Jack’s ", "well-known old yellow boat."],
        # Too short, or what follows is: the sentence will be over before it sounds.
        ["The sky is blue."],
        ["It is one of many."],
        # Words that are not read as they are written, or that read others otherwise.
        ["The moon is 4 days away from here."],
        ["It takes about 4 days to go there."],
        ["**The capital** of France is Paris."],
        ["See www.example.org for more of it."],
        ["In World War II ", "ships were built here."],
        ["In Chapter V ", "the hero dies at last."],
        ["In Article I ", "they say it all."],
        ["Ask Dr. Miller about the old boat."],
        # Where a clause or a sentence ends as soon, it ends there.
        ["Of course, ", "the capital of France is Paris."],
        ["I think so. ", "The capital of France is Paris."],
        ["今天很冷。", "记得带伞！"],
        ["我们 今天 很 高兴 认识 你。"],
    ],
)
def test_a_voice_that_speaks_in_context_begins_with_the_first_words(parts: list[str]) -> None:
    made = phrases(*re.findall(r"\S+|\s+", "".join(parts)), in_context=("en",))
    assert [phrase.written for phrase in made if phrase.written] == parts


def test_a_part_of_a_sentence_knows_the_words_around_it() -> None:
    made = phrases("The capital of France, as I said, is Paris. It is big.", in_context=("en",))
    assert [(phrase.before, phrase.spoken, phrase.after) for phrase in made] == [
        ("", "The capital", "of France"),
        ("The capital", "of France,", ""),
        ("The capital of France,", "as I said, is Paris.", ""),
        ("", "It is big.", ""),
    ]


def test_what_was_cut_for_its_length_knows_the_words_around_it() -> None:
    text = "It took 9 men to build the old lighthouse on the shore and all of it still stands."
    cut, rest = phrases(text, in_context=("en",))
    assert cut.written == "It took 9 men to build the old lighthouse on the "
    assert (cut.after, rest.after) == ("shore", "")
    assert rest.before == "It took nine men to build the old lighthouse on the"
    for name in ("before", "after"):
        assert not any(getattr(phrase, name) for phrase in phrases(text))


def test_of_a_long_sentence_only_the_last_words_are_remembered() -> None:
    made = phrases("and on and on, " * 40, in_context=("en",))
    befores = [phrase.before for phrase in made]
    assert max(map(len, befores)) <= CONTEXT
    assert all(re.fullmatch(r"(?:and|on)\b.*", before) for before in befores[1:])


@pytest.mark.parametrize(("language", "count"), [("en", 2), ("en-GB", 2), ("de", 1), ("", 1)])
def test_only_a_language_whose_voice_can_is_said_in_parts(language: str, count: int) -> None:
    segmenter = Segmenter(in_context=("en",))
    start(segmenter, language=language)
    made = token(segmenter, "The capital of France is Paris.") + written(segmenter)
    assert len(made) == count


@pytest.mark.parametrize(("each_ms", "count"), [(14, 2), (40, 2), (60, 1), (500, 1)])
def test_who_writes_slowly_does_not_begin_with_the_first_words(each_ms: int, count: int) -> None:
    """What follows them would come too late."""
    segmenter = Segmenter(in_context=("en",))
    start(segmenter)
    made = []
    for i, piece in enumerate(re.findall(r" ?\w+|\W", "The capital of France is Paris.")):
        made += token(segmenter, piece, t_ns=i * each_ms * NS_PER_MS)
    assert len(made + written(segmenter)) == count


def test_a_thought_is_not_cut_into_first_words() -> None:
    text = "<think>\nThe user asks me for the capital of France</think>The capital of it is Paris."
    made = phrases(*re.findall(r"\S+\s*|\s+", text), in_context=("en",))
    assert len(made) < 5
    assert "".join(phrase.written for phrase in made) == text


PIECES = st.sampled_from(
    [
        *" \n.,;:!?…。！？；，、：—\"'”“»)]}(*_`~#|<>&-/@\\\t\r０１3a",
        *["Dr.", " No. ", "a.m.", "U.S.", "St. ", " Friday", " The ", "and ", "```", "<think>"],
        *["今天", "冷", "word", "x.y", "３，", "14", "\ufffd", "é", "👍🏽", "\u200d", "\u0301"],
        *[
            "~~~",
            "\n```",
            "```sh\n",
            "\n~~~\n",
            "\n<think>",
            "`<think>`",
            "\n- ",
            "\n> ",
            ": ```\n",
        ],
        *["</think>", "&lt;", "&amp;", "...", " but ", " old yellow boats", " it's"],
    ]
)
TEXTS = st.lists(PIECES, max_size=80).map("".join) | st.text(max_size=300)


@settings(max_examples=150, deadline=None)
@given(text=TEXTS, cuts=st.lists(st.integers(0, 300), max_size=30), context=st.booleans())
@example(text="a. " * 90, cuts=list(range(300)), context=False)
@example(text="3." + "." * 80 + " x" * 80, cuts=[1, 2, 3, 70, 71], context=False)
@example(
    text="Use ``` or <think>. So~~~\n```sh\nx. y\n```\nYes.", cuts=list(range(60)), context=True
)
@example(text="The old capital of France is Paris", cuts=list(range(40)), context=True)
def test_phrases_depend_on_the_text_alone_and_joined_are_the_text(
    text: str, cuts: list[int], context: bool
) -> None:
    in_context = ("en",) if context else ()
    borders = [0, *sorted({cut for cut in cuts if cut < len(text)}), len(text)]
    pieces = [text[i:j] for i, j in itertools.pairwise(borders)]
    made = phrases(*pieces, in_context=in_context)
    assert made == phrases(*text, in_context=in_context) == phrases(text, in_context=in_context)
    assert "".join(phrase.written for phrase in made) == text
    assert [phrase.index for phrase in made] == list(range(len(made)))
    assert [phrase.last for phrase in made] == [False] * (len(made) - 1) + [True]
    at = 0
    for phrase in made:
        assert phrase.char_start == at
        assert length(phrase.written) <= max(BOUND) + 60
        at += len(phrase.written)


@pytest.mark.parametrize(
    "unit", ["word ", "无", ".", "“", "3.", "a.m. ", "\n", '"', " ", "no. ", "x", "</a>"]
)
def test_the_work_for_each_character_is_bounded(unit: str) -> None:
    def calls(count: int) -> int:
        counted = itertools.count()
        sys.setprofile(lambda *_: next(counted))
        try:
            phrases(*[unit] * count)
        finally:
            sys.setprofile(None)
        return next(counted)

    calls(10)
    assert calls(2_000) < 12 * calls(200)
