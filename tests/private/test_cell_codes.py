"""Cells that are read here: whatever they hold, each by itself, and none of them ends a run."""

from __future__ import annotations

from functools import cache
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskwise.formats.policy_file import read_policy
from maskwise.private.cell_codes import read_cells
from maskwise.private.domain import DeclaredDomain, domains_of

ENTRIES: list[dict[str, Any]] = [
    {"interval": {"range": ["06:00", "22:00"], "on": "hour"}},
    {"interval": {"range": ["2024-01-01", "2024-01-10"], "on": "day"}},
    {"icd10": ["category", "chapter"]},
    {"isco": ["minor", "major"]},
    {"nace": ["division", "section"]},
    {"naics": ["sector"]},
    {"weekday": ["day"], "other": "under no day"},
    {"season": ["month"]},
    {"time_of_day": ["hour"]},
    {"calendar": ["month", "year"], "range": ["2020-01-01", "2021-12-31"]},
    {"steps": [5, 10], "range": [0, 99]},
    {"rounded": [5, 10], "range": [0, 99]},
]


def domain(entry: dict[str, Any]) -> DeclaredDomain:
    said = {
        "class": {"r": ["a", "b"]},
        "attributes": {"x": entry},
        "requirements": [{"epsilon": 1, "attributes": ["x"]}],
    }
    return domains_of(read_policy(said, private=True))[0]


@cache
def domains() -> list[DeclaredDomain]:
    return [domain(entry) for entry in ENTRIES]


LIKELY = [
    "06:30",
    "24:00",
    "2024-01-05",
    "2024-02-30",
    "0000-00-00",
    "9999-12-31T23:59:60",
    "E11.9",
    "1e99",
    "-0",
    "1" * 400,
]


@pytest.mark.slow
@given(
    texts=st.lists(
        st.one_of(st.text(max_size=12), st.from_regex(r"\s*[-+]?[0-9.:eET-]{1,20}\s*"), st.sampled_from(LIKELY))
    )
)
@example(texts=LIKELY)
@example(texts=[])
def test_every_cell_has_the_code_that_it_has_alone(texts: list[str]) -> None:
    for one in domains():
        found = read_cells(pa.array(texts, pa.string()), one)
        assert all(code is None or 0 <= code < one.n_leaves for code in found)
        assert found == [read_cells(pa.array([text], pa.string()), one)[0] for text in texts]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_what_most_cells_look_like_plays_no_part(kind: pa.DataType) -> None:
    """One time of day among numbers is a time of day."""
    keys = pa.array(["1", "2", "3", "07:10"], kind)
    assert read_cells(keys, domains()[0]) == [None, None, None, 1]
