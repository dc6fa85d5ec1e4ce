"""What each privacy model says of a masking that would break it."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from maskwise.policy.requirements.base import Part
from maskwise.policy.requirements.closeness import Closeness
from maskwise.policy.requirements.confidence import Template
from maskwise.policy.requirements.diversity import Diversity, Measure
from maskwise.policy.requirements.k_anonymity import KAnonymity
from maskwise.policy.requirements.unit import Unit

QID = ("Job",)
RECURSIVE = Diversity(QID, "Ill", Measure.RECURSIVE, Fraction(2), Fraction(3))


@pytest.mark.parametrize(
    ("part", "figure", "unit", "said"),
    [
        (KAnonymity(QID, 50), 27, Unit.RECORD, "a group of 27 records would be left; 50 are asked"),
        (KAnonymity(QID, 2), 1, Unit.PERSON, "a group of 1 person would be left; 2 are asked"),
        (
            Template(QID, "Ill", "hiv", Fraction(1, 2)),
            0.62,
            Unit.RECORD,
            "a protected value of `Ill` would reach a share of 0.62 of a group; at most 0.5 is allowed",
        ),
        (
            Diversity(QID, "Ill", Measure.DISTINCT, Fraction(3)),
            1,
            Unit.RECORD,
            "a group with 1 value of `Ill` would be left; 3 are asked",
        ),
        (
            Diversity(QID, "Ill", Measure.ENTROPY, Fraction(2)),
            1.998,
            Unit.RECORD,
            "a group as diverse as 1.998 equally frequent values of `Ill` would be left; 2 are asked",
        ),
        (
            RECURSIVE,
            5.25,
            Unit.RECORD,
            (
                "in a group the most frequent value of `Ill` would occur 5.25 times as often as the rare ones; "
                "less than 3 times is asked"
            ),
        ),
        (RECURSIVE, math.inf, Unit.RECORD, "a group with fewer than 2 values of `Ill` would be left"),
        (
            Closeness(QID, "Ill", Fraction(3, 10)),
            0.41,
            Unit.RECORD,
            (
                "the distribution of `Ill` in a group would be at a distance of 0.41 from that in the whole table; "
                "at most 0.3 is allowed"
            ),
        ),
    ],
)
def test_every_model_says_what_would_be_reached_and_names_no_value(
    part: Part, figure: float, unit: Unit, said: str
) -> None:
    assert part.would_reach(figure, unit) == said
    assert "hiv" not in said
