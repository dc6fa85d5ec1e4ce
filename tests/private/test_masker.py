"""A scikit-learn transformer whose cut is found with differential privacy."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pandas as pd
import pytest

from maskwise import InputError, Masker
from tests.evaluation.test_private_runs import people
from tests.private.tables import Exact, policy


@pytest.fixture(autouse=True)
def _without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maskwise.private.run.OpenDPMechanisms", Exact)


def test_rows_are_shown_by_the_cut_and_the_release_stands_beside() -> None:
    table = people(0).to_pandas()
    masker = Masker(policy(20, steps=1), encode="label").fit(table)
    shown = masker.transform(table.head(5))
    assert list(shown.columns) == list(masker.get_feature_names_out()) == ["Age", "Edu", "Job"]
    assert set(shown["Age"]) <= {"< 20", "≥ 20"}
    assert isinstance(masker.released_, pd.DataFrame)
    assert set(masker.released_["Risk"]) == {"lo", "hi"}


def test_another_epsilon_takes_the_place_of_the_policys() -> None:
    masker = Masker(policy(20, steps=1), epsilon="0.3").fit(people(0).to_pandas())
    asked = masker._asked()  # noqa: SLF001
    assert asked is not None
    assert asked.private is not None
    assert asked.private.epsilon == Fraction(3, 10)
    again = Masker.from_json(masker.to_json())
    assert again.solution_.cuts == masker.solution_.cuts


@pytest.mark.parametrize("given", [None, {"requirements": [{"qid": ["Age"], "k": 2}]}])
def test_epsilon_without_declared_domains_is_refused(given: object) -> None:
    with pytest.raises(InputError, match="domains must be declared"):
        Masker(given, epsilon=1).fit(people(0).to_pandas())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"epsilon": "much"}, "`epsilon` is a number above 0; found `much`"),
        ({"random_state": 3}, "`random_state` does not go with an epsilon"),
        ({"method": "bug"}, "`method` does not go with an epsilon"),
        ({"encode": "mean"}, "means of the training rows"),
    ],
)
def test_parameters_that_do_not_go_with_epsilon_are_refused(more: dict[str, Any], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        Masker(policy(20, steps=1), **more).fit(people(0).to_pandas())
