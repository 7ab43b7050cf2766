"""What can be heard, spoken to and seen with. None of it is needed to work on files."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from ctypes.util import find_library
from pathlib import Path

from visavis.verbs.health import child
from visavis.verbs.health.check import Check
from visavis.verbs.health.libraries import version_of
from visavis.verbs.health.machine import text

_LIST_DEVICES = (
    "import json, sounddevice as s; d = s.query_devices(); "
    "print(json.dumps([[x['name'], x['max_input_channels'], x['max_output_channels']] for x in d]))"
)


def checks() -> Iterator[Check]:
    """What can be heard, spoken to and seen with. None of it is needed to work on files."""
    yield _sound()
    if sys.platform == "linux":
        yield _cameras()
        nodes = [*Path("/dev").glob("nvidia[0-9]*"), *Path("/dev/dri").glob("renderD*")]
        gpus = ", ".join(sorted(str(node) for node in nodes))
        yield Check("devices", "GPU", "ok", f"{gpus or 'none'} (the tier tiny needs none)")
    if not (version_of("espeakng-loader") or find_library("espeak-ng")):
        remedy = "for a second voice when the first fails: apt install libespeak-ng1"
        yield Check("devices", "espeak", "note", "not installed", remedy)


def _cameras(listed: Path = Path("/sys/class/video4linux")) -> Check:
    found = sorted({text(path / "name") for path in listed.glob("video*")} - {""})
    if not found:
        remedy = "to be seen live, connect a camera; films, pictures and --screen work without"
        return Check("devices", "cameras", "note", "none found", remedy)
    return Check("devices", "cameras", "ok", ", ".join(found))


def _sound() -> Check:
    if version_of("sounddevice") is None:
        remedy = "to talk through a microphone: pip install 'visavis[device]'"
        return Check("devices", "sound", "note", "sounddevice is not installed", remedy)
    code, out, err = child.result(child.start(_LIST_DEVICES))
    if code:
        remedy = "apt install libportaudio2" if "PortAudio library not found" in err else ""
        return Check("devices", "sound", "note", child.last(err), remedy)
    rows: list[tuple[str, int, int]] = json.loads(out)
    ears, mouths = sum(row[1] > 0 for row in rows), sum(row[2] > 0 for row in rows)
    if not (ears and mouths):
        remedy = "to talk live, connect a microphone and a loudspeaker; files work without"
        return Check("devices", "sound", "note", f"{ears} inputs, {mouths} outputs", remedy)
    return Check("devices", "sound", "ok", f"{ears} inputs, {mouths} outputs")
