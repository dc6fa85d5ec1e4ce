"""A csv that is kept as its distinct rows counts like the whole one, in every verb that counts."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from maskwise.attacks.homogeneity import count_alike
from maskwise.engines.base import RECORDS
from maskwise.errors import InputError
from maskwise.policy.person import Person
from maskwise.policy.policy import Policy
from maskwise.policy.requirements.confidence import Confidence
from maskwise.policy.requirements.k_anonymity import KAnonymity
from maskwise.policy.requirements.lkc import LKC
from maskwise.release.common_rows import common_rows
from maskwise.risks.assess import assess
from maskwise.table import held_files
from maskwise.table.read import read
from maskwise.verify.verify import MOST_SEPARATE, verify

NAMES = ("age", "sex", "illness", "who")


@pytest.fixture(autouse=True)
def _small_files_are_counted_by_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_files, "_REPEATED_FROM", 0)
    monkeypatch.setattr(held_files, "_MOST_DIFFERENT", 1.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rng = np.random.default_rng(5)
    rows = [
        (
            rng.choice(["young", "old", ""]),
            rng.choice(["F", "M"]),
            rng.choice(["flu", "hiv", "flu"]),
            f"p{rng.integers(40)}",
        )
        for _ in range(300)
    ]
    made = tmp_path / "released.csv"
    made.write_text("\n".join(map(",".join, [NAMES, *rows])) + "\n")
    return made


def lines(path: Path) -> list[tuple[str, ...]]:
    return [tuple(line.split(",")) for line in path.read_text().splitlines()[1:]]


def test_each_distinct_row_has_the_number_of_its_records(path: Path) -> None:
    table = read(path, is_counted=True)
    found = table.engine.fetch(table.expr).to_pylist()
    shown = Counter({tuple(row[f"c{i}"] or "" for i in range(4)): row[RECORDS] for row in found})
    assert shown == Counter(lines(path))
    assert table.n_rows() == 300


def test_distinct_cells_are_counted_by_records(path: Path) -> None:
    found = read(path, is_counted=True).distinct("age")
    ages = Counter(row[0] for row in lines(path))
    assert dict(zip(found.keys.to_pylist(), found.counts.tolist(), strict=True)) == {k: n for k, n in ages.items() if k}
    assert found.n_missing == ages[""]


@pytest.mark.parametrize("person", [None, Person("who")])
def test_a_recount_finds_the_same(path: Path, person: Person | None) -> None:
    asked = [KAnonymity(("age", "sex"), 5), Confidence(("sex",), (("illness", "hiv", Fraction(1, 5)),))]
    whole, counted = (verify(read(path, is_counted=is_counted), asked, person=person) for is_counted in (False, True))
    assert counted == whole
    if person is None:
        sizes = Counter(row[:2] for row in lines(path))
        assert whole.findings[0].figure == min(sizes.values())


def test_a_recount_of_many_sets_of_columns_finds_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    names = [f"c{i}" for i in range(7)]
    rows = [(*rng.choice(["x", "y", ""], len(names)), rng.choice(["flu", "hiv"])) for _ in range(60)] * 3
    made = tmp_path / "released.csv"
    made.write_text("\n".join(map(",".join, [[*names, "illness"], *rows])) + "\n")
    asked = LKC(tuple(names), 2, 5, (("illness", "hiv", Fraction(1, 2)),))
    assert len({part.qid for part in asked.parts}) > MOST_SEPARATE
    whole, counted = (verify(read(made, is_counted=is_counted), [asked]) for is_counted in (False, True))
    assert counted == whole
    assert counted.n_rows == 180
    pairs = [Counter((row[a], row[b]) for row in rows) for a in range(7) for b in range(a)]
    assert counted.findings[0].anonymity == min(min(sizes.values()) for sizes in pairs)


@pytest.mark.parametrize("person", [None, Person("who")])
def test_the_risk_is_the_same(path: Path, person: Person | None) -> None:
    policy = Policy(
        (KAnonymity(("age", "sex"), 5), Confidence(("sex",), (("illness", "hiv", Fraction(1, 5)),))), person=person
    )
    assert assess(read(path, is_counted=True), policy) == assess(read(path), policy)


def test_common_rows_and_homogeneity_are_the_same(path: Path) -> None:
    whole, counted = read(path), read(path, is_counted=True)
    assert common_rows(counted, ["age", "sex"]) == common_rows(whole, ["age", "sex"])
    assert count_alike(counted, ["age"], "illness") == count_alike(whole, ["age"], "illness")


def test_missing_persons_are_counted_by_records(tmp_path: Path) -> None:
    path = tmp_path / "released.csv"
    path.write_text("age,who\nold,\nold,\nold,p1\n")
    with pytest.raises(InputError, match="2 "):
        verify(read(path, is_counted=True), [KAnonymity(("age",), 1)], person=Person("who"))


def test_a_cell_of_several_lines_stays_one_cell(tmp_path: Path) -> None:
    path = tmp_path / "released.csv"
    path.write_text('age,note\n1,"a\nb"\n1,"a\nb"\n2,c\n')
    table = read(path, is_counted=True)
    rows = table.engine.fetch(table.expr).to_pylist()
    # Its lines are no records, so every record is read.
    assert sorted((row["c0"], row["c1"]) for row in rows) == [("1", "a\nb"), ("1", "a\nb"), ("2", "c")]
    assert table.n_rows() == 3


def test_many_subsets_are_counted_by_records(tmp_path: Path) -> None:
    names = tuple(f"q{i}" for i in range(7))
    rng = np.random.default_rng(6)
    kinds = [(*row, illness) for row, illness in zip(product("ab", repeat=7), "xyz" * 43, strict=False)]
    rows = [kinds[i] for i in np.minimum(rng.geometric(0.05, 900), len(kinds)) - 1]
    path = tmp_path / "released.csv"
    path.write_text("\n".join(map(",".join, [(*names, "illness"), *rows])) + "\n")
    asked = LKC(names, 2, 3, (("illness", "x", Fraction(1, 2)),))
    whole, counted = (verify(read(path, is_counted=is_counted), [asked]) for is_counted in (False, True))
    assert counted == whole
    sizes = [Counter((row[a], row[b]) for row in rows) for a, b in combinations(range(7), 2)]
    ill = [Counter((row[a], row[b]) for row in rows if row[7] == "x") for a, b in combinations(range(7), 2)]
    assert counted.n_rows == 900
    found = {one.part.counted is None: one.figure for one in counted.findings[0].tightest}
    assert found[True] == min(min(one.values()) for one in sizes)
    assert found[False] == max(
        n / groups[key] for has, groups in zip(ill, sizes, strict=True) for key, n in has.items()
    )


def test_many_subsets_of_no_records(tmp_path: Path) -> None:
    path = tmp_path / "released.csv"
    path.write_text("a,b,c,d,e,f,g\n")
    for is_counted in (False, True):
        (finding,) = verify(read(path, is_counted=is_counted), [LKC(tuple("abcdefg"), 2, 3)]).findings
        assert finding.n_groups == 0
