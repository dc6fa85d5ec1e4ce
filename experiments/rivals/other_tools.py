"""Tables that other tools masked, opened so that they can be compared with ours."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import pyarrow as pa
import pyarrow.compute as pc

from maskwise.errors import InputError, plural
from maskwise.formats.policy_file import read_policy
from maskwise.policy.attributes import Missing
from maskwise.profile.profile import check_columns
from maskwise.release.frames import as_frame
from maskwise.table.endpoints import closing
from maskwise.table.read import read
from maskwise.values.cells import is_missing
from maskwise.values.parsing import looks_like_code, parse_keys
from maskwise.values.scales import Scale
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maskwise.policy.policy import Policy


def read_masked(source: Any, policy: str | Path | Mapping[str, Any] | Policy, original: Any = None) -> Any:
    """Open a table that another tool masked.

    Every masked attribute and the class become text, whatever labels the tool
    uses, so that each label is a category. Other columns of a csv are numbers
    where all their cells are. A csv may be separated by comma, semicolon, tab or
    bar. The policy's attributes and class must be among the columns.

    Args:
        source: A path (the result is an Arrow table) or a pandas, Polars or Arrow table (the result is of its kind).
        policy: The policy that the tool had to meet.
        original: The table that was masked, or its number of records, to check that none was lost; records that the
            policy leaves out for a missing cell do not count.

    Example:
        >>> import pyarrow as pa
        >>> masked = pa.table({"Age": [30, 30], "Risk": ["lo", "hi"]})
        >>> policy = {"class": "Risk", "requirements": [{"qid": ["Age"], "k": 2}]}
        >>> read_masked(masked, policy, original=2)["Age"].to_pylist()
        ['30', '30']
    """
    parsed_policy = read_policy(policy)
    table = read(source)
    check_columns(table, replace(parsed_policy, attributes=(), person=None), with_drop=False)
    with closing(table):
        n_rows = table.n_rows()
        expected = n_rows if original is None else _n_records(original, parsed_policy)
        if n_rows != expected:
            msg = (
                f"`{table.source}` has {plural(n_rows, 'record')}, but the original has {expected:,}. "
                "Have the tool write suppressed records too, with `*` in their cells."
            )
            raise InputError(msg)
        names = [*parsed_policy.masked, *([] if parsed_policy.class_name is None else [parsed_policy.class_name])]
        if isinstance(source, str | Path):
            loaded = as_frame(table)
            for i, name in enumerate(loaded.column_names):
                if name not in names:
                    loaded = loaded.set_column(i, name, _numbers_or_text(loaded.column(name)))
            source = loaded
        frame = nw.from_native(source, eager_only=True)
    texts = [
        nw.new_series(name, _texts(frame[name].to_list()), nw.String, backend=frame.implementation) for name in names
    ]
    return frame.with_columns(*texts).to_native()


def _n_records(original: Any, policy: Policy) -> int:
    if isinstance(original, int):
        return original
    table = read(original)
    with closing(table):
        for name in policy.masked:
            table.require(name)
        return (table.without_missing(policy.masked) if policy.missing is Missing.DROP else table).n_rows()


def _texts(cells: list[Any]) -> list[str | None]:
    return [None if is_missing(cell) else text_of(cell) for cell in cells]


def _numbers_or_text(column: pa.ChunkedArray) -> Any:
    keys = column.combine_chunks().drop_null()
    if not pa.types.is_string(column.type) or not len(keys) or looks_like_code(keys):
        return column
    parsed = parse_keys(keys)
    if parsed is None or not parsed.known.all() or parsed.scale not in {Scale.INTEGER, Scale.REAL}:
        return column
    number_type = pa.int64() if parsed.scale is Scale.INTEGER else pa.float64()
    return pc.utf8_ltrim(pc.ascii_trim_whitespace(column), "+").cast(number_type)
