"""Labels that depend on a whole row: its region is looked up by the codes of all masked columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import ibis
import numpy as np
import pyarrow as pa

from maskwise.engines.base import ROW, Feature
from maskwise.values.arrow import as_numpy, from_numpy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import ibis.expr.types as ir
    from numpy.typing import NDArray

    from maskwise.engines.base import Lookups
    from maskwise.engines.sql import Engine

_REGION = "region_of_row"
"""The column that has a record's region, while it is looked up."""


class Instead(NamedTuple):
    """Another text for some numbers, where the region's text does not hold for them."""

    codes: tuple[int, ...]
    """The numbers."""
    text: str
    """The region's text that does not hold."""
    other: str
    """What they show then."""


def label_rows(
    engine: Engine,
    table: ir.Table,
    lookups: Lookups,
    find_regions: Callable[[NDArray[np.int64]], NDArray[np.int64]],
    labels: Mapping[str, pa.Array],
    instead: Mapping[str, Instead],
) -> ir.Table:
    """Rewrite columns as text by the region that each record is in, keeping the order of rows where there is one.

    Args:
        engine: Where the records are.
        table: The records.
        lookups: For each column how it is recoded as numbers.
        find_regions: From distinct rows of these numbers, (n_rows, n_columns), to the region of each.
        labels: For each column the text of each region.
        instead: Columns with numbers that a text does not hold for.
    """
    order = table.columns
    if engine.can(Feature.RECORD_ORDER) and ROW not in table.columns:
        table = table.mutate(**{ROW: ibis.row_number()})
    beside = [name for name in table.columns if name not in lookups]
    coded = engine.recode(table, lookups, beside, materialize=True)
    with engine.count_rows(coded, list(lookups), []) as batches:
        found = [np.column_stack([as_numpy(batch.column(i)) for i in range(len(lookups))]) for batch in batches]
    rows = np.concatenate([np.zeros((0, len(lookups)), np.int64), *found]).astype(np.int64)
    keys = {f"key_{name}": from_numpy(rows[:, i]) for i, name in enumerate(lookups)}
    looked_up = engine.register(pa.table({**keys, _REGION: from_numpy(find_regions(rows))}))
    n_regions = len(next(iter(labels.values())))
    shown = {f"label_{name}": texts for name, texts in labels.items()}
    texts = engine.register(pa.table({"region": from_numpy(np.arange(n_regions)), **shown}))
    joined = coded.left_join(looked_up, [coded[name] == looked_up[f"key_{name}"] for name in lookups])
    joined = joined.left_join(texts, joined[_REGION] == texts["region"])
    cells = {}
    for name in lookups:
        cells[name] = joined[f"label_{name}"]
        if name in instead:
            codes, text, other = instead[name]
            is_other = joined[name].isin(codes) & (cells[name] == text)
            cells[name] = is_other.ifelse(ibis.literal(other), cells[name])
    masked = joined.mutate(**cells)
    return _in_order(masked, order)


def _in_order(table: ir.Table, columns: Sequence[str]) -> ir.Table:
    if ROW in table.columns:
        table = table.order_by(ROW)
    return table.select(*columns)
