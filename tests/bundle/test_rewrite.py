"""Pulling what becomes another file: fetched once, rewritten, kept if both hashes are right."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from visavis.bundle import parse, requantise, stage
from visavis.bundle.address import FileAddress
from visavis.bundle.fetch import Access, Job, Progress
from visavis.bundle.manifest import Manifest
from visavis.bundle.pull import ignore, pull
from visavis.bundle.stage import Stage
from visavis.bundle.store import Store
from visavis.flow.errors import BundleError, PullError

from .conftest import MakeBundle, source
from .test_requantise import mixed, rewritten

FETCHED = mixed()
PATH = "model.gguf"
MakeRewritten = Callable[..., Manifest]


@pytest.fixture
def kept(tmp_path: Path) -> bytes:
    """What is kept of `FETCHED`."""
    return rewritten(tmp_path, FETCHED)


@pytest.fixture
def manifest_of(make_bundle: MakeBundle, kept: bytes) -> MakeRewritten:
    """A manifest whose file is fetched as `FETCHED` and kept as `kept`, or said to be."""

    def make(
        *, address: str = f"file:origin/{PATH}", becomes: bytes = kept, version: str = "2"
    ) -> Manifest:
        what = hashlib.sha256(becomes).hexdigest()
        size = len(becomes)
        line = f'becomes = {{ weights = "Q8_0", sha256 = "{what}", size_bytes = {size} }}\n'
        sources = {PATH: source(address, FETCHED, line)}
        return make_bundle({PATH: FETCHED}, version=version, sources=sources)

    return make


def part(manifest: Manifest, store: Store, data: bytes) -> Path:
    return store.staging(manifest) / "parts" / f"{hashlib.sha256(data).hexdigest()}.part"


@pytest.fixture
def no_fetch(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def forbid() -> None:
        monkeypatch.setitem(stage._FETCH, FileAddress, lambda _: pytest.fail("fetched again"))

    return forbid


def test_every_kind_of_weights_that_a_manifest_may_name_can_be_made() -> None:
    assert "|".join(stage._REWRITE) == parse._WEIGHTS


def test_it_is_kept_rewritten_and_what_was_fetched_is_not(
    store: Store, manifest_of: MakeRewritten, kept: bytes
) -> None:
    manifest, told = manifest_of(), list[Progress]()
    fetched_part, seen = part(manifest, store, FETCHED), list[bool]()

    def report(progress: Progress) -> None:
        told.append(progress)
        seen.append(fetched_part.exists())

    installed = pull(manifest, store, report=report)
    assert installed.files["model"].read_bytes() == kept
    assert any(seen)
    assert {each.name for each in installed.directory.iterdir()} == {
        *(PATH, "bundle.toml", "verified.json")
    }
    assert not store.staging(manifest).exists()
    steps = list(dict.fromkeys(each.what for each in told))
    assert steps == ["copying", "verifying", "converting"]
    converted = [each for each in told if each.what == "converting"]
    assert converted[-1].done_bytes == converted[-1].total_bytes == len(kept)
    assert store.find("toy").files["model"].read_bytes() == kept
    installed.verify()


def test_what_was_fetched_goes_before_the_next_file_comes(
    store: Store, make_bundle: MakeBundle, manifest_of: MakeRewritten, kept: bytes
) -> None:
    first = manifest_of().files[0]
    sources = {PATH: manifest_of().text.partition(f'path = "{PATH}"\n')[2]}
    manifest = make_bundle({PATH: FETCHED, "config.json": b"{}"}, sources=sources)
    assert manifest.files[0] == first
    there: list[bool] = []

    def report(progress: Progress) -> None:
        if progress.file == "config.json":
            there.append(part(manifest, store, FETCHED).exists())

    pull(manifest, store, report=report)
    assert set(there) == {False}


def test_the_sizes_tell_the_disk_and_the_network_apart(
    manifest_of: MakeRewritten, kept: bytes
) -> None:
    manifest = manifest_of()
    assert (manifest.size_bytes, manifest.fetch_bytes) == (len(kept), len(FETCHED))
    assert manifest.files[0].hashes == {hashlib.sha256(kept).hexdigest()}


def test_killed_while_converting_it_converts_again_and_fetches_nothing(
    store: Store,
    manifest_of: MakeRewritten,
    kept: bytes,
    no_fetch: Callable[[], None],
) -> None:
    manifest = manifest_of()

    def killed(progress: Progress) -> None:
        if progress.what == "converting" and progress.done_bytes > progress.total_bytes / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pull(manifest, store, report=killed)
    assert part(manifest, store, kept).exists()
    assert not store.has("toy")
    no_fetch()
    assert pull(manifest, store).files["model"].read_bytes() == kept


def test_what_a_killed_pull_left_of_the_kept_file_does_not_count(
    store: Store, manifest_of: MakeRewritten, kept: bytes
) -> None:
    manifest = manifest_of()
    left = part(manifest, store, kept)
    left.parent.mkdir(parents=True)
    left.write_bytes(b"?" * len(kept) * 2)
    assert pull(manifest, store).files["model"].read_bytes() == kept


def test_wrong_bytes_are_never_converted(
    store: Store, manifest_of: MakeRewritten, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = manifest_of()
    (tmp_path / "origin" / PATH).write_bytes(FETCHED[:-1] + b"?")
    monkeypatch.setitem(stage._REWRITE, "Q8_0", lambda *_: pytest.fail("converted"))
    with pytest.raises(BundleError, match=r"toy: model\.gguf: .*SHA-256 differs"):
        pull(manifest, store)
    assert not list(store.staging(manifest).rglob("*.part"))


@pytest.mark.parametrize(
    ("becomes", "problem"),
    [
        (lambda kept: b"?" + kept[1:], r"rewritten as Q8_0 is not what .* \(SHA-256 differs\)"),
        (lambda kept: kept[:-1], "rewritten as Q8_0 gives more than the"),
        (lambda kept: kept + b"?", "rewritten as Q8_0 gives .* of the"),
    ],
)
def test_another_file_than_stated_is_not_kept(
    store: Store,
    manifest_of: MakeRewritten,
    kept: bytes,
    becomes: Callable[[bytes], bytes],
    problem: str,
    no_fetch: Callable[[], None],
) -> None:
    manifest = manifest_of(becomes=becomes(kept))
    with pytest.raises(BundleError, match=problem) as caught:
        pull(manifest, store)
    assert "\n" not in str(caught.value)
    assert not store.has("toy")
    assert [each.name for each in store.staging(manifest).rglob("*.part")] == [
        part(manifest, store, FETCHED).name
    ]
    no_fetch()
    with pytest.raises(BundleError, match=problem):
        pull(manifest, store)


def test_what_cannot_be_converted_is_told_in_one_line(
    store: Store, manifest_of: MakeRewritten, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise requantise.Malformed("is a malformed GGUF (so it is)")

    monkeypatch.setitem(stage._REWRITE, "Q8_0", refuse)
    with pytest.raises(BundleError, match=r"model\.gguf is a malformed GGUF \(so it is\)"):
        pull(manifest_of(), store)


@pytest.mark.parametrize("offline", [False, True])
def test_a_version_that_has_what_would_be_fetched_is_converted(
    store: Store,
    make_bundle: MakeBundle,
    manifest_of: MakeRewritten,
    kept: bytes,
    offline: bool,
) -> None:
    older = pull(make_bundle({"old.gguf": FETCHED}), store)
    manifest = manifest_of(address="https://nowhere.invalid/model.gguf")
    installed = pull(manifest, store, access=Access(offline=offline))
    assert installed.files["model"].read_bytes() == kept
    assert older.files["model"].read_bytes() == FETCHED


@pytest.mark.parametrize("offline", [False, True])
def test_a_version_that_has_what_is_kept_is_copied(
    store: Store,
    make_bundle: MakeBundle,
    manifest_of: MakeRewritten,
    kept: bytes,
    offline: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pull(make_bundle({"old.gguf": FETCHED}, version="0"), store)
    pull(make_bundle({"new.gguf": kept}, version="1"), store)
    monkeypatch.setitem(stage._REWRITE, "Q8_0", lambda *_: pytest.fail("converted"))
    manifest = manifest_of(address="https://nowhere.invalid/model.gguf")
    installed = pull(manifest, store, access=Access(offline=offline))
    assert installed.files["model"].read_bytes() == kept


def test_a_conversion_of_another_version_that_is_killed_begins_again(
    store: Store, make_bundle: MakeBundle, manifest_of: MakeRewritten, kept: bytes
) -> None:
    pull(make_bundle({"old.gguf": FETCHED}), store)
    manifest = manifest_of(address="https://nowhere.invalid/model.gguf")

    def killed(progress: Progress) -> None:
        if progress.what == "converting":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pull(manifest, store, report=killed)
    assert pull(manifest, store).files["model"].read_bytes() == kept


def test_a_damaged_file_of_another_version_is_fetched_in_its_place(
    store: Store, make_bundle: MakeBundle, manifest_of: MakeRewritten, kept: bytes
) -> None:
    damaged = FETCHED[:-1] + b"?"
    pull(make_bundle({"old.gguf": FETCHED}), store).files["model"].write_bytes(damaged)
    elsewhere = manifest_of(address="https://nowhere.invalid/model.gguf")
    with pytest.raises(BundleError, match="we are offline; run 'visavis pull toy' with a network"):
        pull(elsewhere, store, access=Access(offline=True))
    assert pull(manifest_of(), store).files["model"].read_bytes() == kept


def test_force_fetches_and_converts_again(
    store: Store, manifest_of: MakeRewritten, kept: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest, asked = manifest_of(), list[str]()
    pull(manifest, store)
    fetch = stage._FETCH[FileAddress]

    def counted(job: Job) -> None:
        asked.append(job.file)
        fetch(job)

    monkeypatch.setitem(stage._FETCH, FileAddress, counted)
    pull(manifest, store)
    assert pull(manifest, store, force=True).files["model"].read_bytes() == kept
    assert asked == [PATH]


def test_the_room_it_needs_holds_both_files(
    store: Store, make_bundle: MakeBundle, manifest_of: MakeRewritten, kept: bytes
) -> None:
    manifest = manifest_of()

    def need(manifest: Manifest, twins: dict[str, Path]) -> int:
        return Stage(manifest, store.staging(manifest), Access(), ignore, twins).need_bytes

    assert need(manifest, {}) == len(FETCHED) + len(kept)
    in_wheel = manifest_of(address="pypi:toy==1/model.gguf")
    assert need(in_wheel, {}) == max(3 * len(FETCHED), 2 * len(FETCHED) + len(kept))
    old = pull(make_bundle({"old.gguf": FETCHED}), store).files["model"]
    raw = {hashlib.sha256(FETCHED).hexdigest(): old}
    assert need(manifest, raw) == len(kept)
    assert need(manifest, {hashlib.sha256(kept).hexdigest(): old, **raw}) == len(kept)
    fetched = part(manifest, store, FETCHED)
    fetched.parent.mkdir(parents=True)
    fetched.write_bytes(FETCHED)
    assert need(manifest, {}) == len(kept)


def test_a_disk_with_room_for_one_of_the_two_is_too_small(
    store: Store, manifest_of: MakeRewritten, kept: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = (64 << 20) + len(FETCHED) + len(kept) - 1
    usage = shutil.disk_usage(store.root.parent)._replace(free=room)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(PullError, match="make room"):
        pull(manifest_of(), store)
