"""Files, folders and tables told apart by how they are spelled."""

from __future__ import annotations

from pathlib import Path

import pytest

from maskwise import InputError
from maskwise.values.location import Folder, TableName, locate, suffix_of, table_name


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("people.csv", Path("people.csv")),
        ("out/people", Path("out/people")),
        ("people/*.csv", Path("people/*.csv")),
        ("released/", Folder(Path("released"))),
        ("people", TableName("people")),
        ("public.people", TableName("people", "public")),
        ("My Table", TableName("My Table")),
    ],
)
def test_a_text_means_one_place(text: str, place: object) -> None:
    assert locate(text) == place
    assert str(locate(text)) == str(place)


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("a.csv", ".csv"),
        ("a.CSV.GZ", ".csv.gz"),
        ("a.b.parquet", ".parquet"),
        ("a.feather", ".arrow"),
        ("a.tsv", ".tsv"),
    ],
)
def test_the_name_tells_the_format(name: str, suffix: str) -> None:
    assert suffix_of(Path(name)) == suffix


@pytest.mark.parametrize("name", ["people", "people.xlsx", "people.gz", ".csv"])
def test_a_name_without_a_format_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="is not known from its name"):
        suffix_of(Path(name))


@pytest.mark.parametrize("text", ["", ".people", "public."])
def test_half_a_name_is_no_table(text: str) -> None:
    with pytest.raises(InputError, match="is no table"):
        table_name(text)
