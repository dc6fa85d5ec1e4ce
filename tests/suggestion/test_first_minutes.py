"""What new users met with tables of their own: panels, outcomes that are known later, names that mislead."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import maskwise
from maskwise.cli.app import main
from maskwise.suggestion.roles import Role


def panel(n: int = 200, years: int = 3) -> pa.Table:
    """A panel: sex stays the same in all records of an id, other things change."""
    rng = random.Random(7)  # noqa: S311 - no secrets
    rows = []
    for person in range(n):
        female = rng.randrange(2)
        rows += [
            {
                "id": 1_000 + person,
                "female": female,
                "year": 1990 + year,
                "visits": rng.randrange(9),
                "kids": rng.randrange(2),
            }
            for year in range(years)
        ]
    return pa.Table.from_pylist(rows)


def roles(table: pa.Table, **how: str) -> dict[str, Role]:
    return {column.name: column.role for column in maskwise.suggest(table, **how).columns}  # type: ignore[arg-type]


def test_an_id_of_a_panel_is_a_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pacsv.write_csv(panel(), "panel.csv")
    assert main(["suggest", "panel.csv", "-o", "policy.yaml"]) == 0
    policy = maskwise.read_policy("policy.yaml")
    assert policy.person is not None
    assert policy.person.column == "id"
    assert "all records of a value have the same `female`" in " ".join(Path("policy.yaml").read_text().split())
    assert main(["mask", "panel.csv", "-p", "policy.yaml", "-o", "out.csv"]) == 0
    released = pacsv.read_csv("out.csv")
    assert "id" not in released.column_names


def test_a_key_of_groups_of_people_is_no_person() -> None:
    table = panel().rename_columns(["school_id", "female", "year", "visits", "kids"])
    rng = random.Random(8)  # noqa: S311 - no secrets
    mixed = table.set_column(1, "female", pa.array([rng.randrange(2) for _ in range(table.num_rows)]))
    assert roles(mixed)["school_id"] is Role.QUASI_IDENTIFIER
    bare = mixed.rename_columns(["id", *mixed.column_names[1:]])
    assert roles(bare)["id"] is Role.QUASI_IDENTIFIER


def test_a_key_is_no_tree_of_other_columns() -> None:
    """Each group id has one region, as a person has one sex, and nothing else tells that it is a person."""
    rng = random.Random(9)  # noqa: S311 - no secrets
    ids = [rng.randrange(40) for _ in range(600)]
    cells = {"school_id": [f"s{i}" for i in ids], "region": ["abcd"[i % 4] for i in ids]}
    cells["sex"] = [rng.choice("FM") for _ in ids]
    draft = maskwise.suggest(pa.table(cells))
    assert "from_column" not in str(draft.data["attributes"])
    renamed = pa.table({"town": cells["school_id"], "region": cells["region"], "sex": cells["sex"]})
    assert maskwise.suggest(renamed).data["attributes"]["town"] == {"from_column": ["region"]}


def hospital(n: int = 400) -> pa.Table:
    rng = random.Random(4)  # noqa: S311 - no secrets
    died = [rng.random() < 0.3 for _ in range(n)]
    return pa.table({
        "age": [rng.randrange(20, 90) for _ in died],
        "sex": [rng.choice("FM") for _ in died],
        "cause": [rng.choice(["Xheart", "Xlung", "Xother"]) if one else None for one in died],
        "ward": [rng.choice(["a", "b"]) if rng.random() < 0.5 else None for _ in died],
        "died": ["yes" if one else "no" for one in died],
    })  # fmt: skip


def test_a_column_that_is_filled_for_one_class_only_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pacsv.write_csv(hospital(), "stays.csv")
    assert main(["suggest", "stays.csv", "--class", "died", "-o", "policy.yaml"]) == 0
    text = Path("policy.yaml").read_text()
    assert maskwise.read_policy("policy.yaml").drop == ("cause",)
    assert "only where `died` has one of its values" in " ".join(text.replace("#", "").split())
    assert "Xheart" not in text
    # Without that class nothing is given away.
    assert roles(hospital(), class_name="sex")["cause"] is Role.QUASI_IDENTIFIER


def test_few_values_outweigh_a_name() -> None:
    n = 400
    cells = {"device": [f"d{i % 5}" for i in range(n)], "age": [20 + i % 50 for i in range(n)], "sex": ["F", "M"] * 200}
    assert roles(pa.table(cells))["device"] is Role.QUASI_IDENTIFIER
    cells["device"] = [f"d{i % 300}" for i in range(n)]
    assert roles(pa.table(cells))["device"] is Role.IDENTIFIER
