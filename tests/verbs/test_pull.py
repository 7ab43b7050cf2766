"""`visavis pull`: what it fetches, lists and says, and with which exit code it ends."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from visavis.bundle.store import Store
from visavis.config import load
from visavis.flow.errors import BundleError, PullError
from visavis.verbs.pull import pull_missing

from .conftest import RunVerb

DATA = b"weights" * 100


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """A manifest of a bundle that comes from a file beside it."""
    (tmp_path / "model.bin").write_bytes(DATA)
    path = tmp_path / "bundle.toml"
    path.write_text(
        'name = "toy"\nversion = "1"\nkind = "vad"\nbackend = "fake"\n'
        'licence = { spdx = "MIT", note = "by [nobody]" }\n'
        '[[files]]\nrole = "model"\npath = "model.bin"\n'
        '[[files.sources]]\nfrom = "file:model.bin"\n'
        f'sha256 = "{hashlib.sha256(DATA).hexdigest()}"\nsize_bytes = {len(DATA)}\n'
    )
    return path


def test_a_manifest_is_pulled_with_its_licence_shown(run_verb: RunVerb, manifest: Path) -> None:
    ended = run_verb("pull", "--manifest", str(manifest))
    assert ended.code == 0
    assert "MIT (by [nobody])" in ended.out
    assert "pulled" in ended.out
    assert Store(load().models).find("toy").files["model"].read_bytes() == DATA
    assert "present" in run_verb("pull", "--manifest", str(manifest), "--offline").out
    assert "pulled" in run_verb("pull", "--manifest", str(manifest), "--force").out


def test_json_is_all_that_stdout_has(run_verb: RunVerb, manifest: Path) -> None:
    ended = run_verb("pull", "--manifest", str(manifest), "--json")
    (row,) = json.loads(ended.out)
    assert (row["name"], row["state"], row["licence"]) == ("toy", "pulled", "MIT")
    assert Path(row["directory"]).is_dir()


def test_the_list_shows_the_catalogue_and_what_else_is_there(
    run_verb: RunVerb, manifest: Path
) -> None:
    run_verb("pull", "--manifest", str(manifest))
    ended = run_verb("pull", "--list")
    assert ended.code == 0
    assert "0 of 5 installed\n  302.5 MB on the disk, 250.7 MB" in ended.out
    lines = {line.split()[0]: line for line in ended.out.splitlines() if line}
    assert "Apache-2.0" in lines["smollm2-135m"]
    assert lines["smollm2-135m"].rstrip().endswith("missing")
    assert lines["toy"].rstrip().endswith("installed")


def test_the_list_as_json(run_verb: RunVerb) -> None:
    rows = {row["name"]: row for row in json.loads(run_verb("pull", "--list", "--json").out)}
    assert rows["silero-vad"]["state"] == "missing"
    assert rows["piper-en-joe"]["size_bytes"] > 60_000_000


def test_damage_is_listed_and_mended(run_verb: RunVerb, manifest: Path) -> None:
    run_verb("pull", "--manifest", str(manifest))
    Store(load().models).find("toy").files["model"].write_bytes(b"damaged")
    listed = json.loads(run_verb("pull", "--manifest", str(manifest), "--list", "--json").out)
    assert listed[0]["state"] == "damaged"
    assert "pulled" in run_verb("pull", "--manifest", str(manifest)).out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["silero-vat"], "silero-vat: no such bundle; did you mean silero-vad?"),
        (["--tier", "huge"], "huge: no such tier; there is: tiny"),
        (["--manifest", "absent.toml"], "absent.toml: cannot be read"),
        (["silero-vad", "--offline"], "silero-vad: would have to be fetched, and we are offline"),
        (["--no-such-option"], "No such option"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    run_verb: RunVerb, arguments: list[str], words: str
) -> None:
    ended = run_verb("pull", *arguments)
    assert ended.code == 2
    assert words in ended.err
    assert "Traceback" not in ended.err


def test_a_failure_of_the_network_ends_with_1_and_skips_the_rest(
    run_verb: RunVerb, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def unreachable(manifest: object, *_: object, **__: object) -> None:
        tried.append(manifest)
        raise PullError("index", "does not answer")

    monkeypatch.setattr("visavis.bundle.pull.pull", unreachable)
    ended = run_verb("pull", "--tier", "tiny")
    assert ended.code == 1
    assert len(tried) == 1
    assert ended.err == "visavis: index: does not answer\n"
    assert ended.out.count("skipped") == 4


def test_one_bad_bundle_does_not_keep_the_others_back(
    run_verb: RunVerb, manifest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(manifest: object, *_: object, **__: object) -> None:
        raise BundleError("toy", "is damaged")

    monkeypatch.setattr("visavis.bundle.pull.pull", wrong)
    rows = json.loads(run_verb("pull", "silero-vad", "smart-turn", "--json").out)
    assert [row["state"] for row in rows] == ["failed", "failed"]
    assert rows[0]["error"] == "toy: is damaged"


def test_pull_missing_is_silent_when_nothing_is(
    run_verb: RunVerb, capsys: pytest.CaptureFixture[str]
) -> None:
    pull_missing([], load())
    assert capsys.readouterr() == ("", "")
    with pytest.raises(BundleError, match="we are offline"):
        pull_missing(["silero-vad"], load(offline=True))
    assert "MIT" in capsys.readouterr().err
