"""What the page says has no words of a policy file or a command line."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.session.remarks import read_remark
from maskwise.studio.page_words import remark_data
from maskwise.values.file_words import command_words, file_words

VISITS = pa.table({
    "Seen": [f"{i % 28 + 1:02}.{i % 12 + 1:02}.2024" for i in range(60)],
    "Cost": [f"{i % 7},5" if i else None for i in range(60)],
    "Ward": ["a", "b", "c", "d", "e", "f"] * 10,
    "Ill": ["yes", "no"] * 30,
})  # fmt: skip
ASKED: dict[str, Any] = {"class": "Ill", "requirements": [{"qid": ["Seen", "Cost", "Ward"], "k": 5}]}


def test_a_remark_keeps_its_place_and_loses_how_a_file_says_it() -> None:
    said = (
        f'\x1f["attributes", "Cost"]\x1f: It is odd. Say so{file_words("a: b")}, or look{command_words("maskwise x")}.'
    )
    found = remark_data(read_remark(said))
    assert found["place"] == ["attributes", "Cost"]
    assert (found["level"], found["text"], found["remedy"]) == ("mistake", "It is odd.", "Say so, or look.")


@pytest.mark.parametrize(
    "change",
    [
        {"attributes": {"Seen": "interval"}},
        {"attributes": {"Cost": "interval"}},
        {"attributes": {"Seen": {"calendar": ["month"]}}},
        {"missing": "error"},
        {"attributes": {"Ward": {"grow": "classes"}}, "class": None},
        {"class": "Ward"},
        {"drop": ["Ward"]},
        {"minimality": "guard"},
        {},
    ],
)
def test_what_is_said_of_a_policy_is_said_in_words(change: dict[str, Any]) -> None:
    with maskwise.Session(VISITS) as session:
        remarks = session.check({**ASKED, **change})
    assert remarks
    for one in map(remark_data, remarks):
        text = f"{one['text']} {one['remedy']}"
        for word in ("QID", "--", ": keep", "grow:", "dates:", "numbers:", "minimality:", "suppress", "`drop`"):
            assert word not in text, text
