"""The report: a run of the bench as one HTML file that needs nothing else.

Takes a `Result`; gives a page: what was run, the metrics, and every episode on its time axis, those
that failed first. Invariants: the page loads nothing and runs no script but its own; whatever was
said is shown as text; the file appears whole or not at all.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from string import Template

from visavis.bench.drawing.chapter import chapter, severity
from visavis.bench.drawing.markup import element, joined, seconds, text
from visavis.bench.drawing.metrics import row
from visavis.bench.metrics import METRICS, as_rows
from visavis.bench.result import Kind, Result
from visavis.bench.score import finite, met
from visavis.bench.store import write_whole
from visavis.flow.errors import InputError

MOST_EPISODES = 500
OPEN = 12
KINDS: tuple[Kind, ...] = (
    "question", "continuation", "interruption", "backchannel", "aside", "background", "noise",
)  # fmt: skip
ABOUT = ("target", "tier", "date", "version", "commit", "machine")


def write(result: Result, path: Path) -> None:
    """Writes the page. Raises `InputError` when it cannot be written; nothing is left then."""
    if path.is_dir():
        raise InputError(path, "is a directory", "name a file")
    write_whole(path, page(result).encode(), "choose another place with --report")


def page(result: Result) -> str:
    """The HTML of the whole page."""
    template = resources.files("visavis.bench.drawing").joinpath("page.html").read_text("utf-8")
    script = re.search(r"<script>(.*?)</script>", template, re.DOTALL)
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    measured = {metric.name: values for metric in METRICS if (values := finite(result, metric))}
    return Template(template).substitute(
        script_hash=f"sha256-{digest}",
        title=text(_title(result)),
        headline=text(_headline(result)),
        lede=text(_lede(result)),
        about=_about(result),
        metrics=joined(
            row(metric, measured[metric.name])
            for metric in as_rows(metric for metric in METRICS if metric.name in measured)
        ),
        unmeasured=text(_unmeasured(result)),
        legend=joined(element("li", kind, class_=f"k-{kind}") for kind in KINDS),
        scenarios=_scenarios(result),
        episodes=joined(_chapters(result)),
    )


def _title(result: Result) -> str:
    what = " · ".join(result.about[key] for key in ("target", "tier") if result.about.get(key))
    return f"visavis bench · {what}" if what else "visavis bench"


def _headline(result: Result) -> str:
    reached = [met(metric, finite(result, metric)) for metric in METRICS]
    aims = sum(each is not None for each in reached)
    return f"{reached.count(True)} of {aims} aims reached" if aims else "Nothing was measured"


def _lede(result: Result) -> str:
    scenarios = len({episode.scenario for episode in result.episodes})
    lengths = [each.length_s for each in result.episodes if math.isfinite(each.length_s)]
    failing = sum(severity(episode) > 0 for episode in result.episodes)
    rest = f"{failing} of them want a look" if failing else "none of them wants a look"
    planned = f" (of {result.planned} that were planned)" if result.is_partial else ""
    plural = "s" * (scenarios != 1)
    return (
        f"{len(result.episodes)} episodes{planned} of {scenarios} scenario{plural}, "
        f"{seconds(sum(lengths))} of conversation; {rest}."
    )


def _about(result: Result) -> str:
    others = sorted({*result.about} - {*ABOUT, "command"})
    keys = [key for key in (*ABOUT, *others, "command") if key in result.about]
    return joined(
        element(
            "div",
            element("dt", text(key)) + element("dd", text(result.about[key])),
            class_="wide" if key == "command" or len(result.about[key]) > 60 else None,
        )
        for key in keys
        if result.about[key]
    )


def _unmeasured(result: Result) -> str:
    names = [metric.full_title for metric in METRICS if not finite(result, metric)]
    return f"Not measured in this run: {' · '.join(names)}." if names else ""


def _scenarios(result: Result) -> str:
    """The buttons of the filter."""
    counts = Counter(episode.scenario for episode in result.episodes)
    return joined(
        element(
            "button",
            text(name) + element("small", f" {count}"),
            type="button",
            data_scenario=name,
            aria_pressed="false",
        )
        for name, count in counts.items()
    )


def _chapters(result: Result) -> Iterator[str]:
    ordered = sorted(result.episodes, key=severity, reverse=True)
    for place, episode in enumerate(ordered[:MOST_EPISODES]):
        yield chapter(episode, place, is_open=place < OPEN)
    left = len(ordered) - MOST_EPISODES
    if left > 0:
        yield element("p", f"{left} more episodes are left out here.", class_="more")
