"""Runs a verb as the command line does, in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from visavis.__main__ import main


class Run(NamedTuple):
    """How a verb ended and what it said."""

    code: object
    out: str
    err: str


RunVerb = Callable[..., Run]


@pytest.fixture
def run_verb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> RunVerb:
    """`run_verb("pull", "--list")` with an empty store and no configuration of the user's."""
    monkeypatch.setenv("VISAVIS_MODELS", str(tmp_path / "store"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("VISAVIS_CONFIG", raising=False)
    monkeypatch.delenv("VISAVIS_OFFLINE", raising=False)

    def run(*arguments: str) -> Run:
        monkeypatch.setattr(sys, "argv", ["visavis", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return Run(ended.value.code, said.out, said.err)

    return run
