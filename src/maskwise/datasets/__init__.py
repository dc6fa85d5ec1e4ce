"""Example data: the tables that the papers on top-down refinement measured on.

Adult comes with maskwise. Credit Approval (the papers' CRX) and German Credit
are read from a folder or downloaded; `source` finds them. `train` and `test`
are the papers' parts, without records that have a missing cell; `all` is the
whole table, missing cells included.
"""

from __future__ import annotations

import csv
import io
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import pyarrow as pa
import pyarrow.parquet as pq

from maskwise.datasets import source
from maskwise.errors import InputError, did_you_mean, plural, quote
from maskwise.formats.text_file import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Part: TypeAlias = Literal["train", "test", "all"]
"""A part of a data set: one of the papers' two parts, or the whole."""

ADULT_CLASS, CRX_CLASS, GERMAN_CLASS = "income", "A16", "class"
"""The class column of each table."""

_ADULT_TOP9 = (
    "age",
    "education-num",
    "marital-status",
    "relationship",
    "capital-gain",
    "sex",
    "hours-per-week",
    "education",
    "occupation",
)
_CRX_TOP9 = ("A9", "A11", "A10", "A8", "A15", "A7", "A14", "A6", "A5")
_GERMAN_TOP9 = (
    "credit-amount",
    "checking-status",
    "duration",
    "credit-history",
    "savings",
    "installment-plans",
    "purpose",
    "debtors",
    "property",
)
_GA = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")

ADULT_QIDS: Mapping[str, tuple[str, ...]] = {
    "Top5": _ADULT_TOP9[:5],
    "Top7": _ADULT_TOP9[:7],
    "Top9": _ADULT_TOP9,
    "GA": _GA,
}
"""The quasi-identifiers measured on Adult: the attributes that tell most of the class, and Iyengar's eight (GA)."""
CRX_QIDS: Mapping[str, tuple[str, ...]] = {"Top5": _CRX_TOP9[:5], "Top7": _CRX_TOP9[:7], "Top9": _CRX_TOP9}
"""The quasi-identifiers measured on CRX."""
GERMAN_QIDS: Mapping[str, tuple[str, ...]] = {
    "Top5": _GERMAN_TOP9[:5],
    "Top7": _GERMAN_TOP9[:7],
    "Top9": _GERMAN_TOP9,
}
"""The quasi-identifiers measured on German Credit."""

_N_ADULT_TRAIN = 32_561
_N_CRX = (465, 188)
_N_GERMAN = (666, 334)
_MISSING = "?"

_CRX_TYPES = {f"A{i}": str for i in range(1, 17)} | {
    "A2": float,
    "A3": float,
    "A8": float,
    "A11": int,
    "A14": int,
    "A15": int,
}
_GERMAN_TYPES = {
    "checking-status": str,
    "duration": int,
    "credit-history": str,
    "purpose": str,
    "credit-amount": int,
    "savings": str,
    "employment": str,
    "installment-rate": int,
    "personal-status": str,
    "debtors": str,
    "residence-since": int,
    "property": str,
    "age": int,
    "installment-plans": str,
    "housing": str,
    "existing-credits": int,
    "job": str,
    "dependents": int,
    "telephone": str,
    "foreign-worker": str,
    "class": str,
}
_GERMAN_CLASSES = {"1": "good", "2": "bad"}


def adult_folder() -> Path:
    """The folder with the Adult table, its taxonomies and a policy."""
    return Path(str(files("maskwise.datasets").joinpath("adult")))


def adult_trees() -> dict[str, dict[str, str]]:
    """The bundled taxonomies of Adult, as entries of a policy.

    >>> sorted(adult_trees()["sex"])
    ['taxonomy']
    """
    paths = sorted(path for path in adult_folder().glob("*.yaml") if path.stem != "policy")
    return {path.stem: {"taxonomy": str(path)} for path in paths}


def load_adult(split: Part = "all") -> pa.Table:
    """The Adult table: 30,162 complete training records, 15,060 complete test records, or all 48,842.

    Becker and Kohavi (1996), UCI Machine Learning Repository, CC BY 4.0. The
    class is `income`.

    Args:
        split: Which part; `all` holds the training records first, then the test records.

    Example:
        >>> load_adult().num_rows, load_adult("train").num_rows, load_adult("test").num_rows
        (48842, 30162, 15060)
    """
    _check_split(split)
    table = pq.read_table(adult_folder() / "adult.parquet")
    if split == "all":
        return table
    part = table.slice(0, _N_ADULT_TRAIN) if split == "train" else table.slice(_N_ADULT_TRAIN)
    return part.drop_null()


