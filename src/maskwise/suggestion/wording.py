"""What is said of figures, in the draft and on the terminal: counts and shares, never a cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import plural
from maskwise.values.yaml_spelling import spelled

if TYPE_CHECKING:
    from maskwise.suggestion.column_sets import SetSearch, SinglingSet
    from maskwise.suggestion.evidence import ColumnEvidence
    from maskwise.suggestion.trials import DraftTrial

_SMALL = 0.001


def percent(share: float) -> str:
    """A share for a reader.

    >>> percent(0.5), percent(0.0123), percent(0.0004), percent(0)
    ('50 %', '1.23 %', 'less than 0.1 %', '0 %')
    """
    if 0 < share < _SMALL:
        return "less than 0.1 %"
    return f"{100 * share:.3g} %" if share < 1 else "100 %"


def values_text(column: ColumnEvidence) -> str:
    """How many values a column has, how many cells are missing, and whom it singles out.

    The shares are those of records.
    """
    said = [plural(column.n_distinct, "value")]
    if column.n_missing:
        said.append(f"{column.n_missing:,} missing")
    if column.singled_out > 0:
        said.append(f"singles out {percent(column.singled_out)}")
    return ", ".join(said)


EVIDENCE_HEADERS = (
    "column",
    "name says",
    "cells look like",
    "values",
    "missing",
    "singled out",
    "separation",
    "distinction",
    "role",
    "because",
)
"""What a table of the evidence has for each column."""


def evidence_cells(column: ColumnEvidence) -> list[str]:
    """The figures of a column, for the first cells of a row of such a table."""
    return [
        spelled(column.name),
        "" if column.meaning is None else str(column.meaning),
        "" if column.shape is None else str(column.shape.shape),
        f"{column.n_distinct:,}",
        f"{column.n_missing:,}",
        percent(column.singled_out),
        f"{column.separation:.4f}",
        f"{column.distinction:.4f}",
    ]


def set_text(found: SinglingSet) -> str:
    """What a set of columns does."""
    what = "alone singles" if len(found.columns) == 1 else "together single"
    return f"{', '.join(map(spelled, found.columns))} {what} out {percent(found.singled_out)} of the records"


def search_text(search: SetSearch, largest: int) -> str:
    """How far sets of columns were looked at."""
    counted = f"Counted: {plural(search.n_counted, 'set')} of up to {largest} columns"
    if search.one_of > 1:
        counted += f" estimated from one of {search.one_of} groups"
    if search.is_complete:
        return f"{counted}; all others are ruled out by their parts."
    return f"{counted}; there are more, which may single out records too."


_NAMED = 12
"""So many columns are named in a sentence."""


def trial_lines(trial: DraftTrial, knows: str) -> list[str]:
    """What a draft would show, what would free most, and which attacks succeed, in sentences.

    Args:
        trial: What was tried.
        knows: What an attacker is taken to know.
    """
    n, hidden = trial.n_masked, trial.hidden
    part = "" if trial.is_whole else "a random part of the table, "
    how = "" if trial.method == "tdr" else ", masked with `--method regions`"
    shows = f"{n - len(hidden)} of {plural(n, 'masked column')} show something" if hidden else f"all {n} show something"
    said = [f"Tried on {part}{plural(trial.n_records, 'record')}{how}, against somebody who knows {knows}: {shows}."]
    if hidden:
        listed = ", ".join(map(spelled, hidden[:_NAMED])) + (" and others" if len(hidden) > _NAMED else "")
        said.append(f"Hidden wholly ({len(hidden)}): {listed}.")
    if trial.method != "tdr" and trial.other is not None:
        said.append(f"Without `--method regions` {len(trial.other.hidden)} would be hidden wholly.")
    if trial.changes:
        first = trial.changes[0]
        said.append(f"What would free most: {first.text}. Then {first.n_hidden} would be hidden wholly.")
    elif hidden:
        said.append("No single change that was tried would free more.")
    said += [f"Act on this, the {one.name} attack succeeds: {one.text}" for one in trial.failed]
    if trial.other is not None and (failed := trial.other.failed) and not trial.failed:
        names = ", ".join(dict.fromkeys(one.name for one in failed))
        said.append(f"With `--method {trial.other.method}` attacks would succeed: {names}.")
    return said
