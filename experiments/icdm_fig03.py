"""ICDM 2004, Figure 3: bottom-up generalization of Adult's seven categorical attributes, C4.5."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.common import Options, adult, errors, plot_errors, print_errors, start, write_csv
from maskwise.datasets import adult_trees

if TYPE_CHECKING:
    from experiments.common import Row

KS = (10, 20, 50, 100, 150, 200, 300, 400, 500)
VID = ("workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")


def run(options: Options) -> list[Row]:
    data = adult(options, adult_trees()).select(VID)
    ks = options.ks or KS
    rows = []
    for method in ("bug", "tdr"):
        rows += errors(data, method, [{"qid": list(VID), "k": ks[0]}], k=ks, method=method)
        print(method)
        print_errors([row for row in rows if row["requirement"] == method])
    write_csv(options, "icdm_fig03", rows)
    plot_errors(options, "icdm_fig03", rows, "Adult, seven categorical attributes, C4.5")
    return rows


if __name__ == "__main__":
    start(run, __doc__)
