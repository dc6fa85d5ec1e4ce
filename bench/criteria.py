"""What does a classifier lose by each way of masking? Errors on records that the masking has not seen.

`maskwise evaluate`, protocol held-out: the papers' score, the conditional
criterion, and two other algorithms, on Adult's quasi-identifiers, and where the
folder `MASKWISE_DATA` has them on Credit Approval (CRX) and German Credit, whose
few records are cross-validated several times.
"""

from __future__ import annotations

import statistics
import sys
from typing import Any

import maskwise
from bench.measure import table
from maskwise.datasets import (
    ADULT_CLASS,
    ADULT_QIDS,
    CRX_CLASS,
    CRX_QIDS,
    GERMAN_CLASS,
    GERMAN_QIDS,
    adult_trees,
    load_adult,
    load_crx,
    load_german,
)
from maskwise.errors import InputError

CLASSIFIERS = ("c4.5", "gradient-boosting")
K_ADULT = (10, 50, 100, 300, 500, 1000)
K_SMALL = (10, 50, 100)
SEEDS = (0, 1, 2)


def ask(qid: tuple[str, ...], class_name: str) -> dict[str, Any]:
    trees = adult_trees()
    attributes = {name: trees[name] for name in qid if name in trees}
    return {"class": class_name, "attributes": attributes, "requirements": [{"qid": list(qid), "k": 10}]}


def errors(data: Any, policy: dict[str, Any], ks: tuple[int, ...], **where: Any) -> dict[tuple[str, str, int], float]:
    """The error by classifier, way of masking and k; k is 0 for the unmasked table."""
    found: dict[tuple[str, str, int], float] = {}
    ways = {"score": {"rivals": ("mondrian", "full-domain")}, "conditional": {"criterion": "conditional"}}
    for way, options in ways.items():
        for one in maskwise.evaluate(data, policy, k=ks, classifiers=CLASSIFIERS, **where, **options).records:
            if one.error is None or one.measure == "UE":
                continue
            name = way if one.measure == "AE" else one.measure.removeprefix("AE(").removesuffix(")")
            found[one.classifier, name, one.k or 0] = one.error
    return found


def show(name: str, found: dict[tuple[str, str, int], float], ks: tuple[int, ...]) -> None:
    rows: list[tuple[object, ...]] = [(f"{name}: error, %", *(f"k = {k}" for k in ks))]
    for classifier in CLASSIFIERS:
        rows.append((f"{classifier}, unmasked", *[found[classifier, "BE", 0]] * len(ks)))
        rows += [
            (f"{classifier}, {way}", *(found.get((classifier, way, k), "infeasible") for k in ks))
            for way in ("score", "conditional", "mondrian", "full-domain")
        ]
    table(rows)
    print(flush=True)


def main(*names: str) -> None:
    for name, qid in ADULT_QIDS.items():
        if names and name not in names:
            continue
        columns = [*qid, ADULT_CLASS] if name == "GA" else load_adult().column_names
        train, test = load_adult("train").select(columns), load_adult("test").select(columns)
        show(f"Adult {name}", errors(train, ask(qid, ADULT_CLASS), K_ADULT, test=test), K_ADULT)
    small = {"CRX": (load_crx, CRX_QIDS, CRX_CLASS), "German": (load_german, GERMAN_QIDS, GERMAN_CLASS)}
    for name, (load, qids, class_name) in small.items():
        if names and name not in names:
            continue
        try:
            data = load("all").drop_null()
        except InputError as error:
            print(f"{name}: {error}")
            continue
        policy = ask(qids["Top7"], class_name)
        runs = [errors(data, policy, K_SMALL, folds=10, seed=seed) for seed in SEEDS]
        keys = set.intersection(*(set(run) for run in runs))
        mean = {key: statistics.mean(run[key] for run in runs) for key in keys}
        show(f"{name} Top7, 10 folds, {len(SEEDS)} times", mean, K_SMALL)


if __name__ == "__main__":
    main(*sys.argv[1:])
