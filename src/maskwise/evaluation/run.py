"""What masking costs a classifier: train on the masked table, count the errors on test records.

`sample` reads the records, `partition` splits them, `sweep` lists the
thresholds, `learners` has the classifiers. This module masks the table under
each protocol; `trials` trains and measures.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pyarrow as pa

from maskwise.errors import WHOLE, InfeasibleError, InputError, quote
from maskwise.evaluation.comparisons import mask_by_other, read_other_tool
from maskwise.evaluation.guessing import guess_error, is_no_better, note_guesses
from maskwise.evaluation.learners import DEFAULT, find_learner
from maskwise.evaluation.masked_numbers import represent
from maskwise.evaluation.metrics import find_metrics
from maskwise.evaluation.partition import TrainTestSplit, check_partition, partition
from maskwise.evaluation.predictors import (
    drop_predictors,
    masked_predictors,
    other_tool_predictors,
    sort_intervals,
)
from maskwise.evaluation.private_runs import RUNS, evaluate_privately, refuse_other_options
from maskwise.evaluation.records import Evaluation, Record
from maskwise.evaluation.regressors import NAMES as REGRESSORS
from maskwise.evaluation.regressors import find_regressor
from maskwise.evaluation.sample import fetch, read_sample
from maskwise.evaluation.suppressed_rows import mask_all_rows, suppress_training_rows, without_rows
from maskwise.evaluation.sweep import list_settings, parse_hs, parse_ks
from maskwise.evaluation.trials import Judge, TrainTestData, Trial, run_trials
from maskwise.formats.policy_file import read_policy
from maskwise.pipeline import anonymize
from maskwise.policy.attributes import Boundaries, Kind
from maskwise.release import mask as masking
from maskwise.search.options import SearchKeywords, search_options
from maskwise.solution.solution import Ending
from maskwise.table.read import read
from maskwise.values.arrow import from_numpy
from maskwise.values.input_kind import InputKind, input_kind
from maskwise.values.number_forms import Numbers, check_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from maskwise.evaluation.comparisons import OtherMasking
    from maskwise.evaluation.predictors import Predictors
    from maskwise.evaluation.sample import Sample
    from maskwise.evaluation.sweep import ThresholdSetting
    from maskwise.policy.policy import Policy

    Bools = NDArray[np.bool_]


class Protocol(StrEnum):
    """On which records the cut is found."""

    HELD_OUT = "held-out"
    """On the training records; test records are masked by it."""
    COMBINED = "combined"
    """On training and test records together, as in most of the papers."""


_BOTH = "both"
_CHOICES = (*Protocol, _BOTH)


def evaluate(
    data: Any,
    policy: str | Path | Mapping[str, Any] | Policy,
    *,
    test: Any = None,
    split: float | None = None,
    folds: int | None = None,
    seed: int = 0,
    protocol: str = Protocol.HELD_OUT,
    classifiers: Sequence[Any] | None = None,
    measures: str | Sequence[str] = (),
    by: str | Sequence[str] = (),
    numbers: str = Numbers.LABEL,
    k: int | Sequence[int] | str | None = None,
    h: float | Sequence[float | str] | str | None = None,
    against: Mapping[str, Any] | None = None,
    runs: int = RUNS,
    progress: Callable[[str, int, int], None] | None = None,
    **search: Unpack[SearchKeywords],
) -> Evaluation:
    """Measure what masking costs a classifier.

    Args:
        data: A path, or a pandas, Polars, Arrow or Ibis table.
        policy: A YAML file, a mapping of the same form, or a Policy; it names the class.
        test: A table of test records with the same columns.
        split: Without a test table: the share of test records, drawn at random; by default a third.
        folds: Instead of both: the number of folds of a cross-validation.
        seed: Makes the split and the classifiers repeatable.
        protocol: `held-out` (the cut is found on the training records), `combined` (on all of them), or `both`.
        classifiers: Names (`c4.5`, `naive-bayes`, `logistic-regression`, `gradient-boosting`), import paths of
            scikit-learn classifiers, or such classifiers themselves; by default the first two. Of a class that is a
            number `tree`, `linear-regression` and `gradient-boosting`, or scikit-learn's regressors; by default all.
        measures: What is measured of the same predictions: `error` (the default; first `auc` and `logloss` where
            guessing the most frequent class is as good), `auc`, `logloss`, `f1`, `balanced`,
            `calibration`, or `all` of them; of a class that is a number `mae` and `r2`, by default both.
        by: Columns of the unmasked table; every measure is also taken of the test records with each of their values.
        numbers: How classifiers see masked numbers: `label`, `midpoint`, `mean` or `bounds`.
        k: One or several k, used for every k requirement of the policy.
        h: One or several confidence bounds, used for every template of the policy.
        against: Tables that other tools masked, by name: the same records in the same order; or algorithms with `fit`
            and `transform`, which mask under each protocol and threshold.
        runs: For a policy that asks for an `epsilon`: how often a release is drawn; the mean is `DP`.
        progress: Called with the current activity, the number of errors counted so far, and their total number.
        search: How to search, as in `anonymize`. `boundaries="both"` measures with safe boundaries and once more with
            exact ones, as `AE(exact boundaries)`.

    Returns:
        The errors. A threshold that cannot be met has none, and a note.

    Raises:
        InputError: Something given does not fit.
        InfeasibleError: No threshold can be met.

    Example:
        >>> import pyarrow as pa
        >>> people = pa.table({"Age": list(range(20, 80)), "Risk": ["lo"] * 30 + ["hi"] * 30})
        >>> policy = {"class": "Risk", "requirements": [{"qid": ["Age"], "k": 5}]}
        >>> for record in evaluate(people, policy, classifiers=["c4.5"]).records:
        ...     print(record.measure, record.error)
        BE 0.0
        AE 5.0
        UE 50.0
    """
    parsed_policy = read_policy(policy, private=True)
    if parsed_policy.private is not None:
        refuse_other_options(
            {"protocol": protocol != Protocol.HELD_OUT, "measures": measures, "by": by, "k": k, "h": h}
            | {"against": against, "numbers": numbers != Numbers.LABEL}
        )
        how = {"test": test, "split": split, "folds": folds, "seed": seed, "progress": progress}
        return evaluate_privately(data, parsed_policy, classifiers=classifiers, runs=runs, **how)
    check_partition(split, folds, seed, has_test=test is not None)
    searches = _list_searches(search)
    if protocol not in _CHOICES:
        msg = f"The protocol is one of {quote(_CHOICES)}; found `{protocol}`."
        raise InputError(msg)
    protocols = tuple(Protocol) if protocol == _BOTH else (Protocol(protocol),)
    of_numbers = parsed_policy.class_is_number
    metrics = find_metrics(measures, of_numbers=of_numbers)
    shown_as = check_numbers(numbers)
    find, default = (find_regressor, REGRESSORS) if of_numbers else (find_learner, DEFAULT)
    wanted = default if classifiers is None else classifiers
    learners = list({learner.name: learner for learner in map(find, wanted)}.values())
    if not learners:
        raise InputError("No classifier is named. Name at least one.")
    ks, hs = parse_ks(k), parse_hs(h)
    list_settings(parsed_policy, ks, hs)  # refuses thresholds that the policy does not have, before anything is read
    sample = read_sample(data, parsed_policy, test, [by] if isinstance(by, str) else by)
    splits = partition(sample.strata, sample.n_test, split, folds, seed, sample.persons)
    settings = list_settings(sample.policy, ks, hs)
    trials = _list_trials(sample, splits, settings, protocols, against or {}, searches, shown_as)
    report = progress or (lambda activity, n_done, n_total: None)  # noqa: ARG005
    n_classes = len(sample.class_texts) or None
    guess = None if of_numbers else guess_error(sample.classes, splits)
    judge = Judge(learners, metrics, n_classes, _watched(sample), sample.groupings, seed)
    running = run_trials(trials, judge, len(splits), report)
    by_trial: list[tuple[list[Record], str | None]] = []
    if guess is not None and not measures and all(learner.tells_chances for learner in learners):
        raw, _ = next(running)
        if all(is_no_better(one, guess) for one in raw if one.by is None):
            judge = replace(judge, metrics=find_metrics(("auc", "logloss", "error")))
            running = run_trials(trials, judge, len(splits), report)
        else:
            by_trial.append((raw, None))
    by_trial += running
    unmet = [note for trial, (_, note) in zip(trials, by_trial, strict=True) if trial.is_masked]
    if all(note is not None for note in unmet):
        raise InfeasibleError(unmet[0])
    protocol_order = [*(str(chosen) for chosen in protocols), *Protocol]
    learner_order = [learner.name for learner in learners]
    records = [record for of_trial, _ in by_trial for record in of_trial]
    records.sort(key=lambda r: (protocol_order.index(r.protocol), learner_order.index(r.classifier)))
    n_tested = sum(len(each.test) for each in splits)
    class_name = str(parsed_policy.class_name)
    about = (class_name, sample.source, n_tested, sample.notes, _backend(data), guess)
    return Evaluation(note_guesses(records, guess, class_name), *about, is_unasked=judge.metrics is not metrics)


def _watched(sample: Sample) -> tuple[int, ...]:
    """The rarer of two classes, or all; of equally many records the second."""
    counts = np.bincount(sample.strata)
    n_classes = len(sample.class_texts)
    return (int(counts[1] <= counts[0]),) if n_classes == 2 else tuple(range(n_classes))  # noqa: PLR2004


def _list_searches(search: SearchKeywords) -> dict[str, SearchKeywords]:
    """The searches to be measured, by what is added to the name of their measure; options that do not fit are refused.

    Args:
        search: What was given; its `boundaries` may also be `both`.
    """
    searches = {"": search}
    if search.get("boundaries") == _BOTH:
        searches = {
            "": {**search, "boundaries": Boundaries.SAFE},
            "(exact boundaries)": {**search, "boundaries": Boundaries.EXACT},
        }
    for keywords in searches.values():
        search_options(**keywords)
    return searches


def _list_trials(
    sample: Sample,
    splits: Sequence[TrainTestSplit],
    settings: Sequence[ThresholdSetting],
    protocols: Sequence[Protocol],
    against: Mapping[str, Any],
    searches: Mapping[str, SearchKeywords],
    numbers: Numbers,
) -> list[Trial]:
    """List the errors to be measured, in the order of the result."""
    policy = sample.policy
    all_protocols = tuple(str(protocol) for protocol in protocols)
    # SE: every rule is about the share of a value that the policy names.
    counted = [part.counted for requirement in policy.requirements for part in requirement.parts]
    has_only_templates = all(values is not None and values.values is not None for values in counted)

    def unmasked(measure: str, dropped: Sequence[str] = ()) -> Trial:
        predictors = drop_predictors(sample.predictors, dropped)
        return Trial(measure, all_protocols, partial(_pair_with_splits, sample, predictors, splits))

    def masked(
        measure: str, mask: Callable[[Policy, TrainTestSplit | None], tuple[Predictors, Bools | None]]
    ) -> Iterator[Trial]:
        for protocol in protocols:
            for setting in settings:
                prepare = partial(_mask_by_protocol, sample, splits, protocol, partial(mask, setting.policy))
                yield Trial(measure, (str(protocol),), prepare, setting.k, setting.h, is_masked=True)

    trials = [unmasked("BE")]
    if sample.dropped_predictors:
        everything = (*sample.predictors, *sample.dropped_predictors)
        pairs = partial(_pair_with_splits, sample, everything, splits)
        trials.append(Trial("BE(all columns)", all_protocols, pairs))
    for name, search in searches.items():
        trials += masked(("SE" if has_only_templates else "AE") + name, partial(_mask, sample, search, numbers))
    for name, source in against.items():
        if hasattr(source, "fit") and hasattr(source, "transform"):
            trials += masked(f"AE({name})", partial(_mask_by_other, sample, source, numbers))
            continue
        predictors = represent(read_other_tool(sample, name, source), sample.predictors, numbers, None)
        prepare = partial(_pair_with_splits, sample, predictors, splits)
        trials.append(Trial(f"AE({name})", (str(Protocol.COMBINED),), prepare, is_masked=True))
    trials.append(unmasked("UE", policy.masked))
    protected = [name for name in policy.sensitive if name != policy.class_name]
    return [*trials, unmasked("RE", protected)] if protected else trials


def _pair_with_splits(
    sample: Sample, predictors: Predictors, splits: Iterable[TrainTestSplit]
) -> Iterator[TrainTestData]:
    """The same predictors for every split."""
    return (TrainTestData(predictors, sample.classes, split, split.test) for split in splits)


def _mask_by_protocol(
    sample: Sample,
    splits: Iterable[TrainTestSplit],
    protocol: Protocol,
    mask: Callable[[TrainTestSplit | None], tuple[Predictors, Bools | None]],
) -> Iterator[TrainTestData]:
    """Mask once for all splits, or for each split by its training records; these then come first."""
    if protocol is Protocol.COMBINED:
        predictors, is_gone = mask(None)
        yield from _pair_with_splits(sample, predictors, [without_rows(split, is_gone) for split in splits])
        return
    for split in splits:
        rows = np.concatenate([split.train, split.test])
        n_train = len(split.train)
        try:
            predictors, is_gone = mask(split)
        except InfeasibleError as error:
            raise InfeasibleError(str(error).replace(WHOLE, "the training part")) from None
        reordered = TrainTestSplit(np.arange(n_train), np.arange(n_train, len(rows)))
        yield TrainTestData(predictors, sample.classes[rows], without_rows(reordered, is_gone), split.test)


def _mask(
    sample: Sample, search: SearchKeywords, numbers: Numbers, policy: Policy, split: TrainTestSplit | None
) -> tuple[Predictors, Bools | None]:
    """Mask with maskwise; without a split all records, else by the training records. Say which are left out."""
    table, rows = sample.table, None
    outcome = anonymize(_take_rows(table, None if split is None else split.train), policy, keep_order=True, **search)
    solution, masked = outcome.solution, outcome.data
    if solution.ending == Ending.INTERRUPTED:
        raise KeyboardInterrupt
    is_gone = None
    if split is not None:
        rows = np.concatenate([split.train, split.test])
    if solution.suppression is not None:
        masked, is_gone = mask_all_rows(_take_rows(table, rows), solution)
        n_train = len(masked) if split is None else len(split.train)
        masked, is_gone = suppress_training_rows(masked, solution, is_gone, n_train)
    elif split is not None:
        masked_test = fetch(masking.apply(read(_take_rows(table, split.test)), solution).table)
        masked = pa.concat_tables([masked, masked_test], promote_options="permissive")
    cuts = (*solution.cuts, *solution.fixed)
    orders = {cut.attribute: sort_intervals(cut.labels) if cut.kind is Kind.INTERVAL else None for cut in cuts}
    predictors = masked_predictors(sample.predictors, masked, orders, rows)
    return _represent(sample, predictors, numbers, split), is_gone


def _represent(sample: Sample, predictors: Predictors, numbers: Numbers, split: TrainTestSplit | None) -> Predictors:
    """Show masked numbers as it is asked; those of a split have the training records first."""
    rows = None if split is None else np.concatenate([split.train, split.test])
    raw = tuple(predictor.take(rows) for predictor in sample.predictors)
    return represent(predictors, raw, numbers, None if split is None else len(split.train))


def _mask_by_other(
    sample: Sample, other: OtherMasking, numbers: Numbers, policy: Policy, split: TrainTestSplit | None
) -> tuple[Predictors, Bools | None]:
    """Mask by another algorithm; without a split all records, else by the training records."""
    train = _take_rows(sample.table, None if split is None else split.train)
    test = None if split is None else _take_rows(sample.table, split.test)
    predictors = other_tool_predictors(sample.predictors, mask_by_other(other, train, test, policy), policy)
    return _represent(sample, predictors, numbers, split), None


def _take_rows(table: Any, rows: NDArray[np.int64] | None) -> Any:
    return table if rows is None else table.take(from_numpy(rows))


def _backend(data: Any) -> str:
    """The kind of table that was given; for a file or a database pandas, if it is installed."""
    kind = input_kind(data)
    if kind in {InputKind.PANDAS, InputKind.POLARS, InputKind.ARROW}:
        return kind.value
    return "pandas" if find_spec("pandas") is not None else "pyarrow"
