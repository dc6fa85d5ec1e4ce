"""From a file or a data frame to a `Table` that an engine can scan.

A csv is read as text, so that columns that pass through keep every character;
what a masked column's texts mean is the concern of `profile`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.arrow import as_numpy
from maskwise.engines import ROW
from maskwise.engines.choose import choose
from maskwise.errors import InputError, did_you_mean, plural, quote
from maskwise.opening import check_names, find_files, is_text, looks_like_cell, open_arrow, open_files
from maskwise.place import Folder, TableName

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import ibis.expr.types as ir
    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.engines import Engine, Relabel
    from maskwise.engines.counts import Counts

_MICROSECONDS = 6
"""Digits of a second that every engine has."""


@dataclass(frozen=True, slots=True)
class Distinct:
    """The distinct cells of one column and how often each occurs."""

    keys: pa.Array
    """The cells as the engine holds them, without the missing one."""
    counts: NDArray[np.int64]  # (n_keys,)
    """The records of each."""
    n_missing: int
    """The records whose cell is missing."""


@dataclass(frozen=True, slots=True)
class Table:
    """Records inside an engine, and what their columns are called."""

    engine: Engine
    """Who scans them."""
    expr: ir.Table
    """The records, with the columns c0, c1, ..."""
    names: tuple[str, ...]
    """What the owner calls the columns."""
    source: str
    """What messages call the table."""
    frame: Any = None
    """The data frame it came from, if it did."""
    rewritten: tuple[str, ...] = ()
    """The columns that no longer hold what came in."""
    has_header_line: bool = False
    """Whether the names stand in the first line of a text file, which may turn out to be a record."""
    is_shuffled: bool = False
    """Whether the records stand in an order of their own."""

    def column(self, name: str) -> ir.Value:
        """The named column as the search and the recount see it.

        A float that is not a number counts as missing. Decimals and whole
        numbers beyond 64 bits are floats, converted by the engine alone, so
        that it agrees with itself. Times are rounded to microseconds.
        """
        import ibis  # noqa: PLC0415 - heavy

        value = self.expr[self.key(name)]
        kind = value.type()
        if kind.is_float32() or kind.is_float16():
            # Widened bit by bit, 0.1 would no longer be spelled 0.1.
            value = value.cast("string").cast("float64")
            kind = value.type()
        if kind.is_decimal() or kind.is_uint64():
            value = value.cast("float64")
            kind = value.type()
        if kind.is_floating():
            # Not isnan: DuckDB folds it to false from statistics that leave NaN out.
            is_number = (value - value == 0) | (value.abs() == float("inf"))
            # Adding zero makes one value of 0.0 and -0.0, which SQL holds equal and Arrow does not.
            return ibis.ifelse(is_number, value + 0.0, ibis.null(kind))
        if kind.is_timestamp() and (kind.scale or 0) > _MICROSECONDS:
            return value.cast(kind.copy(scale=_MICROSECONDS))
        return value

    def seen(self, names: Iterable[str]) -> ir.Table:
        """The records with some columns as `column` gives them; the others keep every bit."""
        seen = {self.key(name): self.column(name) for name in names}
        odd = {key: value for key, value in seen.items() if not value.equals(self.expr[key])}
        return self.expr.mutate(**odd) if odd else self.expr

    def is_countable(self, name: str) -> bool:
        """Whether cells of the column have a spelling that people know."""
        kind = self.expr[self.key(name)].type()
        return not (kind.is_nested() or kind.is_binary() or kind.is_interval())

    def require_sensitive(self, name: str) -> None:
        """Refuse a sensitive column whose values a policy cannot spell exactly."""
        self.require(name)
        kind = self.expr[self.key(name)].type()
        spelled = (kind.is_string, kind.is_integer, kind.is_floating, kind.is_boolean, kind.is_decimal, kind.is_date)
        if not any(test() for test in spelled):
            msg = (
                f"The sensitive column `{name}` holds {kind} cells, which a policy cannot name exactly. Make them text."
            )
            raise InputError(msg)

    def key(self, name: str) -> str:
        """The engine's name of a column."""
        return f"c{self.names.index(name)}"

    def n_rows(self) -> int:
        """Count the records."""
        return int(self.engine.fetch(self.expr.aggregate(n=self.expr.count())).column(0)[0].as_py())

    def distinct(self, name: str) -> Distinct:
        """Count the records of each distinct cell of one column."""
        counted = self.engine.group(self.expr, [self.column(name)]).combine_chunks()
        cells, n = counted.column(0).combine_chunks(), as_numpy(counted.column("n")).astype(np.int64)
        there = as_numpy(cells.is_valid())
        return Distinct(cells.drop_null(), n[there], int(n[~there].sum()))

    def counts_of_each(self, names: Sequence[str], by: str | None) -> Counts:
        """For each column by itself, count the records of each value (and each value of `by`) inside the engine."""
        together = None if by is None else self.column(by)
        return self.engine.group_each(self.expr, [self.column(name) for name in names], together)

    def relabel(self, columns: Mapping[str, Relabel]) -> Table:
        """Rewrite columns, by name, as text."""
        expr = self.engine.relabel(self.seen(columns), {self.key(name): how for name, how in columns.items()})
        return replace(self, expr=expr, rewritten=tuple(columns))

    def without_missing(self, names: Sequence[str]) -> Table:
        """Leave out the records with a missing cell in one of these columns."""
        return replace(self, expr=self.expr.filter([self.column(name).notnull() for name in names]))

    def first_row_with(self, name: str, keys: pa.Array) -> int | None:
        """The number, from 1, of the first record whose cell is one of `keys`."""
        import ibis  # noqa: PLC0415 - heavy

        row = self.expr[ROW] if ROW in self.expr.columns else ibis.row_number()
        numbered = self.seen([name]).mutate(row_number=row + 1)
        hits = numbered.filter(numbered[self.key(name)].isin(keys.to_pylist()))
        found = self.engine.fetch(hits.aggregate(first=hits.row_number.min())).column(0)[0].as_py()
        return None if found is None else int(found)

    def require(self, name: str, what: str = "is in the policy", *, among: Collection[str] = ()) -> None:
        """Refuse a column that the table does not have.

        Args:
            name: The column.
            what: Who asks for it.
            among: All columns that are asked for: where a text file lacks most, its first line may be a record.
        """
        if name in self.names:
            return
        n_found = sum(asked in self.names for asked in among)
        if self.has_header_line and (2 * n_found < len(among) or not among or any(map(looks_like_cell, self.names))):
            same = next((other for other in self.names if _letters(other) == _letters(name)), None)
            ask = " Is its first line a header?" if same is None else f" Did you mean `{same}`?"
            msg = f"Column `{name}` {what} but not in the table, which has {plural(len(self.names), 'column')}.{ask}"
            raise InputError(msg)
        shown = quote(self.names[:20]) + (" and more" if len(self.names) > 20 else "")  # noqa: PLR2004
        msg = f"Column `{name}` {what} but not in the table. The table has: {shown}.{did_you_mean(name, self.names)}"
        raise InputError(msg)


