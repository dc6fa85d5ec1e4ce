"""Sensitive columns: their distinct values, and whether requirements can speak of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.errors import PolicyError, did_you_mean
from maskwise.policy.unseen import Unseen, occurs_nowhere
from maskwise.values.arrow import from_numpy
from maskwise.values.spelling import is_spelled, one_spelling, text_of, value_order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.policy.policy import Policy
    from maskwise.policy.requirements.base import Part, Requirement
    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.table.table import Table

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sensitive:
    """The distinct values of one sensitive column."""

    keys: pa.Array
    """The distinct cells as the engine holds them, without the missing one."""
    texts: tuple[str, ...]
    """How each is spelled."""
    counts: Ints  # (n_keys,)
    """Its records."""
    n_missing: int
    """The records whose cell is missing."""

    def keys_of(self, value: str | None) -> pa.Array | None:
        """The cells spelled like this; None stands for the missing one."""
        return None if value is None else self.keys.filter(from_numpy(self._is(value)))

    def n_records(self, value: str | None) -> int:
        """How many records have this value."""
        return self.n_missing if value is None else int(self.counts[self._is(value)].sum())

    def values(self, order: Sequence[str] = ()) -> tuple[str | None, ...]:
        """Every value once, however it is spelled, in its order or the given one; the missing one last."""
        spelled = {one_spelling(text): text for text in reversed(self.texts)}
        if order:
            place = {one_spelling(text): at for at, text in enumerate(order)}
            known = [text for spelling, text in spelled.items() if spelling in place]
            found = sorted(known, key=lambda text: place[one_spelling(text)])
        else:
            found = sorted(spelled.values(), key=value_order(self.texts))
        return (*found, None) if self.n_missing else tuple(found)

    def counts_of(self, values: Sequence[str | None]) -> Ints:
        """The records of each value."""
        return np.array([self.n_records(value) for value in values], np.int64)

    def _is(self, value: str) -> NDArray[np.bool_]:
        return np.array([is_spelled(text, value) for text in self.texts], np.bool_)


def take_sensitive(table: Table, name: str) -> Sensitive:
    """Count the values of a sensitive column."""
    table.require_sensitive(name)
    found = table.distinct(name)
    return Sensitive(found.keys, tuple(text_of(key) for key in found.keys.to_pylist()), found.counts, found.n_missing)


def check_values(part: Part, sensitive: Mapping[str, Sensitive], at: str) -> list[str]:
    """Refuse a rule that the values of its sensitive column do not allow; return what the owner should know.

    Args:
        part: The rule.
        sensitive: The columns.
        at: Where the rule stands in its file.
    """
    counted = part.counted
    if counted is None:
        return []
    column = sensitive[counted.column]
    mistake = part.misfit(column)
    if mistake is not None:
        raise PolicyError([at + mistake])
    is_unseen = any(not column.n_records(value) for value in counted.values or ())
    return [occurs_nowhere(counted.column)] if is_unseen else []


def unseen_values(policy: Policy, sensitive: Mapping[str, Sensitive], masked: Sequence[str] = ()) -> tuple[Unseen, ...]:
    """The protected values that no record has.

    Nothing is suggested but what the policy itself says of the column: other
    protected values, a named order, the leaves of a tree. Cells that it does
    not name are secret.

    Args:
        policy: What is asked.
        sensitive: The columns.
        masked: Columns that may not show every value any more.
    """
    found: dict[tuple[str, str], Unseen] = {}
    said = named_values(policy.requirements, policy.trees)
    for i, requirement in enumerate(policy.requirements):
        for part in {part.subject: part for part in requirement.parts}.values():
            for column, value in _named_pairs(part):
                if value is None or sensitive[column].n_records(value):
                    continue
                known = [text for text in said[column] if sensitive[column].n_records(text)]
                why = ", or is the column masked here" if column in masked else ""
                ask = did_you_mean(value, known) or f" Is it spelled as in the data{why}?"
                found.setdefault((column, value), Unseen(policy.at(("requirements", i)), column, value, ask))
    return tuple(found.values())


def _named_pairs(part: Part) -> list[tuple[str, str | None]]:
    """Column and value of each sensitive value that a rule names and counts."""
    return [] if part.counted is None else [(part.counted.column, value) for value in part.counted.values or ()]


def named_values(requirements: Sequence[Requirement], trees: Mapping[str, Taxonomy | None]) -> dict[str, list[str]]:
    """The sensitive columns, each with the values of it that the policy names, so that they are no secret.

    Args:
        requirements: They name protected values, and orders.
        trees: The taxonomies of masked columns, which name values too.
    """
    found: dict[str, list[str]] = {}
    for part in (part for requirement in requirements for part in requirement.parts):
        if part.counted is not None:
            found.setdefault(part.counted.column, []).extend(part.counted.named)
    for column, tree in trees.items():
        if tree is not None and column in found:
            found[column] += tree.labels
    return {column: list(dict.fromkeys(named)) for column, named in found.items()}
