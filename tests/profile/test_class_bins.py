"""A class that is a number: searches see bins of it, the release has it as it was."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from experiments.rivals.mondrian import Mondrian

import maskwise
from maskwise.formats.policy_file import read_policy
from maskwise.profile.class_bins import N_BINS
from maskwise.profile.profile import profile
from maskwise.table.read import read

QID = [{"qid": ["age", "job"], "k": 6}]
NUMBER = {"class": {"charges": "number"}, "requirements": QID}


def people(n: int = 240, n_numbers: int = 10_000) -> pa.Table:
    rng = np.random.default_rng(4)
    age, job = rng.integers(18, 90, n), rng.choice(list("abcd"), n)
    charges = np.round((100 * age + 900 * (job == "a") + rng.normal(0, 300, n)) % n_numbers)
    return pa.table({"age": age, "job": job, "free": rng.choice(["u", "v"], n), "charges": charges / 4})


def bins_of(numbers: list[float | None]) -> list[int | None]:
    """The bin of each number: floor(m * 10 / n), where m of the n numbers are smaller; bins are then counted up."""
    known = sorted(number for number in numbers if number is not None)
    place = {number: known.index(number) * N_BINS // len(known) for number in known}
    if len(place) <= N_BINS:
        place = {number: i for i, number in enumerate(sorted(place))}
    order = {one: i for i, one in enumerate(sorted(set(place.values())))}
    return [None if number is None else order[place[number]] for number in numbers]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["float", "text", "decimal", "missing", "few"])
def test_the_search_sees_bins_of_equally_many_records(kind: str) -> None:
    table = people(n_numbers=20 if kind == "few" else 10_000)
    numbers: list[Any] = table["charges"].to_pylist()
    if kind == "missing":
        numbers = [None if i % 9 == 0 else number for i, number in enumerate(numbers)]
    cells = {"text": [f" {n}" for n in numbers], "decimal": [Decimal(n) for n in numbers if n is not None]}
    policy = read_policy(NUMBER)
    seen, binned = profile(read(table.set_column(3, "charges", pa.array(cells.get(kind, numbers)))), policy)
    expected = Counter(bins_of(numbers))
    assert seen.n_classes == len(expected)
    assert max(expected.values()) < 40 or kind == "few"
    for column in seen.columns:
        by_class = column.counts.sum(axis=0) + column.missing
        assert by_class.tolist() == [expected[one] for one in sorted(expected, key=lambda b: (b is None, str(b)))]
    assert (
        Counter(binned.engine.fetch(binned.expr.select(b=binned.column("charges"))).column(0).to_pylist()) == expected
    )


@pytest.mark.slow
@pytest.mark.parametrize("search", [{}, {"criterion": "infogain"}, {"criterion": "conditional"}, {"method": "bug"}])
def test_a_search_finds_what_it_finds_for_a_class_of_bins(search: dict[str, Any]) -> None:
    table = people()
    bins = pa.array([str(one) for one in bins_of(table["charges"].to_pylist())])
    expected = maskwise.anonymize(
        table.set_column(3, "charges", bins), {"class": "charges", "requirements": QID}, keep_order=True, **search
    )
    found = maskwise.anonymize(table, NUMBER, keep_order=True, **search)
    assert found.solution.cuts == expected.solution.cuts
    assert any(len(cut.labels) > 1 for cut in found.solution.cuts)
    assert found.data["charges"].to_pylist() == table["charges"].to_pylist()


def test_a_rival_sees_bins_too() -> None:
    table = people()
    bins = pa.array([str(one) for one in bins_of(table["charges"].to_pylist())])
    classes = {"class": "charges", "requirements": QID}
    expected = Mondrian().fit(binned := table.set_column(3, "charges", bins), read_policy(classes)).transform(binned)
    found = Mondrian().fit(table, read_policy(NUMBER)).transform(table)
    assert found.select(["age", "job"]).equals(expected.select(["age", "job"]))


def test_a_released_class_is_looked_at_as_it_is(tmp_path: Path) -> None:
    """It tells the masked age exactly, which its bins would not."""
    table = people()
    table = table.set_column(3, "charges", pa.array([age * 1.5 for age in table["age"].to_pylist()]))
    pyarrow.csv.write_csv(table, tmp_path / "people.csv")
    with pytest.warns(maskwise.MaskwiseWarning, match="`charges` is released and tells the hidden value of `age`"):
        maskwise.anonymize(tmp_path / "people.csv", NUMBER)


def test_a_number_to_be_predicted_cannot_be_protected() -> None:
    template = [{"qid": ["age"], "sensitive": "charges", "diversity": {"distinct": 2}}]
    with pytest.raises(maskwise.PolicyError, match="a number to be predicted and also sensitive"):
        read_policy({**NUMBER, "requirements": template})
