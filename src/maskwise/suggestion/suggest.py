"""From a raw table to a draft of its policy. Nothing but counts and a few distinct values leave the engine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from maskwise.compress.unmasked_counts import count_unmasked
from maskwise.compress.value_odds import information
from maskwise.errors import InputError, plural
from maskwise.risks.thresholds import read_thresholds
from maskwise.suggestion.column_hashes import ColumnHashes
from maskwise.suggestion.column_sets import find_sets
from maskwise.suggestion.demands import (
    MOST_ATTRIBUTES,
    choose_attributes,
    choose_guard,
    demand,
    k_of,
    list_knowledge,
)
from maskwise.suggestion.dependencies import find_parents
from maskwise.suggestion.draft import describe_missing
from maskwise.suggestion.evidence import count_columns
from maskwise.suggestion.figures import count_groups
from maskwise.suggestion.given_away import find_given_away
from maskwise.suggestion.masking import choose_masking
from maskwise.suggestion.names import speaks_of_key
from maskwise.suggestion.persons import find_person
from maskwise.suggestion.roles import Judgement, Role, is_secret_class, judge_columns, refuse_class
from maskwise.suggestion.suggestion import ColumnSuggestion, Suggestion
from maskwise.suggestion.trials import choose_draft
from maskwise.suggestion.value_groups import group_values
from maskwise.table.endpoints import closing, open_data
from maskwise.table.files import looks_like_cell
from maskwise.values.file_words import command_words
from maskwise.values.memory import parse_memory
from maskwise.values.reading import renaming

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from maskwise.risks.group_sizes import GroupSizes
    from maskwise.suggestion.evidence import ColumnEvidence, TableEvidence
    from maskwise.suggestion.rule_choice import Masking
    from maskwise.suggestion.value_groups import ValueGroups
    from maskwise.table.table import Table

DEFAULT_RISK = 0.09
"""The threshold of the European Medicines Agency's Policy 0070: groups of 12."""
MOST_COLUMNS = 4_000
"""With more columns the queries take minutes, and a policy protects few of them anyway: 2,000 take about one."""
_FEW_LEFT_OUT = 0.05
"""Records with a missing cell are left out only if they are no more than this."""
_REPEATED = 0.5
"""Columns with more groups than this for each record may agree by chance."""


def suggest(
    data: Any,
    *,
    class_name: str | None = None,
    risk: str | float = DEFAULT_RISK,
    rename: str | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    engine: Any = None,
    memory: str | None = None,
) -> Suggestion:
    """Draft a policy for a raw table: roles of columns, how they are masked, and what is asked.

    Args:
        data: The table; as in `anonymize`.
        class_name: The column that recipients will predict; None guesses it from the names.
        risk: The largest chance of being found, as a number or by name (`ema-0070`); k follows from it.
        rename: `suffix` numbers columns of the same name, and the draft says so; None refuses them.
        progress: As in `evaluate`: the draft is tried on the table, which may take half a minute.
        engine: As in `anonymize`.
        memory: As in `anonymize`.

    Raises:
        InputError: The data cannot be read, or there is nothing in it that a policy could protect and show.

    Example:
        >>> import pyarrow as pa
        >>> people = {"age": [20 + i % 50 for i in range(200)], "sex": ["F", "M"] * 100, "id": list(range(200))}
        >>> draft = suggest(pa.table(people), risk=0.2)
        >>> [str(column.role) for column in draft.columns], draft.policy.drop
        (['quasi-identifier', 'quasi-identifier', 'identifier'], ('id',))
    """
    (threshold,) = read_thresholds([risk]).values()
    reading = renaming(rename)
    table = open_data(data, engine, None, parse_memory(memory), reading)
    with closing(table):
        drafts = suggest_for(table, class_name, threshold)
        return replace(choose_draft(table, drafts, progress), rename=reading.rename)


