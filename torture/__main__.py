"""Run the campaign: `python -m torture [part ...] --seconds 3600`."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path

from torture.campaign import Figures, run_part
from torture.parts import PARTS


def main() -> int:
    """Run parts in turn, print the figures, and fail if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"which parts: {', '.join(PARTS)}; all unless named")
    parser.add_argument("--seconds", type=float, default=3600, help="how long, shared by the parts")
    parser.add_argument("--cases", type=int, help="how many seeds of each part at most")
    parser.add_argument("--seed", type=int, default=0, help="the first seed, where no figures are kept")
    parser.add_argument("--figures", type=Path, default=Path("torture-figures.json"), help="kept, and gone on from")
    asked = parser.parse_args()
    if unknown := [name for name in asked.parts if name not in PARTS]:
        parser.error(f"there is no part {unknown[0]}")
    names = asked.parts or [name for name in PARTS if name != "spark"]
    figures = Figures.load(asked.figures)
    for name in names:
        with ExitStack() as stack:
            part = stack.enter_context(PARTS[name]())
            seconds = asked.seconds / len(names)
            run_part(name, part, figures, seconds=seconds, first=asked.seed, most=asked.cases)
        print(figures.table(), flush=True)
    return int(any(tally.problems for tally in figures.tallies.values()))


if __name__ == "__main__":
    sys.exit(main())
