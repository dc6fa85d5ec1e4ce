"""Random tables about people, with hostile names and cells and planted secrets, in every format."""

from __future__ import annotations

import datetime as dt
import gzip
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from torture.planted import secret

NAMES = (
    "Age",
    "age at visit",
    "c0",
    "c1",
    "row",
    "n",
    "s0",
    "q0",
    "records",
    "index",
    "*",
    "^.*$",
    "^A",
    "'",
    '"',
    "`",
    "a;b",
    "a|b",
    "a\tb",
    "a,b",
    "a\nb",
    "a\r\nb",
    "a\rb",
    "\ufeffbom",
    " lead",
    "trail ",
    "select",
    "from",
    "%s",
    "{x}",
    "$1",
    "--",
    "/*",
    "<script>alert(1)</script>",
    "=1+1",
    "+x",
    "-x",
    "@x",
    "naïve",
    "e\u0301",
    "é",
    "日本",
    "🦊",
    "\u202eabc",
    "null",
    "NaN",
    "true",
    "0",
    "1.5",
    "a.b",
    "a[0]",
    "__proto__",
    "maskwise_draft",
    "x" * 200,
    "a\\b",
    "C:\\x",
    "#",
    "?",
    "&amp;",
    "count",
)
CELLS = (
    "plain",
    "with space",
    "com,ma",
    "semi;colon",
    "ta\tb",
    'quo"te',
    "''",
    "line\nend",
    "line\r\nend",
    "cr\ronly",
    " lead",
    "trail ",
    "=1+1",
    "+1",
    "-x",
    "@x",
    "NULL",
    "null",
    "nan",
    "NaN",
    "None",
    "inf",
    "-0",
    "0",
    "00",
    "1e5",
    "1E400",
    "1_000",
    "0x10",
    "true",
    "é",
    "e\u0301",
    "ß",
    "SS",
    "İ",
    "日本語",
    "🦊🦊",
    "\u202eabc",
    "\ufeffbom",
    "\u00a0",
    "\u200b",
    "*",
    "**",
    "[1, 2)",
    "{a}",
    "%s",
    "\\",
    "\\N",
    "\\.",
    "\x01",
    "\x7f",
    "x" * 3000,
    "<b>",
    "&lt;",
    "'; DROP TABLE x; --",
    "$$",
    "${x}",
    "#",
    "ANY",
    "or outside",
)
FORMATS = (".csv", ".tsv", ".parquet", ".arrow", ".csv.gz", ".parquet.gz", ".arrow.gz")


@dataclass(frozen=True)
class Column:
    """A column of a made table."""

    name: str
    role: str
    """`identifier`, `masked`, `sensitive`, `class`, `person` or `passed`."""
    kind: str
    """`number`, `real`, `date`, `moment`, `code` or `text`."""
    cells: tuple[Any, ...]
    """Python values; None is missing."""


@dataclass(frozen=True)
class MadeTable:
    """A table and what is planted in it."""

    columns: tuple[Column, ...]
    identifiers: tuple[str, ...]
    """Cells that stand in a dropped column only, and so in no file and no message."""
    protected: tuple[str, ...]
    """Cells of the sensitive column: in the release and in files for the owner, and nowhere else."""

    @property
    def n_records(self) -> int:
        """Its records."""
        return len(self.columns[0].cells)

    def of_role(self, role: str) -> list[Column]:
        """The columns of a role."""
        return [column for column in self.columns if column.role == role]

    def arrow(self) -> pa.Table:
        """The table with types."""
        kinds = {"number": pa.int64(), "real": pa.float64(), "date": pa.date32(), "moment": pa.timestamp("us")}
        arrays = [pa.array(column.cells, kinds.get(column.kind, pa.string())) for column in self.columns]
        return pa.Table.from_arrays(arrays, names=[column.name for column in self.columns])

    def write(self, path: Path) -> None:
        """Write it by libraries that maskwise does not write with where that can be."""
        suffix = "".join(path.suffixes[-2:]) if path.suffix == ".gz" else path.suffix
        plain = suffix.removesuffix(".gz")
        if plain in {".csv", ".tsv"}:
            text = self.as_text("," if plain == ".csv" else "\t")
            content = text.encode()
            path.write_bytes(gzip.compress(content) if suffix.endswith(".gz") else content)
            return
        sink = pa.BufferOutputStream()
        if plain == ".parquet":
            pq.write_table(self.arrow(), sink)
        else:
            with pa.ipc.new_file(sink, self.arrow().schema) as writer:
                writer.write_table(self.arrow(), max_chunksize=17)
        content = sink.getvalue().to_pybytes()
        path.write_bytes(gzip.compress(content) if suffix.endswith(".gz") else content)

    def as_text(self, delimiter: str) -> str:
        """The table as a csv: a missing cell is empty, an empty text is quoted."""
        lines = [delimiter.join(quoted(column.name, delimiter) for column in self.columns)]
        for i in range(self.n_records):
            cells = [column.cells[i] for column in self.columns]
            lines.append(delimiter.join("" if cell is None else quoted(spelled(cell), delimiter) for cell in cells))
        return "\n".join(lines) + "\n"

    def write_database(self, path: Path) -> None:
        """Write it as the table `people` of a DuckDB file."""
        people = self.arrow()
        with duckdb.connect(str(path)) as database:
            database.register("made", people)
            database.execute("CREATE TABLE people AS SELECT * FROM made")


