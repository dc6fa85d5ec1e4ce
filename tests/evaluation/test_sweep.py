"""Which thresholds are tried, and how lists of them are read."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import maskwise
from maskwise.evaluation.sweep import list_settings, parse_hs, parse_ks
from maskwise.formats.policy_file import read_policy
from maskwise.policy.policy import Policy

K = {"qid": ["Age"], "k": 3}
OTHER_K = {"qid": ["Job"], "k": 4}
TEMPLATE = {"qid": ["Job"], "sensitive": {"Ill": ["flu", "cold"]}, "confidence": 0.5}
BOTH = {
    "lkc": {"attributes": ["Age", "Job"], "L": 1},
    "k": 5,
    "sensitive": {"Ill": ["flu"]},
    "confidence": 0.6,
}


def policy(*requirements: dict[str, Any]) -> Policy:
    return read_policy({"class": "Risk", "requirements": list(requirements)})


def test_every_k_is_combined_with_every_h() -> None:
    settings = list_settings(policy(K, TEMPLATE), (10, 20), (Fraction(1, 2), Fraction(9, 10)))
    assert [(setting.k, setting.h) for setting in settings] == [(10, 0.5), (10, 0.9), (20, 0.5), (20, 0.9)]
    for setting in settings:
        first, second = setting.policy.requirements
        assert first.k == setting.k
        assert {float(h) for _, _, h in second.sensitive} == {setting.h}
        assert [value for _, value, _ in second.sensitive] == ["flu", "cold"]


def test_a_policy_keeps_its_own_thresholds_if_none_is_given() -> None:
    asked = policy(K, OTHER_K, TEMPLATE)
    (setting,) = list_settings(asked, (), ())
    assert setting.policy == asked
    assert (setting.k, setting.h) == (None, None)
    assert [setting.k for setting in list_settings(policy(K), (), ())] == [3]


def test_a_requirement_with_k_and_templates_gets_both() -> None:
    (setting,) = list_settings(policy(BOTH), (7,), (Fraction(1, 4),))
    (requirement,) = setting.policy.requirements
    assert requirement.k == 7
    assert requirement.sensitive[0][2] == Fraction(1, 4)


def test_a_threshold_that_the_policy_does_not_have_is_refused() -> None:
    with pytest.raises(maskwise.InputError, match="no k to vary"):
        list_settings(policy(TEMPLATE), (5,), ())
    with pytest.raises(maskwise.InputError, match="no h to vary"):
        list_settings(policy(K), (), (Fraction(1, 2),))


@pytest.mark.parametrize(
    ("value", "ks"),
    [
        (None, ()),
        (5, (5,)),
        ("5, 20,5", (5, 20)),
        ([5, 20], (5, 20)),
        (np.array([5, 20]), (5, 20)),
        (range(1, 3), (1, 2)),
    ],
)
def test_ks_are_read_from_numbers_lists_and_texts(value: Any, ks: tuple[int, ...]) -> None:
    assert parse_ks(value) == ks


@pytest.mark.parametrize(
    ("value", "hs"),
    [(None, ()), (0.1, ("1/10",)), ("0.5, 1/3", ("1/2", "1/3")), ([0.9, "1"], ("9/10", "1")), ("0.5,0.50", ("1/2",))],
)
def test_hs_are_read_exactly(value: Any, hs: tuple[str, ...]) -> None:
    assert parse_hs(value) == tuple(Fraction(h) for h in hs)


@pytest.mark.parametrize("value", ["0", "-1", "2.5", "many", "5,", [0]])
def test_what_is_no_k_is_refused(value: Any) -> None:
    with pytest.raises(maskwise.InputError, match="whole numbers of at least 1"):
        parse_ks(value)


@pytest.mark.parametrize("value", ["0", "1.1", "-0.5", "1/0", "much", [0.5, 2]])
def test_what_is_no_h_is_refused(value: Any) -> None:
    with pytest.raises(maskwise.InputError, match="shares above 0 and at most 1"):
        parse_hs(value)
