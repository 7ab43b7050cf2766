"""The facade: what `import visavis` offers, and what it costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import visavis

NAMES = [
    "AudioFile",
    "Config",
    "Conversation",
    "FileSink",
    "Meter",
    "NullSink",
    "Recorder",
    "Tool",
    "VideoFile",
    "VisavisError",
    "load_config",
    "load_parts",
]


def test_these_names_and_no_others_are_exported() -> None:
    assert visavis.__all__ == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_each_name_leads_to_what_it_says(name: str) -> None:
    thing = getattr(visavis, name)
    assert callable(thing)
    assert thing.__name__ in (name, name.removesuffix("_config"))
    assert thing.__module__.startswith("visavis.")
    assert thing.__doc__


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'visavis' has no attribute 'Talk'"):
        _ = visavis.Talk


def test_importing_it_loads_nothing_heavy() -> None:
    code = "import sys, visavis; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "visavis" in loaded
    assert not loaded & {"numpy", "av", "click", "onnxruntime", "visavis.wiring"}
