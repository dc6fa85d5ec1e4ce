"""Optimal full-domain generalization: one level for each attribute, the best of all combinations.

The method that most tools offer: all values of an attribute are shown at the
same depth. `levels` makes the depths of an attribute. The combinations form a
lattice; `lattice` searches all of it.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from experiments.rivals.coded_table import check_fitted, code_records, code_training_set, with_labels
from experiments.rivals.lattice import Lattice
from experiments.rivals.levels import make_levels
from maskwise.errors import InputError, did_you_mean
from maskwise.formats.policy_file import read_policy
from maskwise.solution.cut import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from experiments.rivals.coded_table import CodedRecords, TableCoding, TrainingSet
    from experiments.rivals.levels import Levels
    from maskwise.policy.policy import Policy

    Ints = NDArray[np.int64]

MAX_NODES = 5_000_000
"""Larger lattices are refused."""


class FullDomain:
    """Mask by the best combination of whole-domain levels.

    The best one is k-anonymous with the fewest records outside the largest
    class of their group (Iyengar's classification metric); of equal ones that
    with the fewest generalization steps, then with the lower level of the
    attribute that comes first in the policy.

    Args:
        suppress: The share of records that may be taken out because their group is too small. They show `*` on all
            masked attributes and count as one penalty each; together they are none, or at least k.
        n_ranges: The ranges of equal width on the finest level of an interval attribute, a power of two. Each
            further level joins two and two; the last shows the whole range.
        borders: For an interval attribute, the borders between its ranges instead: a list for each level, finest
            first.

    Attributes:
        levels_: The level of each masked attribute; 0 is the finest.
        n_rows_: The training records.
        n_suppressed_: Those that show `*` everywhere.
        n_groups_: The groups of the others.
        penalty_: The records outside the largest class of their group, and the suppressed ones.
        cm_: Their share: Iyengar's classification metric.
        n_nodes_: The combinations of levels.
        n_checked_: How many of them, whole or in part, were counted.

    Example:
        >>> import pandas as pd
        >>> people = pd.DataFrame({"Job": ["a", "a", "b", "b"], "Risk": ["lo", "lo", "hi", "hi"]})
        >>> policy = {"class": "Risk", "requirements": [{"qid": ["Job"], "k": 2}]}
        >>> FullDomain().fit(people, policy).levels_
        {'Job': 0}
    """

    def __init__(
        self,
        *,
        suppress: float = 0.0,
        n_ranges: int = 16,
        borders: Mapping[str, Sequence[Sequence[object]]] | None = None,
    ) -> None:
        self.suppress = suppress
        self.n_ranges = n_ranges
        self.borders = borders
        self._coding: TableCoding | None = None
        self._levels: tuple[Levels, ...] = ()
        self._large_groups: set[tuple[str | None, ...]] | None = None

    def fit(self, data: Any, policy: str | Path | Mapping[str, Any] | Policy) -> Self:
        """Find the levels.

        Args:
            data: The training records: a pandas, Polars or Arrow table, or a path.
            policy: One requirement with a k, and a class.
        """
        self._fit(data, read_policy(policy))
        return self

    def transform(self, data: Any) -> Any:
        """Mask records at the levels found.

        An unknown category is shown as the root, a number outside the range in
        the outermost range. Where training records were suppressed, a record is
        suppressed unless its group has k training records. Records and columns that the policy
        drops are left out.
        """
        return self._mask(code_records(data, check_fitted(self._coding, self)))

    def fit_transform(self, data: Any, policy: str | Path | Mapping[str, Any] | Policy) -> Any:
        """Find the levels for some records and mask the records at them."""
        return self._mask(self._fit(data, read_policy(policy)).records)

    def _fit(self, data: Any, policy: Policy) -> TrainingSet:
        self._check_settings()
        training = code_training_set(data, policy)
        borders = dict(self.borders or {})
        for name in borders:
            if name not in policy.masked:
                msg = f"`borders` has `{name}`, which the policy does not mask.{did_you_mean(name, policy.masked)}"
                raise InputError(msg + " Leave it out.")
        levels = tuple(
            make_levels(column, self.n_ranges, borders.get(column.name)) for column in training.coding.columns
        )
        lattice = Lattice(
            [each.codes_by_level(column) for each, column in zip(levels, training.records.columns, strict=True)],
            training.classes,
            training.n_classes,
            training.k,
            math.floor(self.suppress * len(training.classes) + 1e-9),
        )
        self.n_nodes_ = lattice.n_nodes
        if lattice.n_open > MAX_NODES:
            msg = (
                f"The attributes have {lattice.n_open:,} combinations of levels, more than {MAX_NODES:,}. "
                "Lower n_ranges, or give borders with fewer levels."
            )
            raise InputError(msg)
        best = lattice.search()
        self._coding, self._levels = training.coding, levels
        self.levels_ = {each.name: level for each, level in zip(levels, best.levels, strict=True)}
        self.n_rows_ = len(training.classes)
        self.n_suppressed_, self.n_groups_ = best.n_suppressed, best.n_groups
        self.penalty_ = best.penalty
        self.cm_ = best.penalty / self.n_rows_
        self.n_checked_ = lattice.n_checked
        self._large_groups = None
        if best.n_suppressed:
            sizes = Counter(zip(*self._labels(training.records).values(), strict=True))
            self._large_groups = {row for row, size in sizes.items() if size >= training.k}
        return training

    def _check_settings(self) -> None:
        if not 0 <= self.suppress < 1:
            msg = f"`suppress` is a share, at least 0 and below 1; found {self.suppress}."
            raise InputError(msg)
        if self.n_ranges < 1 or self.n_ranges & (self.n_ranges - 1):
            msg = f"`n_ranges` is a power of two, such as 16; found {self.n_ranges}."
            raise InputError(msg)

    def _labels(self, records: CodedRecords) -> dict[str, NDArray[np.object_]]:
        return {
            each.name: np.array(each.labels[self.levels_[each.name]], object)[each.code(column)]
            for each, column in zip(self._levels, records.columns, strict=True)
        }

    def _mask(self, records: CodedRecords) -> Any:
        labels = self._labels(records)
        if self._large_groups is not None:
            rows = zip(*labels.values(), strict=True)
            is_suppressed = np.array([row not in self._large_groups for row in rows], np.bool_)
            labels = {name: np.where(is_suppressed, HIDDEN, texts) for name, texts in labels.items()}
        return with_labels(records, labels)
