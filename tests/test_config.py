"""Configuration: what stands where, what is in force, and values that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from visavis.config import PROFILES, Config, load, load_what_can_be
from visavis.flow.errors import InputError


def read(tmp_path: Path, text: str) -> Config:
    path = tmp_path / "config.toml"
    path.write_text(text)
    return load({"VISAVIS_CONFIG": str(path)})


@pytest.mark.parametrize(
    ("section", "key", "value", "allowed"),
    [
        ("reply", "temperature", "-0.1", "from 0 up to 2"),
        ("reply", "temperature", "2.1", "from 0 up to 2"),
        ("reply", "temperature", "nan", "from 0 up to 2"),
        ("reply", "temperature", "inf", "from 0 up to 2"),
        ("reply", "top_p", "0", "above 0 up to 1"),
        ("reply", "top_p", "1.5", "above 0 up to 1"),
        ("reply", "max_tokens", "0", "from 1 up to 2048"),
        ("reply", "seed", "-1", "from 0 up to 4294967294"),
        ("reply", "seed", "4294967295", "from 0 up to 4294967294"),
        ("turns", "pause_ms", "0", "from 1 up to 600000"),
        ("turns", "patience_ms", "600001", "from 1 up to 600000"),
        ("sound", "look_ahead_s", "0.0", "from 0.1 up to 30"),
        ("sound", "ring_s", "29", "from 30 up to 600"),
        ("sound", "ring_s", "nan", "from 30 up to 600"),
    ],
)
def test_a_value_out_of_range_is_named_with_its_file_key_and_range(
    tmp_path: Path, section: str, key: str, value: str, allowed: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, f"[{section}]\n{key} = {value}\n")
    assert "config.toml" in caught.value.subject
    assert caught.value.problem.startswith(f"{section}.{key} = ")
    assert caught.value.remedy == f"give a number {allowed}"


def test_a_word_that_is_none_of_the_choices_is_named_with_its_key_and_the_choices(
    tmp_path: Path,
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, '[sound]\nprofile = "loud"\n')
    assert caught.value.problem == "sound.profile = loud is unknown"
    assert caught.value.remedy == "give one of headset, speaker, browser, half-duplex"


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_can_be_chosen(tmp_path: Path, profile: str) -> None:
    sound = read(tmp_path, f'[sound]\nprofile = "{profile}"\nnoise_suppression = true\n').sound
    assert (sound.profile, sound.noise_suppression) == (profile, True)


def test_the_ends_of_the_ranges_are_in_them(tmp_path: Path) -> None:
    low = "[reply]\ntemperature = 0\nseed = 0\nmax_tokens = 1\n[turns]\npause_ms = 1\n"
    high = "[reply]\ntemperature = 2\ntop_p = 1\nseed = 4294967294\n[sound]\nring_s = 600\n"
    assert read(tmp_path, low).turns.pause_ms == 1
    assert read(tmp_path, high).sound.ring_s == 600


def test_an_empty_file_is_the_defaults(tmp_path: Path) -> None:
    assert read(tmp_path, "") == load({"VISAVIS_CONFIG": ""}) == Config()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "[reply]\ntemprature = 1\n",
            "unknown key reply.'temprature'; did you mean reply.temperature?",
        ),
        ("[reply]\nxyz = 1\n", "unknown key reply.'xyz'; known are system, greeting"),
        ("[turn]\npause_ms = 100\n", "unknown table [turn]; did you mean [turns]?"),
        ("turn = 1\n", "unknown key 'turn'; did you mean [turns]?"),
        ('[bundle]\nasr = "mine"\n', "unknown table [bundle]; did you mean [bundles]?"),
        ('tiers = "tiny"\n', "unknown key 'tiers'; did you mean tier?"),
        ("[xyz]\n", "unknown table [xyz]; known are tier, language"),
        ("[reply.sound]\n", "unknown key reply.'sound'; did you mean [sound]?"),
        ('[reply]\ntemperature = "hot"\n', "reply.temperature"),
        ('initiative = "loud"\n', "`$.initiative`; give one of quiet, polite, lively"),
        ("[reply\n", "is not TOML"),
        ("[reply\n", "; correct it there"),
    ],
)
def test_what_is_not_understood_is_named(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=r"config\.toml") as caught:
        read(tmp_path, text)
    assert words in str(caught.value)


@pytest.mark.parametrize("table", ["sound", "bundles"])
def test_a_key_of_the_top_below_a_table_is_told_where_it_belongs(
    tmp_path: Path, table: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, f'[{table}]\ninitiative = "polite"\n')
    assert caught.value.problem == f"unknown key {table}.'initiative'"
    assert caught.value.remedy == "it belongs at the top of the file, before the first table"


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8") as caught:
        load({"VISAVIS_CONFIG": str(path)})
    assert caught.value.remedy == "save it as UTF-8"


def test_without_a_file_that_can_be_used_the_rest_is_in_force(tmp_path: Path) -> None:
    environ = {"VISAVIS_CONFIG": str(tmp_path / "none.toml"), "VISAVIS_MODELS": "/srv/models"}
    config, error = load_what_can_be(environ, tier="small")
    assert config == Config(tier="small", models=Path("/srv/models"))
    assert error is not None
    assert error.remedy == "check VISAVIS_CONFIG"
    assert load_what_can_be({"VISAVIS_CONFIG": ""}) == (Config(), None)


def test_the_folder_of_the_models_can_be_given(tmp_path: Path) -> None:
    assert read(tmp_path, 'models = "/srv/models"\n').models == Path("/srv/models")
    assert read(tmp_path, 'models = "~/models"\n').models == Path.home() / "models"