def _letters(name: str) -> str:
    """The letters and digits of a name, small."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def one_or_zero(test: ir.BooleanValue) -> ir.Value:
    """A truth value as a number to add up; not every database casts one to the other."""
    return test.ifelse(1, 0).cast("int64")


def read(source: Any, engine: Engine | None = None, *, once: bool = False, delimiter: str | None = None) -> Table:
    """Open a path, a pandas, Polars, Arrow or Ibis table.

    Args:
        source: What to open.
        engine: Who scans it; None starts one.
        once: The table is scanned only once, so a csv need not be loaded first.
        delimiter: What separates the cells of a csv; None looks at its header.

    Example:
        >>> import pyarrow as pa
        >>> read(pa.table({"Age": [31, 42], "Sex": ["F", "M"]})).names
        ('Age', 'Sex')
    """
    if isinstance(source, Table):
        return source
    place = source
    if engine is None:
        engine, place = choose(source)
    if isinstance(place, Path | Folder):
        paths = find_files(place)
        expr, names = open_files(paths, engine, once=once, delimiter=delimiter)
        called = paths[0].name if len(paths) == 1 else str(place)
        return Table(engine, expr, names, called, has_header_line=is_text(paths[0]))
    kind = type(place).__module__.partition(".")[0]
    if isinstance(place, TableName) or kind in {"ibis", "pyspark"}:
        return _read_table(place, engine)
    arrow = _as_arrow(place)
    return Table(
        engine, open_arrow(arrow, "the data frame", engine), tuple(arrow.column_names), "the data frame", frame=place
    )


def _as_arrow(source: Any) -> pa.Table:
    import narwhals.stable.v1 as nw  # noqa: PLC0415 - heavy
    import pyarrow as pa  # noqa: PLC0415 - heavy

    try:
        frame = nw.from_native(source, eager_only=True)
    except TypeError:
        msg = f"maskwise reads a path, or a pandas, Polars, Arrow or Ibis table; found {type(source).__name__}."
        raise InputError(msg) from None
    check_names(list(frame.columns), "The data frame")
    columns = {}
    for name in frame.columns:
        try:
            columns[name] = frame.get_column(name).to_arrow()
        except OverflowError:
            msg = f"Column `{name}` of the data frame holds whole numbers beyond 64 bits. Make it text."
            raise InputError(msg) from None
        except (pa.ArrowException, TypeError, ValueError):
            msg = f"Column `{name}` of the data frame mixes types. Make it text, numbers or dates."
            raise InputError(msg) from None
    return pa.table(columns)


def _read_table(place: Any, engine: Engine) -> Table:
    """Open a table of a database."""
    table = engine.scan_table(place)
    names = tuple(table.columns)
    is_named = isinstance(place, TableName)
    check_names(names, f"`{place}`" if is_named else "The table")
    expr = table.select([table[name].name(f"c{i}") for i, name in enumerate(names)])
    _check_letters(expr, names, engine)
    return Table(engine, expr, names, str(place) if is_named else "the table", frame=None if is_named else place)


def _check_letters(expr: ir.Table, names: Sequence[str], engine: Engine) -> None:
    """Refuse texts that a database counts as one although their letters differ.

    A collation such as `nocase` makes `hiv` and `HIV` one group, of which only
    one spelling is told, so a protected value could be missed.
    """
    texts = [i for i, name in enumerate(names) if expr[f"c{i}"].type().is_string()]
    if not texts or not engine.merges_texts:
        return
    counts = {f"n{i}": expr[f"c{i}"].nunique() for i in texts}
    letters = {f"m{i}": expr[f"c{i}"].hexdigest("md5").nunique() for i in texts}
    (found,) = engine.fetch(expr.aggregate(**counts, **letters)).to_pylist()
    merged = [names[i] for i in texts if found[f"n{i}"] != found[f"m{i}"]]
    if merged:
        msg = (
            f"The database takes different texts of {quote(merged)} for equal (a collation), so they cannot be counted "
            "apart. Copy the table to columns without a collation."
        )
        raise InputError(msg)
