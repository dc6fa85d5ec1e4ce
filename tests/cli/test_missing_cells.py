"""Missing cells: keep, drop and error, for each kind of attribute.

The tables are small enough to say by hand what must come out. In each, two
records have no value, and every group of records has both classes or is told
apart by its class, so that whatever is valid is also beneficial.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.conftest import Run, cells, csv_text

KINDS = {
    "taxonomy": ("{taxonomy: {ANY: [x, y]}}", ["x", "x", "x", "y", "y", "y", "", ""], "ANY", ["x", "y"]),
    "interval": (
        "{interval: [0, 30]}",
        ["10", "10", "10", "20", "20", "20", "", ""],
        "[0, 30]",
        ["[0, 15)", "[15, 30]"],
    ),
    "suppress": ("suppress", ["x", "x", "x", "y", "y", "y", "", ""], "*", ["x", "y"]),
}
CLASSES = ["a", "a", "b", "b", "b", "a", "a", "b"]
each_kind = pytest.mark.parametrize(("entry", "values", "root", "labels"), KINDS.values(), ids=KINDS.keys())
each_form = pytest.mark.parametrize("form", ["csv", "parquet"])


@pytest.fixture
def masked(tmp_path: Path, run: Run) -> Callable[..., list[tuple[str, str]]]:
    """Mask a column and return the released cells with their record numbers."""

    def call(entry: str, values: list[str], missing: str, k: int, form: str = "csv", code: int = 0) -> list:
        ids = [f"r{i}" for i in range(len(values))]
        source = tmp_path / f"in.{form}"
        if form == "csv":
            source.write_text(csv_text(("Id", "Q", "C"), list(zip(ids, values, CLASSES, strict=True))))
        else:
            typed = [None if v == "" else int(v) if "interval" in entry else v for v in values]
            pq.write_table(pa.table({"Id": ids, "Q": typed, "C": CLASSES}), source)
        policy = tmp_path / "p.yaml"
        policy.write_text(
            f"class: C\nattributes: {{Q: {entry}}}\nrequirements: [{{qid: [Q], k: {k}}}]\nmissing: {missing}\n"
        )
        out = tmp_path / "out.csv"
        how = ("--criterion", "score", "--keep-order")
        result = run("mask", source, "-p", policy, "-o", out, "--solution", tmp_path / "s.json", *how)
        assert result.code == code, result.err
        call.err = result.err  # type: ignore[attr-defined]
        return [(row[0], row[1]) for row in cells(out)[1:]] if out.exists() else []

    return call


@pytest.mark.slow
@each_form
@each_kind
def test_keep_shows_a_missing_cell_as_missing_where_its_group_is_large_enough(
    masked: Callable, entry: str, values: list[str], root: str, labels: list[str], form: str
) -> None:
    del root
    expected = [labels[0]] * 3 + [labels[1]] * 3 + ["", ""]
    assert masked(entry, values, "keep", 2, form) == [(f"r{i}", cell) for i, cell in enumerate(expected)]


@pytest.mark.slow
@each_form
@pytest.mark.parametrize("kind", ["taxonomy", "interval"])
def test_keep_hides_a_missing_cell_under_the_root_where_its_group_is_too_small(
    masked: Callable, kind: str, form: str
) -> None:
    # Refining the root would leave the two records without a value in a group of two.
    entry, values, root, _ = KINDS[kind]
    assert masked(entry, values, "keep", 3, form) == [(f"r{i}", root) for i in range(8)]


@pytest.mark.slow
@each_form
def test_keep_hides_a_missing_cell_among_the_suppressed(masked: Callable, form: str) -> None:
    # Disclosing x leaves five records behind `*`; neither y (two) nor the missing (two) can be told apart from there,
    # since three is the least.
    values = ["x", "x", "x", "x", "y", "y", "", ""]
    expected = ["x"] * 4 + ["*"] * 4
    assert masked("suppress", values, "keep", 3, form) == [(f"r{i}", cell) for i, cell in enumerate(expected)]


@pytest.mark.slow
@each_form
@each_kind
def test_drop_leaves_out_the_records_and_says_how_many(
    masked: Callable, entry: str, values: list[str], root: str, labels: list[str], form: str
) -> None:
    del root
    expected = [labels[0]] * 3 + [labels[1]] * 3
    assert masked(entry, values, "drop", 3, form) == [(f"r{i}", cell) for i, cell in enumerate(expected)]
    assert "2 of 8 records were left out" in masked.err  # type: ignore[attr-defined]


@pytest.mark.slow
@each_form
@each_kind
def test_error_refuses_and_says_how_many(
    tmp_path: Path, masked: Callable, entry: str, values: list[str], root: str, labels: list[str], form: str
) -> None:
    del root, labels
    assert masked(entry, values, "error", 2, form, code=2) == []
    assert "`Q` has 2 missing cells" in masked.err  # type: ignore[attr-defined]
    assert not (tmp_path / "s.json").exists()


@pytest.mark.slow
@each_kind
def test_error_does_not_mind_a_full_column(
    masked: Callable, entry: str, values: list[str], root: str, labels: list[str]
) -> None:
    del root
    full = [*values[:6], values[0], values[3]]
    expected = [labels[0]] * 3 + [labels[1]] * 3 + labels
    assert masked(entry, full, "error", 2) == [(f"r{i}", cell) for i, cell in enumerate(expected)]


def test_dropped_records_count_for_no_requirement(masked: Callable) -> None:
    # Six of eight records remain, so seven cannot be met.
    assert masked("suppress", KINDS["suppress"][1], "drop", 7, code=3) == []
    assert "6 records" in masked.err  # type: ignore[attr-defined]


@pytest.mark.parametrize("missing", ["keep", "drop"])
def test_a_missing_cell_outside_every_qid_passes_through(tmp_path: Path, run: Run, missing: str) -> None:
    rows = [("x", ""), ("x", "1"), ("y", ""), ("y", "2")]
    (tmp_path / "in.csv").write_text(csv_text(("Q", "Free"), rows), encoding="utf-8")
    (tmp_path / "p.yaml").write_text(
        f"attributes: {{Q: suppress}}\nrequirements: [{{qid: [Q], k: 2}}]\nmissing: {missing}\n"
    )
    assert (
        run("mask", tmp_path / "in.csv", "-p", tmp_path / "p.yaml", "-o", tmp_path / "o.csv", "--keep-order").code == 0
    )
    assert [tuple(row) for row in cells(tmp_path / "o.csv")[1:]] == rows


def test_drop_looks_at_every_masked_attribute(tmp_path: Path, run: Run) -> None:
    rows = [(str(i), "" if i % 3 == 0 else "x", "" if i % 4 == 0 else "7") for i in range(24)]
    (tmp_path / "in.csv").write_text(csv_text(("Id", "A", "B"), rows), encoding="utf-8")
    (tmp_path / "p.yaml").write_text(
        "attributes: {A: suppress, B: {interval: [0, 9]}}\nmissing: drop\n"
        "requirements: [{qid: [A], k: 2}, {qid: [B], k: 2}]\n"
    )
    arguments = ("-p", tmp_path / "p.yaml", "-o", tmp_path / "o.csv", "--json", "--keep-order")
    said = json.loads(run("mask", tmp_path / "in.csv", *arguments).out)
    left = [row[0] for row in rows if row[1] and row[2]]
    assert [row[0] for row in cells(tmp_path / "o.csv")[1:]] == left
    assert (said["rows"], said["dropped_rows"]) == (len(left), 24 - len(left))


@pytest.mark.slow
@each_kind
@pytest.mark.parametrize("missing", ["keep", "drop", "error"])
def test_apply_treats_missing_cells_as_the_policy_did(
    tmp_path: Path,
    run: Run,
    masked: Callable,
    missing: str,
    entry: str,
    values: list[str],
    root: str,
    labels: list[str],
) -> None:
    del root
    if missing == "error":
        values = [*values[:6], values[0], values[3]]
    masked(entry, values, missing, 2)
    later = [("r0", values[0], "a"), ("r1", "", "a"), ("r2", values[3], "b")]
    (tmp_path / "later.csv").write_text(csv_text(("Id", "Q", "C"), later), encoding="utf-8")
    arguments = ("-s", tmp_path / "s.json", "-o", tmp_path / "later-out.csv", "--keep-order")
    result = run("apply", tmp_path / "later.csv", *arguments)
    if missing == "error":
        assert result.code == 2
        assert "`Q` has 1 missing cell" in result.err
        assert not (tmp_path / "later-out.csv").exists()
        return
    kept = [("r0", labels[0], "a"), ("r1", "", "a"), ("r2", labels[1], "b")]
    expected = kept if missing == "keep" else [kept[0], kept[2]]
    assert result.code == 0
    assert [tuple(row) for row in cells(tmp_path / "later-out.csv")[1:]] == expected
    assert ("1 record" in result.err) == (missing == "drop")
