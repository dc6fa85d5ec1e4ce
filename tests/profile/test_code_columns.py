"""Code systems in a masking run: spellings of one code, codes that nobody has seen yet, what cannot be read."""

from __future__ import annotations

import pyarrow as pa
import pytest

import maskwise
from maskwise.formats import policy_file, solution_file
from maskwise.policy.rules import un

ENTRIES = {
    "diagnosis": {"icd10": ["code", "category", "block", "chapter"]},
    "job": {"isco": ["unit", "minor", "submajor", "major"]},
    "activity": {"nace": ["class", "section"]},
    "industry": {"naics": ["national", "sector"]},
}
CODES = {
    "diagnosis": ["E11.9", "E119", "e10.1", "E14", "E78.0", "I10", "I21.0", "I219"],
    "job": ["2512", "2514", "2511", "2611", "5120", "5131", "5132", "5211"],
    "activity": ["01.11", "0111", "A01.12", "02.10", "62.01", "6202", "63.11", "J62.09"],
    "industry": ["311111", "321113", "332710", "339999", "445110", "441110", "452210", "447110"],
}


def mask(name: str) -> maskwise.Outcome:
    table = pa.table({name: CODES[name]})
    return maskwise.anonymize(table, {"attributes": {name: ENTRIES[name]}, "requirements": [{"qid": [name], "k": 3}]})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "shown", "later", "expected"),
    [
        ("diagnosis", {"Chapter IV (E00-E90)": 5, "Chapter IX (I00-I99)": 3}, "E66.9", "Chapter IV (E00-E90)"),
        ("job", {"2***": 4, "5***": 4}, "5411", "5***"),
        ("activity", {"A (01-03)": 4, "J (58-63)": 4}, "58.29", "J (58-63)"),
        ("industry", {"31-33****": 4, "44-45****": 4}, "325412", "31-33****"),
    ],
)
def test_codes_are_shown_by_their_groups_also_later_ones(name: str, shown: dict, later: str, expected: str) -> None:
    outcome = mask(name)
    cells = outcome.data.column(name).to_pylist()
    found = {cell: cells.count(cell) for cell in cells}
    assert found == shown
    solution = solution_file.loads(solution_file.dumps(outcome.solution))
    assert maskwise.apply(pa.table({name: [later]}), solution).data.column(name).to_pylist() == [expected]


def test_spellings_of_one_code_are_shown_alike() -> None:
    table = pa.table({"diagnosis": ["E11.9", "E119", "e11.9", "I10", "i10", "I10.-"]})
    asked = {"attributes": {"diagnosis": "icd10"}, "requirements": [{"qid": ["diagnosis"], "k": 3}]}
    cells = maskwise.anonymize(table, asked).data.column("diagnosis").to_pylist()
    assert sorted(cells) == ["E11.9"] * 3 + ["I10"] * 3


def test_what_is_no_code_is_refused_or_has_a_place() -> None:
    table = pa.table({"diagnosis": ["E11.9", "E11.8", "unknown", "see letter"] * 10})
    asked = {
        "attributes": {"diagnosis": {"icd10": ["code", "chapter"]}},
        "requirements": [{"qid": ["diagnosis"], "k": 3}],
    }
    with pytest.raises(maskwise.InputError, match="icd10"):
        maskwise.anonymize(table, asked)
    asked["attributes"]["diagnosis"]["other"] = "under no code"
    cells = set(maskwise.anonymize(table, asked).data.column("diagnosis").to_pylist())
    assert "no code" in cells


def test_a_policy_with_code_systems_is_read_back() -> None:
    data = {
        "attributes": ENTRIES
        | {
            "diagnosis": {"icd10": {"levels": ["code", "block"], "version": "cm"}},
            "country": {"un": ["subregion", "region"]},
        },
        "requirements": [{"qid": [*ENTRIES, "country"], "k": 2}],
    }
    asked = maskwise.read_policy(data)
    assert policy_file.to_data(asked)["attributes"] == data["attributes"]
    assert maskwise.read_policy(policy_file.to_data(asked)) == asked


def test_countries_without_their_extra_name_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(un, "find_spec", lambda _: None)
    un.all_countries.cache_clear()
    asked = {"attributes": {"country": {"un": ["region"]}}, "requirements": [{"qid": ["country"], "k": 2}]}
    with pytest.raises(maskwise.InputError, match=r"maskwise\[countries\]"):
        maskwise.anonymize(pa.table({"country": ["Germany", "France"]}), asked)
