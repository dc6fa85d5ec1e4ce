"""Policies with epsilon: what they must declare, and what does not go with it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from maskwise.errors import PolicyError
from maskwise.formats.policy_file import read_policy, to_data
from maskwise.policy.private_release import PrivateForm
from maskwise.private.domain import domains_of
from maskwise.values.scales import Scale

BASE: dict[str, Any] = {
    "class": {"Risk": ["lo", "hi"]},
    "attributes": {"Age": {"interval": {"range": [0, 99], "on": 10}}, "Job": {"suppress": ["clerk", "nurse"]}},
    "requirements": [{"epsilon": "0.1", "attributes": ["Age", "Job"]}],
}


def changed(**more: Any) -> dict[str, Any]:
    return {**BASE, **more}


def mistakes(said: dict[str, Any]) -> str:
    with pytest.raises(PolicyError) as raised:
        domains_of(read_policy(said, private=True))
    return str(raised.value)


def test_epsilon_is_read_exactly_and_the_rest_has_defaults() -> None:
    asked = read_policy(BASE, private=True).private
    assert asked is not None
    assert asked.epsilon == Fraction(1, 10)
    assert (asked.steps, asked.form, asked.per_person) == (None, PrivateForm.RECORDS, 1)


def test_a_private_policy_can_be_written_and_read_again() -> None:
    entry = {"epsilon": "1/3", "attributes": ["Age"], "steps": 4, "as": "counts", "per_person": 2}
    policy = read_policy(changed(requirements=[entry], person="Id"), private=True)
    again = read_policy(to_data(policy), private=True)
    assert again == policy
    assert again.fingerprint() == policy.fingerprint()
    assert policy.fingerprint() != read_policy(BASE, private=True).fingerprint()


def test_mistakes_name_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(
        "class: {Risk: [lo, hi]}\nattributes:\n  Age: interval\nrequirements:\n  - {epsilon: 1, attributes: [Age]}\n"
    )
    with pytest.raises(PolicyError, match=r"policy.yaml, line 3: The range of `Age` is not given"):
        read_policy(path, private=True)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"Age": "interval"}, "The range of `Age` is not given; it must be declared, because a domain that is taken"),
        ({"Age": {"interval": [0, 99]}}, "The grid of `Age` is not given"),
        ({"Age": {"interval": {"range": [0, 99], "on": 0}}}, "a number above 0"),
        ({"Age": {"interval": {"range": [0, 99], "on": "x"}}}, "a number above 0"),
        ({"Age": {"interval": {"range": [0, 10**9], "on": 1}}}, "65,535 are the most"),
        ({"Age": {"interval": {"range": ["2000-01-01", "2001-01-01"], "on": "0.5"}}}, "is not for ISO dates"),
        ({"Age": {"interval": {"range": ["10:00", "12:00"], "on": 1}}}, "Use `minute`, `hour`"),
        ({"Age": "suppress"}, "The values of `Age` are not listed"),
        ({"Age": {"suppress": ["*", "a"]}}, "stands for a hidden value"),
        ({"Age": {"suppress": ["a", "a"]}}, "stands twice"),
        ({"Age": {"prefix": [2, 1]}}, "`prefix` reads more texts than anybody can list"),
        ({"Age": {"icd10": ["code", "chapter"]}}, "Leave it out: icd10: [chapter]"),
        ({"Age": {"steps": [5, 10]}}, "`steps` needs a range"),
        ({"Age": {"calendar": ["month", "year"], "range": [0, 5]}}, "`calendar` has a range such as [2000-01-01"),
        ({"Age": {"isco": None, "range": [0, 5]}}, "it needs no range"),
        ({"Age": {"naics": None}}, "Leave it out: naics: [industry, group, subsector, sector]"),
        ({"Age": {"grow": "frequency"}}, "has a tree that is made of the table"),
        ({"Age": {"interval": {"range": [3, 4], "on": 5}}}, "no point of the grid"),
        ({"Age": {"interval": {"range": [0, 10**17], "on": 10**15}}}, "2^53"),
        ({}, "`Age` has no entry, so its domain is not known"),
        ({"Age": {"interval": {"range": [0, 99], "on": 1}, "weight": 2}}, "`weight` does not go with `epsilon`"),
    ],
)
def test_an_undeclared_domain_is_refused_with_what_to_write(attributes: dict[str, Any], expected: str) -> None:
    assert expected in mistakes(changed(attributes=attributes, requirements=[{"epsilon": 1, "attributes": ["Age"]}]))


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"class": None}, "`epsilon` needs a class"),
        ({"class": "Risk"}, "The values of the class `Risk` are not listed"),
        ({"class": {"Risk": "number"}}, "is a number. List its classes instead"),
        ({"missing": "error"}, "would tell whether a cell is missing"),
        ({"keep": ["Zip"]}, "`keep` does not go with `epsilon`"),
        ({"suppress": 0.1}, "`suppress` does not go with `epsilon`"),
        ({"requirements": [{"epsilon": 1, "attributes": ["Age"], "per_person": 2}]}, "per_person goes with `person`"),
        ({"requirements": [{"epsilon": 1, "attributes": ["Age", "Risk"]}]}, "is among the attributes"),
        ({"requirements": [*BASE["requirements"], {"qid": ["Age"], "k": 5}]}, "Write one policy for each"),
        ({"requirements": BASE["requirements"] * 2}, "Each is a release of its own"),
        ({"requirements": [{"epsilon": 0, "attributes": ["Age"]}]}, "epsilon is a number above 0"),
        ({"requirements": [{"epsilon": "1e-9", "attributes": ["Age"]}]}, "every count would be noise alone"),
        (
            {"requirements": [{"epsilon": 1, "attributes": ["Age"], "steps": 10**6}]},
            "steps is a number from 0 to 1,000",
        ),
        (
            {"requirements": [{"qid": ["Age"], "k": 5}], "attributes": {"Age": {"steps": [5], "range": [0, 99]}}},
            "`Age`: the range of a rule goes with a requirement `epsilon`",
        ),
        ({"requirements": [{"qid": ["Age"], "k": 5}]}, "`Job`: a list of values goes with a requirement `epsilon`"),
        ({"requirements": [{"epsilon": "much", "attributes": ["Age"]}]}, "epsilon is a number"),
        ({"requirements": [{"epsilon": 1}]}, "goes with `attributes`"),
        ({"requirements": [{"epsilon": 1, "attributes": ["Age"], "step": 3}]}, "Did you mean `steps`"),
        (
            {"requirements": [{"epsilon": 1, "attributes": ["Age"], "steps": "few"}]},
            "steps is a whole number or `auto`",
        ),
        (
            {"requirements": [{"epsilon": 1, "attributes": ["Age"], "utility": "max"}]},
            "always chosen by the Gini impurity. Delete `utility`",
        ),
        ({"requirements": [{"epsilon": 1, "attributes": ["Age", "Age"]}]}, "each attribute once"),
        ({"person": {"column": "Id", "release": "pseudonym"}}, "No column of persons is left"),
        ({"person": "Age"}, "names persons and is among the attributes"),
    ],
)
def test_what_does_not_go_with_epsilon_is_refused(more: dict[str, Any], expected: str) -> None:
    assert expected in mistakes(changed(**more))


def test_grids_have_exact_points() -> None:
    said = changed(
        attributes={"Age": {"interval": {"range": [0, 1], "on": "0.1"}}},
        requirements=[{"epsilon": 1, "attributes": ["Age"]}],
    )
    (domain,) = domains_of(read_policy(said, private=True))
    assert domain.grid is not None
    assert domain.grid.scale is Scale.REAL
    assert domain.n_leaves == 11
    assert [domain.grid.starts[i] for i in (0, 3, 7, 10)] == [0, 0.3, 0.7, 1]
