"""Every measure beside scikit-learn's, every interval beside a bootstrap; more than two classes throughout."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sklearn import metrics

import maskwise
from maskwise.evaluation.metrics import METRICS, N_BINS, Metric, Predictions, find_metrics
from maskwise.evaluation.records import wilson

OF = {measure.name: measure for measure in METRICS}
CLASSIFIED = [measure for measure in METRICS if not measure.of_numbers]


def classified(n: int = 400, n_classes: int = 2, seed: int = 0) -> Predictions:
    """Predictions of a rare first class, with ties among the chances."""
    rng = np.random.default_rng(seed)
    shares = np.array([0.15, *[0.85 / (n_classes - 1)] * (n_classes - 1)])
    expected = rng.choice(n_classes, n, p=shares)
    scores = rng.normal(size=(n, n_classes)) + 1.2 * np.eye(n_classes)[expected] + np.log(shares)
    chances = np.round(np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True), 2) + 0.01
    chances /= chances.sum(axis=1, keepdims=True)
    watched = (0,) if n_classes == 2 else tuple(range(n_classes))
    return Predictions(expected, chances.argmax(axis=1), chances, watched)


def numbered(n: int = 400, seed: int = 0) -> Predictions:
    rng = np.random.default_rng(seed)
    expected = rng.gamma(2, 3, n)
    return Predictions(expected, expected / 2 + rng.normal(2, 2, n))


def value(measure: Metric, given: Predictions) -> float:
    figure = measure.figure(given)
    assert figure is not None
    assert figure.low <= figure.value <= figure.high
    return figure.value


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_figures_are_scikit_learns(n_classes: int, seed: int) -> None:
    given = classified(n_classes=n_classes, seed=seed)
    y, said, chances = given.expected, given.predicted, given.chances
    assert chances is not None
    assert value(OF["error"], given) == pytest.approx(100 * (1 - metrics.accuracy_score(y, said)))
    assert value(OF["balanced"], given) == pytest.approx(100 * (1 - metrics.balanced_accuracy_score(y, said)))
    assert value(OF["logloss"], given) == pytest.approx(metrics.log_loss(y, chances))
    if n_classes == 2:
        assert value(OF["f1"], given) == pytest.approx(metrics.f1_score(y, said, pos_label=0))
        assert value(OF["auc"], given) == pytest.approx(metrics.roc_auc_score(y == 0, chances[:, 0]))
    else:
        assert value(OF["f1"], given) == pytest.approx(metrics.f1_score(y, said, average="macro"))
        weighted = metrics.roc_auc_score(y, chances, multi_class="ovr", average="weighted")
        assert value(OF["auc"], given) == pytest.approx(weighted)


def test_figures_of_numbers_are_scikit_learns() -> None:
    given = numbered()
    assert value(OF["mae"], given) == pytest.approx(metrics.mean_absolute_error(given.expected, given.predicted))
    assert value(OF["r2"], given) == pytest.approx(metrics.r2_score(given.expected, given.predicted))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_calibration_is_the_mean_difference_in_each_bin_of_chances(n_classes: int) -> None:
    given = classified(n_classes=n_classes)
    assert given.chances is not None
    total = 0.0
    for c in given.watched:
        share = 1.0 if n_classes == 2 else sum(one == c for one in given.expected) / given.n_records
        bins: dict[int, list[float]] = {}
        for said, expected in zip(given.chances[:, c].tolist(), given.expected.tolist(), strict=True):
            bins.setdefault(min(int(said * N_BINS), N_BINS - 1), []).append(said - (expected == c))
        total += share * sum(abs(sum(differences)) for differences in bins.values()) / given.n_records
    assert value(OF["calibration"], given) == pytest.approx(total)


def test_the_area_has_delongs_interval() -> None:
    """The variance by its definition: all pairs of records, a tie counting half."""
    given = classified(120)
    assert given.chances is not None
    score, inside = given.chances[:, 0].tolist(), (given.expected == 0).tolist()
    ones = [s for s, is_in in zip(score, inside, strict=True) if is_in]
    others = [s for s, is_in in zip(score, inside, strict=True) if not is_in]
    psi = {(i, j): (a > b) + (a == b) / 2 for (i, a), (j, b) in product(enumerate(ones), enumerate(others))}
    of_one = [sum(psi[i, j] for j in range(len(others))) / len(others) for i in range(len(ones))]
    of_other = [sum(psi[i, j] for i in range(len(ones))) / len(ones) for j in range(len(others))]
    variance = np.var(of_one, ddof=1) / len(ones) + np.var(of_other, ddof=1) / len(others)
    figure = OF["auc"].figure(given)
    assert figure is not None
    assert figure.value == pytest.approx(np.mean(of_one))
    half = 1.959963984540054 * np.sqrt(variance)
    assert (figure.low, figure.high) == pytest.approx((figure.value - half, min(figure.value + half, 1)))


@pytest.mark.slow
@pytest.mark.parametrize("measure", METRICS, ids=lambda measure: measure.name)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_intervals_are_as_long_as_a_bootstrap_finds(measure: Metric, n_classes: int) -> None:
    given = numbered(600) if measure.of_numbers else classified(600, n_classes)
    figure = measure.figure(given)
    assert figure is not None
    rng = np.random.default_rng(1)
    drawn = [measure.compute(given.take(rng.integers(0, 600, 600))) for _ in range(400)]
    deviation = np.std([one[0] for one in drawn if one is not None])
    # Where a bin is well calibrated its difference cannot fall below 0, so that calibration varies a little less.
    longest = 1.5 if measure.name == "calibration" else 1.2
    assert 0.8 * deviation <= (figure.high - figure.low) / 2 / 1.96 <= longest * deviation


@pytest.mark.parametrize("n_classes", [2, 3])
def test_an_error_has_wilsons_interval(n_classes: int) -> None:
    given = classified(90, n_classes)
    figure = OF["error"].figure(given)
    assert figure is not None
    n_wrong = int((given.expected != given.predicted).sum())
    assert (figure.low, figure.high) == pytest.approx([100 * end for end in wilson(n_wrong, 90)])


def test_errors_are_blind_to_a_rare_class_and_the_area_is_not() -> None:
    rng = np.random.default_rng(0)
    expected = (rng.random(2000) < 0.1).astype(np.int64)
    one = np.clip(0.1 + 0.1 * expected + rng.normal(0, 0.05, 2000), 0.01, 0.45)
    given = Predictions(expected, np.zeros(2000, np.int64), np.column_stack([1 - one, one]), (1,))
    assert value(OF["error"], given) == pytest.approx(100 * expected.mean())
    assert value(OF["balanced"], given) == 50
    assert value(OF["f1"], given) == 0
    assert value(OF["auc"], given) > 0.85


def test_a_sure_mistake_has_a_finite_loss() -> None:
    given = Predictions(np.array([0, 1]), np.array([1, 1]), np.array([[0.0, 1.0], [0.0, 1.0]]), (0,))
    expected = metrics.log_loss(given.expected, given.chances)
    assert value(OF["logloss"], given) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["auc", "r2"])
def test_a_single_class_or_number_has_no_figure(name: str) -> None:
    same = Predictions(np.ones(9, np.int64), np.ones(9, np.int64), np.full((9, 2), 0.5), (1,))
    assert OF[name].figure(same) is None


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_class_that_no_test_record_has_changes_nothing(n_classes: int) -> None:
    given = classified(n_classes=n_classes)
    assert given.chances is not None
    wider = np.column_stack([given.chances, np.zeros(given.n_records)])
    more = Predictions(
        given.expected, given.predicted, wider, (*given.watched, *([] if n_classes == 2 else [n_classes]))
    )
    for measure in CLASSIFIED:
        assert measure.figure(more) == measure.figure(given)


def test_measures_are_found_by_name_each_once() -> None:
    assert [one.name for one in find_metrics(())] == ["error"]
    assert [one.name for one in find_metrics(["auc,error", "auc"])] == ["auc", "error"]
    assert [one.name for one in find_metrics("all")] == [one.name for one in CLASSIFIED]
    assert [one.name for one in find_metrics("all", of_numbers=True)] == ["mae", "r2"]


@pytest.mark.parametrize(
    ("names", "of_numbers", "says"),
    [
        ("aucc", False, "There is no measure `aucc`.*Did you mean `auc`"),
        ("mae", False, "`mae` is for a class that is a number"),
        ("auc", True, "`auc` is for classes"),
        ("error,", False, "There is no measure ``"),
    ],
)
def test_other_names_are_refused(names: str, of_numbers: bool, says: str) -> None:
    with pytest.raises(maskwise.InputError, match=says):
        find_metrics(names, of_numbers=of_numbers)


def test_f1_of_a_class_that_is_neither_there_nor_predicted_is_none() -> None:
    nowhere = Predictions(np.zeros(40, np.int64), np.zeros(40, np.int64), watched=(1,))
    assert OF["f1"].figure(nowhere) is None
