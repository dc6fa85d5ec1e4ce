"""Taxonomies of columns that no search masks: what requirements say of them, and how they are released."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import quote
from maskwise.policy.requirements.any_of import AnyOf, is_prefix
from maskwise.policy.requirements.grouping import GroupedBy
from maskwise.policy.rules.rule_tree import RuleTree

if TYPE_CHECKING:
    from collections.abc import Collection

    from maskwise.policy.policy import Policy
    from maskwise.policy.requirements.base import Requirement


def tree_mistakes(policy: Policy) -> list[str]:
    """What is wrong with the way a policy speaks of trees outside the search."""
    mistakes = []
    masked = set(policy.masked)
    for i, requirement in enumerate(policy.requirements):
        at = policy.at(("requirements", i))
        mistakes += [
            f"{at}`{name}` is grouped by the levels of its taxonomy, but has none. Add one under `attributes`, such as "
            f"{name}: {{taxonomy: {name}.yaml}}, or use `by: prefix 1`."
            for name in columns_by_level([requirement])
            if policy.trees.get(name) is None
        ]
        mistakes += [
            f"{at}`{name}` is masked by another requirement, so values that begin alike cannot be counted in the "
            "release. Name the values in `any` one by one, or a value of the taxonomy above them."
            for name in dict.fromkeys(_columns_by_prefix(requirement, policy))
            if name in masked
        ]
    for attribute in policy.fixed:
        at = policy.at(("attributes", attribute.name))
        if attribute.name in masked:
            mistakes.append(
                f"{at}`{attribute.name}` is in a quasi-identifier, so the search decides what it shows. Take out "
                "`release`."
            )
        elif attribute.name == policy.class_name or attribute.name in policy.drop:
            role = "the class, which is released as it is" if attribute.name == policy.class_name else "dropped"
            mistakes.append(f"{at}`{attribute.name}` is {role}. Take out `release`.")
    return mistakes


def columns_by_level(requirements: Collection[Requirement]) -> tuple[str, ...]:
    """The sensitive columns whose values are grouped by the levels of their tree."""
    counted = [part.counted for requirement in requirements for part in requirement.parts]
    found = [one.column for one in counted if one is not None and one.by and one.by.kind is GroupedBy.LEVEL]
    return tuple(dict.fromkeys(found))


def unreleased(policy: Policy) -> tuple[str, ...]:
    """The sensitive columns that the release shows in another way, or not at all."""
    generalized = {attribute.name for attribute in policy.fixed}
    return tuple(name for name in policy.sensitive if name in generalized or name in policy.drop)


def describe_unreleased(policy: Policy) -> list[str]:
    """Say where columns are counted that the release does not show, in words that may accompany it."""
    dropped = [name for name in unreleased(policy) if name in policy.drop]
    generalized = [name for name in unreleased(policy) if name not in dropped]
    texts = []
    if dropped:
        texts.append(f"What is asked of {quote(dropped)} was counted before the column was left out.")
    if generalized:
        texts.append(
            f"What is asked of {quote(generalized)} was counted on the raw values, which the release shows generalized."
        )
    return texts


def _columns_by_prefix(requirement: Requirement, policy: Policy) -> list[str]:
    """The sensitive columns of which a union names values that begin alike, or labels that a rule makes."""
    found = []
    for part in requirement.parts:
        unions = [] if part.counted is None else [v for v in part.counted.values or () if isinstance(v, AnyOf)]
        for union in unions:
            assert part.counted is not None  # noqa: S101 - it has a union
            tree = policy.trees.get(part.counted.column)
            if isinstance(tree, RuleTree):
                # What a rule makes of masked cells cannot be told from the cells.
                if not all(text is None or tree.is_value(text) for text in union.elements):
                    found.append(part.counted.column)
                continue
            labels = () if tree is None else tree.labels
            if any(text is not None and is_prefix(text) and text not in labels for text in union.elements):
                found.append(part.counted.column)
    return found
