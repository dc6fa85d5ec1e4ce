"""A draft of a policy as plain values: the role of every column with its figures, and what is asked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError, WriteError
from maskwise.formats.policy_file import read_policy
from maskwise.suggestion.draft import write_draft
from maskwise.suggestion.roles import Role

if TYPE_CHECKING:
    from maskwise.policy.policy import Policy
    from maskwise.suggestion.column_sets import SetSearch
    from maskwise.suggestion.demands import SuggestedRequirement
    from maskwise.suggestion.evidence import ColumnEvidence
    from maskwise.suggestion.rule_choice import Masking
    from maskwise.suggestion.trials import DraftTrial
    from maskwise.values.reading import Rename


_COUNTED = frozenset({Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.CLASS})
"""The roles of columns whose values are counted, so that it matters what they are."""


@dataclass(frozen=True, slots=True)
class ColumnSuggestion:
    """What is suggested for one column."""

    name: str
    """The column."""
    role: Role
    """Its part in the policy."""
    reason: str
    """Why; no cell is quoted."""
    figures: ColumnEvidence
    """What was counted and recognized."""
    masking: Masking | None = None
    """How it is masked, if it is a quasi-identifier; or what its values are grouped by, if it is sensitive."""

    def to_data(self) -> dict[str, Any]:
        """The same as plain values."""
        figures = self.figures
        shape = None if figures.shape is None else str(figures.shape.shape)
        return {
            "name": self.name,
            "role": str(self.role),
            "reason": self.reason,
            "entry": None if self.masking is None else self.masking.entry,
            "distinct": figures.n_distinct,
            "missing": figures.n_missing,
            "singled_out": figures.singled_out,
            "separation": figures.separation,
            "distinction": figures.distinction,
            "name_says": None if figures.meaning is None else str(figures.meaning),
            "cells_look_like": shape,
            "date_forms": figures.date_forms,
            "number_forms": figures.number_forms,
        }


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A draft of a policy, and what speaks for it."""

    source: str
    """What the table is called."""
    n_records: int
    """Its records."""
    risk: float
    """The largest chance of being found."""
    k: int
    """The smallest group that keeps to it."""
    columns: tuple[ColumnSuggestion, ...]
    """All columns, in the table's order."""
    requirements: tuple[SuggestedRequirement, ...]
    """What is asked."""
    search: SetSearch
    """The smallest sets of columns that single out many records."""
    missing: str
    """What happens to missing cells of masked columns."""
    missing_reason: str
    """Why."""
    minimality: str | None = None
    """What is done about attackers who know how the search works; None says nothing of them."""
    minimality_reason: str | None = None
    """Why; None where no share of a value is bounded, so that there is nothing to guard."""
    rename: Rename | None = None
    """How columns of the same name are told apart."""
    knowledge_said: str = ""
    """What an attacker is taken to know, in words."""
    beyond_said: str = ""
    """What columns told that are left out because they are too many."""
    trial: DraftTrial | None = None
    """What a release by it would show, if it was tried."""

    def named(self, role: Role) -> tuple[str, ...]:
        """The columns with a role."""
        return tuple(column.name for column in self.columns if column.role is role)

    @property
    def class_name(self) -> str | None:
        """The class, if one was given or guessed."""
        return next(iter(self.named(Role.CLASS)), None)

    @property
    def person(self) -> str | None:
        """The column that names persons, if they have several records."""
        return next(iter(self.named(Role.PERSON)), None)

    @property
    def dates(self) -> dict[str, str]:
        """How the dates of masked columns are written, where that is known and not as in ISO dates."""
        return {name: forms[0] for name, forms in self._date_forms.items() if len(forms) == 1}

    @property
    def undecided_dates(self) -> dict[str, tuple[str, ...]]:
        """The forms that dates of masked columns may have, where no value tells whether day or month comes first."""
        return {name: forms for name, forms in self._date_forms.items() if len(forms) > 1}

    @property
    def _date_forms(self) -> dict[str, tuple[str, ...]]:
        masked = (column for column in self.columns if column.role is Role.QUASI_IDENTIFIER)
        return {column.name: tuple(column.figures.date_forms) for column in masked}

    @property
    def numbers(self) -> dict[str, str]:
        """How the numbers of masked and counted columns are written, where that is known and not the usual way."""
        return {name: forms[0] for name, forms in self._number_forms.items() if len(forms) == 1}

    @property
    def undecided_numbers(self) -> dict[str, tuple[str, ...]]:
        """The forms that such numbers may have, where no value tells what a comma stands before."""
        return {name: forms for name, forms in self._number_forms.items() if len(forms) > 1}

    @property
    def _number_forms(self) -> dict[str, tuple[str, ...]]:
        counted = (column for column in self.columns if column.role in _COUNTED)
        return {column.name: tuple(column.figures.number_forms) for column in counted}

    @property
    def data(self) -> dict[str, Any]:
        """The policy as the mapping that `read_policy` reads."""
        said = {
            "class": self.class_name,
            "person": self.person,
            "rename": None if self.rename is None else str(self.rename),
            "dates": self.dates or None,
            "numbers": self.numbers or None,
            "attributes": {column.name: column.masking.entry for column in self.columns if column.masking is not None},
            "requirements": [requirement.entry for requirement in self.requirements],
            "drop": [column.name for column in self.columns if column.role.is_left_out],
            "missing": self.missing,
            "minimality": self.minimality,
        }
        return {key: value for key, value in said.items() if value is not None}

    @property
    def policy(self) -> Policy:
        """The policy."""
        # A draft is written without it, and to import it takes a quarter of a second.

        return read_policy(self.data)

    def to_yaml(self) -> str:
        """The policy as a file, with the reasons as comments."""
        return write_draft(self)

    def to_data(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "records": self.n_records,
            "risk": self.risk,
            "k": self.k,
            "policy": self.data,
            "columns": [column.to_data() for column in self.columns],
            "singling_sets": [
                {
                    "columns": list(found.columns),
                    "singled_out": found.singled_out,
                    "separation": found.separation,
                    "level": found.level,
                }
                for found in self.search.sets
            ],
            "sets_counted": self.search.n_counted,
            "all_sets_counted": self.search.is_complete,
        }

    def write(self, path: str | Path) -> None:
        """Write the draft to a new file; a file that is there is left alone.

        Args:
            path: Where.
        """
        write_new(path, self.to_yaml())


def write_new(path: str | Path, text: str) -> None:
    """Write a draft to a new file; a file that is there is left alone.

    Args:
        path: Where.
        text: The draft.
    """
    target = Path(path)
    check_target(target)
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InputError(_exists(target)) from None
    except OSError as error:
        msg = f"`{target}` cannot be written: {error.strerror}. Choose another place."
        raise WriteError(msg) from None


def check_target(target: Path) -> None:
    """Refuse a place where a draft cannot be written, before anything is counted."""
    if target.exists() or target.is_symlink():
        raise InputError(_exists(target))
    if not target.parent.is_dir():
        msg = f"There is no folder `{target.parent}` to write `{target.name}` to. Make it, or choose another one."
        raise InputError(msg)


def _exists(target: Path) -> str:
    return f"`{target}` is there already, and a draft overwrites nothing. Choose another name with -o."
