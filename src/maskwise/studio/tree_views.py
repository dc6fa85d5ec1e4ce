"""What a tree makes of a column: the records at each label, the values that have no place."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError
from maskwise.formats.taxonomies.registry import read_taxonomy, recognize_file
from maskwise.policy.attributes import Kind
from maskwise.policy.taxonomy import Taxonomy
from maskwise.policy.taxonomy_check import records_below
from maskwise.session.remarks import read_placed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from maskwise.policy.attributes import Attribute

MOST_OUTSIDE = 1000
"""So many values without a place are listed."""
_ROOT = "*"
_LONGEST_SUFFIX = 10


def view_tree(
    column: str,
    entry: Any,
    values: Sequence[tuple[str, int]],
    make: Callable[[], Taxonomy],
) -> dict[str, Any]:
    """What an entry of a policy makes of a column.

    Args:
        column: Its name.
        entry: What the policy says of it.
        values: Its values, with their records.
        make: Makes the tree of an entry whose tree is made of the table.
    """
    asked = {"attributes": {column: entry}, "requirements": [{"qid": [column], "k": 1}]}
    (attribute,) = read_placed(asked, Path()).attributes
    is_made = attribute.source is not None
    tree = make() if is_made else _tree_of(attribute, [text for text, _ in values])
    return _covered(tree, values, by_rule=attribute.rule is not None)


def import_tree(column: str, name: str, content: bytes, values: Sequence[tuple[str, int]]) -> dict[str, Any]:
    """What a file makes of a column, before it replaces anything.

    Args:
        column: Its name, which chooses among several trees of a file.
        name: What the file is called; its suffix and content say the format.
        content: What is in it.
        values: The column's values, with their records.
    """
    suffix = Path(name).suffix.lower()
    suffix = suffix if suffix[1:].isalnum() and len(suffix) <= _LONGEST_SUFFIX else ""
    with tempfile.TemporaryDirectory(prefix="import-") as folder:
        path = Path(folder) / f"tree{suffix}"
        path.write_bytes(content)
        tree = read_taxonomy(path, column)
        title = recognize_file(path).title
    return {**_covered(tree, values), "format": title, "entry": {"taxonomy": tree.to_nested()}, "column": column}


def _tree_of(attribute: Attribute, texts: Sequence[str]) -> Taxonomy:
    """The tree along which an attribute is generalized."""
    if attribute.taxonomy is not None:
        return attribute.taxonomy
    if attribute.rule is not None:
        return attribute.rule.tree_with(texts)
    if attribute.kind is Kind.SUPPRESS:
        return Taxonomy.from_nested({_ROOT: [text for text in texts if text != _ROOT]})
    msg = f"`{attribute.name}` is shown in intervals, whose tree follows from the search. It cannot be looked at yet."
    raise InputError(msg)


def _covered(tree: Taxonomy, values: Sequence[tuple[str, int]], *, by_rule: bool = False) -> dict[str, Any]:
    """The tree with the records at or below each label.

    Args:
        tree: The tree.
        values: The column's values, with their records.
        by_rule: A rule made it, so that a value may stand above others.
    """
    inner = set() if by_rule else set(tree.parents)
    place = {label: None for i, label in enumerate(tree.labels) if i not in inner}  # in the order of the tree
    placed = {text: n for text, n in values if text in place}
    outside = [(text, n) for text, n in values if text not in place]
    unused = [] if by_rule else [label for label in place if label not in placed]
    counts = records_below(tree, placed, with_inner=by_rule)
    return {
        "tree": tree.to_nested(),
        "counts": dict(zip(tree.labels, counts, strict=True)),
        "outside": outside[:MOST_OUTSIDE],
        "n_outside": len(outside),
        "unused": unused,
    }
