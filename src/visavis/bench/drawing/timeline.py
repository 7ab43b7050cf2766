"""An episode on its time axis, as inline SVG.

From above: the user's sound, what it was in truth, the silences that matter, when the reply
sounded, the reply's sound, what happened, seconds. Every x is a share of the width, so that the
page zooms by making the picture wider: shapes move apart, text keeps its size.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from visavis.bench.drawing.gaps import gaps
from visavis.bench.drawing.markup import element, joined, text
from visavis.bench.drawing.wave import wave
from visavis.bench.result import Episode, Mark, Sounding, Stretch

MOST_BARS = 300
MOST_MARKS = 500
WAVE, BAR, GAP, TICK, AXIS = 46, 18, 22, 14, 18  # heights, px
LONGEST_WORDS = 120
ROOM = 0.03  # of the width: where a bar has a word to show
CROWDED_S = 30.0
ROWS = 4  # of truth; what sounds at the same time lies in rows
STEPS_S = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)

Part = TypeVar("Part", Stretch, Sounding)


def drawable(episode: Episode) -> Episode:
    """The same without what cannot be drawn: not finite, or too much. In order of time."""
    marks = [mark for mark in episode.marks if math.isfinite(mark.at_s)]
    return replace(
        episode,
        length_s=_length_s(episode),
        truth=_drawn(episode.truth)[:MOST_BARS],
        sounding=_drawn(episode.sounding)[:MOST_BARS],
        marks=sorted(marks, key=lambda mark: mark.at_s)[:MOST_MARKS],
    )


def _length_s(episode: Episode) -> float:
    """Of the axis: all that is drawn lies on it."""
    ends = [episode.length_s]
    ends += [stretch.end_s for stretch in episode.truth]
    ends += [sounding.end_s for sounding in episode.sounding]
    ends += [mark.at_s for mark in episode.marks]
    return max((end for end in ends if math.isfinite(end)), default=0.0) or 1.0


def _drawn(parts: Iterable[Part]) -> list[Part]:
    bars = [p for p in parts if -math.inf < p.start_s < p.end_s < math.inf]
    return sorted(bars, key=lambda part: part.start_s)


def lanes(episode: Episode) -> list[tuple[str, int]]:
    """Name and height of each lane, from above."""
    rows = max(_rows(episode.truth), default=0) + 1
    return [
        ("user", WAVE), ("truth", rows * BAR), ("gaps", GAP), ("sounding", BAR), ("reply", WAVE),
        ("events", TICK), ("time", AXIS),
    ]  # fmt: skip


def timeline(episode: Episode) -> str:
    """The picture of an episode that is `drawable`."""
    whole_s = episode.length_s
    tops, height = {}, 0
    for name, tall in lanes(episode):
        tops[name], height = height, height + tall
    parts = [
        *_axis(whole_s, tops["time"]),
        *_truth(episode, whole_s, tops["truth"]),
        *_soundings(episode, whole_s, tops),
        wave(episode.envelopes.get("user", ()), whole_s, tops["user"], WAVE, "user"),
        wave(episode.envelopes.get("reply", ()), whole_s, tops["reply"], WAVE, "reply"),
        *_gaps(episode, whole_s, tops["gaps"]),
        *(_mark(mark, whole_s, tops["events"]) for mark in episode.marks),
    ]
    label = f"Time axis of {episode.name}: {len(episode.truth)} stretches, {whole_s:.1f} s"
    return element(
        "svg", joined(parts), class_="timeline", height=height, role="img", aria_label=label
    )


def _rows(bars: Sequence[Stretch]) -> list[int]:
    """The row of each stretch: the first that is free, the last when none is."""
    free_s = [-math.inf] * ROWS
    rows = []
    for part in bars:
        row = next((k for k, end_s in enumerate(free_s) if end_s <= part.start_s), ROWS - 1)
        free_s[row] = part.end_s
        rows.append(row)
    return rows


def _truth(episode: Episode, whole_s: float, top: int) -> Iterator[str]:
    for part, row in zip(episode.truth, _rows(episode.truth), strict=True):
        x, width = _x(part.start_s, whole_s), _x(part.end_s - part.start_s, whole_s)
        said = f"{part.kind} {part.start_s:.2f} – {part.end_s:.2f} s"
        told = element("title", text(f"{said}: {part.text}" if part.text else said))
        shade = element("rect", class_="shade", x=x, y=0, width=width, height=top)
        bar = element("rect", class_="bar", width="100%", height=BAR - 2)
        edge = element("rect", width=2, height=BAR - 2)
        words = element("text", text(part.text or part.kind, LONGEST_WORDS), x=6, y=BAR - 6)
        # A picture of its own, so that words end where their bar ends.
        inner = element(
            "svg", bar + edge + words, x=x, y=top + 1 + row * BAR, width=width, height=BAR - 2
        )
        yield element(
            "g", told + shade + inner, class_=f"stretch k-{part.kind}{_late(part, whole_s)}"
        )


def _soundings(episode: Episode, whole_s: float, tops: dict[str, int]) -> Iterator[str]:
    for part in episode.sounding:
        x, width = _x(part.start_s, whole_s), _x(part.end_s - part.start_s, whole_s)
        said = f"reply {part.reply}{', ducked' if part.ducked else ''}"
        told = element("title", f"{said} {part.start_s:.2f} – {part.end_s:.2f} s")
        shade = element("rect", class_="shade", x=x, y=tops["reply"], width=width, height=WAVE)
        bar = element("rect", class_="bar", width="100%", height=BAR - 2)
        words = "" if part.ducked else element("text", said, x=6, y=BAR - 6)
        inner = element(
            "svg", bar + words, x=x, y=tops["sounding"] + 1, width=width, height=BAR - 2
        )
        ducked = " ducked" if part.ducked else ""
        yield element("g", told + shade + inner, class_=f"sounding{ducked}{_late(part, whole_s)}")


def _late(part: Stretch | Sounding, whole_s: float) -> str:
    """Words that have no room yet appear when the picture is wider."""
    return " late" if part.end_s - part.start_s < ROOM * whole_s else ""


def _gaps(episode: Episode, whole_s: float, top: int) -> Iterator[str]:
    y, late = top + GAP - 6, " late" if whole_s > CROWDED_S else ""
    for gap in gaps(episode):
        start, end = _x(gap.start_s, whole_s), _x(gap.end_s, whole_s)
        long = (
            f"{gap.length_ms:.0f} ms" if gap.length_ms < 1000 else f"{gap.length_ms / 1000:.2f} s"
        )
        what = "until the answer" if gap.kind == "answer" else "until the reply stopped"
        told = element("title", f"{long} {what}")
        lines = element("line", x1=start, x2=end, y1=y, y2=y)
        for x in (start, end):
            lines += element("line", x1=x, x2=x, y1=y - 3, y2=y + 3)
        middle = _x((gap.start_s + gap.end_s) / 2, whole_s)
        label = element("text", long, x=middle, y=y - 5, text_anchor="middle")
        yield element("g", told + lines + label, class_=f"gap {gap.kind}{late}")


def _mark(mark: Mark, whole_s: float, top: int) -> str:
    x = _x(mark.at_s, whole_s)
    said = f"{mark.at_s:.2f} s  {mark.topic}"
    told = element("title", text(f"{said}: {mark.text}" if mark.text else said))
    tick = element("line", x1=x, x2=x, y1=top + 3, y2=top + TICK - 1)
    # A tick is thin: what the pointer has to hit is wider.
    reach = element("rect", x=x, y=top, width=9, height=TICK, transform="translate(-4.5)")
    return element("g", told + tick + reach, class_=f"mark {side(mark)}")


def side(mark: Mark) -> str:
    """Whose doing a mark is: `user`, `reply`, or `fault`."""
    noun = mark.topic.split(".")[0]
    if mark.topic.endswith(".failed") or noun == "error":
        return "fault"
    return "user" if noun in ("speech", "words", "turn", "input_audio_buffer") else "reply"


def _axis(whole_s: float, top: int) -> Iterator[str]:
    coarse = next((step for step in STEPS_S if whole_s / step <= 10), whole_s)
    fine = next((step for step in STEPS_S if whole_s / step <= 50), whole_s)
    for step, name in ((coarse, "coarse"), (fine, "fine")):
        for k in range(int(whole_s / step + 1e-9) + 1):
            at_s = k * step
            if name == "fine" and abs(at_s / coarse - round(at_s / coarse)) < 1e-6:
                continue
            x = _x(at_s, whole_s)
            line = element("line", x1=x, x2=x, y1=0, y2=top + 4)
            anchor = "start" if k == 0 else "end" if at_s > 0.98 * whole_s else "middle"
            label = f"{at_s:g}" + (" s" if k == 0 else "")
            number = element("text", label, x=x, y=top + 15, text_anchor=anchor)
            yield element("g", line + number, class_=f"tick {name}")


def _x(at_s: float, whole_s: float) -> str:
    return f"{100 * min(max(at_s, 0.0), whole_s) / whole_s:.3f}%"
