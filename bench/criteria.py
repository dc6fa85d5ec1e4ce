"""What does a classifier lose by each way of masking? Errors on records that the masking did not use.

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
from bench.paper_data import ADULT, CRX, GERMAN, PaperData, build_policy
from maskwise.datasets import adult_trees
from maskwise.errors import InputError

CLASSIFIERS = ("c4.5", "gradient-boosting")
K_ADULT = (10, 50, 100, 300, 500, 1000)
K_SMALL = (10, 50, 100)
SEEDS = (0, 1, 2)


def policy_for(data: PaperData, qid: tuple[str, ...]) -> dict[str, Any]:
    return build_policy(data.class_name, [{"qid": list(qid), "k": 10}], adult_trees())


def errors(
    data: Any, policy: dict[str, Any], ks: tuple[int, ...], **evaluate_options: Any
) -> dict[tuple[str, str, int], float]:
    """The error by classifier, way of masking and k; k is 0 for the unmasked table."""
    by_key: dict[tuple[str, str, int], float] = {}
    ways = {"score": {"rivals": ("mondrian", "full-domain")}, "conditional": {"criterion": "conditional"}}
    for way, masking in ways.items():
        evaluation = maskwise.evaluate(
            data, policy, k=ks, classifiers=CLASSIFIERS, as_published=True, **evaluate_options, **masking
        )
        for record in evaluation.records:
            if record.error is None or record.measure == "UE":
                continue
            name = way if record.measure == "AE" else record.measure.removeprefix("AE(").removesuffix(")")
            by_key[record.classifier, name, record.k or 0] = record.error
    return by_key


def print_errors(name: str, by_key: dict[tuple[str, str, int], float], ks: tuple[int, ...]) -> None:
    rows: list[tuple[object, ...]] = [(f"{name}: error, %", *(f"k = {k}" for k in ks))]
    for classifier in CLASSIFIERS:
        rows.append((f"{classifier}, unmasked", *[by_key[classifier, "BE", 0]] * len(ks)))
        rows += [
            (f"{classifier}, {way}", *(by_key.get((classifier, way, k), "infeasible") for k in ks))
            for way in ("score", "conditional", "mondrian", "full-domain")
        ]
    table(rows)
    print(flush=True)


def main(*names: str) -> None:
    for name, qid in ADULT.qids.items():
        if names and name not in names:
            continue
        train, test = ADULT.load("train"), ADULT.load("test")
        columns = [*qid, ADULT.class_name] if name == "GA" else train.column_names
        policy = policy_for(ADULT, qid)
        print_errors(
            f"Adult {name}", errors(train.select(columns), policy, K_ADULT, test=test.select(columns)), K_ADULT
        )
    for small in (CRX, GERMAN):
        if names and small.name not in names:
            continue
        try:
            data = small.load("all").drop_null()
        except InputError as error:
            print(f"{small.name}: {error}")
            continue
        policy = policy_for(small, small.qids["Top7"])
        runs = [errors(data, policy, K_SMALL, folds=10, seed=seed) for seed in SEEDS]
        keys = set.intersection(*(set(run) for run in runs))
        mean = {key: statistics.mean(run[key] for run in runs) for key in keys}
        print_errors(f"{small.name} Top7, 10 folds, {len(SEEDS)} times", mean, K_SMALL)


if __name__ == "__main__":
    main(*sys.argv[1:])
