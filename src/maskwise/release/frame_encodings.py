"""The labels of a masked data frame as numbers: their places in the cut, or a column of 0 and 1 for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np

from maskwise.errors import enumerated, plural
from maskwise.release.number_columns import SIDES, numbered_cuts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from maskwise.release.mask import Unknown
    from maskwise.solution.cut import Cut
    from maskwise.solution.solution import Solution

_MANY = 0.1
"""Above this share of rows with unknown cells somebody is told; some rare new values are what later rows have."""


def names_out(names: Sequence[str], solution: Solution, encode: str) -> list[str]:
    """The columns that stand for some columns of a table.

    Args:
        names: The columns.
        solution: How they are masked.
        encode: How labels are written: `onehot`, `bounds`, or another way that keeps each column one.
    """
    out: dict[str, list[str]] = {}
    if encode == "onehot":
        out = {cut.attribute: list(_indicators(cut)) for cut in solution.cuts}
    elif encode == "bounds":
        out = {cut.attribute: [f"{cut.attribute}_{side}" for side in SIDES] for cut in numbered_cuts(solution)}
    return [one for name in names for one in out.get(name, [name])]


def no_feature_notes(names: Sequence[str]) -> tuple[str, ...]:
    """Say which columns a transformer leaves out, because they are no features; nothing where there is none.

    >>> no_feature_notes(["Risk"])[0]
    '`Risk` is no feature (the class, persons, or dropped by the policy), so `transform` leaves it out.'
    """
    if not names:
        return ()
    are, them = ("is no feature", "it") if len(names) == 1 else ("are no features", "them")
    why = "the class, persons, or dropped by the policy"
    return (f"{enumerated(names)} {are} ({why}), so `transform` leaves {them} out.",)


def unknown_warnings(unknown: Mapping[str, Unknown], n_rows: int) -> tuple[str, ...]:
    """Say which columns have cells in many rows that a solution was not made for, such as numbers read as texts.

    Args:
        unknown: The columns with such cells.
        n_rows: How many rows there are.
    """
    return tuple(
        f"`{name}` has {plural(lost.n_values, 'value')} that `fit` did not see, in {lost.n_records:,} of {n_rows:,} "
        "rows; they are hidden. Are the cells of the same type as in `fit`?"
        for name, lost in unknown.items()
        if lost.n_records > _MANY * n_rows
    )


def with_places(shown: Any, solution: Solution) -> Any:
    """Replace each label by its number in the cut, and a missing cell by nothing."""
    frame = nw.from_native(shown, eager_only=True)
    numbers = []
    for cut in solution.cuts:
        at = _places(cut)
        cells = [np.nan if cell is None else at.get(cell, -1) for cell in frame[cut.attribute].to_list()]
        numbers.append(
            nw.new_series(
                cut.attribute, np.asarray(cells, np.float64).tolist(), nw.Float64, backend=frame.implementation
            )
        )
    return frame.with_columns(*numbers).to_native()


def with_indicators(shown: Any, solution: Solution) -> Any:
    """Replace each masked column by one of 0 and 1 for each of its labels."""
    frame = nw.from_native(shown, eager_only=True)
    cuts = {cut.attribute: cut for cut in solution.cuts}
    columns = []
    for name in frame.columns:
        if name not in cuts:
            columns.append(frame.get_column(name))
            continue
        cells = frame.get_column(name).to_list()
        for out, label in _indicators(cuts[name]).items():
            is_label = [float(cell == label) for cell in cells]
            columns.append(nw.new_series(out, is_label, nw.Float64, backend=frame.implementation))
    plain = [column.rename(f"p{i}") for i, column in enumerate(columns)]
    made = frame.select().with_columns(*plain) if not plain else _side_by_side(frame, plain)
    return made.rename({f"p{i}": column.name for i, column in enumerate(columns)}).to_native()


def _side_by_side(frame: Any, columns: list[Any]) -> Any:
    """These columns, with the index of the frame."""
    old = frame.columns
    kept = frame.rename({name: f"old {i}" for i, name in enumerate(old)}).with_columns(*columns)
    return kept.select(*(column.name for column in columns))


def _indicators(cut: Cut) -> dict[str, str]:
    """What the column of each label is called."""
    return {f"{cut.attribute}={label}": label for label in cut.labels}


def _places(cut: Cut) -> dict[str, int]:
    return {label: i for i, label in enumerate(cut.labels)}
