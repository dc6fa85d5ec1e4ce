"""Taxonomies from indexes and data frames of pandas, whose levels go from coarse to fine."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError
from maskwise.policy.column_tree import tree_from_columns
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maskwise.policy.taxonomy import Taxonomy


def taxonomy_from_index(index: Any, root: str = "ANY") -> Taxonomy:
    """Build a taxonomy from a pandas MultiIndex, or from a data frame whose columns are the levels.

    Args:
        index: The levels, the coarsest first, as `groupby` and `set_index` make them; of a data frame all its columns.
        root: The label above the first level.

    Example:
        >>> import pandas as pd
        >>> index = pd.MultiIndex.from_tuples([("MA", "Boston"), ("MA", "Salem"), ("NV", "Reno")])
        >>> taxonomy_from_index(index).children("MA")
        ('Boston', 'Salem')
    """
    if hasattr(index, "columns") and hasattr(index, "itertuples"):
        names, rows = list(index.columns), index.itertuples(index=False, name=None)
    elif hasattr(index, "levels"):
        names, rows = [name or f"level {i}" for i, name in enumerate(index.names)], iter(index)
    else:
        msg = f"A taxonomy is built from a MultiIndex or a data frame; found {type(index).__name__}."
        raise InputError(msg)
    named = [str(name) for name in reversed(names)]
    # Whoever calls this has the levels at hand, and each may stand there once: all of them are named.
    return tree_from_columns(Counter(_texts(rows)), named, root, takes_only_value=True, shared=1)


def _texts(rows: Iterator[Any]) -> Iterator[tuple[str | None, ...]]:
    # What is not equal to itself is not a number: a missing cell, as is pandas' own NA, which is neither.
    for row in rows:
        yield tuple(None if _is_missing(cell) else text_of(cell) or None for cell in reversed(tuple(row)))


def _is_missing(cell: Any) -> bool:
    return cell is None or type(cell).__name__ in {"NAType", "NaTType"} or cell != cell  # noqa: PLR0124
