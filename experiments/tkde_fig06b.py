"""TKDE 2007, Figure 6(b): Adult, generalization and discretization, Naive Bayes, Top5, Top7 and Top9."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.common import Options, adult, plot_top_n, start
from maskwise.datasets import adult_trees

if TYPE_CHECKING:
    from experiments.common import Row

KS = (20, 60, 100, 140, 180, 200, 300, 400, 500, 600, 800, 1000)


def run(options: Options) -> list[Row]:
    title = "Adult, generalize and discretize, Naive Bayes"
    return plot_top_n(options, "tkde_fig06b", adult(options, adult_trees()), KS, title, classifiers=["naive-bayes"])


if __name__ == "__main__":
    start(run, __doc__)
