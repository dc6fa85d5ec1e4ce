"""Groups of test records that are measured one by one, such as women and men.

The groups are those of a column of the table before it is masked, whether
classifiers see that column or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from maskwise.values.arrow import as_numpy
from maskwise.values.parsing import looks_like_code, parse_keys
from maskwise.values.scales import interval_label
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

MIN_RECORDS = 30
"""A group with fewer test records has no figure of its own: its interval would say nothing."""
MAX_GROUPS = 12
"""A column of more different numbers is cut into quarters; of more other values the most frequent are groups."""
REST = "(others)"
"""All values together that are too rare, or too many, to be groups."""
MISSING = "(missing)"
"""Records whose cell is missing."""


@dataclass(frozen=True, slots=True)
class ColumnGroups:
    """The groups of one column."""

    name: str
    """The column."""
    labels: tuple[str, ...]
    """What the groups are called."""
    of_record: Ints  # (n_rows,)
    """The group of each record."""

    def groups(self, tested: Ints) -> list[tuple[str, NDArray[np.bool_]]]:
        """The groups among test records: what each is called, and which of the test records are in it.

        Those with fewer than `MIN_RECORDS` records, and all but the `MAX_GROUPS` largest, are one group.

        Args:
            tested: The numbers of the test records, in the order of their predictions.
        """
        of_test = self.of_record[tested]
        counts = np.bincount(of_test, minlength=len(self.labels))
        largest = set(np.argsort(-counts, kind="stable")[:MAX_GROUPS].tolist())
        own = [g for g in range(len(self.labels)) if g in largest and counts[g] >= MIN_RECORDS]
        found = [(self.labels[g], of_test == g) for g in own]
        is_rest = ~np.isin(of_test, own)
        return [*found, (REST, is_rest)] if is_rest.any() else found


def group_records(column: pa.ChunkedArray, name: str) -> ColumnGroups:
    """Group the records of a table by a column: by its values, or by quarters of many numbers.

    >>> import pyarrow as pa
    >>> group_records(pa.chunked_array([["M", "F", None, "M"]]), "sex").labels
    ('F', 'M', '(missing)')
    """
    encoded = column.combine_chunks().dictionary_encode()
    keys, codes = encoded.dictionary, as_numpy(pc.fill_null(encoded.indices, -1)).astype(np.int64)
    parsed = None if looks_like_code(keys) else parse_keys(keys)
    if len(keys) > MAX_GROUPS and parsed is not None and parsed.known.all():
        numbers = parsed.numbers[codes[codes >= 0]]
        # The smallest number of each quarter; quarters that one number fills are one.
        lows = np.unique(np.quantile(numbers, [0, 0.25, 0.5, 0.75], method="inverted_cdf"))
        ends = [*lows.tolist(), numbers.max()]
        labels = [
            interval_label(ends[i], ends[i + 1], parsed.scale, closed=i == len(lows) - 1) for i in range(len(lows))
        ]
        of_key = np.searchsorted(lows, parsed.numbers, "right") - 1
    else:
        texts = [text_of(key) for key in keys.to_pylist()]
        labels = sorted(set(texts))
        index = {text: i for i, text in enumerate(labels)}
        of_key = np.array([index[text] for text in texts], np.int64)
    has_missing = bool((codes < 0).any())
    of_record = np.append(of_key, len(labels))[codes].astype(np.int64)
    return ColumnGroups(name, (*labels, *([MISSING] if has_missing else [])), of_record)
