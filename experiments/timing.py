"""How long a search takes on the blow-up of Adult, for the figures about scale."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bench.blowup import blow_up

from experiments.common import keep, write
from maskwise.compress.compress import compress
from maskwise.formats.policy_file import read_policy
from maskwise.profile.profile import profile
from maskwise.report.plot import pyplot
from maskwise.search.interface import NoProgress, Problem
from maskwise.search.options import SearchOptions
from maskwise.search.score_search import ScoreSearch
from maskwise.table.read import read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from experiments.common import Options, Row

KEYS = ("requirement", "n_rows", "policies", "prepare", "search", "steps")
"""Seconds to read, count and compress, seconds to search, and steps: means over the policies."""


def scale(asked: Options, name: str, sizes: Sequence[int], policies: Mapping[str, list[dict[str, Any]]]) -> list[Row]:
    """Time each group of policies at each size."""
    rows: list[Row] = []
    for n_rows in sizes:
        _, parquet = blow_up(n_rows)
        for called, group in policies.items():
            # The first run may compile a kernel, so the better of two counts.
            took = [
                min((_once(parquet, policy) for _ in range(2)), key=lambda one: one[0] + one[1]) for policy in group
            ]
            means = [sum(part) / len(took) for part in zip(*took, strict=True)]
            rows.append(dict(zip(KEYS, (called, n_rows, len(group), *means), strict=True)))
            print(f"{called}, {n_rows:,} rows: {means[0]:.2f} s to prepare, {means[1]:.2f} s to search", flush=True)
    write(asked, name, rows, KEYS)
    figure, panel = pyplot().subplots(figsize=(6, 4))
    for called in policies:
        line = [row for row in rows if row["requirement"] == called]
        x, y = [row["n_rows"] for row in line], [row["prepare"] + row["search"] for row in line]
        panel.plot(x, y, marker="o", label=called)
    panel.set(xlabel="records", ylabel="prepare and search, seconds")
    panel.set_ylim(bottom=0)
    panel.legend()
    keep(asked, name, figure)
    return rows


def _once(parquet: object, policy: dict[str, Any]) -> tuple[float, float, int]:
    asked = read_policy(policy)
    begin = time.perf_counter()
    profiled, records = profile(read(parquet), asked)
    search = ScoreSearch(Problem(profiled, asked, SearchOptions()))
    counts = compress(records, profiled, search.request)
    ready = time.perf_counter()
    solution = search.run(counts, NoProgress())
    return ready - begin, time.perf_counter() - ready, len(solution.steps)
