"""A suggestion as a policy file: every guess is a comment beside a line that the owner can change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import plural
from maskwise.suggestion.column_sets import LARGEST
from maskwise.suggestion.draft_lines import comment as _comment
from maskwise.suggestion.draft_lines import flow as _flow
from maskwise.suggestion.roles import Role
from maskwise.suggestion.wording import percent, search_text, set_text, trial_lines
from maskwise.values.yaml_spelling import spelled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from maskwise.suggestion.suggestion import Suggestion

_SETS = 8
"""So many sets of columns are listed."""
_TOLD = 3
"""So many masked columns that another one tells are named."""


def write_draft(suggestion: Suggestion) -> str:
    """Write the YAML."""
    lines = [*_opening(suggestion), *_trial(suggestion), "", *_class(suggestion), *_person(suggestion)]
    lines += [
        *([] if suggestion.rename is None else [f"rename: {suggestion.rename}"]),
        *_dates(suggestion),
        *_numbers(suggestion),
        *_attributes(suggestion),
        *_requirements(suggestion),
        *_minimality(suggestion),
        *_drop(suggestion),
        *_missing(suggestion),
    ]
    return "\n".join(lines) + "\n"


def _opening(suggestion: Suggestion) -> Iterator[str]:
    yield from _comment(
        f"A draft that `maskwise suggest` wrote for {spelled(suggestion.source)}: "
        f"{plural(suggestion.n_records, 'record')}, {plural(len(suggestion.columns), 'column')}. It goes by names, "
        "shapes and counts, and knows neither your recipients nor the law that binds you: read every line before you "
        "use it. The figures are counts of the raw table, so keep this file private."
    )
    sets = suggestion.search.sets
    if sets:
        yield "#"
        yield from _comment("What singles out records, before anything is masked:")
        for found in sets[:_SETS]:
            yield from _comment(f"- {set_text(found)}")
        yield from _comment(search_text(suggestion.search, LARGEST))


def _trial(suggestion: Suggestion) -> Iterator[str]:
    """What a release by the draft would show."""
    trial = suggestion.trial
    yield "#"
    if suggestion.beyond_said:
        n = len(suggestion.named(Role.BEYOND))
        yield from _comment(f"{plural(n, 'column')} too many are left out. {suggestion.beyond_said}.")
    for line in trial_lines(trial, suggestion.knowledge_said) if trial is not None else ():
        yield from _comment(line)


def _accepted(suggestion: Suggestion, name: str, why: str) -> list[str]:
    """What a column tells of others that are masked, and why that is accepted."""
    found = {} if suggestion.trial is None else suggestion.trial.told
    if name not in found:
        return []
    listed = ", ".join(f"`{other}` in {percent(share)} of the records" for other, share in found[name][:_TOLD])
    more = f" and {len(found[name]) - _TOLD} others" if len(found[name]) > _TOLD else ""
    return [f"it tells {listed}{more}; accepted, because {why}"]


def _class(suggestion: Suggestion) -> Iterator[str]:
    name = suggestion.class_name
    if name is None:
        yield from _comment(
            "No class. If recipients will predict a column, run `maskwise suggest` again with --class COLUMN: it must "
            "stand in no quasi-identifier below. Without one, the search distorts least."
        )
    else:
        yield f"class: {spelled(name)}"
        yield from _comment(_reason(suggestion, name), 2)
        for line in _accepted(suggestion, name, "what tells the class is what recipients are to learn"):
            yield from _comment(line, 2)


def _person(suggestion: Suggestion) -> Iterator[str]:
    name = suggestion.person
    if name is not None:
        yield f"person: {spelled(name)}"
        yield from _comment(f"{_reason(suggestion, name)}. Requirements count persons, and it is not released.", 2)


def _dates(suggestion: Suggestion) -> Iterator[str]:
    said = "How dates are written in these columns; a time of day may follow."
    asked = "whether day or month comes first, so they are not read as dates yet"
    yield from _forms("dates", suggestion.dates, suggestion.undecided_dates, said, asked)


def _numbers(suggestion: Suggestion) -> Iterator[str]:
    decided = {name: f'"{form}"' for name, form in suggestion.numbers.items()}
    undecided = {name: [f'"{form}"' for form in forms] for name, forms in suggestion.undecided_numbers.items()}
    said = "How these columns write the number 1234 and a half."
    asked = "whether a comma stands before decimals or thousands, so they are not read as numbers yet"
    yield from _forms("numbers", decided, undecided, said, asked)


def _forms(
    key: str, decided: Mapping[str, str], undecided: Mapping[str, Sequence[str]], said: str, asked: str
) -> Iterator[str]:
    """How columns are written, and what the owner has to decide."""
    if decided:
        yield f"{key}:"
        yield from _comment(said, 2)
        yield from (f"  {spelled(name)}: {form}" for name, form in decided.items())
    if undecided:
        yield from _comment(
            f"No value of these columns tells {asked}. Take the # away before "
            f"{'' if decided else f'`{key}:` and '}the right lines."
        )
        if not decided:
            yield f"#{key}:"
        yield from (f"#  {spelled(name)}: {form}" for name, forms in undecided.items() for form in forms)


def _reason(suggestion: Suggestion, name: str) -> str:
    return next(column.reason for column in suggestion.columns if column.name == name)


def _attributes(suggestion: Suggestion) -> Iterator[str]:
    yield "attributes:"
    for column in suggestion.columns:
        if column.masking is not None:
            yield f"  {spelled(column.name)}: {_flow(column.masking.entry)}"
            use = column.masking.reason
            if column.role in {Role.SENSITIVE, Role.CLASS}:
                use = "released as it is and protected below; its tree says which values are alike"
            said = [f"{column.reason}; {use}"]
            if column.role is Role.QUASI_IDENTIFIER:
                said += _accepted(suggestion, column.name, "the groups on both are counted together")
            yield from _comment("; ".join(said), 4)
    sensitive = [column for column in suggestion.columns if column.role is Role.SENSITIVE and column.masking is None]
    if sensitive:
        yield from _comment("Sensitive, released as they are and protected below:", 2)
    for column in sensitive:
        said = [
            column.reason,
            *_accepted(suggestion, column.name, "it is there to be studied; drop it if that is too much"),
        ]
        yield from _comment(f"- {spelled(column.name)}: {'; '.join(said)}", 2)


def _requirements(suggestion: Suggestion) -> Iterator[str]:
    yield "requirements:"
    yield from _comment(f"k = {suggestion.k}: a chance of being found of at most {suggestion.risk:g}, by --risk.", 2)
    for requirement in suggestion.requirements:
        yield from _comment(requirement.reason, 2)
        yield f"  - {_flow(requirement.entry)}"


def _minimality(suggestion: Suggestion) -> Iterator[str]:
    if suggestion.minimality is not None:
        yield f"minimality: {suggestion.minimality}"
    if suggestion.minimality_reason is not None:
        yield from _comment(suggestion.minimality_reason, 2)


def _drop(suggestion: Suggestion) -> Iterator[str]:
    left_out = [column for column in suggestion.columns if column.role.is_left_out]
    if left_out:
        yield "drop:"
    for column in left_out:
        yield f"  - {spelled(column.name)}"
        yield from _comment(f"{column.role}: {column.reason}", 4)


def _missing(suggestion: Suggestion) -> Iterator[str]:
    yield f"missing: {suggestion.missing}"
    yield from _comment(suggestion.missing_reason, 2)


def describe_missing(n_columns: int, n_records: int, share: float, k: int) -> str:
    """Why records with a missing cell are left out."""
    return (
        f"{plural(n_columns, 'masked column')} {'has' if n_columns == 1 else 'have'} fewer than {k} missing cells, "
        f"which would keep all of {'it' if n_columns == 1 else 'them'} hidden; so {plural(n_records, 'record')} "
        f"({percent(share)}) with a missing cell are left out. `keep` keeps them."
    )
