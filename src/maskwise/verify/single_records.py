"""Quasi-identifiers on which a sensitive column is protected but no group size is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import plural
from maskwise.policy.requirements.qid import called
from maskwise.policy.requirements.unit import Unit
from maskwise.values.message import Audience, Level, Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.requirements.base import Requirement
    from maskwise.verify.verdict import Verdict


def warn_of_single_records(verdict: Verdict) -> tuple[Message, ...]:
    """Warn of each QID without a k on it or on more columns, and say how many records stand alone on it.

    A template bounds what is inferred of a value. It does not keep a person from being found.

    Args:
        verdict: The recount of the release.
    """
    asked = [finding.requirement for finding in verdict.findings]
    warnings = []
    for finding in verdict.findings:
        if _has_k(finding.requirement, asked):
            continue
        n_alone = sum(n for size, n in finding.sizes if size == 1)
        unit = finding.unit
        found = f"no {unit} stands" if not n_alone else f"{plural(n_alone, unit)} {_stand(n_alone)}"
        qid = called(finding.requirement.qid)
        text = (
            f"No k is asked on {qid}, so nothing there keeps a person from being found: in this release {found} alone. "
            f"Add {{qid: [{', '.join(finding.requirement.qid)}], k: 10}} to the requirements."
        )
        # Recipients can count records themselves, but not persons.
        audience = Audience.RECIPIENT if unit is Unit.RECORD else Audience.OWNER
        warnings.append(Message(Level.WARNING, audience, text))
    return tuple(dict.fromkeys(warnings))


def _stand(n_records: int) -> str:
    return "stands" if n_records == 1 else "stand"


def _has_k(requirement: Requirement, asked: Sequence[Requirement]) -> bool:
    """Whether every QID of a requirement has a group size, of its own or from more columns."""
    with_size = [set(part.qid) for one in asked for part in one.parts if part.min_group > 1]
    return all(any(set(part.qid) <= qid for qid in with_size) for part in requirement.parts if part.counted is not None)
