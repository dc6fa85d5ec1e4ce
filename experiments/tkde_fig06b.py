"""TKDE 2007, Figure 6(b): Adult, generalization and discretization, Naive Bayes, Top5, Top7 and Top9."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.common import Options, adult, draw, start, top_n, write
from maskwise.datasets import adult_trees

if TYPE_CHECKING:
    from experiments.common import Row

KS = (20, 60, 100, 140, 180, 200, 300, 400, 500, 600, 800, 1000)


def run(asked: Options) -> list[Row]:
    rows = top_n(adult(asked, adult_trees()), asked.ks or KS, classifiers=["naive-bayes"])
    write(asked, "tkde_fig06b", rows)
    draw(asked, "tkde_fig06b", rows, "Adult, generalize and discretize, Naive Bayes")
    return rows


if __name__ == "__main__":
    start(run, __doc__)
