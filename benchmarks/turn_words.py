"""Turn ends from words alone: how many whole turns seem open, and broken-off ones whole.

    python benchmarks/turn_words.py [--show]

Takes the lines of turns/{en,zh}_{whole,cut}.txt, as a recogniser would write them, and what
perceive/completeness.py says of each. `late`: a whole turn that is given log-odds of at most 0.2,
and so is answered after half a second or more. `cut off`: a broken-off one of at least 1.5, which
is answered after 250 ms at the latest, if the voice says nothing against it. Some lines may be
either, such as "tell me".
"""

from __future__ import annotations

import argparse
from pathlib import Path

from row import print_row
from visavis.perceive.completeness import completeness

FOLDER = Path(__file__).parent / "turns"
LATE, SURE = 0.2, 1.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print what is judged wrong")
    options = parser.parse_args()
    results = []
    for language in ("en", "zh"):
        for kind, name in (("whole", "late"), ("cut", "cut off")):
            lines = (FOLDER / f"{language}_{kind}.txt").read_text("utf-8").splitlines()
            wrong = [line for line in lines if is_wrong(line, kind)]
            results.append(f"{language} {name} {len(wrong)} of {len(lines)}")
            if options.show:
                print(*(f"{name}: {line}" for line in wrong), sep="\n")
    print_row("benchmarks/turn_words.py", "; ".join(results))


def is_wrong(line: str, kind: str) -> bool:
    """Whether what is said of the line is clearly not what it is."""
    log_odds = completeness(line).log_odds
    return log_odds <= LATE if kind == "whole" else log_odds >= SURE


if __name__ == "__main__":
    main()
