"""TKDE 2007, Figure 8: 30 random requirements with several QIDs beside their union as one QID, Adult, k = 100, C4.5."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

import maskwise
from experiments.common import Options, adult, errors, random_qids, save_plot, start, write_csv
from maskwise.datasets import adult_trees
from maskwise.report.plot import pyplot

if TYPE_CHECKING:
    from experiments.common import Row

N = 30
KEYS = ("number", "n_qids", "length", "n_attributes", "k", "single", "multi")


def run(options: Options, n: int = N) -> list[Row]:
    data = adult(options, adult_trees())
    (k,) = options.ks or (100,)
    whole = pa.concat_tables([data.train, data.test])
    rng = np.random.default_rng(0)
    rows: list[Row] = []
    for number in range(1, n + 1):
        qids = random_qids(rng, data.names, (3, 7), (2, 9))
        union = sorted({name for qid in qids for name in qid})
        multi = maskwise.anonymize(whole, data.policy([{"qid": qid, "k": k} for qid in qids]), as_published=True).data
        # Both mask the same attributes, so one evaluation of the union's policy reads both tables.
        rows_of_union = errors(data, "union", [{"qid": union, "k": k}], protocol="combined", against={"multi": multi})
        error = {row["measure"]: row["error"] for row in rows_of_union}
        cells = (number, len(qids), len(qids[0]), len(union), k, error["AE"], error["AE(multi)"])
        rows.append(dict(zip(KEYS, cells, strict=True)))
        print(f"{number}: {len(qids)} QIDs, single {error['AE']:.2f}, multi {error['AE(multi)']:.2f}", flush=True)
    write_csv(options, "tkde_fig08", rows, KEYS)
    _draw(options, rows)
    better = sum(row["multi"] < row["single"] for row in rows)
    equal = sum(row["multi"] == row["single"] for row in rows)
    print(f"Several QIDs have the lower error in {better} of {len(rows)} requirements, the same in {equal}.")
    return rows


def _draw(options: Options, rows: list[Row]) -> None:
    figure, panel = pyplot().subplots(figsize=(5, 5))
    x, y = [row["multi"] for row in rows], [row["single"] for row in rows]
    ends = [min(x + y) - 0.5, max(x + y) + 0.5]
    panel.plot(ends, ends, linestyle="--", color="gray")
    panel.scatter(x, y, s=14)
    panel.set(xlabel="AE of several QIDs, %", ylabel="AE of their union as one QID, %", title="Adult, C4.5, combined")
    save_plot(options, "tkde_fig08", figure)


if __name__ == "__main__":
    start(run, __doc__)
