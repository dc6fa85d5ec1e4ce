"""A table with several records of a person: test records are of other people than training records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import maskwise
from maskwise.evaluation.partition import partition

POLICY: dict[str, Any] = {"class": "Risk", "person": "Who", "requirements": [{"qid": ["Age"], "k": 5}]}


def visits(n_persons: int = 240, n_each: int = 3) -> pd.DataFrame:
    """Every person has a class by chance, and a place that few others have: learnt by heart, it tells the class."""
    rng = np.random.default_rng(3)
    people = pd.DataFrame(
        {
            "Who": [f"p{i}" for i in range(n_persons)],
            "Age": rng.integers(20, 80, n_persons),
            "Place": [f"town {i}" for i in range(n_persons)],
            "Risk": rng.permutation(["hi", "lo"] * (n_persons // 2)),
        }
    )
    return people.loc[np.repeat(np.arange(n_persons), n_each)].sample(frac=1, random_state=1).reset_index(drop=True)


def test_all_records_of_a_person_are_on_one_side() -> None:
    rng = np.random.default_rng(1)
    persons = rng.integers(0, 60, 400)
    classes = (rng.random(400) < 0.1).astype(np.int64)
    folds = partition(classes, None, None, 4, 0, persons)
    tested = np.concatenate([fold.test for fold in folds])
    assert sorted(tested) == list(range(400))
    for fold in folds:
        assert not set(persons[fold.train]) & set(persons[fold.test])
        assert len(np.unique(persons[fold.test])) == pytest.approx(15, abs=1)
        assert sorted([*fold.train, *fold.test]) == list(range(400))
        assert classes[fold.test].sum() > 0


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["held-out", "combined"])
def test_what_is_known_of_a_person_does_not_help_to_predict_the_person(protocol: str) -> None:
    table = visits()
    how: dict[str, Any] = {"folds": 3, "classifiers": ["naive-bayes"], "measures": "error", "protocol": protocol}
    by_person = maskwise.evaluate(table, POLICY, **how)
    policy = {key: value for key, value in POLICY.items() if key != "person"} | {"drop": ["Who"]}
    by_record = maskwise.evaluate(table, policy, **how)
    (raw, masked), (known, _) = (
        [one for one in each.records if one.measure in {"BE", "AE"}] for each in (by_person, by_record)
    )
    assert by_person.n_tested == len(table)
    assert raw.error is not None
    assert masked.error is not None
    assert known.error is not None
    assert min(raw.error, masked.error) > 35
    assert known.error < 20


def test_pseudonyms_are_no_predictor() -> None:
    policy = POLICY | {"person": {"column": "Who", "release": "pseudonym"}}
    found = maskwise.evaluate(visits(60), policy, classifiers=["naive-bayes"], measures="error")
    assert {one.measure for one in found.records} == {"BE", "AE", "UE"}
    assert all(one.error is not None for one in found.records)


def test_persons_of_the_table_in_the_test_file_are_noted() -> None:
    table = visits(60)
    other = table.head(20).assign(Who=[f"q{i}" for i in range(20)])
    how: dict[str, Any] = {"classifiers": ["naive-bayes"], "measures": "error"}
    assert not maskwise.evaluate(table, POLICY, test=other, **how).notes
    shared = maskwise.evaluate(table, POLICY, test=pd.concat([other, table.head(1)]), **how).notes
    assert shared == ("1 person of `Who` have test records and others, so errors may be too small.",)
