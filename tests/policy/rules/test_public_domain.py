"""What a rule can show, listed beforehand, against what it says of values that are drawn at random."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

import pytest

from maskwise.errors import PolicyError
from maskwise.policy.attributes import Attribute, Kind
from maskwise.policy.rules.public_domain import domain_misfit, public_domain
from maskwise.policy.rules.registry import read_rule_tree

DRAW = random.Random(7)  # noqa: S311 - for tests


def digits(least: int, most: int) -> list[str]:
    return ["".join(DRAW.choices("0123456789", k=DRAW.randint(least, most))) for _ in range(400)]


DIAGNOSES = [f"{DRAW.choice('ABCDEFGHIJKLMNOPQRSTUVWXYZ')}{n}{DRAW.choice(['', '.1', '9'])}" for n in digits(2, 2)]
MOMENTS = [
    (dt.datetime(2019, 12, 20) + dt.timedelta(hours=DRAW.randint(0, 24 * 90))).isoformat()  # noqa: DTZ001
    for _ in range(400)
]
RULES: list[tuple[dict[str, Any], tuple[str, str] | None, list[str]]] = [
    ({"weekday": ["day", "part"]}, None, MOMENTS),
    ({"season": ["month", "season"]}, None, MOMENTS),
    ({"time_of_day": ["hour", "shift"]}, None, MOMENTS),
    ({"calendar": ["day", "month", "year"]}, ("2020-01-01", "2020-02-29"), MOMENTS),
    ({"calendar": ["hour", "shift", "day"]}, ("2020-01-01", "2020-01-20"), MOMENTS),
    ({"calendar": ["day", "week"]}, ("2020-01-01", "2020-02-29"), MOMENTS),
    ({"steps": [5, 10]}, ("-20", "300"), digits(1, 3)),
    (
        {"steps": {"widths": ["0.5", 2], "from": "0.25"}},
        ("0", "100"),
        [f"{DRAW.uniform(-1, 101):.2f}" for _ in range(400)],
    ),
    ({"rounded": [10, 100]}, ("0", "999"), digits(1, 3)),
    ({"icd10": ["category", "block", "chapter"]}, None, DIAGNOSES),
    ({"icd10": {"levels": ["category", "chapter"], "version": "cm"}}, None, DIAGNOSES),
    ({"isco": None}, None, digits(1, 4)),
    ({"isco": ["minor", "major"]}, None, digits(1, 4)),
    ({"nace": None}, None, [*"ABCT", *digits(2, 4)]),
    ({"nace": {"levels": ["division", "section"], "version": "2.1"}}, None, digits(2, 4)),
    ({"naics": ["group", "sector"]}, None, ["31-33", *digits(2, 6)]),
]


def attribute(entry: dict[str, Any], ends: tuple[str, str] | None) -> Attribute:
    return Attribute("a", Kind.TAXONOMY, rule=read_rule_tree(entry), bounds=ends)


@pytest.mark.slow
@pytest.mark.parametrize(("entry", "ends", "values"), RULES, ids=lambda given: str(given)[:40])
def test_every_value_of_the_domain_has_its_path_in_the_tree(
    entry: dict[str, Any], ends: tuple[str, str] | None, values: list[str]
) -> None:
    """And of a rule without a range, every value that it reads at all has one."""
    one = attribute(entry, ends)
    assert domain_misfit(one) is None
    assert one.rule is not None
    tree = public_domain(one)
    parent = {label: tree.labels[above] for label, above in zip(tree.labels, tree.parents, strict=True) if above >= 0}
    leaves, n_inside = set(tree.leaves()), 0
    for value in values:
        path = one.rule.path(value)
        if path is None:
            continue
        if path[-1] not in leaves:
            assert ends is not None
            continue
        n_inside += 1
        found = [path[-1]]
        while found[-1] in parent:
            found.append(parent[found[-1]])
        assert tuple(found) == (*reversed(path), tree.root)
    assert n_inside > 50


def test_a_range_lists_its_days_and_no_others() -> None:
    tree = public_domain(attribute({"calendar": ["day", "month"]}, ("2020-02-27", "2020-03-02")))
    assert tree.leaves() == ("2020-02-27", "2020-02-28", "2020-02-29", "2020-03-01", "2020-03-02")
    tree = public_domain(attribute({"steps": [5]}, ("3", "14")))
    assert tree.leaves() == ("[0, 5)", "[5, 10)", "[10, 15)")


def test_other_values_have_their_leaf() -> None:
    tree = public_domain(attribute({"weekday": ["day"], "other": "under no day"}, None))
    assert "no day" in tree.leaves()


def test_countries_are_those_of_the_package() -> None:
    pytest.importorskip("country_converter")
    tree = public_domain(attribute({"un": ["country", "region"]}, None))
    assert {"DEU", "NAM"} < set(tree.leaves())
    assert "Africa" in tree.labels


def test_a_range_of_too_many_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maskwise.policy.rules.public_domain._MOST", 100)
    with pytest.raises(PolicyError, match="lists more than 100 values"):
        public_domain(attribute({"calendar": ["day"]}, ("2000-01-01", "2001-01-01")))
