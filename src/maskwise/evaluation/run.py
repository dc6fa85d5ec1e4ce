"""What masking costs a classifier: train on the masked table, count the errors on test records.

`sample` reads, `partition` parts the records, `sweep` chooses thresholds,
`learners` are trained; here the table is masked under each protocol and the
errors are counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.errors import WHOLE, InfeasibleError, InputError, quote
from maskwise.evaluation.comparisons import mask_by_rival, rival, view_of
from maskwise.evaluation.learners import DEFAULT, learner
from maskwise.evaluation.partition import Split, check_partition, partition
from maskwise.evaluation.records import Evaluation, Record, wilson
from maskwise.evaluation.sample import fetch, take_sample
from maskwise.evaluation.sweep import bounds, points, whole_numbers
from maskwise.evaluation.view import foreign, masked, without
from maskwise.formats.policy_file import read_policy
from maskwise.pipeline import anonymize
from maskwise.policy.attributes import Kind
from maskwise.release import mask as masking
from maskwise.search.options import Criterion, Method, choose_how
from maskwise.solution.solution import Ending
from maskwise.table.read import read
from maskwise.values.arrow import from_numpy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from maskwise.evaluation.learners import Learner
    from maskwise.evaluation.sample import Sample
    from maskwise.evaluation.sweep import Point
    from maskwise.evaluation.view import View
    from maskwise.policy.policy import Policy

    Task = tuple[View, NDArray[np.int64], Split]


class Protocol(StrEnum):
    """On which records the cut is found."""

    HELD_OUT = "held-out"
    """On the training records; test records are masked by it."""
    COMBINED = "combined"
    """On training and test records together, as in most of the papers."""


_CHOICES = (*Protocol, "both")


@dataclass(frozen=True, slots=True)
class _Trial:
    """An error to be measured."""

    measure: str
    protocols: tuple[str, ...]
    """The protocols under which it is listed."""
    tasks: Callable[[], Iterator[Task]]
    """What to train on and to test, for each split."""
    k: int | None = None
    h: float | None = None
    is_masked: bool = False

    def called(self) -> str:
        """What progress calls it."""
        tried = [f"{name}={value}" for name, value in (("k", self.k), ("h", self.h)) if value is not None]
        return ", ".join([self.measure, *tried])


def evaluate(
    data: Any,
    policy: str | Path | Mapping[str, Any] | Policy,
    *,
    test: Any = None,
    split: float | None = None,
    folds: int | None = None,
    seed: int = 0,
    protocol: str = Protocol.HELD_OUT,
    classifiers: Sequence[Any] = DEFAULT,
    k: int | Sequence[int] | str | None = None,
    h: float | Sequence[float | str] | str | None = None,
    method: str = Method.TDR,
    criterion: str = Criterion.SCORE,
    effort: int | None = None,
    against: Mapping[str, Any] | None = None,
    rivals: Sequence[str] = (),
    progress: Callable[[str, int, int], None] | None = None,
) -> Evaluation:
    """Measure what masking costs a classifier.

    Args:
        data: A path, or a pandas, Polars, Arrow or Ibis table.
        policy: A YAML file, a mapping of the same form, or a Policy; it names the class.
        test: A table of test records with the same columns.
        split: Without one: the share of records that are test records, drawn at random; a third unless given.
        folds: Instead: cross-validation with so many parts.
        seed: Makes the split and the classifiers repeatable.
        protocol: `held-out` (the cut is found on the training records), `combined` (on all of them), or `both`.
        classifiers: Names (`c4.5`, `naive-bayes`, `logistic-regression`, `gradient-boosting`), import paths of
            scikit-learn classifiers, or such classifiers themselves.
        k: One or several k; every k requirement of the policy gets it.
        h: One or several bounds; every template of the policy gets it.
        method: As in `anonymize`.
        criterion: As in `anonymize`.
        effort: As in `anonymize`.
        against: Tables that other tools masked, by name: the same records in the same order.
        rivals: `mondrian` and `full-domain`, other algorithms to compare with.
        progress: Told what is being done, how many errors have been counted, and of how many.

    Returns:
        The errors. A threshold that cannot be met has none, and a note.

    Raises:
        InputError: Something given does not fit.
        InfeasibleError: No threshold can be met.

    Example:
        >>> import pyarrow as pa
        >>> people = pa.table({"Age": list(range(20, 80)), "Risk": ["lo"] * 30 + ["hi"] * 30})
        >>> policy = {"class": "Risk", "requirements": [{"qid": ["Age"], "k": 5}]}
        >>> for one in evaluate(people, policy, classifiers=["c4.5"]).records:
        ...     print(one.measure, one.error)
        BE 0.0
        AE 5.0
        UE 50.0
    """
    asked = read_policy(policy)
    check_partition(split, folds, seed, has_test=test is not None)
    choose_how(method, criterion, effort=effort)
    how = {"method": method, "criterion": criterion, "effort": effort}
    if protocol not in _CHOICES:
        msg = f"The protocol is one of {quote(_CHOICES)}; found `{protocol}`."
        raise InputError(msg)
    protocols = tuple(Protocol) if protocol == "both" else (Protocol(protocol),)
    learners = list({one.name: one for one in map(learner, classifiers)}.values())
    if not learners:
        raise InputError("No classifier is named. Name at least one.")
    for name in rivals:
        rival(name)
    points(asked, ks := whole_numbers(k), hs := bounds(h))
    sample = take_sample(data, asked, test)
    splits = partition(sample.classes, sample.n_test, split, folds, seed)
    trials = _trials(sample, splits, points(sample.policy, ks, hs), protocols, rivals, against or {}, how)
    found = list(_measure(trials, learners, len(splits), seed, progress or (lambda what, done, total: None)))  # noqa: ARG005
    tried = [one for trial, records in zip(trials, found, strict=True) if trial.is_masked for one in records]
    if all(one.error is None for one in tried):
        raise InfeasibleError(tried[0].note)
    places = [*(str(one) for one in protocols), *Protocol]
    records = [one for of_trial in found for one in of_trial]
    names = [one.name for one in learners]
    records.sort(key=lambda one: (places.index(one.protocol), names.index(one.classifier)))
    n_tested = sum(len(one.test) for one in splits)
    return Evaluation(tuple(records), str(asked.class_name), sample.source, n_tested, sample.notes, _backend(data))


def _trials(
    sample: Sample,
    splits: Sequence[Split],
    tried: Sequence[Point],
    protocols: Sequence[Protocol],
    rivals: Iterable[str],
    against: Mapping[str, Any],
    how: Mapping[str, Any],
) -> list[_Trial]:
    """Everything to be measured, in the order of the result."""
    everywhere = tuple(str(one) for one in protocols)
    asked = sample.policy

    def plain(measure: str, gone: Sequence[str] = ()) -> _Trial:
        view = without(sample.view, gone)
        return _Trial(measure, everywhere, lambda: _alike(sample, view, splits))

    def own(point: Point, protocol: Protocol) -> _Trial:
        # SE: every rule is about the share of a value that the policy names.
        counted = [part.counted for one in asked.requirements for part in one.parts]
        is_se = all(values is not None and values.values is not None for values in counted)

        def tasks() -> Iterator[Task]:
            return _own_tasks(sample, splits, point.policy, protocol, how)

        return _Trial("SE" if is_se else "AE", (str(protocol),), tasks, point.k, point.h, is_masked=True)

    def other(name: str, point: Point, protocol: Protocol) -> _Trial:
        def tasks() -> Iterator[Task]:
            return _rival_tasks(sample, splits, point.policy, protocol, name)

        return _Trial(f"AE({name})", (str(protocol),), tasks, point.k, point.h, is_masked=True)

    trials = [plain("BE")]
    trials += [own(point, protocol) for protocol in protocols for point in tried]
    trials += [other(name, point, protocol) for name in rivals for protocol in protocols for point in tried]
    for name, source in against.items():
        view = view_of(sample, name, source)
        combined = (str(Protocol.COMBINED),)
        trials.append(_Trial(f"AE({name})", combined, _fixed(sample, view, splits), is_masked=True))
    trials.append(plain("UE", asked.masked))
    protected = [name for name in asked.sensitive if name != asked.class_name]
    return [*trials, plain("RE", protected)] if protected else trials


def _measure(
    trials: Sequence[_Trial],
    learners: Sequence[Learner],
    n_splits: int,
    seed: int,
    progress: Callable[[str, int, int], None],
) -> Iterator[list[Record]]:
    """Train every classifier on every task; the predictions of all splits are counted together."""
    step, total = n_splits * len(learners), len(trials) * n_splits * len(learners)
    for i, trial in enumerate(trials):
        wrong, n, note = np.zeros(len(learners), np.int64), 0, None
        try:
            progress(f"{trial.called()}: mask", i * step, total)
            for at, (view, classes, split) in enumerate(trial.tasks()):
                n += len(split.test)
                for j, one in enumerate(learners):
                    progress(f"{trial.called()}: {one.name}", i * step + at * len(learners) + j, total)
                    wrong[j] += int((one.predict(view, classes, split, seed) != classes[split.test]).sum())
        except InfeasibleError as error:
            note = str(error).replace("\n", " ")
        yield [
            _record(one.name, protocol, trial, int(wrong[j]), n, note)
            for protocol in trial.protocols
            for j, one in enumerate(learners)
        ]


def _record(name: str, protocol: str, trial: _Trial, n_wrong: int, n: int, note: str | None) -> Record:
    empty = Record(name, protocol, trial.k, trial.measure, None, None, None, trial.h, note)
    if note is not None:
        return empty
    low, high = wilson(n_wrong, n)
    return replace(empty, error=100 * n_wrong / n, low=100 * low, high=100 * high)


def _alike(sample: Sample, view: View, splits: Iterable[Split]) -> Iterator[Task]:
    """The same columns for every split."""
    return ((view, sample.classes, split) for split in splits)


def _fixed(sample: Sample, view: View, splits: Sequence[Split]) -> Callable[[], Iterator[Task]]:
    return lambda: _alike(sample, view, splits)


def _parted(
    sample: Sample, splits: Iterable[Split], protocol: Protocol, show: Callable[[Split | None], View]
) -> Iterator[Task]:
    """Mask once for all splits, or for each split by its training records; those then come first."""
    if protocol is Protocol.COMBINED:
        yield from _alike(sample, show(None), splits)
        return
    for split in splits:
        rows = np.concatenate([split.train, split.test])
        n_train = len(split.train)
        try:
            view = show(split)
        except InfeasibleError as error:
            raise InfeasibleError(str(error).replace(WHOLE, "the training part")) from None
        yield view, sample.classes[rows], Split(np.arange(n_train), np.arange(n_train, len(rows)))


def _own_tasks(
    sample: Sample, splits: Iterable[Split], policy: Policy, protocol: Protocol, how: Mapping[str, Any]
) -> Iterator[Task]:
    def show(split: Split | None) -> View:
        import pyarrow as pa  # noqa: PLC0415 - heavy

        table, rows = sample.table, None
        outcome = anonymize(_rows(table, None if split is None else split.train), policy, **how)
        solution, shown = outcome.solution, outcome.data
        if solution.ending == Ending.INTERRUPTED:
            raise KeyboardInterrupt
        if split is not None:
            later = fetch(masking.apply(read(_rows(table, split.test)), solution).table)
            shown = pa.concat_tables([shown, later], promote_options="permissive")
            rows = np.concatenate([split.train, split.test])
        orders = {cut.attribute: cut.labels if cut.kind is Kind.INTERVAL else None for cut in solution.cuts}
        return masked(sample.view, shown, orders, rows)

    return _parted(sample, splits, protocol, show)


def _rival_tasks(
    sample: Sample, splits: Iterable[Split], policy: Policy, protocol: Protocol, name: str
) -> Iterator[Task]:
    def show(split: Split | None) -> View:
        first = _rows(sample.table, None if split is None else split.train)
        later = None if split is None else _rows(sample.table, split.test)
        return foreign(sample.view, mask_by_rival(name, first, later, policy), policy)

    return _parted(sample, splits, protocol, show)


def _rows(table: Any, places: NDArray[np.int64] | None) -> Any:
    return table if places is None else table.take(from_numpy(places))


def _backend(data: Any) -> str:
    """The kind of table that was given; for a file or a database, pandas if it is there."""
    kind: str = type(data).__module__.partition(".")[0]
    if kind in {"pandas", "polars", "pyarrow"}:
        return kind
    return "pandas" if find_spec("pandas") is not None else "pyarrow"
