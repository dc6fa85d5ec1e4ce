"""How a cut grows: what may be chosen follows from the domains and earlier choices, never from records."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from maskwise.private.budget import Account, usual_steps
from maskwise.private.counting import count_cells
from maskwise.private.growth import PrivateGrowth, grow
from tests.private.tables import Eager, Exact, Record, coded, domains, every_record

DOMAINS = domains()
RECORDS = every_record(DOMAINS, 2)


def some(n: int, seed: int) -> list[Record]:
    draw = np.random.default_rng(seed)
    return [RECORDS[i] for i in draw.integers(0, len(RECORDS), n)]


def test_what_may_be_chosen_does_not_depend_on_records() -> None:
    """The same refinements of two tables offer the same candidates and options, in the same order."""
    growths = [PrivateGrowth(DOMAINS, coded(records), 2) for records in (some(50, 1), [])]
    for at in (1, 0, 2, 3, 0):
        offered = [[(one.attribute, one.value, list(one.options)) for one in each.candidates()] for each in growths]
        assert offered[0] == offered[1]
        for each in growths:
            candidates = each.candidates()
            candidate = candidates[at % len(candidates)]
            each.refine(candidate, candidate.options[-1])
        assert growths[0].n_cells == growths[1].n_cells


def test_a_refinement_of_everything_ends_with_all_leaves_shown() -> None:
    """Then the cells are the distinct records, each with its count."""
    records = some(200, 2)
    growth = PrivateGrowth(DOMAINS, coded(records), 2)
    while candidates := growth.candidates():
        growth.refine(candidates[0], candidates[0].options[0])
    assert growth.n_cells == len(RECORDS)
    for shown, domain in zip(growth.shown, DOMAINS, strict=True):
        assert len(set(shown.value_of_leaf.tolist())) == domain.n_codes
        assert len(set(shown.labels.values())) == domain.n_codes
    cells = count_cells(growth, Fraction(1000), Exact())
    assert sorted(cells.counts.tolist()) == sorted(Counter(records).values())


def test_refinements_that_would_make_too_many_cells_are_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maskwise.private.growth.MOST_CELLS", 40)
    growth = PrivateGrowth(DOMAINS, coded(some(50, 3)), 2)
    while candidates := growth.candidates():
        growth.refine(candidates[-1], candidates[-1].options[0])
        assert growth.n_cells <= 40
    assert growth.n_cells > 10


def test_nothing_is_refined_where_nothing_is_gained() -> None:
    account = Account(Fraction(1))
    growth = PrivateGrowth(DOMAINS, coded([]), 2)
    assert grow(growth, 5, account, Exact()) == []
    # One choice was paid for: to stop.
    assert len(account.lines) == 1


def test_every_choice_is_paid_for() -> None:
    account = Account(Fraction(1))
    chosen = grow(PrivateGrowth(DOMAINS, coded(some(80, 4)), 2), 5, account, Eager())
    assert len(chosen) == 5
    assert sum(line.epsilon for line in account.lines) <= Fraction(3, 5)
    with pytest.raises(AssertionError):
        account.spend("too much", Fraction(2))


def test_more_records_or_epsilon_allow_more_steps() -> None:
    assert usual_steps(Fraction(1), 10**6) > usual_steps(Fraction(1), 30_000) > usual_steps(Fraction(1, 10), 30_000)
    assert usual_steps(Fraction(1), -50) == 2
    assert usual_steps(Fraction(100), 10**12) == 40
