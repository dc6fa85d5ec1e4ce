"""What the picture of an evaluation shows."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import pytest

import maskwise
from maskwise.evaluation import picture
from maskwise.evaluation.records import Evaluation, Record

BASELINES = (
    Record("c4.5", "held-out", None, "BE", 10.0, 8.0, 13.0),
    Record("c4.5", "held-out", None, "UE", 40.0, 37.0, 43.0),
)


def masked(k: int | None, error: float | None, h: float | None = None, **more: Any) -> Record:
    ends = (None, None) if error is None else (error - 2, error + 3)
    return Record(more.get("classifier", "c4.5"), more.get("protocol", "held-out"), k, "AE", error, *ends, h)


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The figures that are saved."""
    saved: list[Any] = []
    monkeypatch.setattr(picture, "save", lambda figure, suffix: saved.append(figure) or suffix.encode())
    return saved


def panels(figures: list[Any], *records: Record) -> list[Any]:
    picture.draw(Evaluation(records, "Risk", "people", 100), ".svg")
    return figures[-1].axes


def labels(panel: Any) -> list[str]:
    return [text.get_text() for text in panel.get_legend().get_texts()]


def test_there_is_a_panel_for_each_classifier_and_protocol(figures: list[Any]) -> None:
    records = [
        masked(5, 20.0, classifier=c, protocol=p) for c in ("c4.5", "naive-bayes") for p in ("held-out", "combined")
    ]
    titles = [panel.get_title() for panel in panels(figures, *records)]
    assert titles == ["c4.5, held-out", "naive-bayes, held-out", "c4.5, combined", "naive-bayes, combined"]


def test_errors_are_drawn_over_the_varied_k_in_its_order(figures: list[Any]) -> None:
    (panel,) = panels(figures, *BASELINES, masked(50, 30.0), masked(5, 20.0), masked(900, None))
    assert panel.get_xlabel() == "k"
    assert panel.get_xscale() == "log"
    assert [tick.get_text() for tick in panel.get_xticklabels()] == ["5", "50"]
    assert sorted(labels(panel)) == ["masked", "raw", "without the quasi-identifiers"]
    (bars,) = panel.containers
    assert bars[0].get_xydata().tolist() == [[5, 20], [50, 30]]
    (intervals,) = bars[2]
    assert [segment[:, 1].tolist() for segment in intervals.get_segments()] == [[18, 23], [28, 33]]


def test_a_line_for_each_h_if_both_are_varied(figures: list[Any]) -> None:
    records = [masked(k, 20.0 + k, h) for k in (5, 10) for h in (0.5, 0.9)]
    (panel,) = panels(figures, *records)
    assert labels(panel) == ["masked, h=0.5", "masked, h=0.9"]
    (panel,) = panels(figures, *[masked(None, 20.0, h) for h in (0.5, 0.9)])
    assert panel.get_xlabel() == "h"
    assert labels(panel) == ["masked"]


def test_a_dot_for_each_measure_if_nothing_is_varied(figures: list[Any]) -> None:
    (panel,) = panels(figures, *BASELINES, masked(5, 20.0))
    assert [tick.get_text() for tick in panel.get_xticklabels()] == [
        "raw",
        "without the\nquasi-\nidentifiers",
        "masked\nk=5",
    ]
    heights = [bars[0].get_ydata().tolist() for bars in panel.containers]
    assert heights == [[10], [40], [20]]
    assert mpl.colors.same_color(panel.containers[0][0].get_color(), "tab:green")


def test_other_formats_are_refused() -> None:
    with pytest.raises(maskwise.InputError, match=r"found `\.pdf`"):
        picture.draw(Evaluation(BASELINES, "Risk", "people", 100), ".pdf")
