"""Homogeneity and skew: what groups tell of a column because their records are alike.

Whoever finds a person's group learns the person's value where all records of
the group have the same one (Machanavajjhala et al., "l-diversity", TKDD 2007),
and learns something where a value is more frequent there than in the whole
table (Li, Li, Venkatasubramanian, "t-closeness", ICDE 2007). Both need nothing
but the release. They are counted inside the engine: persons, each once in a
group and once with each of its values there, where the table says who they are; else
records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import ibis
import pyarrow as pa

from maskwise.attacks.attack import Attack, AttackResult
from maskwise.engines.distinct_rows import n_records, records_of_row
from maskwise.policy.requirements.qid import called
from maskwise.table.table import one_or_zero
from maskwise.values.message import Audience

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis.expr.types as ir

    from maskwise.policy.policy import Policy
    from maskwise.table.table import Table

KNOWS = "the release, and what a person shows on a quasi-identifier"
NEARLY_ALL = 0.95
"""A group is nearly homogeneous if so many of its records have one value; a value that so many of all have tells
nothing new."""
MOST_QIDS = 20
"""So many quasi-identifiers are looked at, the first of the policy."""


@dataclass(frozen=True, slots=True)
class Alike:
    """How much alike the groups of one quasi-identifier are in one column."""

    qid: tuple[str, ...]
    """The quasi-identifier."""
    same: float
    """The share of records in groups in which everybody has one value; of persons, each counted in every group."""
    nearly_same: float
    """The share of records in groups in which 95 % have one value."""
    new: float
    """The share of records in groups in which everybody has one value that fewer than 95 % of all records have."""
    skew: float
    """By how much the share of a value in a group exceeds that in the whole table, at most."""

    def to_data(self) -> dict[str, Any]:
        """The same as plain values."""
        return {
            "qid": list(self.qid),
            "same": self.same,
            "nearly_same": self.nearly_same,
            "new": self.new,
            "skew": self.skew,
        }


def largest_qids(policy: Policy) -> tuple[tuple[str, ...], ...]:
    """The quasi-identifiers that are not part of another one: their groups are the most alike."""
    found = dict.fromkeys(part.qid for one in policy.requirements for part in one.parts)
    sets = {qid: frozenset(qid) for qid in found}
    by_set = {sets[qid]: qid for qid in reversed(found)}
    largest = [qid for qid in found if by_set[sets[qid]] == qid and not any(sets[qid] < other for other in by_set)]
    return tuple(largest[:MOST_QIDS])


def column_attacks(policy: Policy, name: str, release: Table, whole: Table) -> Sequence[Attack]:
    """Try homogeneity and skew of one column.

    Args:
        policy: What was asked.
        name: The column.
        release: What recipients have.
        whole: The masked records with the columns that are not released, where these are at hand.
    """
    fixed = {attribute.name for attribute in policy.fixed}
    person = None if policy.person is None else policy.person.column
    if name in policy.masked:
        return [_not_counted(name, "is masked itself, so its groups do not show its values.")]
    counts_persons = person is not None and person not in release.names and person in whole.names
    if name in release.names and name not in fixed and not counts_persons:
        return homogeneity(release, policy, name, Audience.RECIPIENT)
    if name in whole.names and whole is not release:
        return homogeneity(whole, policy, name, Audience.OWNER)
    why = "is released at one depth of its taxonomy." if name in release.names else "is not in the release."
    return [_not_counted(name, why)]


def homogeneity(table: Table, policy: Policy, name: str, audience: Audience) -> tuple[Attack, Attack]:
    """Try homogeneity and skew of one column on the largest quasi-identifiers of a policy.

    Args:
        table: A masked table that has the column as it was.
        policy: What was asked.
        name: The column.
        audience: Who may read the figures: recipients, if they have the column.
    """
    person = policy.person.column if policy.person is not None and policy.person.column in table.names else None
    found = [count_alike(table, qid, name, person) for qid in largest_qids(policy)]
    who = "records" if person is None else "persons"
    is_class = name == policy.class_name and name not in policy.sensitive
    same, skewed = (
        max(found, key=lambda one: (one.new, one.same, one.nearly_same)),
        max(found, key=lambda one: one.skew),
    )
    text = (
        f"On {called(same.qid)}, {_percent(same.same)} of the {who} are in groups in which everybody has one value "
        f"of `{name}`, and {_percent(same.nearly_same)} in groups in which 95 % have. "
    )
    if same.same > same.new:
        text += f"In {_percent(same.same - same.new)} it is the value that 95 % of all {who} have. "
    is_failed = same.new > 0 and not is_class
    if is_class:
        text += "The class is meant to be told."
    elif is_failed:
        # Of sets there is no closeness.
        text += f"Ask for diversity of the column on it{', or for closeness' if table.set_form(name) is None else ''}."
    details = {"column": name, "qids": [one.to_data() for one in found]}
    result = AttackResult.FAILED if is_failed else AttackResult.PASSED
    alike = Attack("homogeneity", KNOWS, result, text.strip(), audience, same.new, None if is_class else 0.0, details)
    text = (
        f"On {called(skewed.qid)}, the share of a value of `{name}` in a group exceeds its share in the whole table by "
        f"up to {skewed.skew:.4f}."
    )
    return alike, Attack("skew", KNOWS, AttackResult.MEASURED, text, audience, skewed.skew, None, {"column": name})


def count_alike(table: Table, qid: Sequence[str], name: str, person: str | None = None) -> Alike:
    """Count inside the engine how much alike the records of each group are in one column, by each value of a cell.

    Args:
        table: The masked records.
        qid: The quasi-identifier.
        name: The column.
        person: The column of persons, to count these.
    """
    keys = {f"q{i}": table.column(column) for i, column in enumerate(qid)}
    if person is None:
        records = table.expr.select(**keys, value=table.column(name), **records_of_row(table.expr))
        cells = records.group_by([*keys, "value"]).agg(n=n_records(records))
        cells = _each_value(table, name, cells.mutate(n_group=cells["n"].sum().over(group_by=list(keys))), list(keys))
        cells, n_all = cells.mutate(n_with=cells["n"]), float(table.n_rows())
    else:
        rows = table.expr.select(**keys, value=table.column(name), who=table.column(person))
        cells, n_all = _count_persons(table, name, rows, list(keys))
    cells = cells.mutate(n_value=cells["n_with"].sum().over(group_by="value").cast("float64"))
    n, n_group, n_value = cells["n"].cast("float64"), cells["n_group"].cast("float64"), cells["n_value"]
    is_same, is_rare = n == n_group, n_value < NEARLY_ALL * n_all
    groups = cells.group_by(list(keys)).agg(
        n_group=n_group.max(),
        same=one_or_zero(is_same).max(),
        new=one_or_zero(is_rare & is_same).max(),
        nearly=one_or_zero(n >= NEARLY_ALL * n_group).max(),
        skew=(n / n_group - n_value / max(n_all, 1.0)).max(),
    )
    shares = {key: (groups[key] * groups["n_group"]).sum() for key in ("same", "nearly", "new")}
    asked = groups.aggregate(**shares, skew=groups["skew"].max(), whole=groups["n_group"].sum())
    (row,) = table.engine.fetch(asked).to_pylist()
    same, nearly, new = (float(row[key] or 0) / float(row["whole"] or 1) for key in ("same", "nearly", "new"))
    return Alike(tuple(qid), same, nearly, new, max(float(row["skew"] or 0), 0.0))


def _count_persons(table: Table, name: str, rows: ir.Table, keys: Sequence[str]) -> tuple[ir.Table, float]:
    """The persons of each group with each value, those of the group, and once in all groups those with it; and all."""

    def is_first(*same: str) -> ir.Value:
        place = ibis.row_number().over(group_by=["who", *same], order_by=[*keys, "value"])
        return one_or_zero(place == 0)

    (row,) = table.engine.fetch(rows.aggregate(n=rows["who"].nunique())).to_pylist()
    rows = rows.distinct()
    rows = rows.mutate(n=is_first(*keys))
    rows = rows.mutate(n_group=rows["n"].sum().over(group_by=list(keys)))
    rows = _each_value(table, name, rows, [*keys, "who"])
    rows = rows.mutate(n_with=is_first("value"))
    cells = rows.group_by([*keys, "value"])
    return cells.agg(n=rows.count(), n_group=rows["n_group"].max(), n_with=rows["n_with"].sum()), float(row["n"])


def _each_value(table: Table, name: str, cells: ir.Table, keys: Sequence[str]) -> ir.Table:
    """The records of each group with each value, where a cell may hold several; other cells as they are."""
    form = table.set_form(name)
    if form is None:
        return cells
    pairs = [(cell, value) for cell in table.distinct(name).keys.to_pylist() for value in form.values(cell)]
    schema = pa.schema([("cell", pa.string()), ("held", pa.string())])
    held = table.engine.register(pa.Table.from_pylist([{"cell": c, "held": v} for c, v in pairs], schema=schema))
    joined = cells.left_join(held, cells["value"] == held["cell"])
    return joined.group_by([*keys, joined["held"].name("value")]).agg(
        n=joined["n"].sum(), n_group=joined["n_group"].max()
    )


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def _not_counted(name: str, why: str) -> Attack:
    """Say why a column was not looked at."""
    text = f"`{name}` {why}"
    return Attack("homogeneity", KNOWS, AttackResult.NOT_RUN, text, Audience.RECIPIENT, details={"column": name})