def load_crx(split: Part = "all", *, folder: str | Path | None = None) -> pa.Table:
    """The Credit Approval table: the first 465 complete records, the last 188, or all 690.

    Quinlan (1987), UCI Machine Learning Repository, CC BY 4.0. Names and values
    are the authors' symbols; the class is `A16`.

    Args:
        split: Which part.
        folder: Where `crx.data` lies; None takes the folder that `MASKWISE_DATA` names, or downloads the file.
    """
    _check_split(split)
    path = source.locate(source.CRX, folder)
    table = _parse(path, ",", _CRX_TYPES)
    return table if split == "all" else _part(table.drop_null(), split, _N_CRX, path)


def load_german(split: Part = "all", *, folder: str | Path | None = None, order: str | Path | None = None) -> pa.Table:
    """The German Credit table: 666 training records, 334 test records, or all 1,000.

    Hofmann (1994), UCI Machine Learning Repository, CC BY 4.0. Values are the
    authors' codes (`A11` and so on); the class is `class`, `good` or `bad`.

    The papers' authors split a shuffled table, and their order may not be
    passed on. Without `order` the first 666 records of the file train and the
    last 334 test, which is another split than the papers'.

    Args:
        split: Which part.
        folder: Where `german.data` lies; None takes the folder that `MASKWISE_DATA` names, or downloads the file.
        order: A csv with a column `uci_row`: the number, from 1, of the record in the file that comes next.
    """
    _check_split(split)
    path = source.locate(source.GERMAN, folder)
    table = _parse(path, None, _GERMAN_TYPES, _GERMAN_CLASSES)
    if order is not None:
        table = table.take(_row_order(Path(order), table.num_rows))
    return table if split == "all" else _part(table, split, _N_GERMAN, path)


def _check_split(split: str) -> None:
    names = get_args(Part)
    if split not in names:
        msg = f"`split` is one of {quote(names)}; found `{split}`.{did_you_mean(str(split), names)}"
        raise InputError(msg)


def _part(complete: pa.Table, split: Part, sizes: tuple[int, int], path: Path) -> pa.Table:
    n_train, n_test = sizes
    if complete.num_rows != n_train + n_test:
        msg = (
            f"`{path}` has {complete.num_rows:,} complete records, but the papers split {n_train + n_test:,}. "
            'Is the file whole? split="all" reads it as it is.'
        )
        raise InputError(msg)
    return complete.slice(0, n_train) if split == "train" else complete.slice(n_train)


def _parse(
    path: Path, delimiter: str | None, types: Mapping[str, type], classes: Mapping[str, str] | None = None
) -> pa.Table:
    """Read a file without a header, one record a line.

    Args:
        path: The file.
        delimiter: The separator of its cells; None stands for blanks.
        types: The name and type of each column; the class comes last.
        classes: New names of the class labels; None keeps them.
    """
    columns: list[list[object]] = [[] for _ in types]
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        cells = [cell.strip() for cell in line.split(delimiter)]
        if len(cells) != len(types):
            msg = f"`{path}`, line {number} has {plural(len(cells), 'cell')}, expected {len(types)}. Get the file anew."
            raise InputError(msg)
        for column, cell, (name, kind) in zip(columns, cells, types.items(), strict=True):
            try:
                column.append(None if cell == _MISSING else kind(cell))
            except ValueError:
                msg = f"`{path}`, line {number}: `{name}` is no number. Get the file anew."
                raise InputError(msg) from None
    if classes is not None:
        columns[-1] = [classes.get(str(label), label) for label in columns[-1]]
    arrow_types = {str: pa.string(), int: pa.int32(), float: pa.float64()}
    return pa.table(
        {name: pa.array(cells, arrow_types[kind]) for cells, (name, kind) in zip(columns, types.items(), strict=True)}
    )


def _row_order(path: Path, n_rows: int) -> Sequence[int]:
    """Read the order of records: each of them once, counted from 0."""
    rows = csv.DictReader(io.StringIO(read_text(path)))
    if "uci_row" not in (rows.fieldnames or ()):
        msg = f"`{path}` has no column `uci_row` with the number of each record. Its header needs that name."
        raise InputError(msg)
    try:
        numbers = [int(row["uci_row"]) - 1 for row in rows]
    except (TypeError, ValueError):
        msg = f"`{path}` has a cell in `uci_row` that is no whole number. Number the records from 1."
        raise InputError(msg) from None
    if sorted(numbers) != list(range(n_rows)):
        msg = f"`{path}` does not name each of the {n_rows:,} records once. Its `uci_row` is an order of all of them."
        raise InputError(msg)
    return numbers
