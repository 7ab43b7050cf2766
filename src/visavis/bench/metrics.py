"""THE TABLE of metrics: name, title, which way is better, what is aimed at."""
# A title has 33 characters at most: so the tables fit a terminal of 80 columns.

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from visavis.bench.result import Metric

METRICS: tuple[Metric, ...] = (
    Metric("voice_to_voice", "voice to voice, smooth turns", "lower", reach=(550, 900)),
    Metric(
        "voice_to_voice_draft",
        "  with an adopted draft",
        "lower",
        reach=(400, None),
        alone="voice to voice, an adopted draft",
    ),
    Metric(
        "voice_to_voice_unclipped",
        "  early answers as negative",
        "lower",
        alone="voice to voice, early as negative",
    ),
    Metric("false_cut_off", "cut off in a mid-sentence pause", "lower", rate=True, reach=(5, None)),
    Metric(
        "cut_off_heard",
        "  and a reply was heard",
        "lower",
        rate=True,
        alone="cut off, and a reply was heard",
    ),
    Metric("cut_off_at_budget", "  cut off, endpoint within 600 ms", "lower", rate=True),
    Metric("latency_at_budget", "endpoint with 5 % cut off", "lower"),
    Metric("endpoint", "endpoint after the end of speech", "lower"),
    Metric("overlap", "spoken over, per turn of the user", "lower"),
    Metric("takeover", "turns taken when it was our turn", "higher", rate=True),
    Metric("duck", "voice over ours: ducked", "lower", reach=(120, None)),
    Metric("silent", "voice over ours: silent", "lower", reach=(200, 350)),
    Metric(
        "silent_echo",
        "  through the canceller",
        "lower",
        reach=(250, None),
        alone="silent, through the canceller",
    ),
    Metric("interruption_missed", "interruption missed", "lower", rate=True, reach=(5, None)),
    Metric("backchannel_stops", "backchannel stops the reply", "lower", rate=True, reach=(5, None)),
    Metric("held", "  held back by it", "lower", alone="held back by a backchannel"),
    Metric("aside_stops", "speech to others stops the reply", "lower", rate=True),
    Metric("noise_stops", "noise or others stop the reply", "lower", rate=True),
    Metric("uncalled", "answered what was no question", "lower", rate=True),
    Metric("resumed", "resumed, every sample played once", "higher", rate=True),
    Metric("self_interruption", "interrupted by its own echo", "lower", rate=True, reach=(0, None)),
    Metric("heard_exact", "history = words played", "higher", rate=True, reach=(100, None)),
    Metric("draft_adopted", "drafts adopted", "higher", rate=True),
)

BY_NAME = {metric.name: metric for metric in METRICS}


def as_rows(metrics: Iterable[Metric]) -> Iterator[Metric]:
    """As they are shown below one another: a part without the metric it is of has its full title.

    `metrics`: in the order of the table, each once.
    """
    shown: set[str] = set()
    for metric in metrics:
        shown.add(metric.name)
        orphan = metric.is_part and _WHOLES.get(metric.name) not in shown
        yield replace(metric, title=metric.full_title) if orphan else metric


def _wholes() -> dict[str, str]:
    """The metric that each part is of."""
    wholes, whole = {}, ""
    for metric in METRICS:
        if metric.is_part:
            wholes[metric.name] = whole
        else:
            whole = metric.name
    return wholes


_WHOLES = _wholes()
