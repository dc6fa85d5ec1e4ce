"""How long do taxonomy files of many leaves take, beside cutting the csv into rows?

Run: python -m bench.taxonomy_files [leaves [format ...]]
"""

from __future__ import annotations

import csv
import io
import sys
import time
from typing import TYPE_CHECKING, Any

from maskwise.formats.taxonomies.registry import FORMATS
from maskwise.policy.taxonomy import Taxonomy

if TYPE_CHECKING:
    from collections.abc import Callable


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of a call, and what it returns."""
    begun = time.process_time()
    result = work()
    return time.process_time() - begun, result


def tree_of(n_leaves: int) -> Taxonomy:
    """A tree of four levels: a hundred leaves to a value, ten such values to the next."""
    nested = {
        f"R{i}": {f"R{i}-{j}": [f"v{i}-{j}-{leaf}" for leaf in range(100)] for j in range(10)}
        for i in range(n_leaves // 1000)
    }
    return Taxonomy.from_nested({"Any": nested})


def main(n_leaves: int = 1_000_000, *names: str) -> None:
    """Write and read one tree in every format."""
    tree = tree_of(n_leaves)
    print(f"| {n_leaves:,} leaves | MB | write, s | read, s |\n| --- | --- | --- | --- |")
    for one in FORMATS:
        if names and one.name not in names:
            continue
        writing, text = timed(lambda one=one: one.write(tree))
        if one.name == "arx":
            rows, _ = timed(lambda text=text: sum(1 for _ in csv.reader(io.StringIO(text), delimiter=";")))
            print(f"| csv.reader cuts the rows of ARX | {len(text) / 1e6:.0f} | | {rows:.1f} |")
        reading, read = timed(lambda one=one, text=text: one.read(text, "tree"))
        if not isinstance(read, Taxonomy):
            growing, read = timed(lambda read=read: read[""].tree())
            reading += growing
        note = "" if read == tree else " (another tree!)"
        print(f"| {one.title}{note} | {len(text) / 1e6:.0f} | {writing:.1f} | {reading:.1f} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:])
