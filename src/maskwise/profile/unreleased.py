"""Requirements on columns that a release does not show as they are: what an audit of the release cannot recount."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import PolicyError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Sensitive
    from maskwise.table.table import Table

_REMEDY = (
    "`maskwise mask` counted it before it wrote the release. Audit a table that has the column as it was, or take the "
    "requirement out of the policy to audit the others"
)


def refuse_unreleased(table: Table, policy: Policy) -> None:
    """Refuse an audit of a table from which a sensitive column was left out, as the policy asks."""
    _refuse(policy, {name: "is dropped" for name in policy.drop if name not in table.names})


def refuse_generalized(sensitive: Mapping[str, Sensitive], policy: Policy) -> None:
    """Refuse an audit of a table in which a sensitive column is generalized, as the policy asks."""
    why: dict[str, str] = {}
    for attribute in policy.fixed:
        tree, depth = attribute.taxonomy, attribute.release
        if attribute.name not in sensitive or depth is None:
            continue
        if attribute.rule is not None:
            cells = set(sensitive[attribute.name].texts)
            if cells and not any(map(attribute.rule.rule.path, cells)):
                why[attribute.name] = "is released generalized"
            continue
        if tree is None:
            continue
        cells, shown = set(sensitive[attribute.name].texts), set(tree.level(depth))
        if cells <= {*shown, tree.root} and cells - set(tree.leaves()):
            why[attribute.name] = "is released generalized"
    _refuse(policy, why)


def _refuse(policy: Policy, why: Mapping[str, str]) -> None:
    mistakes = [
        f"{policy.at(('requirements', i, 'sensitive'))}`{name}` {why[name]}, so {requirement.asks()} cannot be "
        f"recounted from this table. {_REMEDY}."
        for i, requirement in enumerate(policy.requirements)
        for name in requirement.columns[len(requirement.qid) :]
        if name in why
    ]
    if mistakes:
        raise PolicyError(mistakes)
