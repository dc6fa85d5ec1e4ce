"""The privacy templates of KAIS 2007, 5: the rarer half of the values of some attributes is protected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from experiments.common import KEYS, errors, plot_errors, print_errors, write_csv

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.common import Data, Options, Row

HS = (0.5, 0.7, 0.9)
SENSITIVE = {
    "Adult": ("marital-status", "relationship", "education", "sex"),
    "CRX": ("A9", "A10", "A7", "A6"),
    "German": ("checking-status", "credit-history", "savings", "installment-plans", "purpose", "debtors"),
}
"""The attributes at the top of the papers' trees, in their order."""


def top(data: Data) -> tuple[str, ...]:
    return SENSITIVE[data.name.partition(",")[0]]


def protected(data: Data, name: str) -> list[str]:
    """The half of the values that have the fewest records; of an odd number the smaller half."""
    both = pa.concat_tables([data.train, data.test])
    counts = pc.value_counts(both[name]).to_pylist()
    ranked = sorted(counts, key=lambda item: (item["counts"], item["values"]))
    return [item["values"] for item in ranked[: len(ranked) // 2]]


def requirement(data: Data, sensitive: Sequence[str], h: float, qid: Sequence[str] | None = None) -> dict[str, Any]:
    """One template for each protected value, on the other attributes unless a QID is given."""
    others = [name for name in data.names if name not in sensitive]
    values = {name: protected(data, name) for name in sensitive}
    return {"qid": list(qid or others), "sensitive": values, "confidence": h}


def run(options: Options, name: str, data: Data, draws: int) -> list[Row]:
    """The errors of TopN, and the means over random sets of N sensitive attributes (RanN, combined only).

    Args:
        options: The folder of the results.
        name: The name of the result files.
        data: The table; its numbers are left out, as in the paper.
        draws: The number of random sets for each N.
    """
    data = data.select(data.categorical)
    rng = np.random.default_rng(0)
    rows: list[Row] = []
    for n in range(1, len(top(data)) + 1):
        rows += _errors(data, f"Top{n}", top(data)[:n])
        drawn = [[data.names[i] for i in sorted(rng.permutation(len(data.names))[:n])] for _ in range(draws)]
        rows += _mean([_errors(data, f"Ran{n}", sensitive, protocol="combined") for sensitive in drawn])
        for requirement_name in (f"Top{n}", f"Ran{n}"):
            print(f"{data.name}, {requirement_name}")
            print_errors([row for row in rows if row["requirement"] == requirement_name])
    write_csv(options, name, rows)
    plot_errors(
        options, name, [row for row in rows if row["requirement"].startswith("Top")], f"{data.name}, templates", "h"
    )
    return rows


def _errors(data: Data, requirement_name: str, sensitive: Sequence[str], **given: Any) -> list[Row]:
    rows = errors(data, requirement_name, [requirement(data, sensitive, HS[0])], h=HS, **given)
    return [row for row in rows if row["measure"] != "UE"]


def _mean(runs: Sequence[Sequence[Row]]) -> list[Row]:
    """The mean error over runs; low and high are the smallest and the largest."""
    means = []
    for same in zip(*runs, strict=True):
        feasible = [row["error"] for row in same if row["error"] is not None]
        mean = {key: same[0][key] for key in KEYS}
        n_infeasible = len(same) - len(feasible)
        mean["note"] = (
            f"{n_infeasible} of {len(same)} sets cannot be met" if n_infeasible else f"mean of {len(same)} sets"
        )
        if feasible:
            mean |= {"error": sum(feasible) / len(feasible), "low": min(feasible), "high": max(feasible)}
        means.append(mean)
    return means
