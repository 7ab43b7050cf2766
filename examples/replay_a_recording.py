"""Reads a recording back, then decides it all again and says whether it came out the same.

    visavis talk --audio question.wav --record run.mcap
    python examples/replay_a_recording.py run.mcap

A recording is a bug report: it holds every event, the sound included. What the models gave is taken
from it, so that of all models only the detector of voice is needed. The modules used here lie
behind the facade and may still change; the command line does the same: visavis replay.
"""

import sys

from visavis.engines import replay_line
from visavis.flow.events import ItemKept
from visavis.govern.replay import read, replay


def main(path: str) -> int:
    """Prints the dialogue, then the verdict; the exit code."""
    recording = read(path)
    print(f"recorded by visavis {recording.version}, seed {recording.seed}")
    for entry in recording:
        if entry.topic == ItemKept.topic:
            item = entry.event()
            assert isinstance(item, ItemKept)
            cut = " — (cut off)" if item.cut else ""
            print(f"{item.start_ns / 1e9:7.2f} s  {item.role:9}  {item.text}{cut}")
    report = replay(recording, replay_line)
    if report.difference is not None:
        found = report.difference
        print(f"different: {found.topic} of {found.node} at {found.t_ns / 1e9:.3f} s")
        print(f"  was {found.expected}\n  is  {found.got}")
        return 1
    print(f"identical: {report.compared} of {report.events} events were made again")
    return 0 if report.identical else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/replay_a_recording.py run.mcap")
    sys.exit(main(*sys.argv[1:]))
