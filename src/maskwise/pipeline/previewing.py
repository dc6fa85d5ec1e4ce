"""Look at the trees that a policy asks to be made of a table, before anything is masked along them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError
from maskwise.formats.policy_file import read_policy
from maskwise.policy.attributes import Missing
from maskwise.policy.taxonomy_check import records_below
from maskwise.policy.tree_drawing import MOST_CHILDREN, draw_values, text_of_line
from maskwise.profile.class_bins import bin_class
from maskwise.profile.made_trees import with_trees
from maskwise.profile.profile import check_columns
from maskwise.table.column_values import count_values
from maskwise.table.endpoints import closing, open_data
from maskwise.values.memory import parse_memory
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from maskwise.policy.policy import Policy
    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.table.table import Table


@dataclass(frozen=True, slots=True)
class TreePreview:
    """A tree that would be made of a table, for its owner."""

    taxonomy: Taxonomy
    """The tree."""
    n_records: Mapping[str, int]
    """The records of each of its leaves."""

    def to_text(self) -> str:
        """The tree drawn as text, with the records of each label; of more than 25 children the rest is counted."""
        counts = records_below(self.taxonomy, self.n_records)
        return "\n".join(map(text_of_line, draw_values(self.taxonomy, counts, most=MOST_CHILDREN)))


def preview_tree(
    data: Any,
    column: str,
    policy: str | Path | Mapping[str, Any] | Policy,
    *,
    engine: Any = None,
    memory: str | None = None,
) -> TreePreview:
    """Make the tree that a policy has for one column, whether it is listed, follows from a rule, or is made.

    Args:
        data: As in `anonymize`.
        column: The column.
        policy: As in `anonymize`.
        engine: As in `anonymize`.
        memory: As in `anonymize`.

    Example:
        >>> import pyarrow as pa
        >>> policy = {"attributes": {"Zip": {"prefix": [3, 1]}}, "requirements": [{"qid": ["Zip"], "k": 5}]}
        >>> print(preview_tree(pa.table({"Zip": ["021", "021", "024"]}), "Zip", policy).to_text())
        *  (3 records)
        └── 0**  (3 records)
            ├── 021  (2 records)
            └── 024  (1 record)
    """
    asked = read_policy(policy)
    attribute = next((one for one in asked.attributes if one.name == column), None)
    if attribute is None or (attribute.source or attribute.taxonomy or attribute.rule) is None:
        msg = f"The policy has no tree for `{column}`. Name a column with a taxonomy, a rule, `grow` or `from_column`."
        raise InputError(msg)
    if attribute.source is not None:
        found = preview_trees(data, asked, engine=engine, memory=memory)
        if column not in found:
            msg = (
                f"No requirement of the policy speaks of `{column}`, so no tree is made for it. Add it to a "
                "quasi-identifier."
            )
            raise InputError(msg)
        return found[column]
    n_records = count_values(data, column, engine=engine, memory=memory).n_records
    tree = attribute.taxonomy if attribute.rule is None else attribute.rule.tree_with(n_records)
    assert tree is not None  # noqa: S101 - one of the two is there
    return TreePreview(tree, n_records)


def preview_entry(
    data: Any,
    column: str,
    entry: Mapping[str, Any],
    *,
    class_name: str | None = None,
    engine: Any = None,
    memory: str | None = None,
) -> TreePreview:
    """Make the tree that an entry of `attributes` would give a column; every value of the column is in it.

    Args:
        data: As in `anonymize`.
        column: The column.
        entry: The entry, such as `{"prefix": [3, 1]}` or `{"grow": "classes"}`.
        class_name: The class, for `grow: classes`.
        engine: As in `anonymize`.
        memory: As in `anonymize`.
    """
    above = entry.get("from_column") or []
    policy: dict[str, Any] = {
        "attributes": {column: dict(entry)},
        "requirements": [{"qid": [column], "k": 1}],
        "drop": [above] if isinstance(above, str) else list(above),
    }
    if class_name is not None:
        policy["class"] = class_name
    return preview_tree(data, column, policy, engine=engine, memory=memory)


def preview_trees(
    data: Any, policy: str | Path | Mapping[str, Any] | Policy, *, engine: Any = None, memory: str | None = None
) -> dict[str, TreePreview]:
    """Make the trees that a policy asks to be made of a table (`grow`, `from_column`), and nothing else.

    They list values of the table, so they are for its owner.

    Args:
        data: As in `anonymize`.
        policy: As in `anonymize`.
        engine: As in `anonymize`.
        memory: As in `anonymize`.

    Returns:
        The trees, by attribute.

    Example:
        >>> import pyarrow as pa
        >>> table = pa.table({"Job": ["cook"] * 12 + ["nurse"] * 20 + ["pilot"] * 11})
        >>> policy = {"attributes": {"Job": {"grow": "frequency"}}, "requirements": [{"qid": ["Job"], "k": 5}]}
        >>> print(preview_trees(table, policy)["Job"].to_text())
        *  (43 records)
        ├── {cook, pilot}  (23 records)
        │   ├── cook  (12 records)
        │   └── pilot  (11 records)
        └── nurse  (20 records)
    """
    asked = read_policy(policy)
    table = open_data(data, engine, None, parse_memory(memory), asked.reading)
    with closing(table):
        return preview_made_trees(table, asked)


def preview_made_trees(table: Table, asked: Policy) -> dict[str, TreePreview]:
    """As `preview_trees`, of a table that is open.

    Args:
        table: The records.
        asked: What is asked.
    """
    check_columns(table, asked)
    if asked.missing is Missing.DROP:
        table = table.without_missing(asked.masked)
    found: dict[str, TreePreview] = {}
    for attribute in with_trees(bin_class(table, asked), asked):
        if attribute.source is not None and attribute.taxonomy is not None:
            cells = table.distinct(attribute.name)
            n_records = dict(zip(map(text_of, cells.keys.to_pylist()), cells.counts.tolist(), strict=True))
            found[attribute.name] = TreePreview(attribute.taxonomy, n_records)
    return found
