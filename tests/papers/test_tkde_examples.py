"""The numbers the paper prints for its own examples."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.compress.compress import compress
from maskwise.formats.policy_file import read_policy
from maskwise.policy.requirements.rule import Arithmetic, Rule
from maskwise.profile.profile import profile
from maskwise.search.bounds import Bound
from maskwise.search.interface import Problem
from maskwise.search.options import SearchOptions
from maskwise.search.score_search import ScoreSearch
from maskwise.search.topdown import TopDown
from maskwise.table.read import read
from tests.papers.tables import POLICY_1, POLICY_2, TABLE_1, TABLE_2, records


def first_weights(rows: Any, policy: dict[str, Any], bounds: list[Bound]) -> dict[str, tuple[float, float, float]]:
    """Gain, loss and score of every candidate at the most masked state."""
    asked = read_policy(policy)
    profiled, table = profile(read(pa.Table.from_pylist(records(rows))), asked)
    search = ScoreSearch(Problem(profiled, asked, SearchOptions()))
    trees = search.trees
    state = TopDown(trees, compress(table, profiled, search.request).tables, bounds, has_class=True)
    import numpy as np

    frontier = np.array(state.frontier)
    losses = state.losses(frontier)
    labels = [trees[state.attribute[n]].nodes[n - state.first[state.attribute[n]]].label for n in state.frontier]
    return {
        str(label): (float(state.gain[n]), float(loss), float(state.gain[n]) / (float(loss) + 1))
        for label, n, loss in zip(labels, state.frontier, losses, strict=True)
    }


def test_first_scores_of_example_6() -> None:
    weights = first_weights(
        TABLE_1, POLICY_1, [Bound(0, 0, Rule(Arithmetic.K, -4, 4)), Bound(1, 1, Rule(Arithmetic.K, -11, 11))]
    )
    gain, loss, score = weights["ANY_Edu"]
    assert (round(gain, 4), loss, round(score, 4)) == (0.2716, 18, 0.0143)
    assert round(weights["ANY_Sex"][2], 4) == 0.0088
    assert round(weights["[1, 99]"][2], 4) == 0.0156


def test_steps_and_final_cut_of_example_6() -> None:
    outcome = maskwise.anonymize(pa.Table.from_pylist(records(TABLE_1)), POLICY_1, as_published=True)
    first, second = outcome.steps[:2]
    assert (first.before, first.after) == ("[1, 99]", ("[1, 37)", "[37, 99]"))
    assert first.requirements == (34, 12)
    assert first.info_gain == pytest.approx(0.3584, abs=5e-5)
    assert first.loss == 22.0
    assert (second.before, second.requirements[0]) == ("ANY_Edu", 16)
    assert outcome.solution.cut("Education").labels == ("Junior Sec.", "11th", "12th", "Bachelors", "Grad School")


def test_statistics_of_table_2b() -> None:
    weights = first_weights(TABLE_2, POLICY_2, [Bound(0, 0, Rule(Arithmetic.K, -4, 4))])
    rounded = {label: (round(g, 4), loss, round(s, 4)) for label, (g, loss, s) in weights.items()}
    assert rounded == {
        "ANY_Edu": (0.6100, 36, 0.0165),
        "ANY_Sex": (0.4934, 26, 0.0183),
        "[1, 99]": (0.3958, 28, 0.0136),
    }


@pytest.mark.parametrize(
    ("criterion", "final"),
    [
        (
            "infogain",
            {("10th", "ANY_Sex", "[1, 99]"): 24, ("9th", "ANY_Sex", "[1, 99]"): 12, ("8th", "ANY_Sex", "[1, 99]"): 4},
        ),
        (
            "score",
            {
                ("ANY_Edu", "M", "[40, 99]"): 20,
                ("ANY_Edu", "M", "[1, 40)"): 6,
                ("ANY_Edu", "F", "[40, 99]"): 8,
                ("ANY_Edu", "F", "[1, 40)"): 6,
            },
        ),
    ],
)
def test_final_tables_2c_and_2e(criterion: str, final: dict[tuple[str, ...], int]) -> None:
    outcome = maskwise.anonymize(
        pa.Table.from_pylist(records(TABLE_2)), POLICY_2, criterion=criterion, as_published=True
    )
    rows = Counter((r["Education"], r["Sex"], r["Work_Hrs"]) for r in outcome.data.to_pylist())
    assert rows == final