def suggest_for(table: Table, class_name: str | None, risk: float) -> list[Suggestion]:
    """Draft policies for a table that is open, from the strictest to one that is easier to meet; none is tried yet.

    Args:
        table: The records.
        class_name: As in `suggest`.
        risk: The largest chance of being found.
    """
    if class_name is not None:
        table.require(class_name, "is given as the class")
    _refuse_many_columns(table)
    names = [name for name in table.names if table.is_countable(name)]
    k = k_of(risk)
    n_records = table.n_rows()
    if n_records < k:
        raise InputError(_too_few(table, n_records, "record", k))
    with ColumnHashes(table) as hashes:
        evidence = count_columns(table, hashes, names, n_records)
        by_name = {column.name: column for column in evidence.columns}
        _refuse_records_as_header(table, evidence.columns)
        if class_name is not None:
            refuse_class(by_name[class_name])
        judged = judge_columns(evidence.columns, class_name)
        judged |= find_person(table, evidence, judged)
        judged |= find_given_away(table, evidence, judged)
        n_units, _ = _units(judged, by_name, n_records)
        judged |= _repeated(hashes, judged, evidence, n_units)
        secret_class = [column for column in _with_role(Role.CLASS, judged, evidence) if is_secret_class(column)]
        grouped = group_values(table, [*_with_role(Role.SENSITIVE, judged, evidence), *secret_class])
        judged |= _unprotectable(judged, grouped)
        beyond, beyond_told = _beyond(table, judged, evidence)
        judged |= beyond
        masked = _with_role(Role.QUASI_IDENTIFIER, judged, evidence)
        if not masked:
            raise InputError(_nothing_left(table, judged))
        shown = {column.name: evidence.sizes[column.name] for column in masked}
        search = find_sets(hashes.of(shown), shown, evidence.n_records)
        maskings = _choose_maskings(hashes, masked, evidence)
    n_units, unit = _units(judged, by_name, evidence.n_records)
    if n_units < k:
        raise InputError(_too_few(table, n_units, unit, k))
    sensitive = [*_with_role(Role.SENSITIVE, judged, evidence), *secret_class]
    maskings |= {column.name: groups.tree for column in sensitive if (groups := grouped[column.name]) and groups.tree}
    missing, why = _missing(table, masked, maskings, k, evidence.n_records)
    columns = [
        ColumnSuggestion(
            column.name,
            judged[column.name].role,
            judged[column.name].reason,
            column,
            maskings.get(column.name),
        )
        for column in evidence.columns
    ]
    person = next((column.name for column in _with_role(Role.PERSON, judged, evidence)), None)
    drafts = []
    for knowledge in list_knowledge(masked, k, n_units, protects=bool(sensitive)):
        protected = {column: grouped[column.name] for column in sensitive}
        requirements = demand(table, masked, protected, knowledge, k, unit)
        guard, why_guarded = choose_guard(table, requirements, [column.name for column in masked], person, n_units)
        drafts.append(
            Suggestion(
                table.source,
                evidence.n_records,
                risk,
                k,
                tuple(columns),
                tuple(requirements),
                search,
                missing,
                why,
                guard,
                why_guarded,
                knowledge_said=knowledge.said,
                beyond_said=beyond_told,
            )
        )
    return drafts


def _with_role(role: Role, judged: Mapping[str, Judgement], evidence: TableEvidence) -> list[ColumnEvidence]:
    return [column for column in evidence.columns if judged[column.name].role is role]


def _units(judged: Mapping[str, Judgement], by_name: Mapping[str, ColumnEvidence], n_records: int) -> tuple[int, str]:
    """How many persons, or records, groups are made of."""
    person = next((name for name, judgement in judged.items() if judgement.role is Role.PERSON), None)
    return (n_records, "record") if person is None else (by_name[person].n_distinct, "person")


def _repeated(
    hashes: ColumnHashes, judged: Mapping[str, Judgement], evidence: TableEvidence, n_units: int
) -> dict[str, Judgement]:
    """Columns that say the same as another one: the groups on both are those on each.

    Two columns that nearly tell persons apart agree by chance, so they are left alone; and what names say to be
    different things is.
    """
    kept = {Role.QUASI_IDENTIFIER, Role.SENSITIVE}
    alike: dict[tuple[bytes, bytes], list[ColumnEvidence]] = {}
    for column in evidence.columns:
        groups = evidence.sizes.get(column.name)
        if groups is not None and judged[column.name].role in kept and count_groups(groups) <= _REPEATED * n_units:
            alike.setdefault((groups.sizes.tobytes(), groups.n_groups.tobytes()), []).append(column)
    pairs: dict[str, str] = {}
    for columns in alike.values():
        # The one that is generalized without a tree stays, and what is sensitive.
        first, *others = sorted(
            columns, key=lambda one: (judged[one.name].role is not Role.SENSITIVE, one.scale is None or one.has_zeros)
        )
        alike_named = [other for other in others if _may_be_same(first, other)]
        pairs |= {other.name: first.name for other in alike_named}
    sizes = hashes.pairs([frozenset(pair) for pair in pairs.items()])
    return {
        name: Judgement(Role.REPEATED, f"it says the same as `{other}` in every record; swap the two if you like")
        for name, other in pairs.items()
        if _is_same(sizes[frozenset({name, other})], evidence.sizes[name])
    }


def _may_be_same(one: ColumnEvidence, other: ColumnEvidence) -> bool:
    return None in (one.meaning, other.meaning) or one.meaning is other.meaning


def _is_same(both: GroupSizes, one: GroupSizes) -> bool:
    return count_groups(both) == count_groups(one)


def _unprotectable(judged: Mapping[str, Judgement], grouped: Mapping[str, ValueGroups | None]) -> dict[str, Judgement]:
    """Sensitive columns with more values than a requirement can count: they are masked instead."""
    return {
        name: Judgement(Role.QUASI_IDENTIFIER, f"{judged[name].reason}; too many values to protect, so it is masked")
        for name, groups in grouped.items()
        if groups is None and judged[name].role is Role.SENSITIVE
    }


