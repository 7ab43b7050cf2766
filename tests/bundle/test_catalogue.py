"""The shipped manifests: all readable, complete for their tier, with the roles backends ask for."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import visavis
from visavis import backends
from visavis.backends.llm.xllamacpp import CONTEXT_TOKENS
from visavis.bundle import catalogue
from visavis.bundle.address import HubAddress, PackageAddress
from visavis.flow.errors import BundleError, InputError

EYE = Path(visavis.__file__).parent / "eye" / "eye.gguf"
HUB_ALONE = {"smolvlm2-500m", "qwen3-vl-2b", "minicpm-v-4", "minicpm-o-4.5", "gemma-4-e2b"}
ROLES = {
    "silero-vad": {"model"},
    "smart-turn": {"model"},
    "whisper-tiny-en": {"model", "config", "tokenizer", "vocabulary"},
    "whisper-base": {"model", "config", "tokenizer", "vocabulary"},
    "smollm2-135m": {"model"},
    "smolvlm2-500m": {"model", "mmproj"},
    "qwen3-vl-2b": {"model", "mmproj"},
    "minicpm-v-4": {"model", "mmproj"},
    "minicpm-o-4.5": {"model", "mmproj"},
    "gemma-4-e2b": {"model", "mmproj"},
    "piper-en-joe": {"model", "config"},
    "human-speech": {"beckett", "two_cities"},
}


def test_the_catalogue_is_what_is_documented() -> None:
    assert set(catalogue.names()) == set(ROLES)


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md"])
def test_the_sizes_of_the_first_page_are_those_of_the_tier(page: str) -> None:
    text = (Path(__file__).parents[2] / page).read_text("utf-8")
    bundles = [catalogue.manifest(name) for name in catalogue.tier("tiny").bundles]
    for size in ("fetch_bytes", "size_bytes"):
        rounded = round(sum(getattr(bundle, size) for bundle in bundles) / 1e7) * 10
        assert f"{rounded} MB" in text


def test_what_visavis_brings_along_is_not_fetched() -> None:
    llm = catalogue.manifest("smollm2-135m")
    model = llm.files[0].sources[0]
    assert (llm.fetch_bytes, llm.size_bytes) == (
        model.size_bytes,
        model.kept.size_bytes + EYE.stat().st_size,
    )


@pytest.mark.parametrize("name", sorted(ROLES))
def test_a_shipped_manifest_is_complete(name: str) -> None:
    manifest = catalogue.manifest(name)
    assert manifest.name == name
    roles = {file.role for file in manifest.files}
    if name == "smollm2-135m":
        roles.discard("mmproj")  # tools/ship_eye.py gives it its eye
    assert roles == ROLES[name]
    assert manifest.licence.spdx
    assert manifest.summary
    assert (manifest.kind == "media") == (manifest.backend == "")


def test_every_backend_that_is_named_exists() -> None:
    for manifest in map(catalogue.manifest, catalogue.names()):
        if manifest.backend:
            assert manifest.backend in backends.names(manifest.kind)


@pytest.mark.parametrize("name", sorted(set(ROLES) - HUB_ALONE))
def test_what_can_be_tested_comes_first(name: str) -> None:
    for file in catalogue.manifest(name).files:
        assert str(file.sources[0]).startswith(("pypi:", "package:"))


def test_a_file_is_the_same_whichever_source_it_is_rewritten_from() -> None:
    """And is named by the weights that it holds then."""
    for manifest in map(catalogue.manifest, catalogue.names()):
        for file in manifest.files:
            if becomes := file.sources[0].becomes:
                assert {source.becomes for source in file.sources} == {becomes}
                assert f".{becomes.weights}." in file.path
                assert becomes.weights in manifest.summary


@pytest.mark.parametrize("name", sorted(HUB_ALONE))
def test_what_comes_from_a_hub_is_pinned_to_a_commit_and_says_how_it_sees(name: str) -> None:
    manifest = catalogue.manifest(name)
    for file in manifest.files:
        (source,) = file.sources
        (address,) = source.parts
        assert isinstance(address, HubAddress)
        assert len(address.revision) == 40
    assert manifest.settings["picture_tokens"] > 0
    assert manifest.settings["context_tokens"] >= 4096


def test_what_the_package_brings_along_is_what_the_manifests_say() -> None:
    for manifest in map(catalogue.manifest, catalogue.names()):
        for source in (source for file in manifest.files for source in file.sources):
            if isinstance(source.parts[0], PackageAddress):
                data = (EYE.parents[1] / source.parts[0].path).read_bytes()
                assert hashlib.sha256(data).hexdigest() == source.sha256
                assert len(data) == source.size_bytes


def test_the_files_of_whisper_lie_in_one_directory() -> None:
    paths = {file.role: file.path for file in catalogue.manifest("whisper-tiny-en").files}
    assert paths["model"] == "model.bin"
    assert not any("/" in path for path in paths.values())


def test_a_tier_names_bundles_of_the_catalogue_one_of_a_kind() -> None:
    for tier in catalogue.tiers().values():
        kinds = [catalogue.manifest(name).kind for name in tier.bundles]
        assert sorted(set(kinds)) == sorted(kinds)
    assert catalogue.tier("tiny").bundles[0] == "silero-vad"
    assert list(catalogue.tiers()) == ["tiny", "small", "standard", "large"]


def test_a_tier_changes_the_settings_of_its_own_bundles_only() -> None:
    for tier in catalogue.tiers().values():
        kinds = {catalogue.manifest(name).kind for name in tier.bundles}
        assert set(tier.settings) <= kinds
    assert catalogue.settings("standard", "llm", "qwen3-vl-2b")["image_max_tokens"] == 192
    assert catalogue.settings("standard", "llm", "smolvlm2-500m") == {}
    assert catalogue.settings("tiny", "llm", "smollm2-135m") == {}


def test_pictures_leave_room_for_a_conversation() -> None:
    for tier in catalogue.tiers().values():
        for bundle in map(catalogue.manifest, tier.bundles):
            if bundle.kind == "llm" and "picture_tokens" in bundle.settings:
                able = {**bundle.settings, **catalogue.settings(tier.name, "llm", bundle.name)}
                pictures = able["picture_tokens"] * able["most_pictures"]
                assert pictures <= able.get("context_tokens", CONTEXT_TOKENS) / 4


def test_a_chosen_bundle_takes_the_place_of_its_kind() -> None:
    chosen = catalogue.chosen("tiny", {"asr": "whisper-base"})
    assert chosen["asr"] == "whisper-base"
    assert chosen["vad"] == "silero-vad"


def test_the_name_it_went_by_before_is_understood() -> None:
    assert catalogue.manifest("whisper-base-en").name == "whisper-tiny-en"


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(BundleError, match="did you mean silero-vad"):
        catalogue.manifest("silero-vat")
    with pytest.raises(InputError, match="there is: tiny, small, standard, large"):
        catalogue.tier("huge")
