"""Several values in a cell: counted alike on every engine, as text and as lists."""

from __future__ import annotations

import pyarrow as pa
import pytest

import maskwise
from tests.engines.conftest import Place

pytestmark = pytest.mark.filterwarnings("ignore::maskwise.MaskwiseWarning")
CELLS = ("HIV; flu", "flu;gout", "gout", " acne;flu;flu", "", None, ";", "HIV;gout;acne", "ulcer")
TABLE = pa.table(
    {
        "age": [20 + 7 * i % 40 for i in range(180)],
        "sex": ["fm"[i % 2] for i in range(180)],
        "who": [f"p{i // 2}" for i in range(180)],
        "ill": [CELLS[i * i % 9 if i % 4 else i % 9] for i in range(180)],
    }
)
MANY = {"ill": {"set": ";", "HIV": 0.9, "any": [{"values": ["flu", "ul*"], "confidence": 0.97}], "~": 0.95}}
REQUIREMENTS = [
    {"qid": ["age", "sex"], "k": 3},
    {"qid": ["age", "sex"], "sensitive": MANY},
    {"qid": ["sex"], "sensitive": "ill", "diversity": {"entropy": 2}},
    {"qid": ["age"], "sensitive": "ill", "diversity": {"distinct": 3}},
    {"qid": ["age"], "sensitive": "ill", "diversity": {"recursive": {"c": 9, "l": 2}}},
]
ASKED = {"attributes": {"age": {"interval": [0, 100]}}, "requirements": REQUIREMENTS}


@pytest.mark.parametrize("person", [{}, {"person": "who"}])
def test_values_of_cells_are_counted_alike(other_place: Place, person: dict[str, str]) -> None:
    """Every figure of search, recount and attacks."""
    found = []
    for place in ((None, None), other_place.load(TABLE)):
        outcome = maskwise.anonymize(TABLE if place[0] is None else place[0], {**ASKED, **person}, engine=place[1])
        attacks = [one.figure for one in outcome.attacks if one.name in ("homogeneity", "skew")]
        figures = [one.figure for one in (*outcome.verdict.findings, *outcome.solution.reached)]
        found.append((attacks, figures, outcome.solution.cuts))
    here, there = found
    assert (here[0], here[1]) == (pytest.approx(there[0]), pytest.approx(there[1]))
    assert here[2] == there[2]


def test_lists_are_counted_as_texts_are() -> None:
    texts = [None if cell is None else cell.split(";") for cell in TABLE["ill"].to_pylist()]
    lists = TABLE.set_column(3, "ill", pa.array(texts))
    here, there = (maskwise.audit(table, ASKED) for table in (TABLE, lists))
    assert [one.figure for one in here.findings] == pytest.approx([one.figure for one in there.findings])
