"""Sensitive columns: their distinct values, and whether requirements can speak of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from maskwise.errors import PolicyError, did_you_mean, plural
from maskwise.policy.requirements.closeness import Closeness, Distance
from maskwise.policy.requirements.confidence import Template
from maskwise.policy.requirements.k_anonymity import KAnonymity
from maskwise.profile.columns import Sensitive
from maskwise.values.spelling import has_order, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from maskwise.policy.policy import Policy
    from maskwise.policy.requirements.all import Part, Requirement
    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.table.table import Table

MOST_VALUES = 256
"""Above so many values diversity and closeness want the column grouped: a group has a counter for each."""


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
    if isinstance(part, KAnonymity):
        return []
    column = sensitive[part.sensitive]
    if isinstance(part, Template):
        return [] if column.n_records(part.value) else [_nowhere(part.sensitive)]
    n_values = len(column.values())
    if n_values > MOST_VALUES:
        msg = (
            f"{at}The sensitive column `{part.sensitive}` has {n_values:,} different values; diversity and closeness "
            f"count up to {MOST_VALUES}. Group them into a column of its own."
        )
        raise PolicyError([msg])
    if isinstance(part, Closeness) and part.distance is Distance.ORDERED:
        if not part.order and not has_order(column.texts):
            msg = (
                f"{at}The values of `{part.sensitive}` have no order of their own. Name it, as in order: [low, high], "
                "or use distance: equal."
            )
            raise PolicyError([msg])
        lost = n_values - len(column.values(part.order))
        if part.order and lost:
            them = "it" if lost == 1 else "them"
            msg = f"{at}The order of `{part.sensitive}` lacks {plural(lost, 'value')} of the table. Add {them}."
            raise PolicyError([msg])
    return []


@dataclass(frozen=True, slots=True)
class Unseen:
    """A value that a policy protects and no record has: most likely it is misspelt, and nobody is protected."""

    at: str
    """Where it stands in its file."""
    column: str
    """The sensitive column."""
    value: str
    """The value as the policy spells it; no cell of the data is spelled so."""
    ask: str
    """What to look at. Another spelling is one of the policy's own, never one of the data."""

    @property
    def note(self) -> str:
        """What `check_values` says of it, which may accompany a release."""
        return self.at + _nowhere(self.column)

    @property
    def warning(self) -> str:
        """What the owner is told."""
        return f"{self.at}`{self.value}` of `{self.column}` is protected but occurs in no record.{self.ask}"


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
            if not isinstance(part, Template) or part.value is None or sensitive[part.sensitive].n_records(part.value):
                continue
            known = [text for text in said[part.sensitive] if sensitive[part.sensitive].n_records(text)]
            why = ", or is the column masked here" if part.sensitive in masked else ""
            ask = did_you_mean(part.value, known) or f" Is it spelled as in the data{why}?"
            one = Unseen(policy.at(("requirements", i)), part.sensitive, part.value, ask)
            found.setdefault((part.sensitive, part.value), one)
    return tuple(found.values())


def named_values(requirements: Sequence[Requirement], trees: Mapping[str, Taxonomy | None]) -> dict[str, list[str]]:
    """The sensitive columns, each with the values of it that the policy names, so that they are no secret.

    Args:
        requirements: They name protected values, and orders.
        trees: The taxonomies of masked columns, which name values too.
    """
    found: dict[str, list[str]] = {}
    for part in (part for requirement in requirements for part in requirement.parts):
        if not isinstance(part, KAnonymity):
            named = found.setdefault(part.sensitive, [])
            named += [part.value] if isinstance(part, Template) and part.value is not None else []
            named += part.order if isinstance(part, Closeness) else []
    for column, tree in trees.items():
        if tree is not None and column in found:
            found[column] += tree.labels
    return {column: list(dict.fromkeys(named)) for column, named in found.items()}


def _nowhere(column: str) -> str:
    return f"A protected value of `{column}` occurs in no record. Is it spelled as in the data?"
