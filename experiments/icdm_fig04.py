"""ICDM 2004, Figure 4: the time of bottom-up generalization over K, scale and novelty, with and without pruning.

`bench.bug` measures the same at the paper's full size; here the tables are a
third of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.bug import search_times, vary

from experiments.common import Options, save_plot, start, write_csv
from maskwise.report.plot import pyplot

if TYPE_CHECKING:
    from experiments.common import Row

KEYS = ("varied", "x", "n_rows", "n_vids", "steps", "with_pruning", "without_pruning", "top_down")
SCALE, NOVELTY, K = 10, 3, 150
POINTS = {"K": (50, 150, 500), "scale factor": (5, 10, 20), "novelty factor": (1, 3, 5)}


def run(options: Options) -> list[Row]:
    rows: list[Row] = []
    for varied, places in POINTS.items():
        for x in places:
            setting = {"scale factor": SCALE, "novelty factor": NOVELTY, "K": K} | {varied: x}
            data = vary(setting["scale factor"], setting["novelty factor"])
            times = search_times(data, setting["K"])
            cells = (
                varied,
                x,
                data.num_rows,
                times.n_vids,
                times.n_steps,
                times.pruned,
                times.unpruned,
                times.top_down,
            )
            rows.append(dict(zip(KEYS, cells, strict=True)))
            print(f"{varied} = {x}: {times.pruned:.2f} s, without pruning {times.unpruned:.2f} s", flush=True)
    write_csv(options, "icdm_fig04", rows, KEYS)
    figure, panels = pyplot().subplots(1, len(POINTS), figsize=(13, 4))
    for panel, varied in zip(panels, POINTS, strict=True):
        of_panel = [row for row in rows if row["varied"] == varied]
        for key in KEYS[5:]:
            panel.plot(
                [row["x"] for row in of_panel], [row[key] for row in of_panel], marker="o", label=key.replace("_", " ")
            )
        panel.set(xlabel=varied, ylabel="search, seconds")
        panel.legend(fontsize=7)
    figure.tight_layout()
    save_plot(options, "icdm_fig04", figure)
    return rows


if __name__ == "__main__":
    start(run, __doc__)
