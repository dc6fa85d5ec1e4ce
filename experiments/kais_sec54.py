"""KAIS 2007, 5.4: time over the number of records, templates for the rarer half of marital-status, h = 0.9."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.common import Options, adult, random_qids, start
from experiments.templates import requirement
from experiments.timing import scale

if TYPE_CHECKING:
    from experiments.common import Row

SIZES = (200_000, 600_000, 1_000_000)
N_MULTI = 5
SENSITIVE = ("marital-status",)


def run(options: Options, sizes: tuple[int, ...] = SIZES) -> list[Row]:
    data = adult(options)
    data = data.select(data.categorical)
    others = [name for name in data.names if name not in SENSITIVE]
    rng = np.random.default_rng(0)
    drawn = [random_qids(rng, others, (3, 6), (2, 5)) for _ in range(N_MULTI)]
    policies = {
        "one QID": [data.policy([requirement(data, SENSITIVE, 0.9)])],
        "several QIDs": [data.policy([requirement(data, SENSITIVE, 0.9, qid) for qid in qids]) for qids in drawn],
        "one QID, h = 1": [data.policy([requirement(data, SENSITIVE, 1.0)])],
    }
    return scale(options, "kais_sec54", sizes, policies)


if __name__ == "__main__":
    start(run, __doc__)
