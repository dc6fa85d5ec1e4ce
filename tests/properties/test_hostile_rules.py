"""Any rule on any values: a checker that knows the rule's path alone confirms what is masked and applied."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.formats import solution_file
from maskwise.policy.rules.registry import read_rule
from tests.policy.rules.test_paths import ENTRIES

OTHER = "other values"
VALUES = [
    "*", "**", "", " ", OTHER, "under other values", "021**", "0****", "02139", "02138", "0213", "9",
    "٠٢١٣٩", "\uff10\uff12\uff11\uff13\uff19",
    "192.0.2.33", "192.0.2.0/24", "2001:db8:7:1::1", "2001:0DB8:7:1::1", "::", "fe80::1%eth0", "::ffff:192.0.2.33",
    "1987-03-14", "1987-03", "1980s", "0001-01-01", "-0044-03-15", "0000-00-00", "9999-12-31T23:59:59", "12:30",
    "Monday",    "[20, 25)", "22", "22.50", "-0", "1e5", "+7", "9" * 40, "x" * 3_000, "E11.9", "E119", "e11", "E11.-",
    "Chapter IV (E00-E90)",
    "2512", "25", "2***", "62.01", "62.0*", "J", "332710", "31-33", "31-33****", "a@b.example.org", "example.org",
    "example.org itself", "ORG", "+49 170 1234567", "0049", "1400 ± 50", "null", "NA", "a\nb",
    "é", "e\u0301", "\u202e02139",
]  # fmt: skip
CELLS = st.one_of(st.sampled_from(VALUES), st.sampled_from(VALUES[:12]), st.text(max_size=4), st.none())
RULES = st.sampled_from([(key, data) for key, entries in ENTRIES.items() for data in entries])
ROWS = st.lists(st.tuples(CELLS, st.sampled_from("FM")), min_size=2, max_size=24)


def table_of(rows: list[tuple[str | None, str]]) -> pa.Table:
    return pa.table({"v": pa.array([v for v, _ in rows], pa.string()), "sex": [sex for _, sex in rows]})


def labels_of(rule: Any, value: str | None) -> set[str | None]:
    """All that a value may be shown as: the root and the labels of its path, or the one of other values."""
    if value is None:
        return {None, "*"}
    path = None if value in {"*", OTHER} else rule.path(value)
    is_taken = path is None or {"*", OTHER} & set(path)
    return {"*", OTHER} if is_taken else {"*", *path}


@pytest.mark.slow
@pytest.mark.parametrize("method", ["tdr", "bug", "regions"])
@settings(max_examples=10, deadline=None)
@given(rule=RULES, rows=ROWS, later=st.lists(CELLS, min_size=1, max_size=8), k=st.integers(1, 4))
def test_what_is_shown_follows_from_the_rule(
    method: str, rule: tuple[str, Any], rows: list[tuple[str | None, str]], later: list[str | None], k: int
) -> None:
    key, data = rule
    reader = read_rule(key, data)
    policy = {
        "attributes": {"v": {key: data, "other": f"under {OTHER}"}, "sex": "suppress"},
        "requirements": [{"qid": ["v", "sex"], "k": k}],
    }
    try:
        outcome = maskwise.anonymize(table_of(rows), policy, method=method, keep_order=True)
    except maskwise.InfeasibleError:
        assert len(rows) < k
        return
    shown = outcome.data.to_pylist()
    assert min(Counter((row["v"], row["sex"]) for row in shown).values()) >= k
    for (value, _), row in zip(rows, shown, strict=True):
        assert row["v"] in labels_of(reader, value)
    _follows(reader, [value for value, _ in rows], [row["v"] for row in shown], method)
    saved = solution_file.loads(solution_file.dumps(outcome.solution))
    again = maskwise.apply(table_of([(value, "F") for value in later]), saved, keep_order=True).data.to_pylist()
    for value, row in zip(later, again, strict=True):
        assert row["v"] in labels_of(reader, value)
    if method != "regions":
        seen = {value: row["v"] for (value, _), row in zip(rows, shown, strict=True)}
        assert all(row["v"] == seen.get(value, row["v"]) for value, row in zip(later, again, strict=True))


def _follows(rule: Any, values: list[str | None], shown: list[str | None], method: str) -> None:
    """No label stands above another one that is shown, unless each region has a cut of its own."""
    if method == "regions":
        return
    for value in values:
        possible = labels_of(rule, value)
        if value is not None:
            assert len(possible & set(shown)) == 1
