"""One-dimensional counts of every masked attribute, by class.

One small GROUP BY per attribute tells all information gains of the whole run
and the trees of all intervals (`grow_trees`). Here a table also meets its policy:
defaults are chosen, and what does not fit is refused with the evidence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.errors import InputError, PolicyError, plural
from maskwise.policy.attributes import Attribute, Kind, Missing
from maskwise.policy.sensitive_trees import describe_unreleased
from maskwise.policy.set_columns import UNMASKABLE
from maskwise.profile.boundaries import notes_of_offsets
from maskwise.profile.class_bins import bin_class
from maskwise.profile.column_counts import count_columns, refuse_cells, refuse_texts
from maskwise.profile.columns import Column, Profile
from maskwise.profile.fixed_columns import take_fixed
from maskwise.profile.made_trees import made_notes, with_trees
from maskwise.profile.persons import count_persons
from maskwise.profile.rule_columns import place_values, unread_warning
from maskwise.profile.sensitive import check_values, plain_sets, take_sensitive, unseen_values
from maskwise.profile.spelling_advice import foreign_spelling
from maskwise.table.calendar_range import refuse_other_dates
from maskwise.table.column_names import refuse_another_table
from maskwise.table.number_cells import mixed_numbers
from maskwise.values.arrow import from_numpy
from maskwise.values.file_words import file_words
from maskwise.values.message import Audience, Level, Message, fold, note, private_note
from maskwise.values.parsing import Parsed, looks_like_code, parse_keys
from maskwise.values.scales import Scale, bound, label
from maskwise.values.spelling import text_of, value_order

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.policy.policy import Policy
    from maskwise.policy.rules.rule_tree import RuleTree
    from maskwise.profile.column_counts import ColumnCounts
    from maskwise.profile.columns import Sensitive
    from maskwise.table.table import Table

    Ints = NDArray[np.int64]

_SUPPRESS = file_words("suppress")
_RANGE = "interval: [low, high]"
_NO_PERSONS = (
    " Without it persons cannot be counted. A release leaves it out, so `mask` counts it before: see its report; "
    "`maskwise risk` says what records tell, and a release with pseudonyms can be counted by anybody."
)


def check_columns(table: Table, policy: Policy, *, with_drop: bool = True, with_attributes: bool = True) -> None:
    """Refuse a policy that names columns the table does not have.

    Args:
        table: The records.
        policy: What is asked.
        with_drop: Look for the columns of `drop` and `keep` too.
        with_attributes: Look for attributes in no QID and the class too.
    """
    mistakes = []
    places: dict[str, tuple[str | int, ...]] = {}
    for i, requirement in enumerate(policy.requirements):
        places.update(dict.fromkeys(requirement.qid, ("requirements", i, "qid")))
        places.update({name: ("requirements", i, "sensitive") for name in requirement.columns if name not in places})
    if with_attributes:
        for attribute in policy.attributes:
            names = (attribute.name, *(attribute.source.columns if attribute.source is not None else ()))
            places.update(dict.fromkeys(names, ("attributes", attribute.name)))
        if policy.class_name is not None:
            places[policy.class_name] = ("class",)
    if with_drop:
        places.update(dict.fromkeys(policy.drop, ("drop",)) | dict.fromkeys(policy.keep or (), ("keep",)))
    for key, forms in (("dates", policy.reading.dates), ("numbers", policy.reading.numbers)):
        places.update({name: (key, name) for name, _ in forms if name not in places})
    if policy.person is not None:
        places[policy.person.column] = ("person",)
    refuse_another_table(places, table.names)
    for name, place in places.items():
        try:
            table.require(name, among=places)
        except InputError as error:
            remedy = _NO_PERSONS if place == ("person",) else ""
            mistakes.append(policy.at(place) + str(error) + remedy)
    if mistakes:
        raise PolicyError(mistakes)
    counted = [name for name, place in places.items() if place not in {("drop",), ("keep",)}]
    refuse_other_dates(table, counted)
    if mixed := mixed_numbers(table, counted):
        raise InputError("\n".join(policy.at(("numbers", name)) + mistake for name, mistake in mixed.items()))


def notes_of_table(table: Table) -> list[Message]:
    """What is to be known of the table itself, whatever a policy asks."""
    if not table.is_windows_text:
        return []
    text = f"`{table.source}` is not UTF-8 and was read as Windows-1252: look at its letters. A release is UTF-8."
    return [private_note(text)]


def profile(table: Table, policy: Policy, *, keep_rare: bool = False) -> tuple[Profile, Table]:
    """Count every masked attribute by class; return also the table without dropped records.

    Args:
        table: The records.
        policy: What is asked.
        keep_rare: Tell all values of suppress attributes apart, also those that are too rare ever to be shown.
    """
    check_columns(table, policy)
    n_all = 0
    if policy.missing is Missing.DROP:
        n_all, n_complete = table.n_complete(policy.masked)
        # A filter that drops nothing would still be paid for in every later scan.
        table = table.without_missing(policy.masked) if n_complete < n_all else table
    table = bin_class(table, policy)
    entries = {attribute.name: attribute for attribute in with_trees(table, policy)}
    dropped = set(policy.dropped(table.names))
    messages = [
        policy.note_at(
            ("attributes", name),
            f"`{name}` has an entry but is in no quasi-identifier, so it passes through unchanged.",
            name,
            "{names} have entries but are in no quasi-identifier, so they pass through unchanged.",
        )
        for name in policy.idle
        if name not in dropped
    ]
    messages += made_notes(tuple(entries.values()))
    messages += notes_of_table(table)
    columns = []
    for name in (*policy.masked, *([] if policy.class_name is None else [policy.class_name])):
        if not table.is_countable(name):
            msg = f"Column `{name}` holds nested or binary cells, which cannot be masked or counted. Make them text."
            is_set = name in policy.masked and table.set_form(name) is not None
            raise InputError(policy.at(("attributes", name)) + (f"Column `{name}` {UNMASKABLE}" if is_set else msg))
    n_classes, counted_columns = count_columns(table, policy, entries, keep_rare=keep_rare)
    floors, may_be_shown = policy.floors(), keep_rare or policy.suppress is not None
    for counted in counted_columns:
        name = counted.name
        if not counted.n_records:
            left = " with all masked cells filled" if n_all else ""
            msg = f"`{table.source}` has no record{left}, only a header."
            raise InputError(msg)
        if policy.missing is Missing.ERROR and counted.missing.any():
            n_missing = int(counted.missing.sum())
            msg = (
                policy.at(("missing",))
                + f"Column `{name}` has {plural(n_missing, 'missing cell')}. Fill them, keep them as a value, or drop "
                f"their records{file_words('missing: keep', 'missing: drop')}."
            )
            raise InputError(msg)
        columns.append(_fit(table, policy, entries.get(name), counted, messages, 0 if may_be_shown else floors[name]))
    messages += [
        policy.note_at(("requirements", i), text)
        for i, requirement in enumerate(policy.requirements)
        for text in requirement.notes
    ]
    n_rows = columns[0].n_records
    n_all = n_all or n_rows
    if policy.missing is Missing.DROP and n_all > n_rows:
        were = "was" if n_all - n_rows == 1 else "were"
        messages.append(
            private_note(
                f"{n_all - n_rows:,} of {plural(n_all, 'record')} {were} left out because a masked cell is missing."
            )
        )
    messages += map(note, describe_unreleased(policy))
    sensitive = check_sensitive(table, policy)
    fixed = take_fixed(table, policy)
    if policy.class_name is not None and n_classes == 1:
        text = (
            f"The class `{policy.class_name}` has one value only, so no refinement is beneficial and the most masked "
            "table is released. Name another class, or none."
        )
        messages.append(Message(Level.WARNING, Audience.RECIPIENT, text))
    messages += [*unseen_values(policy, sensitive), *plain_sets(policy, sensitive)]
    persons = count_persons(table, policy, sensitive)
    counts = (policy.class_name, n_classes, n_rows, n_all - n_rows)
    return Profile(tuple(columns), *counts, fold(messages), sensitive, fixed, persons), table


def check_sensitive(table: Table, policy: Policy, read_text: Callable[[str], str] = str) -> dict[str, Sensitive]:
    """Count the sensitive columns, and refuse rules that their values do not allow.

    Args:
        table: The records.
        policy: What is asked.
        read_text: As in `take_sensitive`.
    """
    sensitive = {name: take_sensitive(table, name, policy.trees.get(name), read_text) for name in policy.sensitive}
    for i, requirement in enumerate(policy.requirements):
        for part in {part.subject: part for part in requirement.parts}.values():
            check_values(part, sensitive, policy.at(("requirements", i)))
    return sensitive


def _fit(
    table: Table,
    policy: Policy,
    entry: Attribute | None,
    counted: ColumnCounts,
    messages: list[Message],
    floor: int,
) -> Column:
    """Match a column with its entry in the policy, or with its default; what fewer than `floor` have is not shown."""
    name, keys = counted.name, counted.keys
    if entry is None:
        parsed = parse_keys(keys)
        ordered = parsed is not None and len(keys) > 0 and bool(parsed.known.all()) and not looks_like_code(keys)
        # Where some texts stayed behind, the frequent ones may be numbers by chance.
        ordered = ordered and counted.rest is None
        entry = Attribute(name, Kind.INTERVAL if ordered else Kind.SUPPRESS)
        messages.append(_note_default(name, is_interval=ordered))
        if not ordered and (hint := foreign_spelling(name, keys)):
            # How hidden values look does not follow from the release.
            text = f"The values of `{name}` are shown or hidden one by one, which shows little of it. {hint}"
            messages.append(private_note(text))
        if ordered:
            return _interval(table, policy, entry, counted, parsed, messages)
    elif entry.kind is Kind.INTERVAL:
        return _interval(table, policy, entry, counted, parse_keys(keys), messages)
    elif entry.rule is not None:
        return _by_rule(policy, entry, entry.rule, counted, messages, 0 if entry.at_least else floor)
    return _categorical(policy, entry, counted, messages)


def _note_default(name: str, *, is_interval: bool) -> Message:
    """Say how a column without an entry is masked."""
    if is_interval:
        text = f"`{name}` has no entry in the policy, so it is shown in intervals."
        return note(text, name, "{names} have no entry in the policy, so they are shown in intervals.")
    text = f"`{name}` has no entry in the policy, so its values are shown or hidden one by one."
    of_many = "{names} have no entry in the policy, so their values are shown or hidden one by one."
    return note(text, name, of_many)


def _by_rule(
    policy: Policy, entry: Attribute, rule: RuleTree, counted: ColumnCounts, messages: list[Message], floor: int
) -> Column:
    """The values that the finest level of a rule makes of a column's cells."""
    spelled = [text_of(key) for key in counted.keys.to_pylist()]
    n_records = counted.counts.sum(axis=1)
    placed = place_values(policy, entry.name, rule, spelled, n_records, floor)
    messages += unread_warning(policy, entry.name, rule, spelled, n_records)
    counts = np.zeros((len(placed.leaves), counted.counts.shape[1]), np.int64)
    np.add.at(counts, placed.value_of_text, counted.counts)
    return Column(
        entry.name,
        entry.kind,
        counted.keys,
        placed.value_of_text,
        counts,
        counted.missing,
        placed.leaves,
        taxonomy=placed.taxonomy,
        rule=rule,
    )


