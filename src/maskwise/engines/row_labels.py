"""Labels that depend on a whole row: its region is looked up by the codes of all masked columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import ibis
import numpy as np
import pyarrow as pa

from maskwise.engines import local_verbs
from maskwise.engines.base import ROW, Feature
from maskwise.engines.coded_columns import CodedColumn
from maskwise.engines.lookup_keys import as_keys
from maskwise.values.arrow import as_numpy, from_numpy
from maskwise.values.row_numbers import number_rows

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
    read = table.select(**{name: as_keys(table[name], how) for name, how in lookups.items()})
    here, asked = engine.local(table), engine.local(read)
    if here is not None and asked is not None:
        numbers = local_verbs.recode(asked, lookups, [])
        of_record = {name: as_numpy(numbers.column(name)) for name in lookups}
        shown = _labels_of_rows(of_record, here.n_rows, find_regions, labels, instead)
        return engine.hold_columns({**here.columns, **shown})
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


def _labels_of_rows(
    codes: Mapping[str, NDArray[np.unsignedinteger]],
    n_rows: int,
    find_regions: Callable[[NDArray[np.int64]], NDArray[np.int64]],
    labels: Mapping[str, pa.Array],
    instead: Mapping[str, Instead],
) -> dict[str, CodedColumn]:
    """What each record of this process shows in each column; the arguments are those of `label_rows`."""
    number = number_rows(codes.values(), n_rows)
    first = np.zeros(int(number.max(initial=-1)) + 1, np.int64)
    first[number] = np.arange(n_rows)
    distinct = np.column_stack([own[first] for own in codes.values()]).astype(np.int64)
    region = find_regions(distinct)[number].astype(np.int32)
    shown = {}
    for name, own in codes.items():
        texts, place = labels[name], region
        if name in instead:
            beyond, text, other = instead[name]
            shows_text = np.array([one == text for one in texts.to_pylist()], np.bool_)
            is_other = np.isin(own, beyond) & shows_text[region]
            place = np.where(is_other, len(texts), region).astype(np.int32)
            texts = pa.concat_arrays([texts, pa.array([other])])
        shown[name] = CodedColumn(texts, place).with_distinct_cells()
    return shown


def _in_order(table: ir.Table, columns: Sequence[str]) -> ir.Table:
    if ROW in table.columns:
        table = table.order_by(ROW)
    return table.select(*columns)
