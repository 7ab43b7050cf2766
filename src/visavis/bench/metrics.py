"""THE TABLE of metrics: name, title, which way is better, what is aimed at."""

from __future__ import annotations

from visavis.bench.result import Metric

METRICS: tuple[Metric, ...] = (
    Metric("voice_to_voice", "voice to voice, smooth turns", "lower", reach=(550, 900)),
    Metric("voice_to_voice_draft", "  with an adopted draft", "lower", reach=(400, None)),
    Metric("voice_to_voice_unclipped", "  early answers as negative", "lower"),
    Metric("false_cut_off", "cut off in a mid-sentence pause", "lower", rate=True, reach=(5, None)),
    Metric("cut_off_heard", "  and a reply was heard", "lower", rate=True),
    Metric("cut_off_at_budget", "  cut off, endpoint within 600 ms", "lower", rate=True),
    Metric("latency_at_budget", "endpoint with 5 % cut off", "lower"),
    Metric("endpoint", "endpoint after the end of speech", "lower"),
    Metric("overlap", "spoken over, per turn of the user", "lower"),
    Metric("takeover", "turns taken when it was our turn", "higher", rate=True),
    Metric("duck", "voice over ours: ducked", "lower", reach=(120, None)),
    Metric("silent", "voice over ours: silent", "lower", reach=(200, 350)),
    Metric("silent_echo", "  through the canceller", "lower", reach=(250, None)),
    Metric("interruption_missed", "interruption missed", "lower", rate=True, reach=(5, None)),
    Metric("backchannel_stops", "backchannel stops the reply", "lower", rate=True, reach=(5, None)),
    Metric("aside_stops", "speech to others stops the reply", "lower", rate=True),
    Metric("noise_stops", "noise or other people stop the reply", "lower", rate=True),
    Metric("uncalled", "answered what was no question", "lower", rate=True),
    Metric("resumed", "resumed, every sample played once", "higher", rate=True),
    Metric("self_interruption", "interrupted by its own echo", "lower", rate=True, reach=(0, None)),
    Metric("heard_exact", "history = words played", "higher", rate=True, reach=(100, None)),
    Metric("draft_adopted", "drafts adopted", "higher", rate=True),
)

BY_NAME = {metric.name: metric for metric in METRICS}
