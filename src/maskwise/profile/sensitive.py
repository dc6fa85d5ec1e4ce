"""Sensitive columns: their distinct values, and whether requirements can speak of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import PolicyError, did_you_mean
from maskwise.profile.columns import Sensitive
from maskwise.values.message import Audience, Level, Message, private_note
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from maskwise.policy.policy import Policy
    from maskwise.policy.requirements.base import Part, Requirement
    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.table.table import Table


def take_sensitive(table: Table, name: str) -> Sensitive:
    """Count the values of a sensitive column."""
    table.require_sensitive(name)
    found = table.distinct(name)
    return Sensitive(found.keys, tuple(text_of(key) for key in found.keys.to_pylist()), found.counts, found.n_missing)


def check_values(part: Part, sensitive: Mapping[str, Sensitive], at: str) -> None:
    """Refuse a rule that the values of its sensitive column do not allow.

    Args:
        part: The rule.
        sensitive: The columns.
        at: Where the rule stands in its file.
    """
    if part.counted is not None and (mistake := part.misfit(sensitive[part.counted.column])) is not None:
        raise PolicyError([at + mistake])


def unseen_values(
    policy: Policy, sensitive: Mapping[str, Sensitive], masked: Sequence[str] = ()
) -> tuple[Message, ...]:
    """Warn of protected values that no record has: most likely they are misspelt, and nobody is protected.

    The owner is warned once of each value; recipients are told nothing, since
    which values are protected is no concern of theirs. Nothing is suggested but
    what the policy itself says of the column: other protected values, a named
    order, the leaves of a tree. Cells that it does not name are secret.

    Args:
        policy: What is asked.
        sensitive: The columns.
        masked: Columns that may not show every value any more.
    """
    messages: list[Message] = []
    warned: set[tuple[str, str | None]] = set()
    named = named_values(policy.requirements, policy.trees)
    for i, requirement in enumerate(policy.requirements):
        at = policy.at(("requirements", i))
        for part in {part.subject: part for part in requirement.parts}.values():
            for column, value in _named_pairs(part):
                if sensitive[column].n_records(value) or (column, value) in warned:
                    continue
                warned.add((column, value))
                if value is None:
                    messages.append(private_note(f"{at}The missing value of `{column}` occurs in no record."))
                    continue
                known = [text for text in named[column] if sensitive[column].n_records(text)]
                why = ", or is the column masked here" if column in masked else ""
                question = did_you_mean(value, known) or f" Is it spelled as in the data{why}?"
                text = f"{at}`{value}` of `{column}` is protected but occurs in no record.{question}"
                messages.append(Message(Level.WARNING, Audience.OWNER, text))
    return tuple(messages)


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
