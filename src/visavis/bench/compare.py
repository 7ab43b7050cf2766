"""What got better and what got worse from one run of the bench to the next.

Takes two results; gives a row for each statistic (p50 and p95, or the rate) of each metric, with
the difference, its 95 % interval and a verdict. Invariant: a difference that nobody would notice,
or that chance makes in one of twenty comparisons of equals, is never called better or worse.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from visavis.bench.bootstrap import differences, interval, statistic
from visavis.bench.metrics import METRICS, as_rows
from visavis.bench.result import Metric, Result

Verdict = Literal["better", "better?", "same", "worse?", "worse", "too few"]
"""With a question mark: chance may explain it, for among so many rows one is likely to look so."""

Samples = Mapping[tuple[str, str], Sequence[float]]
"""A metric's samples by episode, the episode by its scenario and name."""

FEWEST = 5
FEWEST_FOR_P95 = 20  # of fewer samples the 95th percentile is the largest one, an outlier's place
NOTICED_MS, NOTICED_SHARE, NOTICED_POINTS = 10.0, 0.05, 2.0

FAILED = Metric("failed", "episodes that failed", "lower", rate=True)
QUANTILES: dict[Literal["p50", "p95", "rate"], float | None] = {
    "p50": 0.5,
    "p95": 0.95,
    "rate": None,  # the mean
}
KEPT_ALIKE = ("tier", "machine", "target")
CHANCE = 0.05
INTERVAL = "difference: 95 % interval of new minus old; * unpaired"
STYLES: dict[Verdict, str] = {"better": "green", "worse": "bold red", "too few": "dim"}


@dataclass(frozen=True, slots=True)
class Change:
    """One statistic of one metric in two runs, in its unit (a rate: in %).

    `low` to `high`: the 95 % interval of new minus old. What is not known is NaN. `paired`: the
    episodes that both runs have were compared, and no others.
    """

    metric: Metric
    statistic: Literal["p50", "p95", "rate"]
    old: float
    new: float
    low: float
    high: float
    samples: tuple[int, int]
    paired: bool
    verdict: Verdict

    @property
    def difference(self) -> float:
        """New minus old."""
        return self.new - self.old

    @property
    def unit(self) -> str:
        return "%" if self.metric.rate else self.metric.unit


@dataclass(frozen=True, slots=True)
class Comparison:
    """All changes, in the order of the metrics; none if the runs have no scenario in common.

    `notes`: what the runs differ in, a line each.
    """

    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()

    @property
    def regressed(self) -> bool:
        """Whether anything is worse: surely, and enough to be noticed."""
        return any(change.verdict == "worse" for change in self.changes)

    def table(self) -> Table:
        """The changes for a terminal of 80 columns, without the percentiles of too few samples."""
        shown = [c for c in self.changes if c.statistic != "p95" or c.verdict != "too few"]
        caption = "\n".join(map(escape, [INTERVAL, *self.notes]))
        table = Table(
            box=None,
            pad_edge=False,
            collapse_padding=True,
            caption=caption,
            caption_justify="left",
        )
        table.add_column("metric")
        for heading in ("", "old", "new", "difference", "n"):
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("verdict", no_wrap=True)
        rows = as_rows(dict.fromkeys(change.metric for change in shown))
        titles = {metric.name: metric.title for metric in rows}
        for change in shown:
            table.add_row(Text(titles[change.metric.name]), *_cells(change))
        return table


def compare(
    old: Result,
    new: Result,
    *,
    seed: int = 0,
    resamples: int = 2000,
    metrics: Sequence[Metric] = METRICS,
) -> Comparison:
    """Compares two runs, metric by metric, by the percentile bootstrap.

    Only scenarios that are in both count: what a story and a question take is not compared.
    Where the runs have at least 5 episodes in common (by scenario and name) in which the metric
    was measured, these are compared in pairs: whole episodes are drawn, the same ones from both
    runs. Otherwise the samples of each run are drawn by themselves, unpaired. Fewer than 5 samples
    on either side are "too few"; for p95, fewer than 20.

    A difference counts if it is more than 10 ms and 5 % of the old value, or for a rate more than
    2 percentage points. If then the 95 % interval excludes zero it is "better?" or "worse?", and
    without the question mark if the interval does so that allows for the number of rows
    (Bonferroni): of 20 comparisons of equals one may be called worse, not each third.

    The share of episodes that failed is compared like a rate: a run that broke off is no progress.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), ch. 8 and 13.
    """
    notes = tuple(_notes(old, new))
    old, new = _shared(old, new), _shared(new, old)
    rows = list(_rows(FAILED, _failures(old), _failures(new)))
    for metric in metrics:
        rows += _rows(metric, _samples(old, metric.name), _samples(new, metric.name))
    judged = sum(row.enough for row in rows)
    changes = tuple(row.judge(CHANCE / max(1, judged), seed, resamples) for row in rows)
    return Comparison(changes, notes)


