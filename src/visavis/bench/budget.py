"""Cutting people off against keeping them waiting, on one scale.

A system that waited `w` longer at every pause would cut off fewer people and answer later. From
one run both can be told for any `w` >= 0: a pause that was cut when `left` of it remained would be
waited out for `w` >= `left`, and every end of turn is found `w` later. So, after the trade-off of
cut-in rate and latency of Raux and Eskenazi (SIGdial 2008; ACM TSLP 2012):

- false cut-offs at a latency budget: with the largest `w` for which the median endpoint delay is
  within the budget (nothing, if that of the run itself is not);
- latency at a false cut-off budget: with the smallest `w` for which the rate is within it.

Takes a `Result` whose episodes have `endpoint` and `pause_left`; writes `cut_off_at_budget` and
`latency_at_budget` into the episodes they come from. `w` < 0 cannot be told from a run: a system
that is within its budgets is shown as it ran.
"""

from __future__ import annotations

import numpy as np

from visavis.bench.result import Result

LATENCY_BUDGET_MS = 600.0
"""Of the endpoint; people leave about 200 ms between turns, and notice a second."""
CUT_OFF_BUDGET = 0.05


def settle(result: Result) -> None:
    """Works both out over the whole run. May be called again when episodes were added."""
    endpoints, left = result.values("endpoint"), result.values("pause_left")
    for episode in result.episodes:
        episode.values.pop("cut_off_at_budget", None)
        episode.values.pop("latency_at_budget", None)
    if not endpoints or not left:
        return
    spare_ms = LATENCY_BUDGET_MS - float(np.median(endpoints))
    needed_ms = wait_for(left, CUT_OFF_BUDGET)
    for episode in result.episodes:
        if spare_ms >= 0 and (pauses := episode.values.get("pause_left")):
            episode.values["cut_off_at_budget"] = [float(rest > spare_ms) for rest in pauses]
        if delays := episode.values.get("endpoint"):
            episode.values["latency_at_budget"] = [delay + needed_ms for delay in delays]


def wait_for(left_ms: list[float], share: float) -> float:
    """The smallest extra wait that leaves at most this share of the pauses cut."""
    for wait_ms in sorted({0.0, *left_ms}):
        if sum(rest > wait_ms for rest in left_ms) <= share * len(left_ms):
            return wait_ms
    raise AssertionError("the longest rest leaves none cut")
