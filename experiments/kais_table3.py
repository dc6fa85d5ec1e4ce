"""KAIS 2007, Table 3: how many inferences in the raw table have a confidence above h."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from experiments.common import AbsentError, Options, adult, crx, german, save_plot, start, write_csv
from experiments.templates import HS, protected, top
from maskwise.report.plot import pyplot

if TYPE_CHECKING:
    from experiments.common import Data, Row

KEYS = ("data", "requirement", "h", "inferences")


def run(options: Options) -> list[Row]:
    rows: list[Row] = []
    for load in (crx, adult, german):
        try:
            rows += count(load(options))
        except AbsentError as absent:
            print(f"Left out: {absent}")
    write_csv(options, "kais_table3", rows, KEYS)
    figure, panel = pyplot().subplots(figsize=(6, 4))
    for key in dict.fromkeys((row["data"], row["h"]) for row in rows):
        line = [row for row in rows if (row["data"], row["h"]) == key]
        panel.plot(
            [row["requirement"] for row in line], [row["inferences"] for row in line], marker="o", label=str(key)
        )
    panel.set(ylabel="inferences")
    panel.legend(fontsize=7)
    save_plot(options, "kais_table3", figure)
    return rows


def count(data: Data) -> list[Row]:
    """Groups on the masked attributes in which a protected value has a larger share than h."""
    data = data.select(data.categorical)
    both = pd.concat([data.train.to_pandas(), data.test.to_pandas()])
    rows: list[Row] = []
    for n in range(1, len(top(data)) + 1):
        sensitive = top(data)[:n]
        keys = [both[name] for name in data.names if name not in sensitive]
        n_inferences = dict.fromkeys(HS, 0)
        for name in sensitive:
            for value in protected(data, name):
                share = (both[name] == value).groupby(keys).mean()
                for h in HS:
                    n_inferences[h] += int((share > h).sum())
        rows += [
            {"data": data.name, "requirement": f"Top{n}", "h": h, "inferences": m} for h, m in n_inferences.items()
        ]
        print(f"{data.name}, Top{n}: " + ", ".join(f"{m} above {h:g}" for h, m in n_inferences.items()))
    return rows


if __name__ == "__main__":
    start(run, __doc__)
