"""Two releases of the same people: what somebody learns who holds both.

Each is recounted as `audit` does. Whether together they keep what each keeps is
decided from their labels and group sizes, as `attacks.two_releases` says; there
need not be a key that joins them.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from maskwise.attacks.composition import attack_two_releases
from maskwise.attacks.two_releases import count_groups, join_groups, unique_links
from maskwise.formats.policy_file import read_policy
from maskwise.pipeline import audit
from maskwise.policy.number_columns import reading_of_release
from maskwise.release.escape import original_text, safe_name
from maskwise.table.endpoints import closing, open_data
from maskwise.values.memory import parse_memory
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from maskwise.attacks.attack import Attack
    from maskwise.policy.policy import Policy
    from maskwise.table.table import Table
    from maskwise.verify.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Composition:
    """Two releases, each by itself and both together."""

    verdicts: tuple[Verdict, Verdict]
    """The recount of each."""
    attack: Attack
    """What both tell together."""

    @property
    def is_met(self) -> bool:
        """Whether every requirement holds in each release by itself."""
        return all(verdict.is_met for verdict in self.verdicts)


def compose(
    first: Any,
    second: Any,
    policy: str | Path | Mapping[str, Any] | Policy,
    *,
    escape_formulas: bool = False,
    engine: Any = None,
    memory: str | None = None,
) -> Composition:
    """Recount two releases of the same people, and decide whether both together keep what each keeps.

    Args:
        first: A release, as in `anonymize`.
        second: Another release of the same people.
        policy: As in `anonymize`.
        escape_formulas: As in `audit`.
        engine: As in `anonymize`.
        memory: As in `anonymize`.

    Example:
        >>> import pyarrow as pa
        >>> one, other = (pa.table({"Age": cells}) for cells in (["[1, 9]"] * 4, ["[1, 5)"] * 2 + ["[5, 9]"] * 2))
        >>> compose(one, other, {"requirements": [{"qid": ["Age"], "k": 2}]}).attack.result
        <AttackResult.PASSED: 'passed'>
    """
    asked = read_policy(policy)
    how: dict[str, Any] = {"escape_formulas": escape_formulas, "engine": engine, "memory": memory}
    verdicts = (audit(first, asked, **how), audit(second, asked, **how))
    reading = reading_of_release(asked)
    with ExitStack() as stack:
        tables = []
        for data in (first, second):
            table = open_data(data, engine, None, parse_memory(memory), reading)
            stack.enter_context(closing(table))
            if escape_formulas:
                asked_name = {safe_name(name): name for name in asked.masked}
                table = replace(table, names=tuple(asked_name.get(name, name) for name in table.names))
            tables.append(table)
        attack = _attack((tables[0], tables[1]), asked, verdicts, original_text if escape_formulas else str)
    return Composition(verdicts, attack)


def _attack(
    tables: tuple[Table, Table], policy: Policy, verdicts: tuple[Verdict, Verdict], read_text: Callable[[str], str]
) -> Attack:
    """Put two releases together on every QID."""
    smallest: dict[tuple[str, ...], int | None] = {}
    for requirement in policy.requirements:
        asked = max(smallest.get(requirement.qid) or 0, requirement.k or 0)
        smallest[requirement.qid] = asked or None
    found = []
    for qid, k in smallest.items():
        groups = (count_groups(tables[0], qid, read_text), count_groups(tables[1], qid, read_text))
        found.append(join_groups(qid, groups, policy.trees, k))
    links = _link_columns(tables, policy)
    return attack_two_releases(found, [not verdict.is_met for verdict in verdicts], unique_links(tables, links), links)


def _link_columns(tables: tuple[Table, Table], policy: Policy) -> list[str]:
    """The columns that both releases show alike: those that were not masked, and masked ones with equal labels."""
    masked = {*policy.masked, *(attribute.name for attribute in policy.fixed)}
    person = None if policy.person is None else policy.person.column
    shared = [name for name in tables[0].names if name in tables[1].names and name != person]
    countable = [name for name in shared if all(table.is_countable(name) for table in tables)]
    return [name for name in countable if name not in masked or _labels(tables[0], name) == _labels(tables[1], name)]


def _labels(table: Table, name: str) -> set[str | None]:
    found = table.distinct(name)
    return {*(text_of(key) for key in found.keys.to_pylist()), *([None] if found.n_missing else [])}