def scenarios(run: Result) -> list[str]:
    """Those of its episodes, in their order."""
    return list(dict.fromkeys(episode.scenario for episode in run.episodes))


def _shared(run: Result, other: Result) -> Result:
    """The run without the episodes of scenarios that the other has not."""
    both = {*scenarios(other)}
    return replace(run, episodes=[each for each in run.episodes if each.scenario in both])


@dataclass(frozen=True, slots=True)
class _Row:
    """A statistic to compare, and the groups of samples to compare it on."""

    metric: Metric
    statistic: Literal["p50", "p95", "rate"]
    old: Sequence[Sequence[float]]
    new: Sequence[Sequence[float]]
    paired: bool

    @property
    def samples(self) -> tuple[int, int]:
        return sum(map(len, self.old)), sum(map(len, self.new))

    @property
    def enough(self) -> bool:
        return min(self.samples) >= (FEWEST_FOR_P95 if self.statistic == "p95" else FEWEST)

    def judge(self, chance: float, seed: int, resamples: int) -> Change:
        """`chance` of a difference between equals to be called sure."""
        scale, quantile = 100.0 if self.metric.rate else 1.0, QUANTILES[self.statistic]
        old, new = (
            scale * statistic([value for group in side for value in group], quantile)
            for side in (self.old, self.new)
        )
        low = high = math.nan
        verdict: Verdict = "too few"
        if self.enough:
            draws = scale * differences(
                self.old, self.new, quantile, paired=self.paired, seed=seed, resamples=resamples
            )
            low, high = interval(draws, CHANCE)
            verdict = _verdict(self.metric, old, new, (low, high), interval(draws, chance))
        return Change(
            self.metric, self.statistic, old, new, low, high, self.samples, self.paired, verdict
        )


def _rows(metric: Metric, old: Samples, new: Samples) -> Iterator[_Row]:
    """The rows of a metric; none if neither run measured it."""
    if not old and not new:
        return
    both = [episode for episode in old if episode in new]
    paired = len(both) >= FEWEST
    if paired:
        groups = [old[each] for each in both], [new[each] for each in both]
    else:
        groups = _singly(old), _singly(new)
    yield from (
        _Row(metric, name, *groups, paired) for name in QUANTILES if (name == "rate") == metric.rate
    )


def _verdict(
    metric: Metric, old: float, new: float, likely: tuple[float, float], sure: tuple[float, float]
) -> Verdict:
    """`likely`, `sure`: the 95 % interval of the difference, and the one for so many rows."""
    noticed = NOTICED_POINTS if metric.rate else max(NOTICED_MS, NOTICED_SHARE * abs(old))
    if likely[0] <= 0 <= likely[1] or abs(new - old) <= noticed:
        return "same"
    doubtful = sure[0] <= 0 <= sure[1]
    if (new < old) == (metric.better == "lower"):
        return "better?" if doubtful else "better"
    return "worse?" if doubtful else "worse"


def _samples(run: Result, metric: str) -> Samples:
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for episode in run.episodes:
        values = [value for value in episode.values.get(metric, ()) if math.isfinite(value)]
        if values:
            found[episode.scenario, episode.name] += values
    return found


def _failures(run: Result) -> Samples:
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for episode in run.episodes:
        found[episode.scenario, episode.name].append(float(bool(episode.error)))
    return found


def _singly(samples: Samples) -> list[Sequence[float]]:
    """Each sample a group of its own."""
    return [(value,) for values in samples.values() for value in values]


def _notes(old: Result, new: Result) -> Iterator[str]:
    for key in KEPT_ALIKE:
        before, after = old.about.get(key, ""), new.about.get(key, "")
        if before != after:
            yield f"the runs differ in {key}: {before or 'unknown'}, then {after or 'unknown'}"
    for which, run, other in (("old", old, new), ("new", new, old)):
        if alone := [name for name in scenarios(run) if name not in scenarios(other)]:
            yield f"only in the {which} run, and not compared: {', '.join(alone)}"


def _cells(change: Change) -> list[Text]:
    """All but the title."""
    between = "" if math.isnan(change.low) else f"{change.low:+.0f}…{change.high:+.0f}"
    old, new = change.samples
    count = f"{old}" if old == new else f"{old}, {new}"
    return [
        Text(f"{change.statistic} {change.unit}"),
        Text(_figure(change.old)),
        Text(_figure(change.new)),
        Text(between),
        Text(count if change.paired else f"{count}*"),
        Text(change.verdict, style=STYLES.get(change.verdict, "")),
    ]


def _figure(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.0f}"
