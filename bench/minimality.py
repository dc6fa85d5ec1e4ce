"""How often does the minimality attack break a template's bound on Adult, and what does a tighter search leave?

40 settings: the most frequent value below one half of four columns is protected,
on two quasi-identifiers, with five bounds; once without a k, once with k = 5. Each is searched with the bound
itself, with 0.9 times it, and with `minimality: guard`.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from bench.measure import table
from bench.paper_data import ADULT, build_policy
from maskwise.attacks.guard import run_search, tighten
from maskwise.attacks.minimality import NEAR, minimality
from maskwise.compress.compress import compress
from maskwise.datasets import adult_trees, load_adult
from maskwise.formats.policy_file import read_policy
from maskwise.policy.attributes import Minimality
from maskwise.profile.persons import with_boundaries
from maskwise.profile.profile import profile
from maskwise.search.interface import NoProgress, Problem
from maskwise.search.options import SearchOptions
from maskwise.search.registry import start_search
from maskwise.table.read import read

if TYPE_CHECKING:
    from maskwise.attacks.searched import Searched
    from maskwise.policy.policy import Policy

SENSITIVE = ("marital-status", "relationship", "education", "sex")
QIDS = (
    ("workclass", "education", "occupation", "relationship", "race", "sex", "native-country", "marital-status"),
    ("age", "workclass", "education", "race", "sex", "hours-per-week"),
)
BOUNDS = ("0.5", "0.6", "0.7", "0.8", "0.9")


def common_value(name: str) -> str:
    """The most frequent value of a column that less than half of the records have."""
    counts = pc.value_counts(load_adult()[name]).to_pylist()
    half = sum(item["counts"] for item in counts) / 2
    value: str = max((item for item in counts if item["counts"] < half), key=lambda item: item["counts"])["values"]
    return value


def main(k: int) -> None:
    records = load_adult()
    rows: list[tuple[object, ...]] = [("sensitive", "QID", "h", "searched with h", "with 0.9 h", "guard", "seconds")]
    worst: dict[str, list[float]] = {"h": [], "0.9 h": [], "guard": []}
    for name, (q, qid), h in itertools.product(SENSITIVE, enumerate(QIDS, 1), BOUNDS):
        others = [column for column in qid if column != name]
        template = {"qid": others, "sensitive": {name: [common_value(name)]}, "confidence": h}
        asked = build_policy(ADULT.class_name, [template, {"qid": others, "k": k}], adult_trees())
        found, seconds = _measure(records, asked)
        for key, value in found.items():
            worst[key].append(value)
        rows.append((name, q, h, *(_text(value) for value in found.values()), seconds))
    table(rows)
    for key, values in worst.items():
        n_above = sum(value > 1 + NEAR for value in values)
        print(f"k = {k}, {key}: {n_above} of {len(values)} above the bound, at worst {max(values):.3f} times it")


def _measure(records: Any, asked: dict[str, Any]) -> tuple[dict[str, float], float]:
    """The largest posterior over its bound, for each way to search, and the seconds of one check."""
    policy = read_policy(asked)
    profiled, read_records = profile(read(records), policy)
    profiled = with_boundaries(profiled, read_records, policy, policy.boundaries)
    counts = compress(read_records, profiled, start_search(Problem(profiled, policy, SearchOptions())).request)

    def run(tried: Policy) -> Searched:
        problem = Problem(profiled, tried, SearchOptions())
        return run_search(problem, start_search(problem), counts, NoProgress())

    searched = run(policy)
    begin = time.perf_counter()
    excess = _excess(searched)
    seconds = time.perf_counter() - begin
    tighter = run(tighten(policy, Fraction(9, 10), profiled))
    found = {
        "h": excess,
        "0.9 h": _excess(replace(tighter, tried=tighter.policy, policy=policy)),
        "guard": _excess(run(replace(policy, minimality=Minimality.GUARD))),
    }
    return found, seconds


def _excess(searched: Searched) -> float:
    attack = minimality(searched)
    return 0.0 if attack.figure is None or attack.bound is None else attack.figure / attack.bound


def _text(value: float) -> str:
    return f"{value:.3f}" if value else "no refinement stopped"


if __name__ == "__main__":
    for k in (1, 5):
        main(k)