def quoted(text: str, delimiter: str) -> str:
    """A cell of a csv."""
    needs = text == "" or any(letter in text for letter in (delimiter, '"', "\n", "\r")) or text.strip(" ") != text
    return '"' + text.replace('"', '""') + '"' if needs else text


def spelled(cell: object) -> str:
    """A cell as text."""
    if isinstance(cell, dt.datetime):
        return cell.isoformat(sep=" ")
    return str(cell)


def make_table(rng: random.Random, *, most_records: int = 60, hostile: float = 0.3) -> MadeTable:
    """Make a table.

    Args:
        rng: Draws everything.
        most_records: The most records.
        hostile: The share of names and cells that are hostile.
    """
    n = rng.randint(2, most_records)
    names = _names(rng, 10, hostile)
    identifiers = tuple(secret(rng, "ID") for _ in range(n))
    illnesses = [secret(rng, "SE") for _ in range(rng.randint(1, 4))]
    if rng.random() < 0.2:
        illnesses.append(rng.choice(CELLS))
    protected = tuple(_with_missing(rng, rng.choices(illnesses, k=n)))
    columns = [Column(names.pop(), "identifier", "text", identifiers)]
    for _ in range(rng.randint(1, 4)):
        columns.append(_masked(rng, names.pop(), n, hostile))
    columns.append(Column(names.pop(), "sensitive", "text", protected))
    columns.append(
        Column(names.pop(), "class", "text", tuple(rng.choices(["yes", "no", "maybe"][: rng.randint(1, 3)], k=n)))
    )
    if rng.random() < 0.3:
        of = [f"P{rng.randrange(max(n // 2, 1))}" for _ in range(n)]
        columns.append(Column(names.pop(), "person", "text", tuple(of)))
    for _ in range(rng.randint(0, 2)):
        cells = [rng.choice(CELLS) if rng.random() < hostile else rng.choice("abc") for _ in range(n)]
        columns.append(Column(names.pop(), "passed", "text", tuple(_with_missing(rng, cells))))
    rng.shuffle(columns)
    known = [cell for cell in illnesses if cell.startswith("SE")]
    return MadeTable(tuple(columns), identifiers, tuple(known))


def _names(rng: random.Random, n: int, hostile: float) -> list[str]:
    found: dict[str, str] = {}
    while len(found) < n:
        name = rng.choice(NAMES) if rng.random() < hostile else f"col{rng.randrange(10_000)}"
        found.setdefault(name.casefold(), name)
    return list(found.values())


def _masked(rng: random.Random, name: str, n: int, hostile: float) -> Column:
    kind = rng.choice(["number", "number", "real", "date", "moment", "code", "text", "text"])
    if kind == "number":
        low, high = rng.choice([(0, 5), (18, 90), (-3, 3), (0, 1), (2**53 - 2, 2**53 + 3), (-(10**15), 10**15)])
        cells: list[Any] = [rng.randint(low, high) for _ in range(n)]
    elif kind == "real":
        cells = [rng.choice([rng.gauss(50, 9), round(rng.random(), 1), float(rng.randint(0, 4))]) for _ in range(n)]
    elif kind == "date":
        cells = [dt.date(2020, 1, 1) + dt.timedelta(rng.randrange(700)) for _ in range(n)]
    elif kind == "moment":
        cells = [dt.datetime(2020, 1, 1) + dt.timedelta(seconds=rng.randrange(10**7)) for _ in range(n)]
    elif kind == "code":
        cells = [f"{rng.randrange(4)}{rng.randrange(3)}{rng.randrange(10):02d}" for _ in range(n)]
    else:
        pool = [rng.choice(CELLS) if rng.random() < hostile else f"v{i}" for i in range(rng.randint(1, 8))]
        pool += [secret(rng, "QI")] if rng.random() < 0.5 else []
        cells = rng.choices(pool, k=n)
    return Column(name, "masked", kind, tuple(_with_missing(rng, cells)))


def _with_missing(rng: random.Random, cells: list[Any]) -> list[Any]:
    share = rng.choice([0, 0, 0.1, 0.5])
    return [None if rng.random() < share else cell for cell in cells]
