"""LKC counted on all its columns together, against the same policy QID by QID and against plain Python."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import maskwise
from maskwise.compress.compressed_table import Compact
from maskwise.compress.qid_tables import QidTables, project
from maskwise.compress.request import TableRequest
from maskwise.compress.spill import Workspace
from maskwise.errors import InputError, PolicyError
from maskwise.policy.requirements.lkc import LKC
from maskwise.search import bounds
from maskwise.search.groups import subset_bundles, subset_groups, subset_tables
from maskwise.search.groups.subset_groups import SubsetGroups
from maskwise.verify import verify as recount

TREE = {"any": {"low": ["v0", "v1"], "high": {"upper": ["v2", "v3"], "top": ["v4", "v5"]}}}
SEPARATE = 10**9


def problem(seed: int, n_columns: int = 5) -> tuple[pa.Table, dict[str, Any]]:
    """A random table with missing cells, and a policy: columns of all kinds, k, a template, one more QID."""
    rng = np.random.default_rng(seed)
    n = 150 + 40 * seed
    names = [f"a{i}" for i in range(n_columns)]
    columns: dict[str, Any] = {}
    for i, name in enumerate(names):
        cells = rng.integers(0, (30, 5, 6)[i % 3], n)
        if i % 3 == 0:
            columns[name] = pa.array([None if drawn < 0.1 else int(c) for c, drawn in zip(cells, rng.random(n))])  # noqa: B905
        else:
            columns[name] = pa.array([f"v{c}" for c in cells])
    columns["ill"] = pa.array(rng.choice(["hiv", "flu", "none"], n, p=[0.1, 0.3, 0.6]))
    columns["risk"] = pa.array(rng.choice(["no", "yes"], n))
    asked: dict[str, Any] = {"lkc": {"attributes": names[::-1], "L": 1 + seed % 3}, "k": 4 + seed}
    if seed % 2:
        asked |= {"sensitive": {"ill": ["hiv"]}, "confidence": 0.4}
    trees = {name: {"taxonomy": TREE} for name in names[2::3]}
    policy = {"class": "risk", "attributes": trees, "requirements": [asked, {"qid": names[:2], "k": 9}]}
    return pa.table(columns), policy


def masked(monkeypatch: pytest.MonkeyPatch, most: int, seed: int, **options: Any) -> Any:
    monkeypatch.setattr(bounds, "MOST_SEPARATE", most)
    monkeypatch.setattr(recount, "MOST_SEPARATE", most)
    return maskwise.anonymize(*problem(seed), **options)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::maskwise.MaskwiseWarning")
@pytest.mark.parametrize("fewer", [1, 10**9])
@pytest.mark.parametrize("criterion", ["score", "conditional"])
@pytest.mark.parametrize("seed", [0, 1, 2, pytest.param(3, marks=pytest.mark.nightly)])
def test_subsets_counted_together_lead_to_the_same_steps(
    monkeypatch: pytest.MonkeyPatch, seed: int, criterion: str, fewer: int
) -> None:
    # Subsets with rows of their own where that is possible, or none of them.
    monkeypatch.setattr(subset_tables, "_FEWER", fewer)
    together = masked(monkeypatch, 0, seed, criterion=criterion)
    apart = masked(monkeypatch, SEPARATE, seed, criterion=criterion)
    assert together.solution.steps == apart.solution.steps
    assert together.solution.steps
    assert together.solution.cuts == apart.solution.cuts
    assert together.verdict.findings == apart.verdict.findings


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::maskwise.MaskwiseWarning")
@pytest.mark.parametrize(("numbers", "cells"), [(1, 1 << 18), (4, 1 << 18), (128, 60), (128, 1)])
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.nightly)])
def test_bundles_of_any_size_lead_to_the_same_steps(
    monkeypatch: pytest.MonkeyPatch, seed: int, numbers: int, cells: int
) -> None:
    # No subset has rows of its own: they are counted by bundles of some attributes, each by itself, or row by row.
    monkeypatch.setattr(subset_tables, "_FEWER", 10**9)
    apart = masked(monkeypatch, SEPARATE, seed)
    monkeypatch.setattr(subset_bundles, "_MOST_NUMBERS", numbers)
    monkeypatch.setattr(subset_bundles, "_MOST_CELLS", cells)
    together = masked(monkeypatch, 0, seed)
    assert together.solution.steps == apart.solution.steps
    assert together.solution.cuts == apart.solution.cuts


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::maskwise.MaskwiseWarning")
@pytest.mark.parametrize("fewer", [1, 10**9])
@pytest.mark.parametrize("seed", [1, 2])
def test_threads_lead_to_the_same_steps(monkeypatch: pytest.MonkeyPatch, seed: int, fewer: int) -> None:
    monkeypatch.setattr(subset_tables, "_FEWER", fewer)
    alone = masked(monkeypatch, 0, seed)
    shared: list[int] = []
    in_threads = SubsetGroups._in_threads  # noqa: SLF001 - nothing else tells of threads

    def note(groups: SubsetGroups, *asked: Any) -> Any:
        parts = in_threads(groups, *asked)
        shared.append(len(parts))
        return parts

    monkeypatch.setattr(SubsetGroups, "_in_threads", note)
    monkeypatch.setattr(subset_groups, "_WORK_OF_THREAD", 1)
    monkeypatch.setattr(subset_groups, "n_processors", lambda: 4)
    found = masked(monkeypatch, 0, seed)
    assert max(shared) > 1
    assert found.solution.steps == alone.solution.steps
    assert found.solution.cuts == alone.solution.cuts
    assert found.verdict.findings == alone.verdict.findings


@pytest.mark.parametrize("most", [0, SEPARATE])
def test_an_audit_counts_every_subset(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(recount, "MOST_SEPARATE", most)
    table, policy = problem(1)
    asked = policy["requirements"][0]
    (found,) = maskwise.audit(table, {"requirements": [asked]}).findings
    records = table.to_pylist()
    groups = [
        (n, sum(r["ill"] == "hiv" for r in records if tuple(r[name] for name in qid) == shown))
        for qid in combinations(asked["lkc"]["attributes"], asked["lkc"]["L"])
        for shown, n in Counter(tuple(r[name] for name in qid) for r in records).items()
    ]
    broken = [n for n, ill in groups if n < asked["k"] or ill > 0.4 * n]
    assert (found.n_groups, found.n_violating_groups, found.n_violating_records) == (
        len(groups),
        len(broken),
        sum(broken),
    )
    assert found.anonymity == min(n for n, _ in groups)
    assert dict(found.sizes) == Counter(n for n, _ in groups)


def test_a_table_made_of_a_wide_one_is_what_would_have_been_counted() -> None:
    rng = np.random.default_rng(5)
    rows = np.unique(rng.integers(0, 4, (60, 3)).astype(np.uint8), axis=0)
    wide = Compact((1, 4, 6), rows, rng.integers(1, 9, (len(rows), 2)))
    expected: Counter[tuple[int, ...]] = Counter()
    for row, counts in zip(rows[:, [0, 2]].tolist(), wide.counts.tolist(), strict=True):
        expected[*row, "n"] += counts[0]
        expected[*row, "s"] += counts[1]
    for n_codes in (4, 2**40):
        found = project(wide, (1, 6), [n_codes] * 7)
        both = zip(found.codes.tolist(), found.counts.tolist(), strict=True)
        assert {(*row, what): n for row, counts in both for what, n in zip("ns", counts, strict=True)} == expected
    requests = [TableRequest((1, 6), wide=wide.attributes), TableRequest((4,), wide=wide.attributes)]
    tables = QidTables(requests, {TableRequest(wide.attributes): wide}, [4] * 7)
    assert [table.attributes for table in tables] == [(1, 6), (4,)]
    assert [table.attributes for table in tables[1:]] == [(4,)]
    assert tables.n_codes == 2 * 16 + 4


def test_subsets_with_few_rows_get_rows_of_their_own_as_long_as_there_is_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    members, n_codes = np.array([[0, 1], [0, 2], [1, 2]]), np.array([10, 200, 5])
    planned = subset_tables.plan_tables(members, n_codes, 16_000, 1, Workspace())
    assert planned.start.tolist() == [1050, 0, 50]
    assert subset_tables.plan_tables(members, n_codes, 9_000, 1, Workspace()).start.tolist() == [-1, 0, 50]
    # A row takes a byte for each code, and eight for a word of counters.
    monkeypatch.setattr(subset_tables, "_MOST_BYTES", 1_100 * 10)
    assert subset_tables.plan_tables(members, n_codes, 16_000, 1, Workspace()).start.tolist() == [-1, 0, 50]
    assert subset_tables.plan_tables(members, n_codes, 16_000, 1, Workspace(0)).codes.shape[0] * 10 < 1 << 16


def test_too_many_combinations_are_refused_where_qids_are_searched_one_by_one() -> None:
    names = [f"a{i}" for i in range(25)]
    table = pa.table({name: ["x", "y"] * 5 for name in names})
    policy = {"requirements": [{"lkc": {"attributes": names, "L": 3}, "k": 2}]}
    with pytest.raises(InputError, match=r"2,300 quasi-identifiers.*a top-down search only"):
        maskwise.anonymize(table, policy, method="bug")
    with pytest.raises(PolicyError, match="more than 200,000"):
        LKC(tuple(f"a{i}" for i in range(60)), 5, 2)
