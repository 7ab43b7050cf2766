"""The shipped manifests: all readable, complete for their tier, with the roles backends ask for."""

from __future__ import annotations

import pytest

from visavis import backends
from visavis.bundle import catalogue
from visavis.flow.errors import BundleError, InputError

ROLES = {
    "silero-vad": {"model"},
    "smart-turn": {"model"},
    "whisper-tiny-en": {"model", "config", "tokenizer", "vocabulary"},
    "whisper-base": {"model", "config", "tokenizer", "vocabulary"},
    "smollm2-135m": {"model"},
    "piper-en-joe": {"model", "config"},
    "human-speech": {"beckett", "two_cities"},
}


def test_the_catalogue_is_what_is_documented() -> None:
    assert set(catalogue.names()) == set(ROLES)


@pytest.mark.parametrize("name", sorted(ROLES))
def test_a_shipped_manifest_is_complete(name: str) -> None:
    manifest = catalogue.manifest(name)
    assert manifest.name == name
    assert {file.role for file in manifest.files} == ROLES[name]
    assert manifest.licence.spdx
    assert manifest.summary
    assert (manifest.kind == "media") == (manifest.backend == "")


def test_every_backend_that_is_named_exists() -> None:
    for manifest in map(catalogue.manifest, catalogue.names()):
        if manifest.backend:
            assert manifest.backend in backends.names(manifest.kind)


@pytest.mark.parametrize("name", sorted(ROLES))
def test_what_can_be_tested_comes_first(name: str) -> None:
    for file in catalogue.manifest(name).files:
        assert str(file.sources[0]).startswith("pypi:")


def test_the_files_of_whisper_lie_in_one_directory() -> None:
    paths = {file.role: file.path for file in catalogue.manifest("whisper-tiny-en").files}
    assert paths["model"] == "model.bin"
    assert not any("/" in path for path in paths.values())


def test_a_tier_names_bundles_of_the_catalogue_one_of_a_kind() -> None:
    for tier in catalogue.tiers().values():
        kinds = [catalogue.manifest(name).kind for name in tier.bundles]
        assert sorted(set(kinds)) == sorted(kinds)
    assert catalogue.tier("tiny").bundles[0] == "silero-vad"


def test_a_chosen_bundle_takes_the_place_of_its_kind() -> None:
    chosen = catalogue.chosen("tiny", {"asr": "whisper-base"})
    assert chosen["asr"] == "whisper-base"
    assert chosen["vad"] == "silero-vad"


def test_the_name_it_went_by_before_is_understood() -> None:
    assert catalogue.manifest("whisper-base-en").name == "whisper-tiny-en"


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(BundleError, match="did you mean silero-vad"):
        catalogue.manifest("silero-vat")
    with pytest.raises(InputError, match="there is: tiny"):
        catalogue.tier("huge")