def _categorical(policy: Policy, entry: Attribute, counted: ColumnCounts, messages: list[Message]) -> Column:
    spelled = [text_of(key) for key in counted.keys.to_pylist()]
    texts = sorted(set(spelled), key=None if counted.is_mixed else value_order(spelled))
    if counted.n_rest:
        text = (
            f"`{entry.name}` has {plural(counted.n_rest, 'value')} with too few records ever to be shown, hidden as "
            "one and not listed by the solution."
        )
        messages.append(private_note(text))
    at = {text: i for i, text in enumerate(texts)}
    value_of_key = np.array([at[text] for text in spelled], np.int64)
    counts = np.zeros((len(texts), counted.counts.shape[1]), np.int64)
    np.add.at(counts, value_of_key, counted.counts)
    if entry.taxonomy is not None and not set(texts) <= set(entry.taxonomy.leaves()):
        refuse_texts(policy, entry.name, entry.taxonomy, dict(zip(texts, counts.sum(axis=1).tolist(), strict=True)))
    return Column(
        entry.name,
        entry.kind,
        counted.keys,
        value_of_key,
        counts,
        counted.missing,
        tuple(texts),
        taxonomy=entry.taxonomy,
        is_made=entry.source is not None,
        rest=counted.rest,
        n_rest=counted.n_rest,
    )


