"""What cells are looked up by: keys of the type that a lookup has, and the numbers of ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ibis
import numpy as np
import pyarrow as pa

from maskwise.values.arrow import from_numpy

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis.expr.types as ir

    from maskwise.engines.base import Lookup, Relabel
    from maskwise.engines.sql import Engine


def as_keys(cell: ir.Value, how: Lookup | Relabel) -> ir.Value:
    """Read a text as what it is looked up as: whole numbers, or the numbers and times that ranges are of."""
    if not cell.type().is_string() or pa.types.is_string(how.keys.type):
        return cell
    return cell.cast(ibis.dtype(how.keys.type))


def number_codes(n: int) -> pa.Array:
    """The numbers of so many ranges."""
    return from_numpy(np.arange(n, dtype=np.int32))


def look_up(
    engine: Engine, table: ir.Table, name: str, cell: ir.Value, keys: pa.Array, codes: Sequence[int]
) -> ir.Table:
    """Add a column with the code of each cell, in any order of rows; it is missing where a cell is no key.

    Args:
        engine: Knows the records.
        table: The records.
        name: What to call the column.
        cell: The cells, of these records.
        keys: Distinct cells.
        codes: The code of each.
    """
    small = engine.register(pa.table({"lookup_key": keys, "lookup_code": pa.array(codes, pa.int32())}))
    with_cell = table.mutate(**{name: cell})
    joined = with_cell.left_join(small, with_cell[name] == small["lookup_key"])
    return joined.mutate(**{name: joined["lookup_code"]}).drop("lookup_key", "lookup_code")
