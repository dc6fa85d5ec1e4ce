"""Arrow tables with types that engines and other libraries know: the same cells, held in the usual way."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from maskwise.errors import InputError

_MOST_DIGITS = 38
"""Decimals of more digits are known to no engine."""


def with_known_types(arrow: pa.Table) -> pa.Table:
    """Unpack dictionaries and runs, widen short floats; a column of nothing but missing cells is text.

    Raises:
        InputError: A column has a type that no engine knows.
    """
    columns = [_with_known_type(column, name) for name, column in zip(arrow.column_names, arrow.columns, strict=True)]
    return pa.Table.from_arrays(columns, names=arrow.column_names)


def with_rows(arrow: pa.Table) -> pa.Table:
    """A table whose rows can be picked, which Arrow cannot do where cells are held as runs or views."""
    tests = (pa.types.is_run_end_encoded, pa.types.is_string_view, pa.types.is_binary_view)
    for i, field in enumerate(arrow.schema):
        if any(test(field.type) for test in tests):
            arrow = arrow.set_column(i, field.name, _with_known_type(pa.chunked_array(arrow.column(i)), field.name))
    return arrow


def _with_known_type(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_run_end_encoded(kind):
        column = _decoded(column)
        kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_null(kind) or pa.types.is_string_view(kind):
        kind = pa.string()
    elif pa.types.is_binary_view(kind):
        kind = pa.binary()
    elif pa.types.is_float16(kind):
        # Every short float is one of 32 bits too.
        kind = pa.float32()
    elif pa.types.is_decimal256(kind):
        if kind.precision > _MOST_DIGITS:
            msg = (
                f"Column `{name}` holds decimals of {kind.precision} digits; {_MOST_DIGITS} can be read. Make it text."
            )
            raise InputError(msg)
        kind = pa.decimal128(kind.precision, kind.scale)
    try:
        return column if kind == column.type else column.cast(kind)
    except pa.ArrowException:
        msg = f"Column `{name}` holds cells of the type {column.type}, which cannot be read. Make it text."
        raise InputError(msg) from None


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Cells one by one, where runs of equal ones were held once."""
    return pa.chunked_array([pc.run_end_decode(chunk) for chunk in column.chunks], column.type.value_type)
