"""A csv is released in the form that it came in, unless that is the plain one with commas."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pyarrow as pa
import pytest

import maskwise
from maskwise.certificate.certify import Certification
from maskwise.engines import write_files
from maskwise.values.csv_form import MARK, PLAIN, CsvForm, put_mark

ROWS = [("alter", "ort", "krank"), *[(str(20 + i % 3), f"x, {i % 2}", "ja;nein" if i % 2 else "ü") for i in range(24)]]
POLICY = {"class": "krank", "requirements": [{"qid": ["alter"], "k": 2}]}


def written(path: Path, form: CsvForm) -> Path:
    """The rows as Python's own writer writes them."""
    text = io.StringIO()
    csv.writer(text, delimiter=form.delimiter, lineterminator=form.line_end).writerows(ROWS)
    path.write_bytes((MARK if form.has_mark else b"") + text.getvalue().encode())
    return path


@pytest.mark.slow
@pytest.mark.parametrize("has_mark", [False, True])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("delimiter", [";", "|", "\t"])
def test_separator_line_ends_and_mark_are_those_of_the_input(
    tmp_path: Path, delimiter: str, line_end: str, *, has_mark: bool
) -> None:
    form = CsvForm(delimiter, has_mark, line_end)
    source, target = written(tmp_path / "in.csv", form), tmp_path / "out.csv"
    maskwise.anonymize(source, POLICY, target, keep_order=True)
    found = target.read_bytes()
    assert found.startswith(MARK) == has_mark
    assert found.count(b"\r\n") == (len(ROWS) if line_end == "\r\n" else 0)
    rows = list(csv.reader(io.StringIO(found.decode("utf-8-sig"), newline=""), delimiter=delimiter))
    # What is not masked keeps every character.
    assert [row[1:] for row in rows] == [list(row[1:]) for row in ROWS]
    assert maskwise.audit(target, POLICY).is_met


@pytest.mark.slow
@pytest.mark.parametrize("form", [CsvForm(), CsvForm(has_mark=True), CsvForm(line_end="\r\n")])
def test_a_csv_with_commas_is_released_in_the_plain_form(tmp_path: Path, form: CsvForm) -> None:
    source = written(tmp_path / "in.csv", form)
    maskwise.anonymize(source, POLICY, tmp_path / "out.csv", keep_order=True)
    expected = maskwise.anonymize(
        written(tmp_path / "plain.csv", PLAIN), POLICY, tmp_path / "again.csv", keep_order=True
    )
    assert (tmp_path / "out.csv").read_bytes() == Path(str(expected.data)).read_bytes()
    assert b"\r" not in (tmp_path / "out.csv").read_bytes()


def test_other_formats_and_other_sources_have_no_form_to_keep(tmp_path: Path) -> None:
    source = written(tmp_path / "in.csv", CsvForm(";", has_mark=True, line_end="\r\n"))
    maskwise.anonymize(source, POLICY, tmp_path / "out.tsv", keep_order=True)
    assert (tmp_path / "out.tsv").read_bytes().startswith(b"alter\tort\tkrank\n")
    table = pa.table({name: [row[i] for row in ROWS[1:]] for i, name in enumerate(ROWS[0])})
    maskwise.anonymize(table, POLICY, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes().startswith(b"alter,ort,krank\n")


def test_later_rows_and_certificates_follow_the_form(tmp_path: Path) -> None:
    source = written(tmp_path / "in.csv", CsvForm(";", has_mark=True, line_end="\r\n"))
    beside = Certification(tmp_path / "certificate.json")
    outcome = maskwise.anonymize(source, POLICY, tmp_path / "out.csv", keep_order=True, beside=beside)
    assert maskwise.check_certificate(tmp_path / "certificate.json", tmp_path / "out.csv").is_confirmed
    maskwise.apply(source, outcome.solution, tmp_path / "later.csv", keep_order=True)
    assert (tmp_path / "later.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("names", [("preis",), ("wert, alt", "preis"), ("preis", "wert, neu", "x")])
def test_a_certificate_finds_the_separator_where_names_and_cells_hold_commas(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    lines = [(*names, "weg"), *[(*["1,5" if i % 2 else "2,5"] * len(names), "y") for i in range(24)]]
    (tmp_path / "in.csv").write_text("".join(";".join(line) + "\n" for line in lines))
    policy = {"requirements": [{"qid": [names[-1]], "k": 2}], "drop": ["weg"]}
    beside = Certification(tmp_path / "certificate.json")
    maskwise.anonymize(tmp_path / "in.csv", policy, tmp_path / "out.csv", beside=beside)
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == ";".join(names)
    assert maskwise.check_certificate(tmp_path / "certificate.json", tmp_path / "out.csv").is_confirmed


def test_every_way_of_writing_gives_the_same_bytes(tmp_path: Path) -> None:
    table = pa.table({"a": ["1;2", None, 'say "x"'], "b": ["x", "y\nz", "ü"]})
    form = CsvForm(";", has_mark=True, line_end="\r\n")
    with write_files.connect() as database:
        database.register("given", table)
        write_files.copy_query(database, "SELECT * FROM given", tmp_path / "a.csv", form)
        database.execute(f"COPY given TO '{tmp_path / 'part.parquet'}' (FORMAT parquet)")
    write_files.write_batches(table.to_reader(1), tmp_path / "b.csv", form)
    write_files.merge_parquet([tmp_path / "part.parquet"], tmp_path / "c.csv", form)
    assert len({(tmp_path / f"{name}.csv").read_bytes() for name in "abc"}) == 1


@pytest.mark.parametrize("n_bytes", [0, 1, 3, (1 << 20) - 1, (1 << 20) + 2, 3 << 20])
def test_a_mark_is_put_before_all_bytes(tmp_path: Path, n_bytes: int) -> None:
    content = bytes(i * 7 % 251 for i in range(n_bytes))
    path = tmp_path / "file"
    path.write_bytes(content)
    put_mark(path)
    assert path.read_bytes() == MARK + content
