"""What does a classifier lose by each way of masking? Measured on records that the masking did not use.

`maskwise evaluate`, protocol held-out, on Adult's quasi-identifiers, and where the
folder `MASKWISE_DATA` has them on Credit Approval (CRX) and German Credit, whose
few records are cross-validated several times.

    python -m bench.criteria                          all settings, all ways, three classifiers
    python -m bench.criteria Top7 GA --ways conditional,mondrian --k 10,100
    python -m bench.criteria Top7 --ways conditional,conditional-none
    python -m bench.criteria Top7 --numbers all       how masked numbers are shown, for each classifier
    python -m bench.criteria Top7 --suppress 2        the same ways beside them, where 2 % may be suppressed
    python -m bench.criteria Top7 --shuffled          a control: training classes in random order
    python -m bench.criteria --rare                   the area under the curve of a rare outcome
"""

from __future__ import annotations

import argparse
import statistics
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from experiments.rivals.full_domain import FullDomain
from experiments.rivals.mondrian import Mondrian

import maskwise
from bench.measure import table
from bench.paper_data import ADULT, CRX, GERMAN, PaperData, build_policy
from maskwise.datasets import adult_trees
from maskwise.errors import InputError
from maskwise.search import registry
from maskwise.values.number_forms import Numbers

CLASSIFIERS = ("c4.5", "gradient-boosting", "logistic-regression")
RIVALS: dict[str, Any] = {"mondrian": Mondrian, "full-domain": FullDomain}
K_ADULT = (10, 50, 100, 300, 500, 1000)
K_SMALL = (10, 50, 100)
K_RARE = (10, 50, 100)
SEEDS = (0, 1, 2)
RARE = "capital-gain above 7,000"

Figures = dict[tuple[str, str, int], float]
"""By classifier, way of masking and k; k is 0 for the unmasked table and the one without the quasi-identifiers."""


@dataclass(frozen=True)
class Plan:
    """What is asked on the command line."""

    settings: tuple[str, ...]
    """The quasi-identifiers and data sets; none stands for all."""
    ways: tuple[str, ...]
    """The ways of masking."""
    ks: tuple[int, ...] | None
    """Which k; None takes those of the setting."""
    classifiers: tuple[str, ...]
    numbers: tuple[str, ...]
    """How masked numbers are shown to classifiers."""
    is_shuffled: bool
    """Whether training classes are put into random order before anything else."""
    suppress: float
    """The share of records that may be suppressed, in percent; with 0 none."""

    def wants(self, name: str) -> bool:
        return not self.settings or name in self.settings


def ways_of_masking() -> dict[str, dict[str, Any]]:
    """Every search that there is, by its criterion or else its method, and every rival, each with its options."""
    searches = {
        one.criterion or one.method: {"method": one.method} | ({"criterion": one.criterion} if one.criterion else {})
        for one in registry.SEARCHES
    }
    # As published is for the papers' top-down refinement, which the papers' figures are compared with.
    searches = {
        name: how | ({"as_published": True} if how["method"] == "tdr" else {}) for name, how in searches.items()
    }
    # Mondrian splits at any number of the data; so do regions with exact boundaries.
    searches["regions-exact"] = {"method": "regions", "boundaries": "exact"}
    # What these searches know of unmasked columns.
    for way in ("conditional", "regions"):
        searches[f"{way}-none"] = searches[way] | {"background": "none"}
    return searches | {name: {} for name in RIVALS}


