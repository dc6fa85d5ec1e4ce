"""Drafts judged on tables of another maker: Faker's people under names that were written without the vocabulary."""

from __future__ import annotations

import warnings

import pyarrow as pa
import pytest

import maskwise
from maskwise.suggestion.roles import Role
from tests.suggestion.made_tables import IDENTIFIER, QUASI, SENSITIVE, TEXT

pytest.importorskip("faker")

from tests.suggestion.faker_tables import LOCALES, REGISTERS, people  # after the check, as it needs the package

LANGUAGES = ("en", "de", "fr")
SHOWN = {Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.CLASS}


@pytest.mark.slow
@pytest.mark.parametrize("register", REGISTERS)
def test_identifiers_are_left_out_and_what_others_know_is_masked(register: str) -> None:
    """All tables together are judged in bench/suggest.py; here no column of any register may be misjudged."""
    for language in LANGUAGES:
        table = people(language, register, 300)
        suggestion = maskwise.suggest(pa.table(table.cells))
        found = {column.name: column.role for column in suggestion.columns}
        for name, role in table.roles.items():
            if role == IDENTIFIER:
                assert found[name] in {Role.IDENTIFIER, Role.PERSON}, (table.name, name)
            elif role in {QUASI, SENSITIVE}:
                assert found[name] in SHOWN, (table.name, name)
            elif role == TEXT:
                assert found[name] in {Role.FREE_TEXT, Role.IDENTIFIER}, (table.name, name)


@pytest.mark.slow
@pytest.mark.parametrize("language", LOCALES)
def test_a_draft_masks_its_table(language: str) -> None:
    table = people(language, "clinic", 120)
    suggestion = maskwise.suggest(pa.table(table.cells))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", maskwise.MaskwiseWarning)
        outcome = maskwise.anonymize(pa.table(table.cells), suggestion.policy)
    assert outcome.verdict.is_met
    told = suggestion.to_yaml()
    cells = {str(cell) for name, role in table.roles.items() if role == IDENTIFIER for cell in table.cells[name]}
    assert not [cell for cell in cells if len(cell) > 4 and cell in told]
