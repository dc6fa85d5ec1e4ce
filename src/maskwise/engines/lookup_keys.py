"""What cells are looked up by: keys of the type that a lookup has, and the numbers of ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.values.arrow import from_numpy

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

    from maskwise.engines.base import Lookup, Relabel


def as_keys(cell: ir.Value, how: Lookup | Relabel) -> ir.Value:
    """Read a text as what it is looked up as: whole numbers, or the numbers and times that ranges are of."""
    import ibis  # noqa: PLC0415 - heavy
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if not cell.type().is_string() or pa.types.is_string(how.keys.type):
        return cell
    return cell.cast(ibis.dtype(how.keys.type))


def number_codes(n: int) -> pa.Array:
    """The numbers of so many ranges."""
    return from_numpy(np.arange(n, dtype=np.int32))
