"""TKDE 2007, Figure 10: Adult with Iyengar's eight attributes, C4.5, ten folds, masked by their training parts.

The paper compares with a genetic algorithm's published errors. Here the other
algorithms are those of `rivals`: full-domain generalization and
Mondrian, on the same folds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.common import Options, adult, errors, plot_errors, print_errors, start, write_csv
from experiments.rivals import FullDomain, Mondrian
from maskwise.datasets import adult_trees

if TYPE_CHECKING:
    from experiments.common import Row

KS = (10, 50, 100, 250, 500, 1000)
RIVAL_KS = (10, 100, 500)
RIVALS = {"full-domain": FullDomain(), "mondrian": Mondrian()}


def run(options: Options, folds: int = 10) -> list[Row]:
    data = adult(options, adult_trees())
    data = data.select(data.qids["GA"])
    requirements = [{"qid": list(data.qids["GA"]), "k": 10}]
    settings = {"protocol": "held-out", "folds": folds}
    rows = errors(data, "GA", requirements, k=options.ks or KS, **settings)
    rivals = errors(data, "GA", requirements, k=options.ks or RIVAL_KS, against=RIVALS, **settings)
    rows += [row for row in rivals if "(" in row["measure"]]
    print_errors(rows)
    write_csv(options, "tkde_fig10", rows)
    plot_errors(options, "tkde_fig10", rows, "Adult, eight attributes, C4.5, ten folds")
    return rows


if __name__ == "__main__":
    start(run, __doc__)
