"""Pulling: whole or not at all, resumable, one at a time, and honest about what went wrong."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import threading
from pathlib import Path

import pytest

from visavis.bundle import catalogue, lock, stage
from visavis.bundle.address import FileAddress
from visavis.bundle.fetch import Access, Job, Progress
from visavis.bundle.parse import parse, read
from visavis.bundle.pull import pull
from visavis.bundle.store import Store
from visavis.flow.errors import BundleError, InputError, PullError

from .conftest import WEIGHTS, MakeBundle, source
from .test_gguf import gguf


def test_a_bundle_arrives_with_its_manifest_and_leaves_no_rest(
    store: Store, make_bundle: MakeBundle
) -> None:
    manifest = make_bundle({"model.bin": WEIGHTS, "sub/config.json": b"{}"})
    installed = pull(manifest, store)
    there = {str(p.relative_to(installed.directory)) for p in installed.directory.rglob("*.*")}
    assert there == {"model.bin", "sub/config.json", "bundle.toml", "verified.json"}
    assert (installed.directory / "bundle.toml").read_text() == manifest.text
    assert not store.staging(manifest).exists()


def test_what_is_there_is_not_fetched_again(
    store: Store, make_bundle: MakeBundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = make_bundle()
    pull(manifest, store)
    monkeypatch.setitem(stage._FETCH, FileAddress, lambda _: pytest.fail("fetched again"))
    pull(manifest, store)


def test_what_another_version_has_is_not_fetched_again(
    store: Store, make_bundle: MakeBundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    pull(make_bundle({"model.bin": WEIGHTS}), store)
    newer = make_bundle({"weights/model.bin": WEIGHTS, "config.json": b"{}"}, version="2")
    asked: list[str] = []
    fetch = stage._FETCH[FileAddress]
    monkeypatch.setitem(stage._FETCH, FileAddress, lambda job: (asked.append(job.file), fetch(job)))
    installed = pull(newer, store)
    assert asked == ["config.json"]
    assert (installed.directory / "weights/model.bin").read_bytes() == WEIGHTS


def test_what_another_version_has_damaged_is_fetched(store: Store, make_bundle: MakeBundle) -> None:
    pull(make_bundle(), store).files["model"].write_bytes(b"damaged")
    assert pull(make_bundle(version="2"), store).files["model"].read_bytes() == WEIGHTS


def test_a_size_that_is_known_about_bounds_and_the_hash_decides(
    store: Store, make_bundle: MakeBundle, tmp_path: Path
) -> None:
    about = round(len(WEIGHTS) * 0.95)
    entry = source("file:origin/model.bin", WEIGHTS).replace(
        f"size_bytes = {len(WEIGHTS)}", f"about_bytes = {about}"
    )
    manifest = make_bundle({"model.bin": WEIGHTS}, sources={"model.bin": entry})
    assert pull(manifest, store).files["model"].read_bytes() == WEIGHTS
    origin = tmp_path / "origin/model.bin"
    for wrong, said in ((WEIGHTS[:-1], "SHA-256 differs"), (WEIGHTS * 2, "gives more than")):
        origin.write_bytes(wrong)
        with pytest.raises(BundleError, match=said):
            pull(manifest, store, force=True)


def test_a_tower_that_does_not_fit_its_model_is_refused_whole(
    store: Store, make_bundle: MakeBundle
) -> None:
    manifest = make_bundle({"model.gguf": gguf(), "eye.gguf": gguf()})
    manifest = parse(
        manifest.text.replace('role = "file1"', 'role = "mmproj"'), name="toy", base=manifest.base
    )
    with pytest.raises(BundleError, match=r"eye\.gguf is no vision tower but a model"):
        pull(manifest, store)
    assert not store.has("toy")


def test_force_and_damage_fetch_again(store: Store, make_bundle: MakeBundle) -> None:
    manifest = make_bundle()
    inode = pull(manifest, store).files["model"].stat().st_ino
    forced = pull(manifest, store, force=True).files["model"]
    assert forced.stat().st_ino != inode
    forced.write_bytes(b"damaged")
    assert pull(manifest, store).files["model"].read_bytes() == WEIGHTS


def test_progress_ends_at_the_size(store: Store, make_bundle: MakeBundle) -> None:
    told: list[Progress] = []
    pull(make_bundle(), store, report=told.append)
    assert {each.what for each in told} == {"copying", "verifying"}
    assert told[-1].done_bytes == told[-1].total_bytes == len(WEIGHTS)
    assert all(each.bundle == "toy" and each.file == "model.bin" for each in told)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (WEIGHTS[:-5], f"gives {len(WEIGHTS) - 5} of the {len(WEIGHTS)} bytes"),
        (WEIGHTS + b"more", f"gives more than the {len(WEIGHTS)} bytes"),
        (b"X" + WEIGHTS[1:], "SHA-256 differs"),
        (b"", "gives 0 of"),
        (b"<html><body>Sign in</body></html>", "is a web page, not the file itself"),
        (b"version https://git-lfs.github.com/spec/v1\n", "is a Git LFS pointer"),
    ],
)
def test_wrong_bytes_are_told_and_never_stored(
    store: Store, make_bundle: MakeBundle, tmp_path: Path, data: bytes, problem: str
) -> None:
    manifest = make_bundle()
    (tmp_path / "origin/model.bin").write_bytes(data)
    with pytest.raises(BundleError) as caught:
        pull(manifest, store)
    message = str(caught.value)
    assert problem in message
    assert "toy: model.bin" in message
    assert "\n" not in message
    assert not store.place(manifest).exists()
    (tmp_path / "origin/model.bin").write_bytes(WEIGHTS)
    pull(manifest, store)


@pytest.mark.parametrize("name", ["m.gguf", "m.onnx", "m.json"])
def test_right_bytes_of_a_malformed_file_are_not_stored(
    store: Store, make_bundle: MakeBundle, name: str
) -> None:
    manifest = make_bundle({name: b"neither this nor that"})
    with pytest.raises(BundleError, match=rf"toy: {name}: .* is not "):
        pull(manifest, store)
    assert not store.place(manifest).exists()


def test_a_failed_force_leaves_the_old_files(
    store: Store, make_bundle: MakeBundle, tmp_path: Path
) -> None:
    manifest = make_bundle()
    pull(manifest, store)
    (tmp_path / "origin/model.bin").write_bytes(b"wrong")
    with pytest.raises(BundleError):
        pull(manifest, store, force=True)
    assert store.find("toy").files["model"].read_bytes() == WEIGHTS


def test_the_next_source_is_tried_and_may_give_other_bytes(
    store: Store, make_bundle: MakeBundle, tmp_path: Path
) -> None:
    other = b"another quantisation"
    (tmp_path / "other.bin").write_bytes(other)
    sources = source("file:absent.bin", WEIGHTS) + source("file:other.bin", other)
    manifest = make_bundle({"model.bin": b"x"}, sources={"model.bin": sources})
    assert pull(manifest, store).files["model"].read_bytes() == other
    assert store.find("toy").files["model"].read_bytes() == other


def test_all_failures_are_told_in_one_line(store: Store, make_bundle: MakeBundle) -> None:
    sources = source("file:absent.bin", WEIGHTS) + source("file:/dev/zero", WEIGHTS)
    manifest = make_bundle({"model.bin": b"x"}, sources={"model.bin": sources})
    with pytest.raises(BundleError, match=r"absent\.bin cannot be read .*not a regular file"):
        pull(manifest, store)


def test_interrupted_between_files_it_keeps_what_was_verified(
    store: Store, make_bundle: MakeBundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = make_bundle({"model.bin": WEIGHTS, "config.json": b"{}"})
    fetch, fetched = stage._FETCH[FileAddress], []

    def interrupted(job: Job) -> None:
        fetched.append(job.file)
        if job.file == "config.json":
            raise KeyboardInterrupt
        fetch(job)

    monkeypatch.setitem(stage._FETCH, FileAddress, interrupted)
    with pytest.raises(KeyboardInterrupt):
        pull(manifest, store)
    assert not store.place(manifest).exists()
    monkeypatch.setitem(
        stage._FETCH, FileAddress, lambda job: (fetched.append(job.file), fetch(job))
    )
    pull(manifest, store)
    assert fetched == ["model.bin", "config.json", "config.json"]


def test_a_whole_part_file_is_taken_and_a_wrong_one_replaced(
    store: Store, make_bundle: MakeBundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = make_bundle()
    part = store.staging(manifest) / "parts" / f"{hashlib.sha256(WEIGHTS).hexdigest()}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"?" * len(WEIGHTS))
    assert pull(manifest, store).files["model"].read_bytes() == WEIGHTS
    part.parent.mkdir(parents=True)
    part.write_bytes(WEIGHTS)
    monkeypatch.setitem(stage._FETCH, FileAddress, lambda _: pytest.fail("fetched again"))
    pull(manifest, store, force=True)


def test_files_of_another_manifest_do_not_slip_in(store: Store, make_bundle: MakeBundle) -> None:
    manifest = make_bundle()
    stray = store.staging(manifest) / "ready" / "stray.bin"
    stray.parent.mkdir(parents=True)
    stray.write_bytes(b"stray")
    (stray.parent / "model.bin").write_bytes(b"not what it should be")
    installed = pull(manifest, store)
    assert installed.files["model"].read_bytes() == WEIGHTS
    assert not (installed.directory / "stray.bin").exists()


def test_two_pulls_take_turns_and_fetch_once(
    store: Store, make_bundle: MakeBundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = make_bundle()
    fetch, fetched, waits = stage._FETCH[FileAddress], [], threading.Event()

    def slow(job: Job) -> None:
        fetched.append(job.file)
        assert waits.wait(10)
        fetch(job)

    def second(progress: Progress) -> None:
        if progress.what == "waiting for another pull":
            waits.set()

    monkeypatch.setitem(stage._FETCH, FileAddress, slow)
    monkeypatch.setattr(lock, "PAUSE_S", 0.001)
    threads = [
        threading.Thread(target=pull, args=(manifest, store), kwargs={"report": second})
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert fetched == ["model.bin"]
    assert store.find("toy").files["model"].read_bytes() == WEIGHTS


def test_offline_takes_files_and_refuses_the_network(store: Store, make_bundle: MakeBundle) -> None:
    pull(make_bundle(), store, access=Access(offline=True))
    with pytest.raises(BundleError, match="we are offline; run 'visavis pull silero-vad' with a"):
        pull(catalogue.manifest("silero-vad"), store, access=Access(offline=True))


def test_a_disk_without_room_is_told_before_anything_is_written(
    store: Store, make_bundle: MakeBundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(store.root.parent)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(PullError, match="make room, or set VISAVIS_MODELS"):
        pull(make_bundle(), store)


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        (errno.ENOSPC, PullError, "no space is left"),
        (errno.EROFS, InputError, "cannot be written"),
        (errno.EACCES, InputError, "cannot be written"),
        (errno.EIO, PullError, "cannot be stored"),
    ],
)
def test_what_the_disk_refuses_is_told_with_a_remedy(
    store: Store,
    make_bundle: MakeBundle,
    monkeypatch: pytest.MonkeyPatch,
    code: int,
    kind: type[Exception],
    words: str,
) -> None:
    def refuse(_: Job) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setitem(stage._FETCH, FileAddress, refuse)
    with pytest.raises(kind, match=words):
        pull(make_bundle(), store)


def test_a_store_that_is_a_file_is_refused(tmp_path: Path, make_bundle: MakeBundle) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot be written .* set VISAVIS_MODELS"):
        pull(make_bundle(), Store(tmp_path / "file"))


def test_a_shipped_name_brings_no_other_bytes(store: Store, make_bundle: MakeBundle) -> None:
    with pytest.raises(BundleError, match="is the name of a shipped bundle"):
        pull(make_bundle(name="silero-vad", version="6.2.3"), store)


def test_a_shipped_bundle_may_come_from_elsewhere(store: Store) -> None:
    shipped = catalogue.manifest("silero-vad")
    text = shipped.text.replace(str(shipped.files[0].sources[0]), "file:carried/silero_vad.onnx")
    with pytest.raises(BundleError, match=r"carried/silero_vad\.onnx cannot be read"):
        pull(parse(text, name="mine.toml"), store)


def test_a_bundle_without_files_is_its_settings(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "server.toml"
    path.write_text(
        'name = "server"\nversion = "1"\nkind = "llm"\nbackend = "openai"\n'
        'licence = { spdx = "MIT" }\nsettings = { model = "m" }\n'
    )
    manifest = read(path)
    assert pull(manifest, store).options.settings == {"model": "m"}
    assert Store(store.root).find("server").files == {}


def test_a_file_that_the_backend_asks_for_in_vain_is_named(
    store: Store, make_bundle: MakeBundle
) -> None:
    options = pull(make_bundle(), store).options
    assert options.files["model"].is_file()
    with pytest.raises(BundleError, match=r"toy: has no file 'config', .*\[\[files\]\]"):
        _ = options.files["config"]
