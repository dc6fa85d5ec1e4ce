"""The risk for a person who is known to be in the table: a record is found with the chance 1 / size of its group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.risks.risk import ColumnSet, GroupRisk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from maskwise.risks.group_sizes import GroupSizes


def group_risk(
    columns: Sequence[str],
    sizes: GroupSizes,
    thresholds: Mapping[str, float],
    k: int | None = None,
    columns_are: ColumnSet = ColumnSet.QID,
) -> GroupRisk:
    """Say how likely a record is found by what it shows on some columns.

    Args:
        columns: The columns.
        sizes: The sizes of the groups on them.
        thresholds: Chances by name.
        k: The group size that was asked.
        columns_are: What the columns are.

    Example:
        >>> from maskwise.risks.group_sizes import GroupSizes
        >>> risk = group_risk(["Age"], GroupSizes.of([(1, 2), (4, 2)]), {"0.25": 0.25})
        >>> risk.highest, risk.average, risk.unique, risk.above
        (1.0, 0.4, 0.2, {0.25: 0.2})
    """
    n_records, n_groups = sizes.n_records, int(sizes.n_groups.sum())
    smallest = int(sizes.sizes[0]) if n_groups else 0
    return GroupRisk(
        columns=tuple(columns),
        n_records=n_records,
        n_groups=n_groups,
        smallest=smallest,
        highest=1 / smallest if smallest else 0.0,
        average=n_groups / n_records if n_records else 0.0,
        unique=sizes.unique,
        above={limit: sizes.share(1 / sizes.sizes > limit) for limit in thresholds.values()},
        k=k,
        below_k=None if k is None else sizes.share(sizes.sizes < k),
        columns_are=columns_are,
    )
