"""InfoGain Mondrian: regions of the attribute space, split greedily as a decision tree is.

LeFevre, DeWitt and Ramakrishnan, *Workload-Aware Anonymization* (KDD 2006). In
contrast to maskwise a value may be shown in one way in one region and in
another way in the next (local recoding). `axes` says how one attribute can be
split.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from maskwise.formats.policy_file import read_policy
from maskwise.rivals.coded_table import check_fitted, look, minorities, show, take_task
from maskwise.rivals.mondrian_axes import Axis, Split, make_axis
from maskwise.search.interval_split import TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from maskwise.policy.policy import Policy
    from maskwise.rivals.coded_table import Key, Rows, Task

    Ints = NDArray[np.int64]


@dataclass(slots=True)
class _Region:
    """A part of the attribute space."""

    places: tuple[Any, ...]
    """For each attribute where the region stands on its axis."""
    split: Split | None = None
    """How it was split further."""
    attribute: int = -1
    """On which attribute."""
    first_part: int = -1
    """The number of its first part; the others follow."""


class Mondrian:
    """Mask by InfoGain Mondrian.

    A region is split where the class is told best, as long as every part with
    records has at least k of them. A number is split at a threshold, a taxonomy
    value into its children, a suppressed attribute into one value and the rest.
    A missing cell is a leaf directly under the root. Ties go to the attribute
    that comes first in the policy, then to the lower threshold or the earlier
    value.

    Attributes:
        n_rows_: The training records.
        n_regions_: The regions they are in.
        penalty_: The records that are not in the largest class of their region.
        cm_: Their share: Iyengar's classification metric.

    Example:
        >>> import pandas as pd
        >>> people = pd.DataFrame({"Age": [23, 25, 41, 47], "Risk": ["lo", "lo", "hi", "hi"]})
        >>> policy = {"class": "Risk", "requirements": [{"qid": ["Age"], "k": 2}]}
        >>> Mondrian().fit(people, policy).transform(people)["Age"].tolist()
        ['[23, 41)', '[23, 41)', '[41, 47]', '[41, 47]']
    """

    def __init__(self) -> None:
        self._key: Key | None = None
        self._axes: tuple[Axis, ...] = ()
        self._regions: list[_Region] = []

    def fit(self, data: Any, policy: str | Path | Mapping[str, Any] | Policy) -> Self:
        """Find the regions.

        Args:
            data: The training records: a pandas, Polars or Arrow table, or a path.
            policy: One requirement with a k, and a class.
        """
        self._fit(take_task(data, read_policy(policy)))
        return self

    def transform(self, data: Any) -> Any:
        """Show records by the regions they fall into.

        A number is placed by its size; a value that no part was made for goes
        to the largest part. Records and columns that the policy drops are left out.
        """
        return self._show(look(data, check_fitted(self._key, self)))

    def fit_transform(self, data: Any, policy: str | Path | Mapping[str, Any] | Policy) -> Any:
        """Find the regions of some records and show the records by them."""
        task = take_task(data, read_policy(policy))
        self._fit(task)
        return self._show(task.rows)

    def _fit(self, task: Task) -> None:
        self._key = task.key
        self._axes = tuple(make_axis(column) for column in task.key.columns)
        codes = [axis.code(cells) for axis, cells in zip(self._axes, task.rows.cells, strict=True)]
        self._regions = _grow(self._axes, codes, task.classes, task.n_classes, task.k)
        region_of = self._place(task.rows)
        size, minority = minorities(region_of, task.classes, task.n_classes)
        self.n_rows_ = len(region_of)
        self.n_regions_ = int(np.count_nonzero(size))
        self.penalty_ = int(minority.sum())
        self.cm_ = self.penalty_ / self.n_rows_

    def _show(self, rows: Rows) -> Any:
        region_of = self._place(rows)
        labels = {}
        for a, axis in enumerate(self._axes):
            texts = np.array([axis.label(region.places[a]) for region in self._regions], object)
            labels[axis.name] = texts[region_of]
        return show(rows, labels)

    def _place(self, rows: Rows) -> Ints:
        """The region of each record."""
        codes = [axis.code(cells) for axis, cells in zip(self._axes, rows.cells, strict=True)]
        region_of = np.zeros(len(codes[0]), np.int64)
        stack = [(0, np.arange(len(region_of)))]
        while stack:
            at, members = stack.pop()
            region = self._regions[at]
            if region.split is None:
                region_of[members] = at
                continue
            part = region.split.route.part_of(codes[region.attribute][members])
            stack += [(region.first_part + p, members[part == p]) for p in range(len(region.split.places))]
        return region_of


def _grow(axes: Sequence[Axis], codes: Sequence[Ints], classes: Ints, n_classes: int, k: int) -> list[_Region]:
    """Split the whole space until no allowed split tells anything about the class."""
    regions = [_Region(tuple(axis.root for axis in axes))]
    stack = [(0, np.arange(len(classes)))]
    while stack:
        at, members = stack.pop()
        if len(members) < 2 * k:
            continue
        region = regions[at]
        inside = classes[members]
        best: Split | None = None
        for a, axis in enumerate(axes):
            found = axis.best_split(region.places[a], codes[a][members], inside, n_classes, k)
            if found is not None and found.gain > (TOLERANCE if best is None else best.gain + TOLERANCE):
                best, region.attribute = found, a
        if best is None:
            continue
        region.split, region.first_part = best, len(regions)
        part = best.route.part_of(codes[region.attribute][members])
        for p, place in enumerate(best.places):
            places = list(region.places)
            places[region.attribute] = place
            regions.append(_Region(tuple(places)))
            stack.append((region.first_part + p, members[part == p]))
    return regions
