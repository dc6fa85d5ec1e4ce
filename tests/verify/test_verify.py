"""The recount against pandas."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwise import Confidence, InputError, KAnonymity, audit
from maskwise.table.read import read
from maskwise.verify.verify import verify

ROWS = st.lists(
    st.tuples(st.sampled_from("ab") | st.none(), st.sampled_from("xyz"), st.sampled_from(["flu", "hiv"]) | st.none()),
    min_size=1,
    max_size=40,
)


@settings(max_examples=50)
@given(rows=ROWS, k=st.integers(1, 6))
def test_groups_are_those_of_pandas(rows: list[tuple[str | None, str, str | None]], k: int) -> None:
    frame = pd.DataFrame(rows, columns=["A", "B", "Ill"]).astype(object)
    share = Fraction(1, 2)
    asked = [KAnonymity(("A", "B"), k), Confidence(("A",), (("Ill", "hiv", share), ("Ill", None, share)))]
    verdict = verify(read(frame), asked)
    sizes = frame.groupby(["A", "B"], dropna=False).size()
    groups, shares = verdict.findings
    assert verdict.n_rows == len(rows)
    assert (groups.n_groups, groups.anonymity, groups.figure) == (len(sizes), sizes.min(), sizes.min())
    assert groups.n_violating_groups == (sizes < k).sum()
    assert groups.n_violating_records == sizes[sizes < k].sum()
    assert groups.is_met == (sizes.min() >= k)
    by_a = frame.assign(hiv=frame["Ill"].eq("hiv"), gone=frame["Ill"].isna()).groupby("A", dropna=False)
    largest = max(by_a["hiv"].mean().max(), by_a["gone"].mean().max())
    assert shares.figure == pytest.approx(largest)
    assert shares.is_met == (largest <= 0.5)


def test_a_column_that_is_not_there_cannot_be_recounted() -> None:
    with pytest.raises(InputError, match="Column `B`"):
        verify(read(pd.DataFrame({"A": [1]})), [KAnonymity(("B",), 2)])


def test_sizes_are_counted_in_ranges_of_k() -> None:
    frame = pd.DataFrame({"A": [i for i, n in enumerate([1, 2, 4, 9, 30]) for _ in range(n)]})
    (finding,) = verify(read(frame), [KAnonymity(("A",), 2)]).findings
    counted = {(low, high): (groups, records) for low, high, groups, records in finding.histogram()}
    assert counted == {
        (1, 1): (1, 1),
        (2, 3): (1, 2),
        (4, 9): (2, 13),
        (10, 19): (0, 0),
        (20, 199): (1, 30),
        (200, None): (0, 0),
    }
    assert finding.quantile(0.5) == 4


TOLD_APART = {
    "whole numbers beyond 2 ** 53": pa.array([2**63 + i for i in range(40)], pa.uint64()),
    "signed whole numbers": pa.array([2**60 + i for i in range(40)], pa.int64()),
    "decimals": pa.array([Decimal(10**25 + i) for i in range(40)], pa.decimal128(38, 0)),
    "nanoseconds": pa.array(range(40), pa.timestamp("ns")),
    "floats": pa.array([0.1 + i / 2**54 for i in range(40)], pa.float64()),
    "half precision": pa.array([1 + i / 1024 for i in range(40)], pa.float32()),
}


@pytest.mark.parametrize("cells", TOLD_APART.values(), ids=TOLD_APART)
def test_cells_that_a_recipient_tells_apart_are_groups_of_their_own(cells: pa.Array) -> None:
    n_distinct = len(set(cells.to_numpy(zero_copy_only=False).tolist())) if cells.type != pa.timestamp("ns") else 40
    (finding,) = audit(pa.table({"Id": cells}), {"requirements": [{"qid": ["Id"], "k": 2}]}).findings
    assert finding.n_groups == n_distinct


def test_no_number_is_told_apart_from_no_cell_and_from_other_zeros() -> None:
    cells = pa.array([None, float("nan"), 0.0, -0.0, float("inf"), float("-inf")], pa.float64())
    (finding,) = audit(pa.table({"Id": cells}), {"requirements": [{"qid": ["Id"], "k": 2}]}).findings
    assert (finding.n_groups, finding.figure) == (6, 1)
