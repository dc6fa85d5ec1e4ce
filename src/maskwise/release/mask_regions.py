"""Mask by regions: each record shows what its region shows.

Every masked cell becomes a small number: which of the finest values that any
split asks for it falls under. The distinct rows of these numbers come over, the
splits say which region each is in, and the engine joins the regions' labels.
Later rows go the same way; what no part was made for stays where it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from maskwise.compress.recode import lookup_of
from maskwise.compress.request import Coding
from maskwise.engines.base import Lookup
from maskwise.engines.row_labels import Instead, label_rows
from maskwise.policy.attributes import Kind
from maskwise.solution.region_codes import Codes
from maskwise.solution.region_rows import find_regions, number_leaves, number_numbers, number_texts
from maskwise.values.arrow import as_numpy, from_numpy
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from maskwise.profile.columns import Column
    from maskwise.solution.solution import Solution
    from maskwise.table.table import Table
    from maskwise.values.parsing import Parsed

    Ints = NDArray[np.int64]


def mask_regions(table: Table, solution: Solution, columns: Sequence[Column]) -> Table:
    """Mask the table that a solution with regions was found on.

    Args:
        table: The records.
        solution: What to show.
        columns: The distinct cells of each masked attribute, as `profile` found them.
    """
    codes = [Codes.of(cut) for cut in solution.cuts]
    lookups = {}
    for one, column in zip(codes, columns, strict=True):
        is_interval = one.cut.kind is Kind.INTERVAL
        of_value = (
            number_numbers(one, column.numbers) if is_interval else number_leaves(one, column.texts, column.taxonomy)
        )
        coding = Coding(np.append(of_value, one.missing), one.n_codes)
        lookups[column.name] = lookup_of(column, coding)
    return label_by_region(table, solution, codes, lookups)


def lookup_keys(codes: Codes, keys: pa.Array, parsed: Parsed | None) -> Lookup:
    """How a column of later rows is recoded.

    Args:
        codes: The numbers of the attribute.
        keys: The column's distinct cells.
        parsed: What they are, for an interval attribute.
    """
    if parsed is not None:
        of_key = number_numbers(codes, parsed.numbers)
    else:
        of_key = number_texts(codes, map(text_of, keys.to_pylist()))
    return Lookup(keys, from_numpy(of_key), codes.missing)


def label_by_region(table: Table, solution: Solution, codes: Sequence[Codes], lookups: Mapping[str, Lookup]) -> Table:
    """Rewrite the masked columns by the regions of the records.

    Args:
        table: The records.
        solution: What to show.
        codes: The numbers of each attribute.
        lookups: How each of their columns is recoded.
    """
    assert solution.regions is not None  # noqa: S101 - asked only of such solutions
    regions = solution.regions
    shown = zip(*regions.labels(solution.cuts), strict=True)
    expr = label_rows(
        table.engine,
        table.normalized(lookups),
        {table.key(name): how for name, how in lookups.items()},
        lambda rows: find_regions(regions, codes, rows),
        {table.key(one.cut.attribute): pa.array(texts, pa.string()) for one, texts in zip(codes, shown, strict=True)},
        {
            table.key(one.cut.attribute): Instead(
                (one.below,) if one.cut.has_open_root else (one.above, one.below),
                one.cut.root,
                one.cut.outside_label,
            )
            for one in codes
            if one.cut.kind is Kind.INTERVAL
        },
    )
    return table.rewrite(expr, lookups)


def count_outside(masked: Table, codes: Sequence[Codes], lookups: Mapping[str, Lookup]) -> dict[str, int]:
    """The records that show a number outside every interval of their region, by attribute.

    Args:
        masked: The records as they are shown.
        codes: The numbers of each attribute.
        lookups: How each of their columns was recoded.
    """
    found = {}
    for one in codes:
        of_key = lookups[one.cut.attribute].codes
        is_beyond = of_key is not None and np.isin(as_numpy(of_key), (one.above, one.below)).any()
        if one.cut.kind is Kind.INTERVAL and is_beyond:
            shown = masked.distinct(one.cut.attribute)
            is_outside = np.array([text == one.cut.outside_label for text in shown.keys.to_pylist()], np.bool_)
            found[one.cut.attribute] = int(shown.counts[is_outside].sum())
    return {name: n for name, n in found.items() if n}
