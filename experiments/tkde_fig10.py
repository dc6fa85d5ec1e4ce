"""TKDE 2007, Figure 10: Adult with Iyengar's eight attributes, C4.5, ten folds, masked by their training parts.

The paper compares with a genetic algorithm's published errors. Here the other
algorithms are those that come with maskwise: full-domain generalization and
Mondrian, on the same folds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.common import Options, adult, draw, errors, show, start, write
from maskwise.datasets import adult_trees

if TYPE_CHECKING:
    from experiments.common import Row

KS = (10, 50, 100, 250, 500, 1000)
RIVAL_KS = (10, 100, 500)


def run(asked: Options, folds: int = 10) -> list[Row]:
    data = adult(asked, adult_trees())
    data = data.only(data.qids["GA"])
    requirements = [{"qid": list(data.qids["GA"]), "k": 10}]
    settings = {"protocol": "held-out", "folds": folds}
    rows = errors(data, "GA", requirements, k=asked.ks or KS, **settings)
    rivals = errors(data, "GA", requirements, k=asked.ks or RIVAL_KS, rivals=["full-domain", "mondrian"], **settings)
    rows += [row for row in rivals if "(" in row["measure"]]
    show(rows)
    write(asked, "tkde_fig10", rows)
    draw(asked, "tkde_fig10", rows, "Adult, eight attributes, C4.5, ten folds")
    return rows


if __name__ == "__main__":
    start(run, __doc__)
