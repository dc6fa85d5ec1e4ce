"""How long a search takes on the blow-up of Adult, for the figures about scale."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bench.blowup import blow_up

from experiments.common import save_plot, write_csv
from maskwise.compress.compress import compress
from maskwise.formats.policy_file import read_policy
from maskwise.profile.profile import profile
from maskwise.report.plot import pyplot
from maskwise.search.search import plan, search
from maskwise.table.read import read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from experiments.common import Options, Row

KEYS = ("requirement", "n_rows", "policies", "prepare", "search", "steps")
"""Seconds to read, count and compress, seconds to search, and steps: means over the policies."""


def scale(options: Options, name: str, sizes: Sequence[int], policies: Mapping[str, list[dict[str, Any]]]) -> list[Row]:
    """Time each group of policies at each size."""
    rows: list[Row] = []
    for n_rows in sizes:
        _, parquet = blow_up(n_rows)
        for group, group_policies in policies.items():
            # The first run may compile a kernel, so the better of two counts.
            seconds = [
                min((_time_once(parquet, policy) for _ in range(2)), key=lambda run: run[0] + run[1])
                for policy in group_policies
            ]
            means = [sum(part) / len(seconds) for part in zip(*seconds, strict=True)]
            rows.append(dict(zip(KEYS, (group, n_rows, len(group_policies), *means), strict=True)))
            print(f"{group}, {n_rows:,} rows: {means[0]:.2f} s to prepare, {means[1]:.2f} s to search", flush=True)
    write_csv(options, name, rows, KEYS)
    figure, panel = pyplot().subplots(figsize=(6, 4))
    for group in policies:
        line = [row for row in rows if row["requirement"] == group]
        x, y = [row["n_rows"] for row in line], [row["prepare"] + row["search"] for row in line]
        panel.plot(x, y, marker="o", label=group)
    panel.set(xlabel="records", ylabel="prepare and search, seconds")
    panel.set_ylim(bottom=0)
    panel.legend()
    save_plot(options, name, figure)
    return rows


def _time_once(parquet: object, policy: dict[str, Any]) -> tuple[float, float, int]:
    parsed_policy = read_policy(policy)
    begin = time.perf_counter()
    profiled, records = profile(read(parquet), parsed_policy)
    shapes, needs = plan(profiled, parsed_policy)
    compacts = compress(records, profiled, shapes, needs)
    ready = time.perf_counter()
    solution = search(profiled, shapes, needs, compacts, parsed_policy)
    return ready - begin, time.perf_counter() - ready, len(solution.steps)
