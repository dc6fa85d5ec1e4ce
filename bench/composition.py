"""How many people two releases of Adult leave in joint groups below k, masked one by one and with `against`."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from typing import Any

import maskwise
from bench.measure import table
from maskwise.datasets import ADULT_QIDS, adult_folder, load_adult

K = 50
QID = ADULT_QIDS["GA"]
WAYS: dict[str, dict[str, Any]] = {
    "score": {},
    "conditional": {"criterion": "conditional"},
    "bottom-up": {"method": "bug"},
}


def below(first: maskwise.Outcome, second: maskwise.Outcome) -> tuple[float, int]:
    """The share of records in joint groups below k, in percent, and the smallest joint group."""
    shown = [outcome.data[name].to_pylist() for outcome in (first, second) for name in QID]
    sizes = Counter(zip(*shown, strict=True)).values()
    return 100 * sum(n for n in sizes if n < K) / sum(sizes), min(sizes)


def main() -> None:
    """Mask the training part in every way, alone and against every other, and print a table."""
    warnings.simplefilter("ignore", maskwise.MaskwiseWarning)
    people = load_adult("train").select([*QID, "income"])
    trees = {name: {"taxonomy": str(adult_folder() / f"{name}.yaml")} for name in QID if name != "age"}
    attributes = {"age": {"interval": [16, 100]}, **trees}
    policy = {"class": "income", "attributes": attributes, "requirements": [{"qid": list(QID), "k": K}]}
    rows: list[tuple[object, ...]] = [
        ("boundaries", "first", "second", "below k one by one", "smallest", "with --against", "smallest", "seconds")
    ]
    for boundaries in ("safe", "exact"):
        how = {"keep_order": True, "boundaries": boundaries, "seed": None}
        alone = {name: maskwise.anonymize(people, policy, **how, **way) for name, way in WAYS.items()}
        for first, one in alone.items():
            for second, way in WAYS.items():
                begin = time.perf_counter()
                together = maskwise.anonymize(people, policy, against=one.solution, **how, **way)
                seconds = time.perf_counter() - begin
                share, least = below(one, alone[second])
                kept, smallest = below(one, together)
                rows.append(
                    (boundaries, first, second, f"{share:.2f} %", least, f"{kept:.2f} %", smallest, f"{seconds:.1f}")
                )
    table(rows)


if __name__ == "__main__":
    main()
