"""TKDE 2007, Figure 7: the trees grown for hours-per-week and education-num, Adult, Top7, k = 60."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

import maskwise
from experiments.common import Options, adult, save_plot, start, write_csv
from maskwise.datasets import adult_trees
from maskwise.report.plot import pyplot

if TYPE_CHECKING:
    from experiments.common import Row

SHOWN = ("hours-per-week", "education-num")
KEYS = ("attribute", "depth", "interval", "left", "right", "step")


def run(options: Options) -> list[Row]:
    data = adult(options, adult_trees())
    (k,) = options.ks or (60,)
    policy = data.policy([{"qid": list(data.qids["Top7"]), "k": k}])
    steps = maskwise.anonymize(pa.concat_tables([data.train, data.test]), policy, as_published=True).steps
    rows: list[Row] = []
    for name in SHOWN:
        depths: dict[str, int] = {}
        for step in steps:
            if step.attribute == name:
                depth = depths.get(step.before, 0)
                depths |= dict.fromkeys(step.after, depth + 1)
                left, right = step.after
                rows.append(dict(zip(KEYS, (name, depth, step.before, left, right, step.step), strict=True)))
    write_csv(options, "tkde_fig07", rows, KEYS)
    for row in rows:
        print(f"{row['attribute']}: {'  ' * row['depth']}{row['interval']} -> {row['left']}, {row['right']}")
    _draw(options, rows)
    return rows


def _draw(options: Options, rows: list[Row]) -> None:
    figure, panels = pyplot().subplots(1, 2, figsize=(13, 4.4))
    for panel, name in zip(panels, SHOWN, strict=True):
        splits = {row["interval"]: (row["left"], row["right"]) for row in rows if row["attribute"] == name}
        panel.set_title(name)
        panel.axis("off")
        if splits:
            _place(panel, splits, next(iter(splits)), 0, 0.0)
    figure.tight_layout()
    save_plot(options, "tkde_fig07", figure)


def _place(panel: object, splits: dict[str, tuple[str, str]], label: str, depth: int, at: float) -> tuple[float, float]:
    """Draw a value above its children, leaves side by side; return its place and where the next leaf stands."""
    below = []
    for child in splits.get(label, ()):
        x, at = _place(panel, splits, child, depth + 1, at)
        below.append(x)
    x = sum(below) / len(below) if below else at
    for place in below:
        panel.plot([x, place], [-depth, -depth - 1], color="gray", zorder=1)
    panel.text(x, -depth, label, ha="center", va="center", fontsize=8, bbox={"fc": "white", "ec": "gray"}, zorder=2)
    return x, at if below else at + 1


if __name__ == "__main__":
    start(run, __doc__)
