"""What an earlier release by regions showed of each record: its splits, walked by this table's records."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from maskwise.errors import InputError, quote
from maskwise.policy.attributes import Missing
from maskwise.release import mask as masking
from maskwise.release.mask_regions import count_outside, label_by_region, lookup_keys
from maskwise.solution.region_codes import Codes
from maskwise.solution.regions import Regions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from maskwise.solution.solution import Solution
    from maskwise.table.table import Table


def label_earlier_regions(
    table: Table, solution: Solution, name_of: Callable[[str], str], wanted: Collection[str], number: int
) -> tuple[Table, int]:
    """Put the labels of an earlier release by regions beside a table.

    Args:
        table: The records.
        solution: The earlier solution.
        name_of: What the column with an attribute's labels is called.
        wanted: The attributes whose labels are asked for.
        number: The place of the earlier release, for messages.

    Returns:
        The records with a column for each wanted attribute, and how many of them have a cell that it does not know.
    """
    assert solution.regions is not None  # noqa: S101 - asked only of such solutions
    lacking = [cut.attribute for cut in solution.cuts if cut.attribute not in table.names]
    if lacking:
        msg = (
            f"Earlier release {number} has regions, so what it showed of a record rests on all attributes that it "
            f"masked; the table has no {quote(lacking)}. Add what is missing, or leave this release out."
        )
        raise InputError(msg)
    names = {cut.attribute: name_of(cut.attribute) for cut in solution.cuts}
    copies = {f"c{len(table.names) + i}": table.column(name) for i, name in enumerate(names)}
    beside = replace(table, expr=table.expr.mutate(**copies), names=(*table.names, *names.values()))
    cuts = tuple(replace(cut, attribute=names[cut.attribute]) for cut in solution.cuts)
    splits = tuple(replace(split, attribute=names[split.attribute]) for split in solution.regions.splits)
    renamed = replace(solution, cuts=cuts, regions=Regions(splits))
    codes, lookups, n_strange = [Codes.of(cut) for cut in cuts], {}, 0
    for one in codes:
        fitted = masking.fit(beside, one.cut, Missing.KEEP)
        lookups[one.cut.attribute] = lookup_keys(one, fitted.keys, fitted.parsed)
        n_strange = max(n_strange, fitted.unknown.n_records)
    labelled = label_by_region(beside, renamed, codes, lookups)
    n_strange = max([n_strange, *count_outside(labelled, codes, lookups).values()])
    unwanted = [names[name] for name in names if name not in wanted]
    return masking.drop_columns(labelled, unwanted), n_strange
