"""Check a written release against its policy, in plain Python.

Shares nothing with maskwise: the file is read by a csv parser of its own (and
Python's), pandas or pyarrow, and every requirement is counted here anew.
"""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

Row = tuple[Any, ...]
_SLACK = 1e-9


def read_release(path: Path) -> tuple[list[str], list[Row]]:
    """The names and records of a written file; a missing cell is None."""
    raw = path.read_bytes()
    inner = path
    if path.suffix == ".gz":
        raw, inner = gzip.decompress(raw), path.with_suffix("")
    if inner.suffix in {".csv", ".tsv"}:
        return _parse(raw.decode("utf-8"), "," if inner.suffix == ".csv" else "\t")
    if inner.suffix == ".parquet":
        frame = pd.read_parquet(io.BytesIO(raw), dtype_backend="pyarrow")
        return list(frame.columns), [
            tuple(None if pd.isna(c) else c for c in row) for row in frame.itertuples(index=False)
        ]
    table = pa.ipc.open_file(pa.BufferReader(raw)).read_all()
    columns = [column.to_pylist() for column in table.columns]
    return table.column_names, list(zip(*columns, strict=True))


def _parse(text: str, delimiter: str) -> tuple[list[str], list[Row]]:
    """A csv whose missing cells are empty and whose empty texts are quoted; Python's reader must see the same cells."""
    rows, cells, at = [], [], 0
    while at < len(text):
        if text[at] == '"':
            end = at + 1
            while True:
                end = text.index('"', end)
                if text[end + 1 : end + 2] != '"':
                    break
                end += 2
            cells.append(text[at + 1 : end].replace('""', '"'))
            at = end + 1
        else:
            found = re.compile(f"[{re.escape(delimiter)}\r\n]").search(text, at)
            end = found.start() if found else len(text)
            cells.append(text[at:end] or None)
            at = end
        if text[at : at + 1] == delimiter:
            at += 1
            if at < len(text) and text[at] in "\r\n":
                cells.append(None)
            else:
                continue
        at += 2 if text[at : at + 2] == "\r\n" else 1
        rows.append(tuple(cells))
        cells = []
    seen = [tuple(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)]
    if [tuple(cell or "" for cell in row) for row in rows] != [row or ("",) for row in seen]:
        raise ValueError("two readers of csv see other cells")
    return [name or "" for name in rows[0]], rows[1:]


def broken(
    names: Sequence[str], rows: Sequence[Row], requirements: Iterable[Mapping[str, Any]], shown: Mapping[str, list[str]]
) -> list[str]:
    """Say which requirements a table breaks.

    Args:
        names: The columns.
        rows: The records.
        requirements: As a policy file writes them.
        shown: The columns that stand for a column of a QID, where these are others.
    """
    found = []
    for asked in requirements:
        for qid, part in _parts(asked):
            columns = [names.index(own) for name in qid for own in shown.get(name, [name])]
            if part.get("sensitive") is not None and _column(part["sensitive"]) not in names:
                continue
            groups = defaultdict(list)
            for row in rows:
                groups[tuple(map(_key, (row[i] for i in columns)))].append(row)
            found += _broken_groups(list(groups.values()), rows, names, part)
    return found


def _key(cell: Any) -> Any:
    return "NaN" if isinstance(cell, float) and math.isnan(cell) else cell


def _parts(asked: Mapping[str, Any]) -> Iterable[tuple[Sequence[str], Mapping[str, Any]]]:
    if "lkc" not in asked:
        return [(asked["qid"], asked)]
    columns, most = asked["lkc"]["attributes"], asked["lkc"]["L"]
    return [(qid, asked) for qid in itertools.combinations(columns, min(most, len(columns)))]


def _column(said: Any) -> str:
    return said if isinstance(said, str) else next(iter(said))


def _broken_groups(
    groups: list[list[Row]], rows: Sequence[Row], names: Sequence[str], asked: Mapping[str, Any]
) -> list[str]:
    found = []
    if "k" in asked and any(len(group) < asked["k"] for group in groups):
        found.append(f"a group smaller than k={asked['k']}")
    if asked.get("sensitive") is None:
        return found
    at = names.index(_column(asked["sensitive"]))
    counts = [Counter(row[at] for row in group) for group in groups]
    if "confidence" in asked:
        bound = Fraction(str(asked["confidence"]))
        for value in asked["sensitive"][_column(asked["sensitive"])]:
            if any(Fraction(group[value], sum(group.values())) > bound for group in counts):
                found.append("a share above its bound")
    if "closeness" in asked:
        whole = Counter(row[at] for row in rows)
        for group in counts:
            n = sum(group.values())
            distance = sum(abs(group[value] / n - whole[value] / len(rows)) for value in whole) / 2
            if distance > float(asked["closeness"]) + _SLACK:
                found.append("a distribution too far from that of the table")
    for kind, bound in asked.get("diversity", {}).items():
        found += [
            f"a group with too little diversity ({kind})" for group in counts if not _is_diverse(kind, bound, group)
        ]
    return found


def _is_diverse(kind: str, bound: Any, group: Counter[Any]) -> bool:
    if kind == "distinct":
        return len(group) >= bound
    n = sum(group.values())
    if kind == "entropy":
        return -sum(c / n * math.log(c / n) for c in group.values()) >= math.log(float(bound)) - _SLACK
    counts = sorted(group.values(), reverse=True)
    return counts[0] < float(bound["c"]) * sum(counts[int(bound["l"]) - 1 :])


def covers(label: str, cell: Any, kind: str) -> bool:
    """Whether what a cell is shown as is true of it: an interval holds it, a pattern of stars fits it."""
    if label in {"*", cell}:
        return True
    if cell is None:
        return True
    found = re.fullmatch(r"\[(.+), (.+)([)\]])(?: or outside)?", label)
    if found and kind in {"number", "real", "date", "moment"}:
        low, high, value = _number(found[1], kind), _number(found[2], kind), _number(cell, kind)
        return low <= value and (value < high or (found[3] == "]" and value <= high))
    if kind == "code" and re.fullmatch(r"[0-9]+\*+", label):
        return len(label) == len(cell) and cell.startswith(label.rstrip("*"))
    return True


def _number(said: Any, kind: str) -> Any:
    if kind in {"number", "real"}:
        return Fraction(str(said))
    if isinstance(said, str):
        said = dt.datetime.fromisoformat(said)
    return dt.datetime(said.year, said.month, said.day) if not isinstance(said, dt.datetime) else said


def by_persons(rows: Sequence[Row], persons: Sequence[Any], qid: Sequence[int]) -> list[int]:
    """How many different persons each group has."""
    groups = defaultdict(set)
    for row, person in zip(rows, persons, strict=True):
        groups[tuple(_key(row[i]) for i in qid)].add(person)
    return [len(group) for group in groups.values()]
