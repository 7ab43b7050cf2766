"""The report: one file that needs nothing else, and shows as text whatever was said."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.bench import report, store
from visavis.bench.result import Episode, Mark, Result, Sounding, Stretch
from visavis.flow.errors import InputError

HOSTILE = "<script>alert(1)</script>\" onload='x' & \x00 \ud800 \u202e $title"
VOID = {"meta", "input"}


class Page(HTMLParser):
    """Elements with their attributes, in order; raises where tags do not match."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"{tag}: an attribute twice: {names}"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def all(self, tag: str, class_: str = "") -> list[dict[str, str | None]]:
        return [
            attributes
            for name, attributes in self.elements
            if name == tag and (not class_ or class_ in (attributes.get("class") or "").split())
        ]


def episode(name: str = "one", scenario: str = "smooth", **values: list[float]) -> Episode:
    """A question and its answer."""
    return Episode(
        scenario,
        name,
        seed=7,
        length_s=4.0,
        truth=[Stretch("question", 0.5, 1.5, f"what is {name}?")],
        sounding=[Sounding(1, 2.0, 3.0), Sounding(1, 3.0, 3.5, ducked=True)],
        marks=[Mark(1.7, "turn.ended", "p 0.9"), Mark(2.0, "reply.start")],
        history=[("user", f"what is {name}?"), ("assistant", "It is this.")],
        values=values or {"voice_to_voice": [500.0]},
        envelopes={"user": [0.1] * 200, "reply": [0.2] * 200},
    )


def page(*episodes: Episode, **about: str) -> Page:
    return Page(report.page(Result(about, list(episodes))))


def test_the_page_is_whole_and_asks_for_nothing():
    html = report.page(Result({"tier": "tiny"}, [episode()]))
    parsed = Page(html)
    assert parsed.all("html")[0]["lang"] == "en"
    assert not re.search(r"(src|href|action)=|@import|url\(|https?:", html)
    [policy] = [m["content"] for m in parsed.all("meta") if m.get("http-equiv")]
    assert "default-src 'none'" in policy
    [script] = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy


def test_a_run_that_was_broken_off_says_so():
    whole, partial = (Result({}, [episode(), episode()], planned=count) for count in (2, 3))
    assert "2 episodes of 1 scenario, " in report.page(whole)
    assert "2 episodes (of 3 that were planned) of 1 scenario, " in report.page(partial)
    assert not Result({}, [episode()]).is_partial, "an older result does not know"


def test_light_and_dark_are_both_there():
    html = report.page(Result())
    assert "prefers-color-scheme: dark" in html
    assert 'content="light dark"' in html


def test_whatever_was_said_is_text():
    bad = episode(HOSTILE, HOSTILE)
    bad.truth = [Stretch("question", 0.5, 1.5, HOSTILE)]
    bad.marks, bad.history, bad.error = [Mark(1, HOSTILE, HOSTILE)], [(HOSTILE, HOSTILE)], HOSTILE
    parsed = page(bad, **{HOSTILE: HOSTILE, "command": HOSTILE})
    assert len(parsed.all("script")) == 1
    assert not any("onload" in attributes for _, attributes in parsed.elements)
    shown = "".join(parsed.text)
    assert shown.count("<script>alert(1)</script>\" onload='x' & ␀ ?") >= 8
    assert "$title" in shown  # what looks like a place of the template stays what it is


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.text(max_size=20))
def test_any_text_leaves_the_page_well_formed(said, topic):
    one = episode(said)
    one.marks.append(Mark(1.0, topic, said))
    report.page(Result({"command": said}, [one])).encode("utf-8")
    page(one, command=said)


def test_what_went_wrong_comes_first():
    fine, slow = episode("fine"), episode("slow", voice_to_voice=[1200.0])
    wrong, broke = episode("wrong", backchannel_stops=[0.0, 1.0]), episode("broke")
    broke.error = "the engine died"
    html = report.page(Result({}, [fine, slow, wrong, broke]))
    order = re.findall(r'<span class="name">(\w+)</span>', html)
    assert order == ["broke", "wrong", "slow", "fine"]
    assert html.count('" data-failing="yes"') == 3
    assert "the engine died" in html


