"""The odds of unmasked values: the same bins as a naive twin finds, and nothing learned from a record's own class."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import maskwise
from maskwise.compress import unmasked_counts
from maskwise.compress.scored_records import score_by_odds
from maskwise.compress.value_odds import weigh
from maskwise.engines.value_scores import SCORE
from maskwise.table.read import read
from tests.reference.odds import bins_of_records


def people(n: int, n_classes: int, seed: int) -> pa.Table:
    rng = random.Random(seed)  # noqa: S311 - test data
    rows = []
    for i in range(n):
        size, town, is_ill = (
            rng.gauss(0, 1),
            rng.choice(["u", "U", "v", "w"] + ["rare"] * (i % 9 == 0)),
            rng.random() < 0.3,
        )
        told = (size > 0.2) + (town in {"u", "rare"}) + 2 * is_ill + rng.randrange(2)
        rows.append(
            {
                "size": None if i % 17 == 4 else round(size, 3),
                "few": rng.randrange(7),
                "town": None if i % 13 == 5 else town,
                "ill": is_ill,
                "typed": f"{rng.randrange(90)}.5",
                "zip": f"0{rng.randrange(30)}",
                "name": f"n{i}",
                "pair": f"p{i // 2}",
                "class": f"c{min(told * n_classes // 6, n_classes - 1)}",
            }
        )
    return pa.Table.from_pylist(rows)


def bins_found(table: pa.Table) -> list[int] | None:
    """The bin of each record, in the order of the records."""
    opened = read(table.append_column("number_of_record", pa.array(range(table.num_rows))))
    unmasked = [name for name in table.column_names if name != "class"]
    found = score_by_odds(opened, unmasked, "class", ["number_of_record"])
    if found is None:
        return None
    scored, lookup = found
    row = opened.key("number_of_record")
    coded = opened.engine.fetch(opened.engine.recode(scored.expr, {SCORE: lookup}, [row], materialize=False))
    return [int(n) for n in coded.sort_by(row).column(SCORE).to_pylist()]


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("most_fetched", [256, 3])
def test_bins_are_those_of_the_naive_twin(n_classes: int, most_fetched: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where an engine finds ranges and frequent values by itself."""
    monkeypatch.setattr(unmasked_counts, "MOST_FETCHED", most_fetched)
    table = people(230 + 40 * n_classes, n_classes, n_classes)
    columns = [table[name].to_pylist() for name in table.column_names if name != "class"]
    expected = bins_of_records(columns, table["class"].to_pylist())
    assert len(set(expected)) > 4
    assert bins_found(table) == expected


def test_the_order_of_records_changes_nothing() -> None:
    table = people(300, 2, 1)
    order = np.random.default_rng(0).permutation(300)
    found, other = bins_found(table), bins_found(table.take(pa.array(order)))
    assert found is not None
    assert [found[i] for i in order] == other


def entropy_told(bins: list[int], classes: list[str]) -> float:
    """How many bits of the class the bins tell."""

    def bits(labels: list[Any]) -> float:
        shares = np.unique_counts(np.array(labels)).counts / len(labels)
        return float(-(shares * np.log2(shares)).sum())

    pairs = [f"{b} {c}" for b, c in zip(bins, classes, strict=True)]
    return bits(classes) + bits(bins) - bits(pairs)


def test_values_of_few_records_do_not_tell_their_own_class() -> None:
    """The classes are drawn by lot, so whatever columns seem to tell of them is learned from the records themselves."""
    n = 4000
    rng = random.Random(3)  # noqa: S311 - test data
    classes = [rng.choice(["x", "y"]) for _ in range(n)]
    columns: dict[str, list[Any]] = {
        "number": [rng.random() for _ in range(n)],
        "nineteen": [f"v{i // 19}" for i in range(n)],
        "twice": [f"w{i // 2}" for i in range(n)],
    }
    bins = bins_found(pa.table({**columns, "class": classes}))
    assert bins is not None
    # Thirty-two ranges of a number tell about 31 / (2 n ln 2) bits by chance, that is 0.006; single values told all.
    assert entropy_told(bins, classes) < 0.01
    assert bins_found(pa.table({"nineteen": columns["nineteen"], "twice": columns["twice"], "class": classes})) is None


def test_columns_that_tell_most_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    table = people(300, 2, 4)
    monkeypatch.setattr(unmasked_counts, "MOST_COLUMNS", 1)
    assert bins_found(table) == bins_found(table.select(["ill", "class"]))


def test_one_class_tells_nothing() -> None:
    assert bins_found(pa.table({"a": [1, 2] * 50, "class": ["x"] * 100})) is None


def test_log_odds_are_drawn_towards_no_evidence() -> None:
    """A value of 30 records, 20 of them of the second class, in a table where half are: log((20 + 5) / (10 + 5))."""
    (scores,) = weigh([np.array([[10, 20], [30, 20]])]).scores
    assert scores[:, 0].tolist() == [round(256 * np.log(25 / 15)), round(256 * np.log(25 / 35))]


BACKGROUND_POLICY = {"class": "class", "requirements": [{"qid": ["few", "size"], "k": 5}]}


def test_a_background_that_there_is_not_is_refused() -> None:
    with pytest.raises(maskwise.InputError, match="The background is one of `odds`, `none`; found `boosting`"):
        maskwise.anonymize(people(40, 2, 1), BACKGROUND_POLICY, criterion="conditional", background="boosting")
    with pytest.raises(maskwise.InputError, match="A background is for the criterion `conditional`"):
        maskwise.anonymize(people(40, 2, 1), BACKGROUND_POLICY, criterion="score", background="odds")
