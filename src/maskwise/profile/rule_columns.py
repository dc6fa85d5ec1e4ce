"""The values of a column by a rule: its cells become what the rule's finest level makes of them.

So a column has no more values than can ever be told apart, and its tree is that
of the values at hand. Of very many values those are put together that are too
rare to be shown by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.errors import InputError, plural, quote
from maskwise.policy.rules.base import PathTree
from maskwise.profile.spelling_advice import advise_on_dates
from maskwise.values.file_words import file_words
from maskwise.values.message import Audience, Level, Message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from maskwise.policy.policy import Policy
    from maskwise.policy.rules.rule_tree import RuleTree
    from maskwise.policy.taxonomy import Taxonomy

    Ints = NDArray[np.int64]

MOST_LEAVES = 65_536
"""With more leaves than this, rare ones are put together."""
_SHOWN = 5
"""How many offending values a message lists."""
_OF_DATES = frozenset({"calendar", "weekday", "season", "time_of_day"})
"""The rules that read dates and times."""
_SHARED = 10
"""A value of so many records is no person's own."""


@dataclass(frozen=True, slots=True)
class PlacedValues:
    """The cells of a column in the tree of a rule."""

    taxonomy: Taxonomy
    """The tree; every leaf is a value of the column."""
    leaves: tuple[str, ...]
    """The values."""
    value_of_text: Ints  # (n_texts,)
    """The value that each cell stands for."""


def place_values(
    policy: Policy, name: str, rule: RuleTree, texts: Sequence[str], n_records: Ints, floor: int = 0
) -> PlacedValues:
    """Find the values of a column by its rule.

    Args:
        policy: What was asked.
        name: The column.
        rule: Its rule.
        texts: Its cells.
        n_records: The records of each.
        floor: What fewer records have is never shown; where there are very many leaves, a label all of whose children
            have fewer records is a leaf itself.

    Claim: putting rare values together takes away no label that may be shown. A label below the floor is shown in no
    state, so a label that has only such ones below it is never refined.
    """
    tree = PathTree(rule.root)
    paths = [rule.path(text) for text in texts]
    if any(path is None for path in paths):
        lost = [text for text, path in zip(texts, paths, strict=True) if path is None]
        refuse_unread(policy, name, rule, lost, dict(zip(texts, n_records.tolist(), strict=True)))
    placed = np.array([tree.place(path) for path in paths if path is not None], np.int64)
    tree.refuse_ambiguous(rule.rule.key, placed.tolist())
    kept: set[int] | None = None
    if floor > 1 and len(np.unique(placed)) > MOST_LEAVES:
        placed, kept = _without_rare(np.array(tree.parents, np.int64), placed, n_records, floor)
    taxonomy = tree.taxonomy(kept)
    leaves = taxonomy.leaves() if len(texts) else ()
    at = {label: i for i, label in enumerate(leaves)}
    value_of_node = {node: at[tree.labels[node]] for node in np.unique(placed).tolist()}
    numbers = np.array([value_of_node[node] for node in placed.tolist()], np.int64)
    return PlacedValues(taxonomy, leaves, numbers)


def _without_rare(parents: Ints, placed: Ints, n_records: Ints, floor: int) -> tuple[Ints, set[int]]:
    """Put together what is below a label all of whose children are too rare; parents have smaller numbers."""
    above = parents.tolist()
    total = np.bincount(placed, weights=n_records, minlength=len(above)).astype(np.int64).tolist()
    largest = [0] * len(above)
    for at in range(len(above) - 1, 0, -1):
        total[above[at]] += total[at]
        largest[above[at]] = max(largest[above[at]], total[at])
    stands_for = [0] * len(above)
    for at in range(1, len(above)):
        up = above[at]
        is_kept = stands_for[up] == up and largest[up] >= floor
        stands_for[at] = at if is_kept else stands_for[up]
    found = np.array(stands_for, np.int64)
    return found[placed], set(found.tolist())


def refuse_unread(policy: Policy, name: str, rule: RuleTree, lost: Sequence[str], n_records: Mapping[str, int]) -> None:
    """Refuse a column some of whose values its rule cannot read, without telling a rare or a sensitive one.

    Args:
        policy: What was asked.
        name: The column.
        rule: Its rule.
        lost: The values that it cannot read.
        n_records: Every value of the column, with its records.
    """
    n_lost = sum(n_records[text] for text in lost)
    quoted = [] if name in policy.sensitive else [text for text in lost if n_records[text] >= _SHARED][:_SHOWN]
    rest = f"{len(lost) - len(quoted):,} more" if len(lost) > len(quoted) else ""
    listed = f": {' and '.join(filter(None, [quote(quoted), rest]))}" if quoted else ""
    them = "it" if len(lost) == 1 else "them"
    what = f"the rule `{rule.rule.key}`" + (" and its taxonomy do" if rule.over is not None else " does")
    advice = f"{advise_on_dates(name, lost, policy.reading)} Else clean" if rule.rule.key in _OF_DATES else "Clean"
    msg = (
        f"{policy.at(('attributes', name))}Column `{name}` holds {plural(len(lost), 'value')} in "
        f"{plural(n_lost, 'record')} that {what} not cover{listed}. {advice} the data, leave {them} empty, or give "
        f"{them} a place of {'its' if len(lost) == 1 else 'their'} own{file_words('other: under LABEL')}."
    )
    raise InputError(msg)


def unread_warning(
    policy: Policy, name: str, rule: RuleTree, texts: Sequence[str], n_records: Ints
) -> tuple[Message, ...]:
    """Warn of a column most of whose values its rule cannot read, so that nearly all of it goes under one label.

    Args:
        policy: What was asked.
        name: The column.
        rule: Its rule.
        texts: Its cells.
        n_records: The records of each.
    """
    if rule.other is None:
        return ()
    is_other = np.array([rule.path(text) == (rule.other,) for text in texts], np.bool_)
    n_other, n_all = int(n_records[is_other].sum()), int(n_records.sum())
    if 2 * n_other <= n_all:
        return ()
    advice = f"The rule `{rule.rule.key}` does not fit this column: choose another one, or clean the data."
    if rule.rule.key in _OF_DATES:
        unread = [text for text, odd in zip(texts, is_other.tolist(), strict=True) if odd]
        advice = advise_on_dates(name, unread, policy.reading)
    nothing = "nothing" if n_other == n_all else "little"
    text = (
        f"{policy.at(('attributes', name))}`{name}` shows {nothing}: the rule `{rule.rule.key}` cannot read the values "
        f"of {n_other:,} of {plural(n_all, 'record')}, so they all go under `{rule.other}`. {advice}"
    )
    return (Message(Level.WARNING, Audience.OWNER, text),)