def _interval(
    table: Table,
    policy: Policy,
    entry: Attribute,
    counted: ColumnCounts,
    parsed: Parsed | None,
    messages: list[Message],
) -> Column:
    name, at = entry.name, policy.at(("attributes", entry.name))
    if parsed is None or not len(counted.keys):
        what = "no value at all" if not len(counted.keys) else f"{counted.keys.type} cells, which have no order"
        msg = (
            f"{at}Column `{name}` is an interval attribute but holds {what}. Show each value or hide it{_SUPPRESS}, or "
            "give it a taxonomy."
        )
        raise InputError(msg)
    unknown = ~parsed.known
    if unknown.any():
        unreadable = counted.keys.filter(from_numpy(unknown))
        refuse_cells(table, policy, name, parsed.scale, int(counted.counts[unknown].sum()), unreadable)
    numbers, value_of_key = np.unique(parsed.numbers, return_inverse=True)
    counts = np.zeros((len(numbers), counted.counts.shape[1]), np.int64)
    np.add.at(counts, value_of_key, counted.counts)
    messages += notes_of_offsets(name, counted, parsed.scale)
    low, high = numbers[0].item(), _largest(counted, numbers)
    if counted.n_numbers is not None and counted.n_numbers > len(numbers):
        text = (
            f"`{name}` has {counted.n_numbers:,} distinct numbers, binned by quantiles into {len(numbers):,}. "
            "What is asked still holds; splits may be coarser."
        )
        messages.append(private_note(text))
    if entry.grid is not None and (misfit := entry.grid.misfit(parsed.scale)) is not None:
        raise PolicyError([f"{at}Column `{name}`: {misfit}"])
    if entry.bounds is None and entry.grid is not None:
        low, high = entry.grid.round_outward(low, high, parsed.scale)
    elif entry.bounds is None:
        text = (
            f"`{name}` has no range in the policy, so the data's is used and the release shows the lowest and the "
            f"highest value. Give a range{file_words(_RANGE)} to hide them."
        )
        of_many = (
            "{names} have no range in the policy, so the data's are used and the release shows their lowest and "
            "highest values. Give ranges" + file_words(_RANGE) + " to hide them."
        )
        messages.append(note(text, name, of_many))
    if entry.bounds is not None:
        try:
            ends = bound(entry.bounds[0], parsed.scale), bound(entry.bounds[1], parsed.scale)
        except PolicyError as error:
            raise PolicyError([at + f"Column `{name}`: {m}" for m in error.mistakes]) from None
        outside = int(counts[(numbers < ends[0]) | (numbers > ends[1])].sum())
        if outside or high > ends[1]:
            shown = (
                f"[{label(ends[0], _wider(ends[0], parsed.scale))}, {label(ends[1], _wider(ends[1], parsed.scale))}]"
            )
            # Of ranges it is not known how many of their cells are outside.
            how_many = "cells" if counted.n_numbers is not None else plural(outside, "cell")
            msg = f"{at}Column `{name}` has {how_many} outside its range {shown}. Widen the range or clean the data."
            raise InputError(msg)
        low, high = ends
    clamp = _clamp(entry, parsed.scale, at)
    scale = parsed.scale
    if scale is Scale.INTEGER and (isinstance(low, float) or isinstance(high, float)):
        scale = Scale.REAL
    return Column(
        name,
        entry.kind,
        counted.keys,
        value_of_key.astype(np.int64),
        counts,
        counted.missing,
        numbers=numbers,
        scale=scale,
        range=(low, high),
        grid=entry.grid,
        clamp=clamp,
        tops=None if counted.tops is None else _numbers(counted.tops),
        is_ranged=counted.n_numbers is not None,
    )


def _clamp(entry: Attribute, scale: Scale, at: str) -> tuple[float | None, float | None]:
    """The ends of bottom- and top-coding as numbers."""
    try:
        low, high = (None if end is None else bound(end, scale) for end in entry.clamp)
    except PolicyError as error:
        raise PolicyError([at + f"Column `{entry.name}`: {m}" for m in error.mistakes]) from None
    return low, high


def _numbers(keys: pa.Array) -> Any:
    parsed = parse_keys(keys)
    assert parsed is not None  # noqa: S101 - the smallest numbers of the ranges were read as numbers before
    return parsed.numbers


def _largest(counted: ColumnCounts, numbers: Any) -> Any:
    """The largest number, which the last of some ranges need not begin with."""
    return numbers[-1].item() if counted.tops is None else _numbers(counted.tops)[-1].item()


def _wider(end: float, scale: Scale) -> Scale:
    return Scale.REAL if isinstance(end, float) else scale
