"""The store: what is found, what counts as damaged, and that hashing is paid once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from visavis.bundle import catalogue, stamp, verify
from visavis.bundle.pull import pull
from visavis.bundle.store import Store
from visavis.flow.errors import BundleError

from .conftest import WEIGHTS, MakeBundle


def test_an_installed_bundle_gives_options(store: Store, make_bundle: MakeBundle) -> None:
    pull(make_bundle(), store)
    found = store.find("toy")
    assert found.options.files["model"].read_bytes() == WEIGHTS
    assert found.options.settings == {"threads": 1}
    assert [each.manifest.name for each in store.installed()] == ["toy"]


def test_what_is_not_installed_is_told_with_the_remedy(store: Store) -> None:
    with pytest.raises(BundleError, match="silero-vad: is not installed; run 'visavis pull silero"):
        store.find("silero-vad")
    assert not store.root.exists()


@pytest.mark.parametrize("name", ["nope", "../origin", "/etc", "*", "", "a/b"])
def test_a_name_that_is_no_bundle_is_refused(store: Store, name: str) -> None:
    with pytest.raises(BundleError, match="bundle"):
        store.find(name)


def test_a_second_find_hashes_nothing(
    store: Store, make_bundle: MakeBundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    pull(make_bundle(), store)
    monkeypatch.setattr(verify, "sha256", lambda *_: pytest.fail("hashed again"))
    store.find("toy")


def test_a_file_with_a_new_time_is_hashed_once_more(
    store: Store, make_bundle: MakeBundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = pull(make_bundle(), store).files["model"]
    os.utime(path, ns=(1, 1))
    store.find("toy")
    monkeypatch.setattr(verify, "sha256", lambda *_: pytest.fail("hashed again"))
    store.find("toy")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"model.bin": 3}', '{"model.bin": {"a": 1}}'])
def test_an_unreadable_stamp_costs_a_hash_and_nothing_else(
    store: Store, make_bundle: MakeBundle, text: str
) -> None:
    installed = pull(make_bundle(), store)
    (installed.directory / stamp.STAMP).write_text(text)
    assert store.find("toy").files == installed.files
    assert stamp.read(installed.directory).keys() == {"model.bin"}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (WEIGHTS[:-1], "SHA-256 differs"),
        (b"", "SHA-256 differs"),
        (b"<!DOCTYPE html><title>Log in</title>", "is a web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "Git LFS pointer"),
        (None, "cannot be read"),
    ],
)
def test_damage_is_told_by_file_and_remedy(
    store: Store, make_bundle: MakeBundle, data: bytes | None, problem: str
) -> None:
    path = pull(make_bundle(), store).files["model"]
    path.unlink()
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(BundleError, match=problem) as caught:
        store.find("toy")
    assert "model.bin" in str(caught.value)
    assert "visavis pull toy --force" in str(caught.value)
    assert store.installed() == ()


def test_verify_sees_what_size_and_time_hide(store: Store, make_bundle: MakeBundle) -> None:
    installed = pull(make_bundle(), store)
    path = installed.files["model"]
    status = path.stat()
    path.write_bytes(b"W" + WEIGHTS[1:])
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    store.find("toy")
    with pytest.raises(BundleError, match="SHA-256 differs"):
        installed.verify()


def test_the_version_pulled_last_is_found(store: Store, make_bundle: MakeBundle) -> None:
    new = pull(make_bundle({"model.bin": b"new"}, version="2"), store)
    old = pull(make_bundle({"model.bin": b"old"}, version="1"), store)
    os.utime(old.directory / "bundle.toml", ns=(1, 1))
    assert store.find("toy").directory == new.directory


def test_a_bundle_moved_aside_comes_back(store: Store, make_bundle: MakeBundle) -> None:
    manifest = make_bundle()
    place = pull(manifest, store).directory
    staging = store.staging(manifest)
    staging.mkdir(parents=True)
    place.rename(staging / "replaced")
    with pytest.raises(BundleError, match="is not installed"):
        store.load(manifest)
    store.recover(manifest)
    assert store.find("toy").directory == place


def test_a_store_that_is_a_file_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BundleError, match="is not installed"):
        Store(tmp_path / "file").load(catalogue.manifest("silero-vad"))
