"""TKDE 2007, Figure 11: time over the number of records, one QID of all 14 attributes, or several QIDs, k = 50."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.common import Options, adult, random_qids, start
from experiments.timing import scale
from maskwise.datasets import adult_trees

if TYPE_CHECKING:
    from experiments.common import Row

SIZES = (200_000, 600_000, 1_000_000)
N_MULTI = 5


def run(options: Options, sizes: tuple[int, ...] = SIZES) -> list[Row]:
    data = adult(options, adult_trees())
    rng = np.random.default_rng(0)
    drawn = [random_qids(rng, data.names, (3, 7), (2, 9)) for _ in range(N_MULTI)]
    (k,) = options.ks or (50,)
    policies = {
        "AllAttQID": [data.policy([{"qid": data.names, "k": k}])],
        "MultiQID": [data.policy([{"qid": qid, "k": k} for qid in qids]) for qids in drawn],
    }
    return scale(options, "tkde_fig11", sizes, policies)


if __name__ == "__main__":
    start(run, __doc__)
