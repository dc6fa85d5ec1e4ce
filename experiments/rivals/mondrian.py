"""InfoGain Mondrian: regions of the attribute space, split greedily as a decision tree is.

LeFevre, DeWitt and Ramakrishnan, *Workload-Aware Anonymization* (KDD 2006). In
contrast to maskwise a value may have one label in one region and another label
in the next (local recoding). `mondrian_axes` splits a region on one attribute.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from experiments.rivals.coded_table import check_fitted, code_records, code_training_set, count_minorities, with_labels
from experiments.rivals.mondrian_axes import Axis, AxisSplit, make_axis
from maskwise.formats.policy_file import read_policy
from maskwise.search.ties import TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from experiments.rivals.coded_table import CodedRecords, TableCoding, TrainingSet
    from maskwise.policy.policy import Policy

    Ints = NDArray[np.int64]


@dataclass(slots=True)
class _Region:
    """A part of the attribute space."""

    places: tuple[Any, ...]
    """The region's place on the axis of each attribute."""
    split: AxisSplit | None = None
    """How the region was split further, if it was."""
    attribute: int = -1
    """The attribute that it was split on."""
    first_part: int = -1
    """The index of its first part in the list of regions; the other parts follow."""


class Mondrian:
    """Mask by InfoGain Mondrian.

    A region is split where the information gain about the class is highest, as
    long as every part with records has at least k of them. A number is split at a threshold, a taxonomy
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
        self._coding: TableCoding | None = None
        self._axes: tuple[Axis, ...] = ()
        self._regions: list[_Region] = []

    def fit(self, data: Any, policy: str | Path | Mapping[str, Any] | Policy) -> Self:
        """Find the regions.

        Args:
            data: The training records: a pandas, Polars or Arrow table, or a path.
            policy: One requirement with a k, and a class.
        """
        self._fit(code_training_set(data, read_policy(policy)))
        return self

    def transform(self, data: Any) -> Any:
        """Mask records by the regions that they fall into.

        A number belongs to the interval that it is in; a value that no part was
        made for belongs to the largest part. Records and columns that the policy drops are left out.
        """
        return self._mask(code_records(data, check_fitted(self._coding, self)))

    def fit_transform(self, data: Any, policy: str | Path | Mapping[str, Any] | Policy) -> Any:
        """Find the regions of some records and mask the records by them."""
        training = code_training_set(data, read_policy(policy))
        self._fit(training)
        return self._mask(training.records)

    def _fit(self, training: TrainingSet) -> None:
        self._coding = training.coding
        self._axes = tuple(make_axis(column) for column in training.coding.columns)
        codes = self._code(training.records)
        self._regions = _grow(self._axes, codes, training.classes, training.n_classes, training.k)
        region_of = self._find_regions(training.records)
        size, minority = count_minorities(region_of, training.classes, training.n_classes)
        self.n_rows_ = len(region_of)
        self.n_regions_ = int(np.count_nonzero(size))
        self.penalty_ = int(minority.sum())
        self.cm_ = self.penalty_ / self.n_rows_

    def _code(self, records: CodedRecords) -> list[Ints]:
        return [axis.code(column) for axis, column in zip(self._axes, records.columns, strict=True)]

    def _mask(self, records: CodedRecords) -> Any:
        region_of = self._find_regions(records)
        labels = {}
        for a, axis in enumerate(self._axes):
            texts = np.array([axis.label(region.places[a]) for region in self._regions], object)
            labels[axis.name] = texts[region_of]
        return with_labels(records, labels)

    def _find_regions(self, records: CodedRecords) -> Ints:
        """The index of each record's region."""
        codes = self._code(records)
        region_of = np.zeros(len(codes[0]), np.int64)
        stack = [(0, np.arange(len(region_of)))]
        while stack:
            index, members = stack.pop()
            region = self._regions[index]
            if region.split is None:
                region_of[members] = index
                continue
            part = region.split.route.part_of(codes[region.attribute][members])
            stack += [(region.first_part + p, members[part == p]) for p in range(len(region.split.places))]
        return region_of


def _grow(axes: Sequence[Axis], codes: Sequence[Ints], classes: Ints, n_classes: int, k: int) -> list[_Region]:
    """Split the whole space until no allowed split has a gain."""
    regions = [_Region(tuple(axis.root for axis in axes))]
    stack = [(0, np.arange(len(classes)))]
    while stack:
        index, members = stack.pop()
        if len(members) < 2 * k:
            continue
        region = regions[index]
        member_classes = classes[members]
        best: AxisSplit | None = None
        for a, axis in enumerate(axes):
            split = axis.best_split(region.places[a], codes[a][members], member_classes, n_classes, k)
            if split is not None and split.gain > (TOLERANCE if best is None else best.gain + TOLERANCE):
                best, region.attribute = split, a
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
