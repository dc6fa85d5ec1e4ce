"""Other ways of masking in the same table: other tools' files, and the rivals that come with maskwise."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.errors import InputError, did_you_mean, plural, quote
from maskwise.evaluation.sample import fetch
from maskwise.evaluation.view import foreign, texts
from maskwise.table.read import read
from maskwise.values.arrow import from_numpy
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from maskwise.evaluation.sample import Sample
    from maskwise.evaluation.view import View
    from maskwise.policy.policy import Policy

RIVALS = {"mondrian": "Mondrian", "full-domain": "FullDomain"}


def view_of(sample: Sample, name: str, source: Any) -> View:
    """See another tool's masked table of the same records, in the same order.

    Args:
        sample: The records before they were masked.
        name: What the tool is called.
        source: The masked table.
    """
    table = fetch(read(source))
    if table.num_rows not in {sample.n_read, len(sample.kept)}:
        msg = (
            f"The table of `{name}` has {plural(table.num_rows, 'record')}, but the data has {sample.n_read:,}. "
            "Have the tool write every record, in the same order."
        )
        raise InputError(msg)
    if table.num_rows != len(sample.kept):
        table = table.take(from_numpy(sample.kept))
    _insist_on_order(sample, name, table)
    view = foreign(sample.view, table, sample.policy)
    if not view:
        msg = f"The table of `{name}` has no column of the data but the class. Is it the right file?"
        raise InputError(msg)
    return view


def _insist_on_order(sample: Sample, name: str, table: pa.Table) -> None:
    """Refuse a table whose classes are not the data's, record by record."""
    class_name = sample.policy.class_name
    if class_name is None or class_name not in table.column_names:
        return
    column = table.column(class_name).combine_chunks()
    at = {text: i for i, text in enumerate(sample.class_texts)}
    if set(texts(table, class_name)) <= set(at) and not column.null_count:
        coded = column.dictionary_encode()
        places = np.array([at[text_of(key)] for key in coded.dictionary.to_pylist()], np.int64)
        n_other = int((places[np.asarray(coded.indices)] != sample.classes).sum())
    else:
        n_other = table.num_rows
    if n_other:
        msg = (
            f"The table of `{name}` has another class than the data in {plural(n_other, 'record')}. "
            "Its records must be the data's, in the same order, with the class as it was."
        )
        raise InputError(msg)


def rival(name: str) -> Callable[[], Any]:
    """Find a rival by its name: a class with `fit(table, policy)` and `transform(table)`."""
    if name not in RIVALS:
        msg = f"There is no rival `{name}`. Known are {quote(RIVALS)}.{did_you_mean(name, RIVALS)}"
        raise InputError(msg)
    try:
        found: Callable[[], Any] = getattr(import_module("maskwise.rivals"), RIVALS[name])
    except (ImportError, AttributeError):
        msg = f"The rival `{name}` is not part of this maskwise. Evaluate another tool's file with against instead."
        raise InputError(msg) from None
    return found


def mask_by_rival(name: str, first: pa.Table, later: pa.Table | None, policy: Policy) -> pa.Table:
    """Mask records with a rival, and later ones in the same way.

    Args:
        name: Which rival.
        first: What it learns from.
        later: What it only masks.
        policy: What is asked.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy

    fitted = rival(name)().fit(first, policy)
    tables = [fetch(read(fitted.transform(table))) for table in (first, later) if table is not None]
    return pa.concat_tables(tables, promote_options="permissive").combine_chunks()