def measure(data: Any, policy: dict[str, Any], ks: tuple[int, ...], plan: Plan, **options: Any) -> Figures:
    """The figure of each classifier, way of masking and k, and of the unmasked table."""
    figures: Figures = {}
    known = ways_of_masking()
    rivals = tuple(way for way in plan.ways if way in RIVALS)
    # Rivals are measured beside the first search, since an evaluation always has one.
    searches = [way for way in plan.ways if way not in RIVALS] or ["score"]
    for numbers in plan.numbers:
        shown = f", {numbers}" if len(plan.numbers) > 1 else ""
        for way in searches:
            evaluation = maskwise.evaluate(
                data,
                policy,
                k=ks,
                classifiers=plan.classifiers,
                numbers=numbers,
                against={rival: RIVALS[rival]() for rival in rivals if way == searches[0]},
                **options,
                **known[way],
            )
            names = {"BE": "unmasked", "UE": "without the quasi-identifiers", "AE": way + shown}
            names |= {f"AE({rival})": rival + shown for rival in rivals}
            for record in evaluation.records:
                if record.value is not None and (record.measure != "AE" or way in plan.ways):
                    figures[record.classifier, names[record.measure], record.k or 0] = record.value
    return figures | (measure_suppressing(data, policy, ks, plan, **options) if plan.suppress else {})


def measure_suppressing(data: Any, policy: dict[str, Any], ks: tuple[int, ...], plan: Plan, **options: Any) -> Figures:
    """The same with a suppression budget, where a way of masking has one: all but Mondrian and regions.

    Full-domain recoding with suppressed records is what ARX searches for too; it shows them as `*`.
    """
    figures: Figures = {}
    options |= {"classifiers": plan.classifiers}
    for way in plan.ways:
        how = ways_of_masking()[way]
        if way == "mondrian" or how.get("method") == "regions":
            continue
        # The papers suppress nobody.
        how.pop("as_published", None)
        for k in ks:
            asked = policy | {"requirements": [one | {"k": k} for one in policy["requirements"]]}
            if way == "full-domain":
                rival = FullDomain(suppress=plan.suppress / 100).fit(data, asked)
                masked = pa.concat_tables([rival.transform(data), rival.transform(options["test"])])
                records = maskwise.evaluate(data, asked, against={way: masked}, **options).records
            else:
                asked |= {"suppress": f"{plan.suppress}%"}
                records = maskwise.evaluate(data, asked, **options, **how).records
            name = f"{way}, up to {plan.suppress:g} % suppressed"
            measure_name = f"AE({way})" if way in RIVALS else "AE"
            found = {one.classifier: one.value for one in records if one.measure == measure_name}
            figures |= {(classifier, name, k): value for classifier, value in found.items() if value is not None}
    return figures


def print_figures(title: str, figures: Figures, ks: tuple[int, ...], classifiers: tuple[str, ...], digits: int) -> None:
    rows: list[tuple[object, ...]] = [(title, *(f"k = {k}" for k in ks))]
    for classifier in classifiers:
        for way in dict.fromkeys(name for one, name, _ in figures if one == classifier):
            found = [figures.get((classifier, way, k), figures.get((classifier, way, 0))) for k in ks]
            rows.append(
                (f"{classifier}, {way}", *("infeasible" if one is None else f"{one:.{digits}f}" for one in found))
            )
    table(rows)
    print(flush=True)


def policy_for(class_name: str, qid: tuple[str, ...]) -> dict[str, Any]:
    return build_policy(class_name, [{"qid": list(qid), "k": 10}], adult_trees())


def shuffle_classes(records: pa.Table, class_name: str) -> pa.Table:
    """The records with their classes in random order."""
    order = np.random.default_rng(0).permutation(records.num_rows)
    at = records.column_names.index(class_name)
    return records.set_column(at, class_name, records.column(class_name).take(pa.array(order)))


def base_rate(train: pa.Table, test: pa.Table, class_name: str) -> float:
    """The error of always predicting the most frequent class of the training records, in percent."""
    counts = {one["values"]: one["counts"] for one in train.column(class_name).value_counts().to_pylist()}
    most_frequent = max(counts, key=counts.__getitem__)
    return 100 * (1 - pc.mean(pc.equal(test.column(class_name), most_frequent).cast("float64")).as_py())


