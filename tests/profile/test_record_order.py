"""What the order of records tells of masked columns, against plain Python."""

from __future__ import annotations

import datetime as dt
import random
import statistics
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest

from maskwise.formats.policy_file import read_policy
from maskwise.profile import record_order
from maskwise.profile.profile import profile
from maskwise.profile.record_order import order_message, order_tells
from maskwise.table.read import read
from maskwise.values.message import Audience

N = 400


def named(columns: dict[str, Any]) -> tuple[str, ...]:
    table = pa.table(columns)
    asked = read_policy({"requirements": [{"qid": list(columns), "k": 2}]})
    taken, opened = profile(read(table), asked)
    return order_tells(opened, taken.columns)


def expected(cells: list[Any]) -> bool:
    """Whether position and number correlate, or neighbours agree more often than chance would have it."""
    if not isinstance(cells[0], str) and abs(statistics.correlation(range(len(cells)), cells)) >= 0.3:
        return True
    by_chance = sum((cells.count(cell) / len(cells)) ** 2 for cell in set(cells))
    same = sum(one == other for one, other in pairwise(cells)) / (len(cells) - 1)
    return (same - by_chance) / (1 - by_chance) >= 0.3


def some_order(seed: int) -> list[Any]:
    """Numbers or texts, partly sorted."""
    rng = random.Random(seed)  # noqa: S311 - test data
    cells: list[Any] = [rng.randrange(50) for _ in range(N)]
    if seed % 2:
        cells = [rng.choice("abcde") for _ in range(N)]
    cells.sort()
    for _ in range([0, 100, 200, 400, 2_000][seed % 5]):
        i, j = rng.randrange(N), rng.randrange(N)
        cells[i], cells[j] = cells[j], cells[i]
    return cells


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_the_columns_are_those_of_plain_python(seed: int) -> None:
    cells = some_order(seed)
    assert named({"a": cells}) == (("a",) if expected(cells) else ())


def test_both_outcomes_were_tried() -> None:
    assert {expected(some_order(seed)) for seed in range(10)} == {True, False}


def test_every_ordered_type_is_looked_at() -> None:
    day, moment = dt.date(2020, 1, 1), dt.datetime(2020, 1, 1)  # noqa: DTZ001 - as written
    days = [day + dt.timedelta(days=i) for i in range(N)]
    moments = [moment + dt.timedelta(seconds=i) for i in range(N)]
    ordered: dict[str, Any] = {
        "number": [i / 2 for i in range(N)],
        "falling": [-i for i in range(N)],
        "text": [str(i) for i in range(N)],
        "date": days,
        "date as text": [str(one) for one in days],
        "moment": moments,
        "moment as text": [str(one) for one in moments],
        "time": [dt.time(i // 60, i % 60) for i in range(N)],
        "time as text": [f"{i // 60:02}:{i % 60:02}" for i in range(N)],
    }
    assert named(ordered) == tuple(ordered)
    order = random.Random(3).sample(range(N), N)  # noqa: S311 - test data
    assert named({name: [cells[i] for i in order] for name, cells in ordered.items()}) == ()


def test_records_that_were_put_together_by_category_are_found() -> None:
    sites = [f"site {i // 50 * 5 % 7}" for i in range(N)]
    assert named({"site": sites, "sex": ["F", "M"] * (N // 2)}) == ("site",)


def test_of_a_large_table_blocks_of_neighbours_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_order, "MOST_RECORDS", 3_000)
    rng = random.Random(6)  # noqa: S311 - test data
    n = 20_000
    found = named(
        {
            "sorted": [i // 10 for i in range(n)],
            "site": [f"s{i // 500 * 7 % 11}" for i in range(n)],
            "number": [rng.randrange(100) for _ in range(n)],
            "sex": [rng.choice("FM") for _ in range(n)],
        }
    )
    assert found == ("sorted", "site")


def test_missing_cells_and_few_records_do_no_harm() -> None:
    assert named({"a": [None, *range(N - 1)]}) == ("a",)
    assert named({"a": [1, 2, 3, 4]}) == ()
    assert named({"a": ["x"] * N}) == ()


def test_the_message_names_the_columns_to_the_owner() -> None:
    (message,) = order_message(("age", "site"))
    assert message.is_warning
    assert message.audience is Audience.OWNER
    assert "it tells about `age`, `site`" in message.text
    assert order_message(()) == ()
