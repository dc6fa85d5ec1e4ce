"""Which columns are counted together, so that each of them can be counted by itself afterwards.

To count 14 columns one by one takes 14 scans. To count all of them by GROUPING
SETS takes one, but only one process does it. So columns with few values are
counted together, in as many combinations as a cache holds, by several workers,
and each column is added up from these combinations.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_GROUPS = 1 << 14
"""So many combinations of values are counted together."""
_UNKNOWN = 200
"""How many values the server supposes of a column that it knows nothing of."""


def choose_bundles(sizes: Sequence[int], beside: int) -> list[list[int]]:
    """Put columns together whose values have few combinations; each of the others stays alone.

    Args:
        sizes: How many values each column has, as the server estimates it.
        beside: How many classes they are counted by.

    >>> choose_bundles([5000, 30, 200, 40, 2], 2)
    [[0], [2], [3, 1, 4]]
    """
    bundles: list[list[int]] = []
    n_groups: list[float] = []
    for column in sorted(range(len(sizes)), key=lambda i: (-sizes[i], i)):
        size = sizes[column] if sizes[column] != _UNKNOWN else math.inf
        fitting = [at for at, n in enumerate(n_groups) if n * size <= _MOST_GROUPS]
        if fitting:
            bundles[fitting[0]].append(column)
            n_groups[fitting[0]] *= size
        else:
            bundles.append([column])
            n_groups.append(size * max(beside, 1))
    return bundles


def bundled_sql(records: str, keys: Sequence[str], beside: Sequence[str], bundles: Sequence[Sequence[int]]) -> str:
    """Count the values of each column by itself, in SQL, a scan for each bundle.

    Args:
        records: A query of the records.
        keys: The columns.
        beside: The class's column, if there is one.
        bundles: The columns that are counted together, by number.
    """
    # The first part has no row: it says what types the columns have of which the others have none.
    named = ", ".join([*keys, *beside])
    types = f"(SELECT {named}, CAST(0 AS BIGINT) AS n, 0 AS which FROM ({records}) q LIMIT 0)"  # noqa: S608
    return " UNION ALL ".join([types, *(_count_bundle(records, keys, beside, bundle) for bundle in bundles)])


def _count_bundle(records: str, keys: Sequence[str], beside: Sequence[str], bundle: Sequence[int]) -> str:
    others = "".join(f", {name}" for name in beside)
    together = ", ".join(keys[i] for i in bundle) + others
    groups = f"SELECT {together}, count(*) AS n FROM ({records}) q GROUP BY {together}"  # noqa: S608
    cells = ", ".join(key if i in bundle else "NULL" for i, key in enumerate(keys))
    if len(bundle) == 1:
        return f"SELECT {cells}{others}, n, {bundle[0]} FROM ({groups}) g"  # noqa: S608
    number = " ".join(f"+ {i} * (1 - grouping({keys[i]}))" for i in bundle)
    sets = ", ".join(f"({keys[i]}{others})" for i in bundle)
    added = f"SELECT {cells}{others}, CAST(sum(n) AS BIGINT), {number} FROM ({groups}) g"  # noqa: S608
    return f"{added} GROUP BY GROUPING SETS ({sets})"
