"""Pictures on their way to an engine: their form, and the album that remembers them."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pictures import picture
from visavis.backends.contract import LlmCapabilities, Media
from visavis.backends.llm.pictures import Album, Turn, sight, turn
from visavis.backends.settings import Settings
from visavis.flow.errors import EngineError
from visavis.flow.events import Message

ASKED = Message("user", "What is this?")


def test_words_alone_stay_plain_text() -> None:
    assert Turn(ASKED).as_chat() == {"role": "user", "content": "What is this?"}


@pytest.mark.parametrize(("form", "kind"), [("JPEG", "jpeg"), ("PNG", "png")])
def test_a_picture_stands_before_the_words(form: str, kind: str) -> None:
    shown = picture(form=form)
    content = Turn(ASKED, (shown,)).as_chat()["content"]
    assert [part["type"] for part in content] == ["image_url", "text"]
    head, _, coded = content[0]["image_url"]["url"].partition(",")
    assert head == f"data:image/{kind};base64"
    assert base64.b64decode(coded) == shown.data


def test_an_engine_that_cannot_see_takes_words_only() -> None:
    blind = LlmCapabilities(512)
    assert turn(ASKED, (), blind).message == ASKED
    with pytest.raises(EngineError, match="cannot see"):
        turn(ASKED, [picture()], blind)


def test_settings_say_how_it_sees() -> None:
    settings = {"picture_tokens": 64, "most_pictures": 3, "picture_side": 448}
    seen = sight(LlmCapabilities(512), Settings("llm/fake", settings))
    assert (seen.picture_tokens, seen.most_pictures, seen.picture_side) == (64, 3, 448)
    assert sight(LlmCapabilities(512), Settings("llm/fake", {})).picture_tokens == 0


@given(st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=30))
def test_two_albums_with_the_same_turns_hold_the_same_within_their_bounds(
    turns: list[list[int]],
) -> None:
    first, second = Album(100), Album(100)
    for names in turns:
        pictures = [Media(str(name), b"x" * (7 * name)) for name in names]
        for album in (first, second):
            album.add(pictures)
        held = [str(name) for name in range(10) if str(name) in first]
        assert held == [str(name) for name in range(10) if str(name) in second]
        assert sum(len(first[name].data) for name in held) <= 100


def test_the_picture_used_last_stays() -> None:
    album = Album(10)
    for name in ("a", "b", "a", "c"):
        album.add([Media(name, b"12345")])
    assert "a" in album
    assert "b" not in album
