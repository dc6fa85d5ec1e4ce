"""Looks at the columns of a release before it is written: what they tell beside what is masked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from maskwise.engines.base import Feature
from maskwise.errors import InputError
from maskwise.profile.identifier_warning import forgotten_identifiers
from maskwise.profile.person_keys import repeated_person_keys, warn_of_keys
from maskwise.release import mask as masking
from maskwise.release.leak_messages import leak_messages, refuse_leaks
from maskwise.release.leaks import find_leaks
from maskwise.table.random_part import one_of_each, take_part
from maskwise.values.message import Audience, Level, Message

if TYPE_CHECKING:
    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Profile
    from maskwise.release.leaks import Leak
    from maskwise.solution.solution import Solution
    from maskwise.table.random_part import RandomPart
    from maskwise.table.table import Table

_MOST_QIDS = 20
"""On so many quasi-identifiers the values of a likely key of persons are counted."""


@dataclass(frozen=True, slots=True)
class ColumnsCheck:
    """What the columns of a release tell."""

    messages: tuple[Message, ...]
    """What the owner is warned of."""
    leaks: tuple[Leak, ...] | None
    """The columns that tell a masked one, largest share first; None if they could not be looked at."""


def check_released_columns(
    table: Table, policy: Policy, solution: Solution, profile: Profile, *, strict: bool = False
) -> tuple[Message, ...]:
    """The warnings of `look_at_columns`."""
    return look_at_columns(table, policy, solution, profile, strict=strict).messages


def look_at_columns(
    table: Table, policy: Policy, solution: Solution, profile: Profile, *, strict: bool = False
) -> ColumnsCheck:
    """Warn of columns that tell a masked one, of likely identifiers and of keys of persons with several records.

    A large table is looked at in a random part.

    Args:
        table: The records, unmasked.
        policy: What was asked.
        solution: What is shown.
        profile: The distinct cells of the masked attributes.
        strict: Refuse a column that tells a masked one.
    """
    try:
        if policy.person is None:
            part = take_part(table, profile.n_rows)
        else:
            # What tells one record of a person tells them all, and ten records of a person are no ten people.
            part = take_part(one_of_each(table, policy.person.column), profile.n_counted)
        leaks = find_leaks(part, solution, profile.columns, policy)
        warnings = leak_messages(leaks, part)
        identifiers, keys = _find_identifiers(table, policy, part)
        others = (*identifiers, *_warn_of_keys(table, policy, solution, profile, keys))
    except InputError as error:
        # A damaged file of this machine is complained of where it is read to its end, with its name. What a server or
        # a cluster says, such as that it is lost or was told to stop, is not passed over.
        if strict or not table.engine.can(Feature.RECORD_ORDER):
            raise
        text = f"What the released columns tell could not be checked: {error}"
        return ColumnsCheck((Message(Level.WARNING, Audience.OWNER, text),), None)
    if strict:
        refuse_leaks(warnings)
    return ColumnsCheck((*warnings, *others), leaks)


def _find_identifiers(table: Table, policy: Policy, part: RandomPart) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    """Warnings of likely identifiers, and keys of persons; kept where a table is asked about again.

    They follow from the raw columns that are released, whatever is asked of those that are masked.
    """
    named = (policy.masked, policy.sensitive, policy.fixed, policy.dropped(table.names), policy.keep)
    key = ("identifiers", table.expr.op(), *map(repr, (*named, policy.class_name, policy.person)))
    return table.kept.get(key, lambda: (forgotten_identifiers(part, policy), repeated_person_keys(table, policy, part)))


def _warn_of_keys(
    table: Table, policy: Policy, solution: Solution, profile: Profile, keys: tuple[str, ...]
) -> tuple[Message, ...]:
    """Warn of keys of persons, with how many values of the first the smallest group of the release has."""
    asked = {frozenset(part.qid): part for one in policy.requirements for part in one.parts if part.min_group > 1}
    if not keys or not asked:
        return warn_of_keys(keys, None, 0)
    person = "person_key"
    with_key = replace(table, expr=table.expr.mutate(**{person: table.hashed(keys[0])}))
    masked = masking.mask(with_key, solution, profile.columns)
    found = []
    for part in sorted(asked.values(), key=lambda part: -len(part.qid))[:_MOST_QIDS]:
        groups = masked.expr.group_by([masked.column(name) for name in part.qid])
        groups = groups.agg(n=masked.expr[person].nunique())
        (row,) = table.engine.fetch(groups.aggregate(n=groups["n"].min())).to_pylist()
        found.append((int(row["n"]), part.min_group))
    return warn_of_keys(keys, *min(found, key=lambda one: one[0] - one[1]))