def _beyond(table: Table, judged: Mapping[str, Judgement], evidence: TableEvidence) -> tuple[dict[str, Judgement], str]:
    """The columns that are too many for a search, and what they and the others tell of the class."""
    masked = _with_role(Role.QUASI_IDENTIFIER, judged, evidence)
    if len(masked) <= MOST_ATTRIBUTES:
        return {}, ""
    class_name = next((column.name for column in _with_role(Role.CLASS, judged, evidence)), None)
    told: dict[str, float] = {}
    if class_name is not None:
        counted = count_unmasked(table, [column.name for column in masked], class_name)
        told = {one.name: information(one.counts) / evidence.n_records for one in counted}
    chosen, left_out = choose_attributes(masked, told)
    why = f"a search protects at most {MOST_ATTRIBUTES} columns, and others are known to more people"
    if class_name is None:
        said = f"{why}, or tell more records apart"
        return {column.name: Judgement(Role.BEYOND, said) for column in left_out}, said
    found = {}
    for column in left_out:
        bits = f"{told[column.name]:.3f} bits" if column.name in told else "nothing that was counted"
        said = f"{why}, or tell more of `{class_name}`: by itself it tells {bits}"
        found[column.name] = Judgement(Role.BEYOND, f"{said}; add it to a quasi-identifier in place of another")
    stay = [told.get(name, 0.0) for name in chosen]
    gone = [told.get(column.name, 0.0) for column in left_out]
    said = (
        f"By itself each of them tells at most {max(gone):.3f} bits of `{class_name}`; the {len(chosen)} that stay, "
        f"which others may know or which tell most, up to {max(stay):.3f}"
    )
    return found, said


def _choose_maskings(
    hashes: ColumnHashes, masked: Sequence[ColumnEvidence], evidence: TableEvidence
) -> dict[str, Masking]:
    """How each quasi-identifier is masked; those without an order or a rule may have a tree of other columns."""
    chosen = {column.name: choose_masking(column) for column in masked}
    plain = [
        column
        for column in masked
        if chosen[column.name].entry in ("suppress", {"grow": "frequency"}) and not speaks_of_key(column.name)
    ]
    above = find_parents(hashes, plain, evidence.sizes, evidence.n_records)
    return chosen | {
        column.name: choose_masking(column, above[column.name]) for column in plain if column.name in above
    }


def _missing(
    table: Table, masked: Sequence[ColumnEvidence], maskings: Mapping[str, Masking], k: int, n_records: int
) -> tuple[str, str]:
    """What happens to missing cells: few of them would keep a whole column hidden."""
    hidden = [column for column in masked if 0 < column.n_missing < k and not maskings[column.name].is_hiding]
    if hidden:
        tests = [table.column(column.name).isnull() for column in masked if column.n_missing]
        either = tests[0]
        for test in tests[1:]:
            either |= test
        (row,) = table.engine.fetch(table.expr.aggregate(n=either.ifelse(1, 0).sum())).to_pylist()
        n_lost = int(row["n"] or 0)
        if n_lost <= _FEW_LEFT_OUT * n_records:
            return "drop", describe_missing(len(hidden), n_lost, n_lost / n_records, k)
        return "keep", (
            f"{plural(len(hidden), 'masked column')} with fewer than {k} missing cells will stay hidden: fill them in, "
            f"or write `drop`, which leaves out {plural(n_lost, 'record')}."
        )
    return "keep", "a missing cell of a masked column is a value of its own"


def _refuse_records_as_header(table: Table, columns: Sequence[ColumnEvidence]) -> None:
    """Refuse a text file without a header: its names would be cells, and a draft repeats names."""
    n_cells = sum(looks_like_cell(column.name) or column.is_named_like_cell for column in columns)
    if table.has_header_line and 2 * n_cells > len(columns):
        msg = (
            f"`{table.source}` seems to have no header: {n_cells} of its {len(columns)} column names are numbers or "
            "dates, or values of their own columns. Write the names of the columns into its first line, and nowhere "
            "else."
        )
        raise InputError(msg)


def _refuse_many_columns(table: Table) -> None:
    if len(table.names) > MOST_COLUMNS:
        msg = (
            f"`{table.source}` has {len(table.names):,} columns, and a draft can be made of at most {MOST_COLUMNS:,}. "
            "Give a table with those that recipients need."
        )
        raise InputError(msg)


def _too_few(table: Table, n_units: int, unit: str, k: int) -> str:
    has = "has no records" if not n_units else f"has {plural(n_units, unit)}"
    return (
        f"`{table.source}` {has}, and groups of {k} {unit}s are asked for. Use a larger table, or allow a larger "
        f"risk{command_words('maskwise suggest --risk')}."
    )


def _nothing_left(table: Table, judged: Mapping[str, Judgement]) -> str:
    counts: dict[str, int] = {}
    for judgement in judged.values():
        counts[str(judgement.role)] = counts.get(str(judgement.role), 0) + 1
    listed = ", ".join(f"{n:,} {role}" for role, n in counts.items())
    return (
        f"`{table.source}` has no column that could be masked and released ({listed}). Write a policy by hand if some "
        "of them are something else."
    )
