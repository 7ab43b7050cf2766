"""Writes the pages of docs/ that are derived from the tables: topics.md and states.md.

python tools/generate_docs.py            writes them
python tools/generate_docs.py --check    exit code 1 when one is not as it would be written
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from visavis.decide.state import Machine, Machines
from visavis.flow.topics import TOPICS, Topic
from visavis.wiring import SOURCES, WIRING

DOCS = Path(__file__).parent.parent / "docs"
NOTICE = "<!-- Made by tools/generate_docs.py; edit the table it comes from. -->"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def first_line(topic: Topic) -> str:
    return (topic.event.__doc__ or "").split("\n")[0].replace("|", "\\|")


def epoch_rule(topic: Topic) -> str:
    """What the topic has to do with epochs."""
    raises = {"this": "raises to its own", "next": "raises past its own"}
    return "fenced" if topic.fenced else raises.get(topic.raises, "")


def who() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """By topic: who gives it, who takes it."""
    gives: dict[str, list[str]] = {}
    takes: dict[str, list[str]] = {}
    for source, topics in SOURCES.items():
        for topic in topics:
            gives.setdefault(topic, []).append(source)
    for row in WIRING:
        for topic in row.gives:
            gives.setdefault(topic, []).append(row.name)
        for topic in row.takes:
            takes.setdefault(topic, []).append(row.name)
    return gives, takes


def topics_page() -> str:
    """docs/topics.md."""
    gives, takes = who()
    gives.setdefault("node.failed", ["any node"])
    queues = [
        (
            f"`{topic.name}`",
            f"{topic.rate_hz:g}",
            topic.depth,
            topic.full.replace("_", " "),
            f"{topic.max_age_ms} ms" if topic.max_age_ms is not None else "",
            epoch_rule(topic),
            topic.record,
        )
        for topic in TOPICS
    ]
    meanings = [
        (
            f"`{topic.name}`" + (" ↩" if topic.back else ""),
            first_line(topic),
            "<br>".join(gives.get(topic.name, [])),
            "<br>".join(takes.get(topic.name, [])),
        )
        for topic in TOPICS
    ]
    return f"""# Topics

{NOTICE}

Facts are `noun.pastparticiple`, commands `noun.imperative`; only `decide` issues commands. The
class in `flow/events.py` bears the same words. ↩ flows back, against the line.

{table(["topic", "what it says", "given by", "taken by"], meanings)}

## Queues

`rate`: events a second, as a rule. `depth`: how many may wait at one subscriber; `when full` says
what happens to one more. Older than `age`: dropped before delivery. `epoch`: *fenced* events are
dropped wherever they surface once their reply is over; *raises* says from which reply on events
live. `record`: what a recording keeps.

{table(["topic", "rate", "depth", "when full", "age", "epoch", "record"], queues)}
"""


def machine_section(name: str, machine: Machine) -> str:
    """One machine: where it begins, and its table."""
    rows = [
        (state, f"`{symbol}`", after, "<br>".join(f"`{command.topic}`" for command in commands))
        for (state, symbol), (after, commands) in machine.table.items()
    ]
    head = ["state", "on", "next state", "commands"]
    return f"## {name}\n\nBegins in *{machine.state}*.\n\n{table(head, rows)}\n"


def states_page() -> str:
    """docs/states.md."""
    machines = Machines()
    sections = [
        machine_section(name, getattr(machines, name))
        for name in ("user", "reply", "draft", "murmur", "engine", "playback")
    ]
    return f"""# States

{NOTICE}

Six small machines decide. A pair of state and symbol that has no row changes nothing. What users
see (idle · perceiving · reasoning · streaming · interrupted) is derived from four of them: user,
reply, engine and playback.

{chr(10).join(sections)}"""


PAGES = {"topics.md": topics_page, "states.md": states_page}


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes or checks every page; returns the exit code."""
    parser = argparse.ArgumentParser(description="Write the pages of docs/ made from the tables.")
    parser.add_argument("--check", action="store_true", help="only say which are out of date")
    check = parser.parse_args(arguments).check
    stale = 0
    for name, page in PAGES.items():
        path, text = DOCS / name, page()
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if check:
            print(f"docs/{name} is out of date; run: python tools/generate_docs.py")
            stale += 1
        else:
            path.write_text(text, encoding="utf-8")
            print(f"docs/{name} written")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
