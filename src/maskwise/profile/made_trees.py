"""The trees that a policy asks to be made of the table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from maskwise.errors import InputError, PolicyError, plural, quote
from maskwise.policy.column_tree import tree_from_columns
from maskwise.policy.rules.base import ROOT
from maskwise.policy.rules.from_column import FromColumn
from maskwise.policy.rules.grow import Grow
from maskwise.policy.rules.made import released_sources
from maskwise.policy.taxonomy import Taxonomy
from maskwise.profile.growing.grow import grow_tree
from maskwise.profile.growing.units import take_units
from maskwise.table.column_values import count_rows_of
from maskwise.values.arrow import as_numpy
from maskwise.values.file_words import command_words
from maskwise.values.message import note, private_note
from maskwise.values.spelling import text_of, value_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from maskwise.policy.attributes import Attribute
    from maskwise.policy.policy import Policy
    from maskwise.table.table import Table
    from maskwise.values.message import Message


def with_trees(table: Table, policy: Policy) -> tuple[Attribute, ...]:
    """The attributes of a policy; those whose trees are made of the table have them.

    Args:
        table: The records that are masked.
        policy: What is asked.
    """
    if mistakes := released_sources(policy, table.names):
        raise PolicyError(mistakes)
    masked = set(policy.masked)
    return tuple(
        replace(one, taxonomy=make_tree(table, policy, one)) if one.source is not None and one.name in masked else one
        for one in policy.attributes
    )


def _refuse_root(policy: Policy, name: str, texts: Iterable[str]) -> None:
    """Refuse a value that is spelled like the root."""
    if ROOT in texts:
        msg = (
            f"{policy.at(('attributes', name))}Column `{name}` holds the value `{ROOT}`, which stands for every value "
            "in a tree that is made of the table. Write it otherwise, or leave such cells empty."
        )
        raise InputError(msg)


def made_notes(attributes: Sequence[Attribute]) -> Iterator[Message]:
    """Say of each tree that was made of the table how to read its labels; its owner, how large it is.

    Args:
        attributes: What `with_trees` returned.
    """
    for attribute in attributes:
        name, source, tree = attribute.name, attribute.source, attribute.taxonomy
        if source is None or tree is None:
            continue
        if isinstance(source, Grow):
            yield note(
                f"`{name}` is generalized along a tree that was grown from the table, by {source.by}. A "
                "label such as `{a, b, ...}` stands for the values that it lists and, by the dots, for others that too "
                "few people have to be listed."
            )
        else:
            yield note(f"`{name}` is generalized along what {quote(source.columns)} say of its values.")
        n_values = plural(len(tree.leaves()), "value")
        how = command_words(f"maskwise taxonomy show --policy POLICY --data TABLE --column {name}")
        text = f"The tree of `{name}` has {n_values}{how}."
        yield private_note(text)


def make_tree(table: Table, policy: Policy, attribute: Attribute) -> Taxonomy:
    """Make the tree of an attribute.

    Args:
        table: The records.
        policy: What is asked.
        attribute: One whose tree is made of the table.
    """
    if isinstance(attribute.source, FromColumn):
        return _from_columns(table, policy, attribute.name, attribute.source.columns)
    assert isinstance(attribute.source, Grow)  # noqa: S101 - there are no others
    name = attribute.name
    by_class = [] if policy.class_name is None else [table.column(policy.class_name)]
    groups = table.engine.group(table.expr, [table.column(name), *by_class])
    classes = groups.column(1).to_pylist() if by_class else [None] * groups.num_rows
    labels = sorted(set(classes), key=lambda label: (label is None, text_of(label)))
    cells = groups.column(0).to_pylist()
    spelled = [None if cell is None else text_of(cell) for cell in cells]
    known = list({text: None for text in spelled if text is not None})
    _refuse_root(policy, name, known)
    texts = sorted(known, key=value_order(known))
    at, class_at = {text: i for i, text in enumerate(texts)}, {label: i for i, label in enumerate(labels)}
    counts = np.zeros((len(texts), len(labels)), np.int64)
    for text, label, n in zip(spelled, classes, as_numpy(groups.column("n")).tolist(), strict=True):
        if text is not None:
            counts[at[text], class_at[label]] += n
    people = counts.sum(axis=1) if policy.person is None else _count_persons(table, name, policy.person.column, at)
    floor = policy.floors().get(name, 0)
    return grow_tree(take_units(texts, counts, people, floor), attribute.source.by)


def _from_columns(table: Table, policy: Policy, name: str, above: Sequence[str]) -> Taxonomy:
    names = (name, *above)
    rows = count_rows_of(table, names)
    _refuse_root(policy, name, (row[0] for row in rows if row[0] is not None))
    if not any(row[0] is not None for row in rows):
        return Taxonomy((ROOT,), (-1,))
    try:
        return tree_from_columns(rows, names, ROOT)
    except InputError as error:
        raise InputError(policy.at(("attributes", name)) + str(error)) from None


def _count_persons(table: Table, name: str, person: str, at: dict[str, int]) -> NDArray[np.int64]:
    """How many persons have each value."""
    pairs = table.expr.select(value=table.column(name), person=table.column(person)).distinct()
    groups = table.engine.group(pairs, [pairs["value"]])
    people = np.zeros(len(at), np.int64)
    for cell, n in zip(groups.column(0).to_pylist(), groups.column("n").to_pylist(), strict=True):
        if cell is not None:
            people[at[text_of(cell)]] += n
    return people
