"""Puts the trained eye into the package, and into the manifest of the model that sees with it.

Takes an mmproj GGUF, as tools/eye/export.py writes it. Copies it to src/visavis/eye/eye.gguf and
writes its hash, its size and what a picture costs into the bundle `smollm2-135m`. The bundle's
version rises when the eye has changed: what users have pulled stays what it was, and only the eye
is fetched again. Refuses a file that does not fit the model, or is larger than may be shipped.

    python tools/ship_eye.py eye.gguf
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import sys
import tomllib
from collections.abc import Container, Sequence
from pathlib import Path
from typing import Any

from visavis import config
from visavis.bundle import gguf, projector
from visavis.bundle.parse import parse
from visavis.bundle.store import Store
from visavis.flow.errors import BundleError

PACKAGE = Path(__file__).parents[1] / "src" / "visavis"
PLACE = "eye/eye.gguf"
MANIFEST = PACKAGE / "bundle" / "catalogue" / "smollm2-135m.toml"
MOST_BYTES = 12_000_000
SETTINGS = re.compile(r"^settings = .*\n", re.MULTILINE)
EYE = re.compile(r'\n*\[\[files\]\]\nrole = "mmproj".*', re.DOTALL)
VERSION = re.compile(r'^version = "(\d+)\.(\d+)\.(\d+)"$', re.MULTILINE)
WHOLE_PICTURE = 4  # times its own side: what is larger only has to be made smaller again


def sight(eye: Path) -> dict[str, int]:
    """What the settings of a bundle say of an eye of the kind "adapter": one tile, two by two."""
    values = gguf.read(eye).values
    side = values["clip.vision.image_size"]
    merged = side // values["clip.vision.patch_size"] // 2
    return {
        "picture_tokens": merged**2 + 2,
        "most_pictures": 1,
        "picture_reach": 0,
        "picture_side": side * WHOLE_PICTURE,
    }


def with_eye(text: str, eye: Path) -> str:
    """The manifest with this eye in it, and a new version if it had another or none."""
    digest = hashlib.sha256(eye.read_bytes()).hexdigest()
    if f'sha256 = "{digest}"' not in text:
        text = VERSION.sub(_raised, text, count=1)
    seen = sight(eye)
    settings = seen | _others(text, seen)
    listed = ", ".join(f"{name} = {json.dumps(value)}" for name, value in settings.items())
    text = SETTINGS.sub("", EYE.sub("", text))
    head, files = text.split("\n[[files]]", 1)
    return (
        f"{head.rstrip()}\nsettings = {{ {listed} }}\n\n[[files]]{files.rstrip()}\n"
        f'\n[[files]]\nrole = "mmproj"\npath = "eye.gguf"\n'
        f'\n[[files.sources]]\nfrom = "package:{PLACE}"\n'
        f'sha256 = "{digest}"\nsize_bytes = {eye.stat().st_size}\n'
    )


def _others(text: str, names: Container[str]) -> dict[str, Any]:
    """The settings of a bundle that say nothing of an eye."""
    settings = tomllib.loads(text).get("settings", {})
    return {name: value for name, value in settings.items() if name not in names}


def _raised(match: re.Match[str]) -> str:
    return f'version = "{match[1]}.{int(match[2]) + 1}.0"'


def problem(eye: Path, model: Path | None) -> str:
    """Why this file cannot be shipped; empty if it can."""
    if eye.stat().st_size > MOST_BYTES:
        return f"{eye} has {eye.stat().st_size} bytes; {MOST_BYTES} may be shipped"
    return projector.complaint(eye, model) if model else ""


def _model() -> Path | None:
    try:
        return Store(config.load().models).find("smollm2-135m").files["model"]
    except BundleError as error:
        print(f"not compared with its model: {error}", file=sys.stderr)
        return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Ships the eye; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("eye", type=Path, help="the GGUF to ship")
    eye: Path = parser.parse_args(arguments).eye
    if said := problem(eye, _model()):
        print(said, file=sys.stderr)
        return 1
    place = PACKAGE / PLACE
    if not (place.exists() and place.samefile(eye)):
        place.parent.mkdir(exist_ok=True)
        shutil.copyfile(eye, place)
    text = with_eye(MANIFEST.read_text("utf-8"), place)
    manifest = parse(text, name=MANIFEST.name)
    MANIFEST.write_text(text, "utf-8")
    print(f"{place.relative_to(PACKAGE)}: {place.stat().st_size / 1e6:.1f} MB")
    print(f"{manifest.name} {manifest.version}: {manifest.settings}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
