"""Recount any table."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError
from maskwise.formats.policy_file import read_policy
from maskwise.policy.number_columns import reading_of_release
from maskwise.profile.profile import check_columns, check_sensitive
from maskwise.profile.sensitive import named_values, unseen_values
from maskwise.profile.unreleased import refuse_generalized, refuse_unreleased
from maskwise.release.escape import original_text, safe_name
from maskwise.release.publish import recount
from maskwise.table.endpoints import closing, open_data
from maskwise.values.memory import parse_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from maskwise.policy.policy import Policy
    from maskwise.table.table import Table
    from maskwise.verify.verdict import Verdict


@contextmanager
def audited(
    data: Any,
    policy: str | Path | Mapping[str, Any] | Policy,
    *,
    escape_formulas: bool,
    engine: Any,
    memory: str | None,
) -> Iterator[tuple[Table, Policy, Verdict]]:
    """Recount any table and keep it open, to count more of it; the arguments are those of `audit`."""
    asked = read_policy(policy)
    # Whoever holds the table tells its cells apart, whatever the policy takes for a missing one.
    table = open_data(data, engine, None, parse_memory(memory), reading_of_release(asked))
    with closing(table):
        read_text: Callable[[str], str] = str
        if escape_formulas:
            about = () if asked.person is None else (asked.person.column,)
            asked_name = {safe_name(name): name for one in asked.requirements for name in (*one.columns, *about)}
            table = replace(table, names=tuple(asked_name.get(name, name) for name in table.names))
            read_text = original_text
        refuse_unreleased(table, asked)
        check_columns(table, asked, with_drop=False, with_attributes=False)
        sensitive = check_sensitive(table, asked, read_text)
        refuse_generalized(sensitive, asked)
        verdict = recount(table, asked.requirements, escaped=escape_formulas, trees=asked.trees, person=asked.person)
        if not verdict.n_rows:
            msg = f"`{table.source}` has no records, so nothing of it can be said to hold."
            raise InputError(msg)
        verdict = verdict.hiding(named_values(asked.requirements, asked.trees))
        yield table, asked, replace(verdict, messages=unseen_values(asked, sensitive, asked.masked))


def audit(
    data: Any,
    policy: str | Path | Mapping[str, Any] | Policy,
    *,
    escape_formulas: bool = False,
    engine: Any = None,
    memory: str | None = None,
) -> Verdict:
    """Recount any table, also one that another tool masked.

    Args:
        data: As in `anonymize`.
        policy: As in `anonymize`.
        escape_formulas: The table was written with this option, so cells and names are looked for as it spells them.
        engine: As in `anonymize`.
        memory: As in `anonymize`.

    Example:
        >>> import pyarrow as pa
        >>> table = pa.table({"Age": [23, 23, 41], "Sex": ["F", "F", "M"]})
        >>> audit(table, {"requirements": [{"qid": ["Age", "Sex"], "k": 2}]}).is_met
        False
    """
    with audited(data, policy, escape_formulas=escape_formulas, engine=engine, memory=memory) as (_, _, verdict):
        return verdict
