"""One episode in the report: its name, what was measured, its time axis, and what happened.

Knows which episodes want a look: `severity` orders them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from visavis.bench.drawing.markup import element, figure, joined, seconds, text
from visavis.bench.drawing.timeline import drawable, lanes, side, timeline
from visavis.bench.metrics import BY_NAME, METRICS
from visavis.bench.result import Episode, Metric

ZOOMS = (1, 2, 4, 8, 16)
UNNAMED = ("gaps", "time")  # lanes that speak for themselves
MOST_SAID, LONGEST_SAID = 400, 2000
MOST_VALUES = 12


def severity(episode: Episode) -> int:
    """3: broke off. 2: did what it must not. 1: slower than the aim for p95. 0: all well."""
    if episode.error:
        return 3
    bad = [metric for metric in METRICS if _faults(episode, metric)]
    return max((2 if metric.rate else 1 for metric in bad), default=0)


def chapter(episode: Episode, place: int, *, is_open: bool) -> str:
    """The episode as HTML; `place` makes its ids unlike those of others."""
    whole, episode = episode, drawable(episode)
    named = episode.name.startswith(episode.scenario)  # most names begin with it
    head = "" if named else element("span", text(episode.scenario), class_="scenario")
    head += element("span", text(episode.name), class_="name")
    about = f"seed {episode.seed} · {seconds(episode.length_s)}"
    head += element("span", about, class_="seed")
    head += element("span", joined(_badges(episode)), class_="badges")
    body = element("p", text(episode.error), class_="error") if episode.error else ""
    body += _plot(episode, place) + _below(episode, _count(whole) - _count(episode))
    return element(
        "details",
        element("summary", head) + body,
        class_="episode",
        data_scenario=episode.scenario,
        data_failing="yes" if severity(episode) else "no",
        **({"open": "open"} if is_open else {}),
    )


def _faults(episode: Episode, metric: Metric) -> list[float]:
    """The samples that are not as they should be. Of a rate without an aim none is at fault."""
    values = [value for value in episode.values.get(metric.name, ()) if math.isfinite(value)]
    if metric.rate:
        good = 1.0 if metric.better == "higher" else 0.0
        return [v for v in values if v != good] if metric.reach[0] is not None else []
    limit = metric.reach[1]
    return [value for value in values if limit is not None and value > limit]


def _badges(episode: Episode) -> Iterator[str]:
    """What was measured in the episode, at fault or not."""
    if episode.error:
        yield element("span", "failed", class_="badge bad")
    for name, values in episode.values.items():
        metric = BY_NAME.get(name)
        finite = [value for value in values if math.isfinite(value)]
        if metric is None or not finite:
            continue
        bad = "badge bad" if _faults(episode, metric) else "badge"
        title = text(metric.full_title)
        yield element("span", f"{title} " + element("b", text(_said(metric, finite))), class_=bad)


def _said(metric: Metric, values: list[float]) -> str:
    if metric.rate:
        return f"{sum(map(bool, values))} of {len(values)}"
    shown = ", ".join(figure(value, metric.unit) for value in values[:MOST_VALUES])
    return f"{shown}{' …' if len(values) > MOST_VALUES else ''} {metric.unit}"


def _plot(episode: Episode, place: int) -> str:
    """The time axis, beside it the names of its lanes, above it the zoom."""
    names = joined(
        element("span", "" if name in UNNAMED else name, style=f"height:{height}px")
        for name, height in lanes(episode)
    )
    choices = joined(
        element(
            "label",
            f'<input type="radio" name="zoom-{place}" value="{zoom}"'
            f"{' checked' if zoom == 1 else ''}>" + ("fit" if zoom == 1 else f"{zoom}×"),
        )
        for zoom in ZOOMS
    )
    zoom = element("fieldset", element("legend", "zoom") + choices, class_="zoom")
    picture = element("div", timeline(episode), class_="picture", data_length=episode.length_s)
    view = element(
        "div", picture, class_="view", tabindex=0, role="group", aria_label="time axis, scrollable"
    )
    return element("div", zoom + element("div", names, class_="lanes") + view, class_="plot")


def _below(episode: Episode, left: int) -> str:
    """What was kept, and all that happened but for the `left` that there are too many of."""
    said = joined(
        element("dt", text(role)) + element("dd", text(words, LONGEST_SAID) or "–", dir="auto")
        for role, words in episode.history[:MOST_SAID]
    )
    rows = joined(
        element("tr", joined(element("td", cell) for cell in (f"{at_s:.2f}", *cells)), class_=name)
        for at_s, name, *cells in sorted(_happened(episode), key=lambda row: row[0])
    )
    below = ""
    if said:
        below += _folded(f"What was kept of the conversation ({len(episode.history)})", "dl", said)
    if rows:
        more = f", and {left} more" if left else ""
        below += _folded(f"All that happened ({_count(episode)}{more})", "table", rows)
    return element("div", below, class_="below") if below else ""


def _count(episode: Episode) -> int:
    return len(episode.truth) + len(episode.sounding) + len(episode.marks)


def _folded(summary: str, tag: str, content: str) -> str:
    return element("details", element("summary", summary) + element(tag, content))


def _happened(episode: Episode) -> Iterator[tuple[float, str, str, str]]:
    """When, whose doing, what, and words about it."""
    for part in episode.truth:
        what = f"{part.kind}, {part.end_s - part.start_s:.2f} s"
        yield part.start_s, f"k-{part.kind}", text(what), text(part.text)
    for heard in episode.sounding:
        how = "ducked" if heard.ducked else "sounds"
        what = f"{how}, {heard.end_s - heard.start_s:.2f} s"
        yield heard.start_s, "reply", what, f"reply {heard.reply}"
    for mark in episode.marks:
        yield mark.at_s, side(mark), text(mark.topic), text(mark.text)