def print_adult(plan: Plan) -> None:
    ks = plan.ks or K_ADULT
    for name, qid in ADULT.qids.items():
        if not plan.wants(name):
            continue
        columns = [*qid, ADULT.class_name] if name == "GA" else ADULT.load("train").column_names
        train, test = (ADULT.load(part).select(columns) for part in ("train", "test"))
        title = f"Adult {name}: error, %"
        if plan.is_shuffled:
            train = shuffle_classes(train, ADULT.class_name)
            rate = base_rate(train, test, ADULT.class_name)
            title += f", training classes shuffled; {rate:.2f} always predicting the most frequent"
        figures = measure(train, policy_for(ADULT.class_name, qid), ks, plan, test=test)
        print_figures(title, figures, ks, plan.classifiers, 2)


def print_small(plan: Plan, data: PaperData) -> None:
    ks = plan.ks or K_SMALL
    try:
        records = data.load("all").drop_null()
    except InputError as error:
        print(f"{data.name}: {error}")
        return
    policy = policy_for(data.class_name, data.qids["Top7"])
    runs = [measure(records, policy, ks, plan, folds=10, seed=seed) for seed in SEEDS]
    keys = [key for key in runs[0] if all(key in run for run in runs)]
    mean = {key: statistics.mean(run[key] for run in runs) for key in keys}
    title = f"{data.name} Top7, 10 folds, {len(SEEDS)} times: error, %"
    print_figures(title, mean, ks, plan.classifiers, 2)


def print_rare(plan: Plan) -> None:
    """The area under the curve of an outcome that one record in twenty has."""
    ks = plan.ks or K_RARE
    train, test = (_with_rare_outcome(ADULT.load(part)) for part in ("train", "test"))
    share = 100 * pc.mean(pc.equal(test.column(RARE), "yes").cast("float64")).as_py()
    for name, qid in ADULT.qids.items():
        if not plan.wants(name) or name == "GA":
            continue
        policy = policy_for(RARE, tuple(one for one in qid if one in train.column_names))
        figures = measure(train, policy, ks, plan, test=test, measures="auc")
        title = f"Adult {name} without capital-gain, {RARE} ({share:.1f} %): area under the curve"
        print_figures(title, figures, ks, plan.classifiers, 4)


def _with_rare_outcome(records: pa.Table) -> pa.Table:
    is_rare = pc.greater(records.column("capital-gain").cast("float64"), 7000)
    return records.drop_columns(["capital-gain"]).append_column(RARE, pc.if_else(is_rare, "yes", "no"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("settings", nargs="*", help="Top5, Top7, Top9, GA, CRX, German; all if none is named")
    usual = [
        name for name, how in ways_of_masking().items() if name not in {"infogain", "bug"} and "background" not in how
    ]
    parser.add_argument("--ways", default=",".join(usual))
    parser.add_argument("--k", help="such as 10,100; by default those of the setting")
    parser.add_argument("--classifiers", default=",".join(CLASSIFIERS))
    parser.add_argument("--suppress", type=float, default=0.0, help="also with so many percent that may be suppressed")
    parser.add_argument("--numbers", default="label", help="label, midpoint, mean, bounds, a list of them, or all")
    parser.add_argument("--shuffled", action="store_true", help="put the training classes into random order first")
    parser.add_argument("--rare", action="store_true", help="measure a rare outcome of Adult instead")
    asked = parser.parse_args()
    ways = tuple(asked.ways.split(","))
    if unknown := [way for way in ways if way not in ways_of_masking()]:
        parser.error(f"no way of masking: {unknown[0]}; known are {', '.join(ways_of_masking())}")
    numbers = tuple(map(str, Numbers)) if asked.numbers == "all" else tuple(asked.numbers.split(","))
    ks = tuple(int(k) for k in asked.k.split(",")) if asked.k else None
    plan = Plan(
        tuple(asked.settings), ways, ks, tuple(asked.classifiers.split(",")), numbers, asked.shuffled, asked.suppress
    )
    if asked.rare:
        print_rare(plan)
        return
    print_adult(plan)
    for data in (CRX, GERMAN):
        if plan.wants(data.name) and not plan.is_shuffled:
            print_small(plan, data)


if __name__ == "__main__":
    main()
