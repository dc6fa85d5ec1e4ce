"""How records are split into training and test records."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.evaluation.partition import check_partition, partition


@given(
    classes=st.lists(st.integers(0, 3), min_size=2, max_size=60),
    folds=st.integers(2, 8),
    seed=st.integers(0, 5),
)
@settings(deadline=None, max_examples=50)
def test_folds_test_every_record_once_and_every_class_alike(classes: list[int], folds: int, seed: int) -> None:
    if folds > len(classes):
        with pytest.raises(maskwise.InputError, match="fewer folds"):
            partition(np.array(classes), None, None, folds, seed)
        return
    splits = partition(np.array(classes), None, None, folds, seed)
    assert sorted(row for split in splits for row in split.test) == list(range(len(classes)))
    for split in splits:
        assert sorted([*split.train, *split.test]) == list(range(len(classes)))
        for label in set(classes):
            n = sum(classes[row] == label for row in split.test)
            assert abs(n - classes.count(label) / folds) < 1


@pytest.mark.parametrize("share", [0.1, 1 / 3, 0.5, 0.9])
def test_a_split_has_its_share_of_every_class(share: float) -> None:
    classes = np.repeat([0, 1, 2], [500, 90, 10])
    (split,) = partition(classes, None, share, None, 0)
    assert len(split.test) == round(600 * share)
    assert np.bincount(classes[split.test]) == pytest.approx(np.array([500, 90, 10]) * share, abs=1)
    assert not set(split.train) & set(split.test)


def test_the_records_of_a_test_file_are_the_test_records() -> None:
    (split,) = partition(np.array([0, 1, 0, 1, 1]), 2, None, None, 0)
    assert (split.train.tolist(), split.test.tolist()) == ([0, 1, 2], [3, 4])


def test_a_third_is_tested_by_default_and_the_seed_decides_which() -> None:
    classes = np.arange(90) % 2
    first, again, other = (partition(classes, None, None, None, seed)[0] for seed in (1, 1, 2))
    assert len(first.test) == 30
    assert first.test.tolist() == again.test.tolist() != other.test.tolist()
    assert first.test.tolist() == sorted(first.test)


def test_a_split_with_an_empty_part_is_refused() -> None:
    with pytest.raises(maskwise.InputError, match="3 records: too few for this split"):
        partition(np.array([0, 1, 0]), None, 0.1, None, 0)


@pytest.mark.parametrize(
    ("share", "folds", "seed", "has_test", "says"),
    [
        (0.5, 3, 0, False, "Give one of them"),
        (0.5, None, 0, True, "Give one of them"),
        (1.0, None, 0, False, "above 0 and below 1; found 1"),
        (0.0, None, 0, False, "above 0 and below 1; found 0"),
        (None, 1, 0, False, "at least 2 folds; found 1"),
        (None, None, -1, False, "at least 0"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    share: float | None, folds: int | None, seed: int, has_test: bool, says: str
) -> None:
    with pytest.raises(maskwise.InputError, match=says):
        check_partition(share, folds, seed, has_test=has_test)
    check_partition(None, None, 0, has_test=has_test)
