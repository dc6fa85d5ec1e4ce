"""What a private release costs a classifier: release the training records again and again, and take the mean.

A private release is random, so one run says little. Each run draws anew; test
records are shown by the cuts of the run.
"""

from __future__ import annotations

import statistics
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from maskwise.errors import InputError, plural
from maskwise.evaluation.guessing import guess_error, note_guesses
from maskwise.evaluation.learners import DEFAULT, find_learner
from maskwise.evaluation.partition import TrainTestSplit, check_partition, partition
from maskwise.evaluation.predictors import masked_predictors, sort_intervals
from maskwise.evaluation.records import Evaluation, Record, wilson
from maskwise.evaluation.sample import fetch, read_sample
from maskwise.formats.requirement_file import read_requirement
from maskwise.policy.attributes import Kind
from maskwise.policy.policy import Policy
from maskwise.policy.private_release import PrivateForm
from maskwise.private.run import anonymize_privately
from maskwise.release import mask as masking
from maskwise.table.read import read
from maskwise.values.arrow import from_numpy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from maskwise.evaluation.learners import Learner
    from maskwise.evaluation.predictors import Predictors
    from maskwise.evaluation.sample import Sample

    Ints = NDArray[np.int64]

RUNS = 10
"""How often a private release is drawn, unless asked otherwise."""
_HELD_OUT = "held-out"


def refuse_other_options(given: Mapping[str, object]) -> None:
    """Refuse options of an evaluation that do not go with a policy that asks for an epsilon.

    Args:
        given: The options that were given, by name.
    """
    named = [name for name, value in given.items() if value]
    if named:
        msg = f"`{named[0]}` does not go with a policy that asks for an `epsilon`. Leave it out."
        raise InputError(msg)


def evaluate_privately(
    data: Any,
    policy: Policy,
    *,
    test: Any = None,
    split: float | None = None,
    folds: int | None = None,
    seed: int = 0,
    classifiers: Sequence[Any] | None = None,
    runs: int = RUNS,
    progress: Callable[[str, int, int], None] | None = None,
) -> Evaluation:
    """Measure the errors of classifiers that learn from private releases of the training records.

    Args:
        data: As in `evaluate`.
        policy: The policy, which asks for an epsilon.
        test: As in `evaluate`.
        split: As in `evaluate`.
        folds: As in `evaluate`.
        seed: Makes the split and the classifiers repeatable; the releases are drawn anew.
        classifiers: As in `evaluate`.
        runs: How often a release is drawn.
        progress: As in `evaluate`.

    Returns:
        BE, the error from the unmasked attributes, and DP, the mean over all runs with the smallest and the largest as
        its ends; the notes have the standard deviations.
    """
    asked = policy.private
    assert asked is not None  # noqa: S101 - called for private policies only
    check_partition(split, folds, seed, has_test=test is not None)
    if runs < 1:
        raise InputError("There is at least one run; give `runs` a number from 1.")
    learners = [find_learner(name) for name in (DEFAULT if classifiers is None else classifiers)]
    # Every column that is not released is left out; a k of 1 asks for nothing.
    plain = Policy(
        (read_requirement({"qid": list(asked.attributes), "k": "1"}),),
        tuple(replace(one, grid=None, values=()) for one in policy.attributes if one.name in asked.attributes),
        policy.class_name,
        keep=(),
        missing=policy.missing,
        reading=policy.reading,
        person=policy.person,
    )
    policy = replace(policy, private=replace(asked, form=PrivateForm.RECORDS))
    sample = read_sample(data, plain, test)
    policy = replace(policy, reading=sample.policy.reading)
    splits = partition(sample.strata, sample.n_test, split, folds, seed, sample.persons)
    n_tested = sum(len(each.test) for each in splits)
    report = progress or (lambda activity, n_done, n_total: None)  # noqa: ARG005
    wrong: dict[str, list[int]] = {learner.name: [] for learner in learners}
    for number in range(runs):
        report(f"DP: run {number + 1}", number, runs)
        found = dict.fromkeys(wrong, 0)
        for each in splits:
            prepared = _release_and_mask(sample, policy, each)
            for learner in learners:
                found[learner.name] += _n_wrong(learner, *prepared, seed)
        for name, n in found.items():
            wrong[name].append(n)
    records, notes = [], list(sample.notes)
    for learner in learners:
        n_raw = sum(_n_wrong(learner, sample.predictors, sample.classes, each, seed) for each in splits)
        low, high = wilson(n_raw, n_tested)
        ends = (100 * n_raw / n_tested, 100 * low, 100 * high)
        records.append(Record(learner.name, _HELD_OUT, None, "BE", *ends))
        errors = [100 * n / n_tested for n in wrong[learner.name]]
        mean = statistics.fmean(errors)
        records.append(Record(learner.name, _HELD_OUT, None, "DP", mean, min(errors), max(errors)))
        deviation = statistics.stdev(errors) if runs > 1 else 0.0
        notes.append(
            f"{learner.name}: DP is the mean of {plural(runs, 'run')} with {asked.asks()}; they lie between its ends, "
            f"with a standard deviation of {deviation:.2f}."
        )
    guess, class_name = guess_error(sample.classes, splits), str(policy.class_name)
    noted = note_guesses(records, guess, class_name)
    return Evaluation(noted, class_name, sample.source, n_tested, tuple(notes), guess=guess)


def _release_and_mask(sample: Sample, policy: Policy, split: TrainTestSplit) -> tuple[Predictors, Ints, TrainTestSplit]:
    """Release the training records and show the test records by the same cuts; the released ones come first."""
    outcome = anonymize_privately(sample.table.take(from_numpy(split.train)), policy)
    shown = fetch(masking.apply(read(sample.table.take(from_numpy(split.test))), outcome.solution).table)
    names = outcome.asked.attributes
    both = pa.concat_tables([outcome.data.select(names), shown.select(names)])
    cuts = outcome.solution.cuts
    orders = {cut.attribute: sort_intervals(cut.labels) if cut.kind is Kind.INTERVAL else None for cut in cuts}
    predictors = masked_predictors(sample.predictors, both, orders)
    at = {text: i for i, text in enumerate(sample.class_texts)}
    # A declared class that no record of the table has is an error wherever it is predicted.
    released = [at.get(text, len(at)) for text in outcome.data.column(str(policy.class_name)).to_pylist()]
    n_train = len(released)
    classes = np.concatenate([np.array(released, np.int64), sample.classes[split.test]])
    return predictors, classes, TrainTestSplit(np.arange(n_train), np.arange(n_train, len(classes)))


def _n_wrong(learner: Learner, predictors: Predictors, classes: Ints, split: TrainTestSplit, seed: int) -> int:
    """How many test records are predicted wrongly; from no record at all, the first class is predicted."""
    expected = classes[split.test]
    if not len(split.train):
        return int((expected != 0).sum())
    return int((learner.predict(predictors, classes, split, seed) != expected).sum())
