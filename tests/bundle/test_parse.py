"""Manifests from strangers: what is accepted, and what each refusal names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.bundle.parse import MAX_TEXT_BYTES, parse, read
from visavis.flow.errors import BundleError

HASH = "0" * 64
SOURCE = f'sources = [{{ from = "file:m.bin", sha256 = "{HASH}", size_bytes = 3 }}]'
GOOD = f"""
name = "toy"
version = "1.0"
kind = "vad"
backend = "fake"
languages = ["en", "zh-CN"]
licence = {{ spdx = "MIT", note = "by nobody" }}
requires = {{ extra = "local", libraries = ["onnxruntime"] }}
settings = {{ threads = 2 }}
[[files]]
role = "model"
path = "sub/m.bin"
{SOURCE}
"""


def assert_refused(good: str, old: str, new: str, named: str) -> None:
    """A manifest with `old` put as `new` is refused in one line that names the file and the key."""
    assert old in good
    with pytest.raises(BundleError) as caught:
        parse(good.replace(old, new), name="toy.toml")
    assert str(caught.value).startswith("toy.toml: ")
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_a_good_manifest_gives_what_it_says() -> None:
    manifest = parse(GOOD, name="toy.toml")
    assert (manifest.name, manifest.version, manifest.kind) == ("toy", "1.0", "vad")
    assert manifest.languages == ("en", "zh-CN")
    assert manifest.requires.libraries == ("onnxruntime",)
    assert manifest.settings == {"threads": 2}
    assert manifest.size_bytes == 3
    assert manifest.files[0].hashes == {HASH}


def test_a_size_may_be_known_about_only() -> None:
    manifest = parse(GOOD.replace("size_bytes = 3", "about_bytes = 30"), name="toy.toml")
    (source,) = manifest.files[0].sources
    assert (source.size_bytes, source.most_bytes, source.is_exact) == (30, 33, False)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('name = "toy"', "", "name: is missing"),
        ('name = "toy"', 'name = ""', "name"),
        ('name = "toy"', 'name = "../evil"', "name"),
        ('name = "toy"', "name = 5", "name: must be a string"),
        ('version = "1.0"', 'version = "../1"', "version"),
        ('version = "1.0"', 'version = ".."', "version"),
        ('kind = "vad"', 'kind = "a.b"', "kind"),
        ('languages = ["en", "zh-CN"]', 'languages = "en"', "languages: must be a list"),
        ('spdx = "MIT", ', "", "licence.spdx: is missing"),
        ('spdx = "MIT"', 'spdx = "\\u001b[31m"', "licence.spdx"),
        ('extra = "local"', 'extras = "local"', "requires.extras: is not a known key"),
        ('role = "model"', 'role = "Model!"', "files[0].role"),
        ('path = "sub/m.bin"', 'path = "../m.bin"', "files[0].path"),
        ('path = "sub/m.bin"', 'path = "/etc/passwd"', "files[0].path"),
        ('path = "sub/m.bin"', 'path = "bundle.toml"', "files[0].path"),
        ('path = "sub/m.bin"', 'path = "Verified.JSON"', "files[0].path"),
        (f'sha256 = "{HASH}", ', "", "files[0].sources[0].sha256: is missing"),
        (HASH, "abc", "files[0].sources[0].sha256"),
        ("size_bytes = 3", "size_bytes = 0", "files[0].sources[0].size_bytes"),
        ("size_bytes = 3", "size_bytes = 1e3", "files[0].sources[0].size_bytes"),
        ("size_bytes = 3", "size_bytes = true", "files[0].sources[0].size_bytes"),
        ("size_bytes = 3", "about_bytes = 0", "files[0].sources[0].about_bytes"),
        ("size_bytes = 3", "size_bytes = 3, about_bytes = 3", "size_bytes: is not a known key"),
        ("size_bytes = 3", f"size_bytes = {1 << 60}", "files[0].sources[0].size_bytes"),
        ("file:m.bin", "http://example.org/m", "files[0].sources[0].from"),
        ('"file:m.bin"', '["file:a", "file:b"]', "only pypi: sources can be joined"),
        ('"file:m.bin"', "[]", "files[0].sources[0].from: is missing"),
        (SOURCE, "sources = []", "files[0].sources"),
        (SOURCE, f"{SOURCE}\nmirror = 1", "files[0].mirror: is not a known key"),
        ("[[files]]", "[files]", "files: must be a list"),
    ],
)
def test_a_bad_manifest_is_refused_by_file_and_key(old: str, new: str, named: str) -> None:
    assert_refused(GOOD, old, new, named)


@pytest.mark.parametrize(
    ("role", "path", "named"),
    [
        ("model", "other.bin", "files.role: 'model' stands twice"),
        ("other", "SUB/M.bin", "files.path"),
        ("other", "sub/m.bin/inner", "files.path"),
        ("other", "sub", "files.path"),
    ],
)
def test_files_that_collide_are_refused(role: str, path: str, named: str) -> None:
    second = f'\n[[files]]\nrole = "{role}"\npath = "{path}"\n{SOURCE}\n'
    with pytest.raises(BundleError, match="files") as caught:
        parse(GOOD + second, name="toy.toml")
    assert named in str(caught.value)


def test_parts_of_wheels_are_joined_in_order() -> None:
    parts = '["pypi:a==1/x.part1", "pypi:b==1/x.part2"]'
    manifest = parse(GOOD.replace('"file:m.bin"', parts), name="toy.toml")
    assert [str(part) for part in manifest.files[0].sources[0].parts] == [
        "pypi:a==1/x.part1",
        "pypi:b==1/x.part2",
    ]


OTHER = "1" * 64
BECOMES = f'becomes = {{ weights = "Q8_0", sha256 = "{OTHER}", size_bytes = 5 }}'
REWRITTEN = GOOD.replace("m.bin", "m.gguf").replace("size_bytes = 3", f"size_bytes = 3, {BECOMES}")


def test_a_source_may_say_what_it_becomes() -> None:
    manifest = parse(REWRITTEN, name="toy.toml")
    (source,) = manifest.files[0].sources
    assert (source.sha256, source.size_bytes) == (HASH, 3)
    assert (source.kept.sha256, source.kept.size_bytes, source.kept.becomes) == (OTHER, 5, None)
    assert source.kept.kept == source.kept
    assert manifest.files[0].hashes == {OTHER}
    assert (manifest.size_bytes, manifest.fetch_bytes) == (5, 3)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('"Q8_0"', '"Q9_9"', "files[0].sources[0].becomes.weights: 'Q9_9' is not a valid value"),
        ('"Q8_0"', "8", "files[0].sources[0].becomes.weights: must be a string"),
        ('weights = "Q8_0", ', "", "files[0].sources[0].becomes.weights: is missing"),
        (f', sha256 = "{OTHER}"', "", "files[0].sources[0].becomes.sha256: is missing"),
        (OTHER, "abc", "files[0].sources[0].becomes.sha256: 'abc' is not a valid value"),
        (OTHER, HASH, "files[0].sources[0].becomes: is what is fetched already"),
        (", size_bytes = 5", "", "files[0].sources[0].becomes.size_bytes: is missing"),
        ("size_bytes = 5", "size_bytes = 0", "becomes.size_bytes: must be a whole number"),
        ("size_bytes = 5", "about_bytes = 5", "becomes.size_bytes: is missing"),
        ("size_bytes = 5", "size_bytes = 5, mmap = 1", "becomes.mmap: is not a known key"),
        ("size_bytes = 3", "about_bytes = 3", "sources[0].about_bytes: must be size_bytes where"),
        (BECOMES, 'becomes = "Q8_0"', "files[0].sources[0].becomes: must be a table"),
        ('path = "sub/m.gguf"', 'path = "sub/m.bin"', "files[0].path: 'sub/m.bin' must end in"),
    ],
)
def test_a_bad_word_on_what_it_becomes_is_refused_by_key(old: str, new: str, named: str) -> None:
    assert_refused(REWRITTEN, old, new, named)


def test_text_that_is_no_manifest_is_refused_in_one_line(tmp_path: Path) -> None:
    for data in (
        b"",
        b"<html>",
        b"\xff\xfe\x00",
        b"a = " + b"[" * 5000,
        b"#" * (MAX_TEXT_BYTES + 1),
    ):
        path = tmp_path / "bundle.toml"
        path.write_bytes(data)
        with pytest.raises(BundleError) as caught:
            read(path)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_missing_manifest_is_named(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"absent\.toml: cannot be read"):
        read(tmp_path / "absent.toml")


@given(st.dictionaries(st.text(max_size=8), st.integers() | st.text(max_size=8), max_size=4))
def test_unknown_keys_never_pass(keys: dict[str, object]) -> None:
    extra = "".join(f"{_quoted(key)} = {_quoted(str(value))}\n" for key, value in keys.items())
    known = {"name", "version", "kind", "backend", "summary", "languages"}
    if keys.keys() - known:
        with pytest.raises(BundleError):
            parse(extra + GOOD, name="toy.toml")


def _quoted(text: str) -> str:
    return '"' + "".join(f"\\U{ord(c):08x}" if ord(c) < 0xD800 else "x" for c in text) + '"'


def test_the_manifests_of_the_documentation_are_complete() -> None:
    page = (Path(__file__).parents[2] / "docs" / "backends.md").read_text("utf-8")
    blocks = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    manifests = [parse(block, name="docs") for block in blocks if "backend = " in block]
    assert [each.backend for each in manifests] == ["my_recogniser", "xllamacpp", "openai"]
    assert [len(each.files) for each in manifests] == [0, 1, 0]


def test_a_bundle_without_a_backend_needs_files() -> None:
    without = GOOD.partition("[[files]]")[0].replace('backend = "fake"', "")
    assert "backend" not in without
    with pytest.raises(BundleError, match="files: "):
        parse(without, name="toy.toml")
