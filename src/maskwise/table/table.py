"""Records inside an engine, and what their columns are called."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

import ibis
import numpy as np

from maskwise.engines.base import ROW
from maskwise.engines.distinct_rows import n_marked, n_records
from maskwise.engines.local_verbs import count_complete
from maskwise.errors import InputError, did_you_mean, plural, quote
from maskwise.table.cell_forms import as_usual_form
from maskwise.table.files import looks_like_cell
from maskwise.table.kept_counts import KeptCounts, NothingKept
from maskwise.values.arrow import as_numpy
from maskwise.values.csv_form import PLAIN
from maskwise.values.set_cells import LIST_SEPARATOR, SetForm

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence

    import ibis.expr.types as ir
    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.engines.base import Relabel
    from maskwise.engines.sql import Engine
    from maskwise.engines.value_counts import ValueCounts
    from maskwise.table.cell_forms import CellForm
    from maskwise.values.csv_form import CsvForm


_MICROSECONDS = 6
"""The decimals of a second that every engine keeps."""


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
    """The engine that scans them."""
    expr: ir.Table
    """The records, with the columns c0, c1, ..."""
    names: tuple[str, ...]
    """What the owner calls the columns."""
    source: str
    """What messages call the table."""
    frame: Any = None
    """The table that was given, if it was no file and no name; a LazyFrame collected."""
    is_lazy: bool = False
    """Whether it was a LazyFrame."""
    rewritten: tuple[str, ...] = ()
    """The columns whose cells were changed."""
    blanked: tuple[str, ...] = ()
    """The columns in which some spellings stand for a missing cell."""
    has_header_line: bool = False
    """Whether the names stand in the first line of a text file, which may turn out to be a record."""
    forms: tuple[tuple[str, CellForm | SetForm], ...] = ()
    """For columns of text whose dates or numbers are not written in the usual way, or whose cells hold several values,
    how they are."""
    is_windows_text: bool = False
    """Whether it is a csv that was read as Windows-1252, since it is not UTF-8."""
    csv_form: CsvForm = PLAIN
    """How a csv is written in which the records stand, and so a csv of their release."""
    is_shuffled: bool = False
    """Whether the records were put into another order."""
    binned: tuple[str, tuple[float, ...]] | None = None
    """A column of numbers that the search sees in bins, and where each bin but the first begins."""
    kept: KeptCounts = field(default_factory=NothingKept, compare=False)
    """What was counted before."""

    def column(self, name: str) -> ir.Value:
        """The named column as the search and the recount see it.

        A float that is not a number counts as missing. Decimals and whole
        numbers beyond 64 bits are floats, converted by the engine alone, so
        that it agrees with itself. Times are rounded to microseconds. Dates and
        numbers in the spelling of some country are in the usual one, until the
        column is masked. A list is the text of its items.
        """
        if self.binned is not None and self.binned[0] == name:
            return self._bin(replace(self, binned=None).column(name), self.binned[1])
        value = self.expr[self.key(name)]
        kind = value.type()
        if kind.is_string():
            form = dict(self.forms).get(name)
            return value if form is None or isinstance(form, SetForm) else as_usual_form(value, form)
        if kind.is_array():
            return value.map(lambda item: item.cast("string")).join(LIST_SEPARATOR)
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

    def _bin(self, value: ir.Value, lows: tuple[float, ...]) -> ir.Value:
        """The number of the bin that each cell falls into."""
        number = self.engine.dialect.try_cast(value, "float64") if value.type().is_string() else value
        code = sum((one_or_zero(number >= low) for low in lows), start=ibis.literal(0, "int64"))
        return ibis.ifelse(number.notnull(), code, ibis.null("int64"))

    def cell(self, name: str) -> ir.Value:
        """The named column as whoever holds the table tells its cells apart.

        Floats and decimals are told apart by their spelling: 0.0 and -0.0 are
        not the same, 1.1 and 1.10 neither where a database keeps both, and a
        float that is not a number is not missing.
        """
        value = self.expr[self.key(name)]
        kind = value.type()
        return value.cast("string") if kind.is_floating() or kind.is_decimal() else value

    def normalized(self, names: Iterable[str]) -> ir.Table:
        """The records with some columns as `column` gives them; the others keep every bit."""
        columns = {self.key(name): self.column(name) for name in names}
        changed = {key: value for key, value in columns.items() if not value.equals(self.expr[key])}
        return self.expr.mutate(**changed) if changed else self.expr

    def rewrite(self, expr: ir.Table, names: Iterable[str]) -> Table:
        """The table after the cells of some columns became labels, which have no form any more.

        Args:
            expr: The records with the labels.
            names: The columns.
        """
        rewritten = tuple(dict.fromkeys([*self.rewritten, *names]))
        forms = tuple((name, form) for name, form in self.forms if name not in rewritten)
        return replace(self, expr=expr, rewritten=rewritten, forms=forms)

    def with_usual_forms(self) -> Table:
        """The records with dates and numbers in the usual spelling, where their own is of no use any more."""
        formed = [name for name, _ in self.forms if name in self.names]
        return replace(self, expr=self.normalized(formed), forms=())

    def hashed(self, name: str) -> ir.Value:
        """The cells of a column as whole numbers: equal ones for equal texts, whatever type the column has."""
        return self.column(name).cast("string").hash().coalesce(0)

    def is_countable(self, name: str) -> bool:
        """Whether cells of the column have a spelling that people know."""
        kind = self.expr[self.key(name)].type()
        return not (kind.is_nested() or kind.is_binary() or kind.is_interval())

    def set_form(self, name: str) -> SetForm | None:
        """How the cells of a column, as `column` gives them, hold several values; None if each is one."""
        if self.expr[self.key(name)].type().is_array():
            return SetForm(LIST_SEPARATOR)
        form = dict(self.forms).get(name)
        return form if isinstance(form, SetForm) else None

    def require_sensitive(self, name: str) -> None:
        """Refuse a sensitive column whose values a policy cannot spell exactly."""
        self.require(name)
        kind = self.expr[self.key(name)].type()
        is_list = kind.is_array()
        kind = kind.value_type if is_list else kind
        spelled = (kind.is_string, kind.is_integer, kind.is_floating, kind.is_boolean, kind.is_decimal, kind.is_date)
        if not any(test() for test in spelled):
            cells = f"{kind} cells" if self.is_countable(name) else "nested or binary cells"
            msg = f"The sensitive column `{name}` holds {cells}, which a policy cannot name exactly. Make them text."
            raise InputError(msg)
        if not is_list and (kind.is_decimal() or kind.is_uint64()):
            self._refuse_merged_numbers(name)

    def _refuse_merged_numbers(self, name: str) -> None:
        """Refuse numbers that differ beyond what a float can hold: they would be counted as one value."""
        apart, counted = self.expr[self.key(name)].nunique(), self.column(name).nunique()
        (found,) = self.engine.fetch(self.expr.aggregate(apart=apart, counted=counted)).to_pylist()
        if found["apart"] != found["counted"]:
            msg = f"Some numbers of the sensitive column `{name}` differ beyond 15 digits only. Make them text."
            raise InputError(msg)

    def key(self, name: str) -> str:
        """The engine's name of a column."""
        return f"c{self.names.index(name)}"

    def n_rows(self) -> int:
        """Count the records."""
        return self.kept.get(("n_rows", self.expr.op()), self._count_rows)

    def _count_rows(self) -> int:
        return int(self.engine.fetch(self.expr.aggregate(n=n_records(self.expr))).column(0)[0].as_py())

    def n_complete(self, names: Sequence[str]) -> tuple[int, int]:
        """Count the records, and those without a missing cell in some columns, in one scan."""
        key = ("n_complete", self.expr.op(), *(self.column(name).op() for name in names))
        return self.kept.get(key, lambda: self._count_complete(names))

    def _count_complete(self, names: Sequence[str]) -> tuple[int, int]:
        cells = self.expr.select(**{f"k{i}": self.column(name) for i, name in enumerate(names)})
        if (records := self.engine.local(cells)) is not None:
            return count_complete(records)
        is_complete = reduce(and_, [self.column(name).notnull() for name in names])
        n_complete = n_marked(self.expr, one_or_zero(is_complete))
        (found,) = self.engine.fetch(self.expr.aggregate(n=n_records(self.expr), n_complete=n_complete)).to_pylist()
        return int(found["n"]), int(found["n_complete"] or 0)

    def distinct(self, name: str) -> Distinct:
        """Count the records of each distinct cell of one column."""
        column = self.column(name)
        return self.kept.get(self._key_of_distinct(column), lambda: self._count_distinct(column))

    def give_distinct(self, name: str, found: Distinct) -> None:
        """Tell what `distinct` would count, where that follows from other counts."""
        self.kept.give(self._key_of_distinct(self.column(name)), found)

    def _key_of_distinct(self, column: ir.Value) -> Hashable:
        return "distinct", self.expr.op(), column.op()

    def _count_distinct(self, column: ir.Value) -> Distinct:
        counted = self.engine.group(self.expr, [column]).combine_chunks()
        cells, n = counted.column(0).combine_chunks(), as_numpy(counted.column("n")).astype(np.int64)
        there = as_numpy(cells.is_valid())
        return Distinct(cells.drop_null(), n[there], int(n[~there].sum()))

    def count_each(self, names: Sequence[str], by: str | None) -> ValueCounts:
        """For each column by itself, count the records of each value (and each value of `by`) inside the engine."""
        together = None if by is None else self.column(by)
        return self.engine.group_each(self.expr, [self.column(name) for name in names], together)

    def relabel(self, columns: Mapping[str, Relabel]) -> Table:
        """Rewrite columns, by name, as text."""
        if not columns:
            return self
        expr = self.engine.relabel(self.normalized(columns), {self.key(name): how for name, how in columns.items()})
        return self.rewrite(expr, columns)

    def without_missing(self, names: Sequence[str]) -> Table:
        """Leave out the records with a missing cell in one of these columns."""
        return replace(self, expr=self.engine.filter(self.expr, [self.column(name).notnull() for name in names]))

    def first_row_with(self, name: str, keys: pa.Array) -> int | None:
        """The number, from 1, of the first record whose cell is one of `keys`."""
        row = self.expr[ROW] if ROW in self.expr.columns else ibis.row_number()
        numbered = self.normalized([name]).mutate(row_number=row + 1)
        hits = numbered.filter(numbered[self.key(name)].isin(keys.to_pylist()))
        found = self.engine.fetch(hits.aggregate(first=hits.row_number.min())).column(0)[0].as_py()
        return None if found is None else int(found)

    def require(self, name: str, what: str = "is in the policy", *, among: Collection[str] = ()) -> None:
        """Refuse a column that the table does not have.

        Args:
            name: The column.
            what: What asks for it, for the message.
            among: All columns that are asked for: where a text file lacks most, its first line may be a record.
        """
        if name in self.names:
            return
        n_found = sum(asked in self.names for asked in among)
        if self.has_header_line and (2 * n_found < len(among) or not among or any(map(looks_like_cell, self.names))):
            same = next((other for other in self.names if _letters(other) == _letters(name)), None)
            # A name that is near may be a cell; not where nothing else is asked for and no name looks like one.
            is_header = not among and not any(map(looks_like_cell, self.names))
            near = f" Did you mean `{same}`?" if same else did_you_mean(name, self.names) if is_header else ""
            ask = near or " Is its first line a header?"
            msg = f"Column `{name}` {what} but not in the table, which has {plural(len(self.names), 'column')}.{ask}"
            raise InputError(msg)
        shown = quote(self.names[:20]) + (" and more" if len(self.names) > 20 else "")  # noqa: PLR2004
        msg = f"Column `{name}` {what} but not in the table. The table has: {shown}.{did_you_mean(name, self.names)}"
        raise InputError(msg)

    def require_all(self, names: Iterable[str], what: str, *, among: Collection[str] = ()) -> None:
        """Refuse a table that lacks some columns; every one of them is named.

        Args:
            names: The columns.
            what: As in `require`.
            among: As in `require`.
        """
        mistakes = []
        for name in names:
            try:
                self.require(name, what, among=among)
            except InputError as error:
                mistakes.append(str(error))
        if mistakes:
            raise InputError("\n".join(mistakes))


@contextmanager
def kept_columns(table: Table, names: Sequence[str]) -> Iterator[Table]:
    """Some columns of a table as a temporary table, where they are looked at more than once and costly to compute."""
    columns = {f"c{i}": table.expr[table.key(name)] for i, name in enumerate(names)}
    kept = table.engine.materialize(table.expr.select(**columns))
    try:
        yield replace(table, expr=kept, names=tuple(names))
    finally:
        table.engine.discard(kept)


def _letters(name: str) -> str:
    """The letters and digits of a name, in lower case."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def one_or_zero(test: ir.BooleanValue) -> ir.Value:
    """A truth value as a number, to add up; not every database casts one to the other."""
    return test.ifelse(1, 0).cast("int64")
