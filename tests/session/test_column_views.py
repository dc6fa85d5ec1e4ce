"""What a session says of the columns of a raw table."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.errors import InputError
from maskwise.session.column_views import N_FREQUENT
from maskwise.session.session import Session

N = 200
CELLS: dict[str, list[Any]] = {
    "Patient": [f"P{i:05}" for i in range(N)],
    "Age": [20 + (i * 7) % 50 for i in range(N)],
    "Height": [1.5 + (i % 9) / 100 if i % 11 else None for i in range(N)],
    "Born": [dt.date(1950 + i % 40, 1, 1) for i in range(N)],
    "Smokes": [i % 3 == 0 for i in range(N)],
    "Job": [None if i % 10 == 0 else ("clerk", "nurse", "cook")[i % 3] for i in range(N)],
    "Diagnosis": [("flu", "hiv", "none")[i % 3] for i in range(N)],
    "Points": [[i] for i in range(N)],
}
TYPES = ["text", "whole number", "number", "date", "yes or no", "text", "text", "other"]


def counted(name: str) -> Counter[str]:
    """The values of a column, counted one by one."""
    spelled = {True: "true", False: "false"} if name == "Smokes" else {}
    return Counter(spelled.get(cell, f"{cell}") for cell in CELLS[name] if cell is not None)


@pytest.mark.slow
def test_every_column_is_counted_as_by_hand() -> None:
    with Session(pa.table(CELLS)) as session:
        views = {view.name: view for view in session.columns()}
        assert [view.type for view in views.values()] == TYPES
        for name in list(CELLS)[:-1]:
            view, by_hand = views[name], counted(name)
            assert view.n_distinct == len(by_hand)
            assert view.n_missing == sum(cell is None for cell in CELLS[name])
            if view.frequent is not None:
                best = sorted(by_hand.items(), key=lambda one: (-one[1], one[0]))
                assert list(view.frequent) == best[:N_FREQUENT]
                assert session.values(name) == best
        assert views["Patient"].frequent is None
        assert views["Diagnosis"].frequent is None
        assert views["Points"].frequent is None
        assert views["Job"].suggestion is not None
        assert views["Job"].suggestion.reason


@pytest.mark.slow
def test_what_is_suggested_is_what_suggest_says() -> None:
    table = pa.table(CELLS)
    with Session(table) as session:
        found = {view.name: view.suggestion for view in session.columns()}
        alone = maskwise.suggest(table)
        assert session.suggest().data == alone.data
        assert found == {column.name: column for column in alone.columns}
        assert session.suggest() is session.suggest()


@pytest.mark.slow
def test_the_owners_roles_decide_what_is_hidden() -> None:
    with Session(pa.table(CELLS)) as session:
        views = {view.name: view for view in session.columns({"Job": "sensitive", "Diagnosis": "released"})}
        assert views["Job"].frequent is None
        assert views["Diagnosis"].frequent == tuple(sorted(counted("Diagnosis").items(), key=lambda one: -one[1]))
        with pytest.raises(InputError, match="Did you mean `Job`"):
            session.columns({"Jobb": "sensitive"})


@pytest.mark.slow
def test_a_table_for_which_nothing_is_suggested_has_columns_too() -> None:
    few = pa.table({"Sex": ["F", "M", "F", None], "Sick": ["no", "no", "no", "yes"], "Nested": [[1], [2], [3], [4]]})
    with Session(few) as session:
        with pytest.raises(InputError, match="4 records"):
            session.suggest()
        sex, sick, nested = session.columns({"Sick": "sensitive"})
        assert (sex.n_distinct, sex.n_missing, sex.frequent, sex.suggestion) == (2, 1, (("F", 2), ("M", 1)), None)
        assert (sick.n_distinct, sick.frequent) == (2, None)
        assert (nested.type, nested.n_distinct, nested.frequent) == ("other", 0, None)
        with pytest.raises(InputError, match="no spelling"):
            session.values("Nested")


@pytest.mark.slow
def test_many_columns_are_counted_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    with Session(pa.table(CELLS)) as session:
        few = session.columns()
        monkeypatch.setattr("maskwise.session.column_views._MANY_COLUMNS", 3)
        assert session.columns() == few
