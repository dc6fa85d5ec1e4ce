"""Optimal full-domain generalization: one level for each attribute, the best of all combinations.

The plain rival that most tools offer: a value is shown at the same depth as
all values of its attribute. `levels` says what the depths are. The
combinations form a lattice that is searched exhaustively; what is known of
one combination is known of all above or below it.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from maskwise.errors import InputError, did_you_mean
from maskwise.formats.policy_file import read_policy
from maskwise.rivals.coded_table import check_fitted, look, show, take_task
from maskwise.rivals.lattice import Lattice
from maskwise.rivals.levels import make_levels
from maskwise.solution.cut import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from maskwise.policy.policy import Policy
    from maskwise.rivals.coded_table import Key, Rows, Task
    from maskwise.rivals.levels import Levels

    Ints = NDArray[np.int64]

MOST_NODES = 5_000_000
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
        self._key: Key | None = None
        self._levels: tuple[Levels, ...] = ()
        self._kept: set[tuple[str | None, ...]] | None = None

    def fit(self, data: Any, policy: str | Path | Mapping[str, Any] | Policy) -> Self:
        """Find the levels.

        Args:
            data: The training records: a pandas, Polars or Arrow table, or a path.
            policy: One requirement with a k, and a class.
        """
        self._fit(data, read_policy(policy))
        return self

    def transform(self, data: Any) -> Any:
        """Show records at the levels found.

        An unknown category is shown as the root, a number outside the range in
        the outermost range. Where training records were suppressed, a record is
        suppressed unless its group was kept. Records and columns that the policy
        drops are left out.
        """
        return self._show(look(data, check_fitted(self._key, self)))

    def fit_transform(self, data: Any, policy: str | Path | Mapping[str, Any] | Policy) -> Any:
        """Find the levels for some records and show the records at them."""
        return self._show(self._fit(data, read_policy(policy)).rows)

    def _fit(self, data: Any, asked: Policy) -> Task:
        self._check()
        task = take_task(data, asked)
        given = dict(self.borders or {})
        for name in given:
            if name not in asked.masked:
                msg = f"`borders` has `{name}`, which the policy does not mask.{did_you_mean(name, asked.masked)}"
                raise InputError(msg + " Leave it out.")
        levels = tuple(make_levels(column, self.n_ranges, given.get(column.name)) for column in task.key.columns)
        lattice = Lattice(
            [self._shown(one, one.code(cells)) for one, cells in zip(levels, task.rows.cells, strict=True)],
            task.classes,
            task.n_classes,
            task.k,
            math.floor(self.suppress * len(task.classes) + 1e-9),
        )
        self.n_nodes_ = lattice.n_nodes
        if lattice.n_open > MOST_NODES:
            msg = (
                f"The attributes have {lattice.n_open:,} combinations of levels, more than {MOST_NODES:,}. "
                "Lower n_ranges, or give borders with fewer levels."
            )
            raise InputError(msg)
        best = lattice.search()
        self._key, self._levels = task.key, levels
        self.levels_ = {one.name: level for one, level in zip(levels, best.levels, strict=True)}
        self.n_rows_ = len(task.classes)
        self.n_suppressed_, self.n_groups_ = best.n_suppressed, best.n_groups
        self.penalty_ = best.penalty
        self.cm_ = best.penalty / self.n_rows_
        self.n_checked_ = lattice.n_checked
        self._kept = None
        if best.n_suppressed:
            sizes = Counter(zip(*self._labels(task.rows).values(), strict=True))
            self._kept = {row for row, size in sizes.items() if size >= task.k}
        return task

    def _check(self) -> None:
        if not 0 <= self.suppress < 1:
            msg = f"`suppress` is a share, at least 0 and below 1; found {self.suppress}."
            raise InputError(msg)
        if self.n_ranges < 1 or self.n_ranges & (self.n_ranges - 1):
            msg = f"`n_ranges` is a power of two, such as 16; found {self.n_ranges}."
            raise InputError(msg)

    @staticmethod
    def _shown(levels: Levels, codes: Ints) -> list[Ints]:
        return [levels.numbered(level)[0][codes] for level in range(len(levels.labels))]

    def _labels(self, rows: Rows) -> dict[str, NDArray[np.object_]]:
        return {
            one.name: np.array(one.labels[self.levels_[one.name]], object)[one.code(cells)]
            for one, cells in zip(self._levels, rows.cells, strict=True)
        }

    def _show(self, rows: Rows) -> Any:
        labels = self._labels(rows)
        if self._kept is not None:
            gone = np.array([row not in self._kept for row in zip(*labels.values(), strict=True)], np.bool_)
            labels = {name: np.where(gone, HIDDEN, texts) for name, texts in labels.items()}
        return show(rows, labels)
