"""Data frames of other libraries, made ready to be opened: in memory, with a name for every column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np
import pyarrow as pa

from maskwise.errors import InputError
from maskwise.table.arrow_types import with_rows
from maskwise.table.column_names import unique_names
from maskwise.values.cells import is_missing
from maskwise.values.input_kind import InputKind, input_kind, is_lazy_frame
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from maskwise.values.reading import Reading, Rename


def make_ready(frame: Any, rename: Rename | None) -> Any:
    """The frame in memory, with a name for every column; refuse one whose columns have none of their own.

    A Polars LazyFrame is collected. pandas and Arrow allow columns of the same name, so these are asked before any
    other library looks at them.

    Args:
        frame: A pandas, Polars or Arrow table, or a LazyFrame.
        rename: How columns of the same name are renamed; None refuses them.
    """
    if is_lazy_frame(frame):
        frame = frame.collect()
    match input_kind(frame):
        case InputKind.ARROW if hasattr(frame, "column_names"):
            frame = with_rows(frame)
            given = list(frame.column_names)
        case InputKind.PANDAS if hasattr(frame, "columns"):
            given = list(frame.columns)
        case _:
            given = list(_opened(frame).columns)
    names = unique_names(given, "The data frame", rename=rename)
    if list(names) == given:
        return frame
    match input_kind(frame):
        case InputKind.ARROW:
            return frame.rename_columns(list(names))
        case InputKind.PANDAS:
            return frame.set_axis(list(names), axis="columns")
    return _opened(frame).rename(dict(zip(given, names, strict=True))).to_native()


def as_arrow(frame: Any) -> pa.Table:
    """A data frame as an Arrow table.

    Args:
        frame: A pandas, Polars or Arrow table whose columns have names of their own.
    """
    opened = _opened(frame)
    columns = {}
    for name in opened.columns:
        try:
            columns[name] = opened.get_column(name).to_arrow()
        except OverflowError:
            msg = f"Column `{name}` of the data frame holds whole numbers beyond 64 bits. Make it text."
            raise InputError(msg) from None
        except (pa.ArrowException, TypeError, ValueError):
            msg = f"Column `{name}` of the data frame mixes types. Make it text, numbers or dates."
            raise InputError(msg) from None
    return pa.table(columns)


def _opened(frame: Any) -> Any:
    """The frame in the one form that all libraries' frames have."""
    try:
        return nw.from_native(frame, eager_only=True)
    except TypeError:
        msg = f"maskwise reads a path, or a pandas, Polars, Arrow or Ibis table; found {type(frame).__name__}."
        raise InputError(msg) from None


def ready_rows(rows: Any, reading: Reading) -> Any:
    """A data frame in memory with a name for every column; an array as it is."""
    return make_ready(rows, reading.rename) if is_lazy_frame(rows) or hasattr(rows, "columns") else rows


def with_class(frame: Any, name: str, classes: Any) -> Any:
    """A narwhals frame with the class of each record as a column of texts."""
    texts = [None if is_missing(label) else text_of(label) for label in np.asarray(classes).ravel().tolist()]
    if len(texts) != len(frame):
        msg = f"Found input variables with inconsistent numbers of samples: [{len(frame)}, {len(texts)}]"
        raise ValueError(msg)
    return frame.with_columns(nw.new_series(name, texts, nw.String, backend=frame.implementation))


def free_name(name: str, taken: Collection[str]) -> str:
    """A name that is not taken.

    >>> free_name("class", ["class", "_class"])
    '__class'
    """
    while name in taken:
        name = f"_{name}"
    return name