def test_each_scenario_has_its_button():
    parsed = page(episode("a", "smooth"), episode("b", "echo & room"), episode("c", "smooth"))
    assert [b["data-scenario"] for b in parsed.all("button") if "data-scenario" in b] == [
        "smooth",
        "echo & room",
    ]
    shown = [d["data-scenario"] for d in parsed.all("details", "episode")]
    assert sorted(shown) == ["echo & room", "smooth", "smooth"]


def test_metrics_say_whether_they_reach_what_is_aimed_at():
    good = [float(400 + k) for k in range(20)]
    html = report.page(Result({}, [episode(voice_to_voice=good, duck=[300.0, 320.0])]))
    assert "1 of 2 aims reached" in html
    rows = re.findall(r'<tr class="(met|missed|open)"><th scope="row">([^<]*)', html)
    assert ("met", "voice to voice, smooth turns") in rows
    assert ("missed", "voice over ours: ducked") in rows
    assert "Not measured in this run: " in html


def test_a_rate_is_shown_in_percent_with_its_count():
    html = report.page(Result({}, [episode(takeover=[1.0, 1.0, 0.0])]))
    assert re.search(r'data-label="rate">66.7<small> %</small>', html)
    assert re.search(r'class="n" data-label="n">3<', html)
    assert "2 of 3" in html


def test_numbers_that_are_none_are_left_out():
    odd = episode(voice_to_voice=[math.nan, math.inf, 500.0])
    odd.length_s = math.nan
    odd.truth.append(Stretch("noise", math.nan, math.inf))
    odd.sounding.append(Sounding(2, 3.0, math.nan))
    odd.marks.append(Mark(math.nan, "x"))
    odd.envelopes["user"] = [math.nan, math.inf, -1.0]
    html = report.page(Result({}, [odd]))
    Page(html)
    assert not re.search(r'"[^"]*\b(nan|inf)\b[^"]*"', html)


@pytest.mark.parametrize("empty", [Episode("s", "n", 0), Episode("s", "n", 0, error="died")])
def test_an_episode_of_nothing_has_its_place(empty):
    assert len(page(empty).all("details", "episode")) == 1


def test_an_empty_run_is_a_page_too():
    html = report.page(Result())
    Page(html)
    assert "Nothing was measured" in html


def test_the_size_stays_bounded():
    long = episode()
    long.length_s = 3600.0
    long.envelopes = {
        "user": [k % 7 / 7 for k in range(180_000)],
        "reply": [k % 5 / 5 for k in range(180_000)],
    }
    long.marks = [Mark(k / 10, "speech.started", "w" * 5000) for k in range(36_000)]
    long.truth = [Stretch("question", k, k + 0.5, "w" * 5000) for k in range(3600)]
    long.sounding = [Sounding(k, k + 0.6, k + 0.9) for k in range(3600)]
    html = report.page(Result({}, [long]))
    assert len(html) < 1_500_000
    assert "All that happened (1100, and 42100 more)" in html


def test_many_episodes_are_cut_and_it_is_said():
    html = report.page(Result({}, [Episode("s", f"n{k}", k) for k in range(503)]))
    assert "3 more episodes are left out here." in html


def test_the_file_is_written_whole(tmp_path: Path):
    path = tmp_path / "out.html"
    path.write_text("old")
    report.write(Result({"tier": "tiny"}, [episode("日本")]), path)
    assert "日本" in path.read_text("utf-8")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("bad", ["no/such/folder/out.html", "."])
def test_a_place_that_cannot_be_written_is_told(tmp_path: Path, bad: str):
    with pytest.raises(InputError) as caught:
        report.write(Result(), tmp_path / bad)
    assert caught.value.remedy
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_half_way_leaves_what_was_there(tmp_path: Path, monkeypatch):
    path = tmp_path / "out.html"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.os, "replace", full)
    with pytest.raises(InputError, match="No space left"):
        report.write(Result(), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
