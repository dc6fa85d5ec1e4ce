"""Each privacy model by itself: what it refuses, counts, asks of the search, says and writes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, log2
from typing import Any

import pytest

from maskwise import LKC, Closeness, Confidence, Diversity, KAnonymity
from maskwise.errors import PolicyError
from maskwise.formats.requirement_file import read_requirement
from maskwise.policy.requirements.any_of import AnyOf
from maskwise.policy.requirements.base import Counted, FigureAxis, Part, Requirement
from maskwise.policy.requirements.closeness import Distance
from maskwise.policy.requirements.confidence import Template
from maskwise.policy.requirements.diversity import Measure
from maskwise.policy.requirements.grouping import GroupedBy, Grouping
from maskwise.policy.requirements.rule import Arithmetic
from maskwise.policy.requirements.unit import Unit
from maskwise.policy.taxonomy import Taxonomy

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
QID = ("Age", "Job")
HIV = ("Ill", "HIV", HALF)
K = KAnonymity(QID, 1200)
SHARES = Confidence(QID, (HIV, ("Ill", None, HALF), ("Debt", "yes", THIRD)))
SUBSETS = LKC(("Age", "Job", "Sex"), 2, 4, (HIV,))
SUBSETS_SHARES = LKC(("Age", "Job", "Sex"), 2, None, (HIV,))
DISTINCT = Diversity(QID, "Ill", Measure.DISTINCT, Fraction(3))
ENTROPY = Diversity(QID, "Ill", Measure.ENTROPY, Fraction(5, 2))
RECURSIVE = Diversity(QID, "Ill", Measure.RECURSIVE, Fraction(2), Fraction(3, 2))
EQUAL = Closeness(QID, "Ill", THIRD)
ORDERED = Closeness(QID, "Ill", HALF, Distance.ORDERED, ("none", "flu", "HIV"))
UNIONS = Confidence(QID, (("Ill", AnyOf(("HIV", "flu*")), HALF), ("Ill", AnyOf((None,)), THIRD), HIV))
SUBSETS_UNION = LKC(("Age", "Job", "Sex"), 2, 4, (("Ill", AnyOf(("HIV", "flu*", "yes", "none")), HALF),))
FIRST_LETTER = Diversity(QID, "Ill", Measure.DISTINCT, Fraction(3), by=Grouping(GroupedBy.PREFIX, 1))
CHAPTERS = Closeness(QID, "Ill", THIRD, by=Grouping(GroupedBy.LEVEL, 2))
ALL: tuple[Requirement, ...] = (
    K, SHARES, SUBSETS, SUBSETS_SHARES, DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED, UNIONS, SUBSETS_UNION,
    FIRST_LETTER, CHAPTERS,
)  # fmt: skip
every_model = pytest.mark.parametrize("requirement", ALL, ids=lambda one: one.asks())


@dataclass
class Group:
    """A worst group as a recount would list it."""

    part: Part
    figure: float
    n_records: int = 7
    shown: tuple[str | None, ...] = ("[1, 40)", "*")
    unit: Unit = Unit.RECORD


@dataclass
class Column:
    """A sensitive column with these values, and a tree if there is one."""

    texts: tuple[str, ...]
    tree: Taxonomy | None = None
    holds_sets: bool = False

    def values(self, order: Any = ()) -> tuple[str | None, ...]:
        return tuple(text for text in self.texts if not order or text in order)

    def sets_of(self, counted: Counted) -> tuple[tuple[str | None, ...], ...]:
        by = counted.by
        if by is None:
            return tuple((text,) for text in self.values(counted.order))
        assert by.kind is GroupedBy.PREFIX
        return tuple((text,) for text in sorted({text[: by.n] for text in self.texts}))


@every_model
def test_a_file_says_the_same(requirement: Requirement) -> None:
    def texts(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: texts(item) for key, item in value.items()}
        return [texts(item) for item in value] if isinstance(value, list) else str(value)

    assert read_requirement(texts(requirement.to_data())) == requirement


@every_model
def test_no_word_for_recipients_names_a_protected_value(requirement: Requirement) -> None:
    worst = [Group(part, 0.25) for part in {part.subject: part for part in requirement.parts}.values()]
    said = [requirement.asks(), requirement.asked_cell(), requirement.reached_cell(0.25, worst)]
    said += [repr(requirement.public_data()), repr(requirement.report_data(worst))]
    assert not [text for text in said if any(value in text for value in ("HIV", "flu", "yes", "none"))]


@every_model
def test_the_columns_are_the_qid_and_what_the_parts_count(requirement: Requirement) -> None:
    counted = [part.counted.column for part in requirement.parts if part.counted is not None]
    assert requirement.columns == (*requirement.qid, *dict.fromkeys(counted))
    assert {name for part in requirement.parts for name in part.qid} == set(requirement.qid)


@every_model
def test_a_part_implies_itself_and_no_part_of_another_subject(requirement: Requirement) -> None:
    for part in requirement.parts:
        assert part.implies(part)
        others = [other for one in ALL for other in one.parts if other.subject != part.subject]
        # A union implies its elements; which is the concern of `test_unions`.
        assert not any(part.implies(other) for other in others if not isinstance(other, Template))


@pytest.mark.parametrize(
    ("requirement", "asks", "by_name", "cell", "cell_by_name"),
    [
        (K, "k=1200 on {Age, Job}", None, "k = 1,200", None),
        (
            SHARES,
            "confidence 0.5, 0.333333 for Ill, Debt on {Age, Job}",
            "confidence 0.5, 0.333333 for Ill (HIV, missing), Debt (yes) on {Age, Job}",
            "Ill at most 0.5, Debt at most 0.3333",
            "Ill (HIV, missing) at most 0.5, Debt (yes) at most 0.3333",
        ),
        (
            SUBSETS,
            "k=4 and confidence 0.5 for Ill on any 2 of {Age, Job, Sex}",
            "k=4 and confidence 0.5 for Ill (HIV) on any 2 of {Age, Job, Sex}",
            "k = 4, Ill at most 0.5 for any 2 of them",
            "k = 4, Ill (HIV) at most 0.5 for any 2 of them",
        ),
        (
            RECURSIVE,
            "recursive (1.5, 2)-diversity of Ill on {Age, Job}",
            None,
            "recursive (1.5, 2)-diversity of Ill",
            None,
        ),
        (ENTROPY, "entropy 2.5-diversity of Ill on {Age, Job}", None, "entropy 2.5-diversity of Ill", None),
        (
            UNIONS,
            "confidence 0.5, 0.333333 for Ill on {Age, Job}",
            "confidence 0.5, 0.333333 for Ill (HIV or flu*, missing, HIV) on {Age, Job}",
            "Ill at most 0.5, Ill at most 0.3333",
            "Ill (HIV or flu*, HIV) at most 0.5, Ill (missing) at most 0.3333",
        ),
        (
            SUBSETS_UNION,
            "k=4 and confidence 0.5 for Ill on any 2 of {Age, Job, Sex}",
            "k=4 and confidence 0.5 for Ill (any of 4 values) on any 2 of {Age, Job, Sex}",
            "k = 4, Ill at most 0.5 for any 2 of them",
            "k = 4, Ill (any of 4 values) at most 0.5 for any 2 of them",
        ),
        (
            FIRST_LETTER,
            "distinct 3-diversity of Ill grouped by its first character on {Age, Job}",
            None,
            "distinct 3-diversity of Ill grouped by its first character",
            None,
        ),
        (
            CHAPTERS,
            "0.333333-closeness of Ill grouped 2 levels below the top of its tree (equal distance) on {Age, Job}",
            None,
            "0.333333-closeness of Ill grouped 2 levels below the top of its tree (equal distance)",
            None,
        ),
        (
            ORDERED,
            "0.5-closeness of Ill (ordered distance) on {Age, Job}",
            None,
            "0.5-closeness of Ill (ordered distance)",
            None,
        ),
    ],
    ids=lambda value: value.asks() if not isinstance(value, str | None) else "",
)  # fmt: skip
def test_what_is_asked_in_words(
    requirement: Requirement, asks: str, by_name: str | None, cell: str, cell_by_name: str | None
) -> None:
    assert requirement.asks() == asks
    assert requirement.asks(by_name=True) == (by_name or asks)
    assert requirement.asked_cell() == cell
    assert requirement.asked_cell(by_name=True) == (cell_by_name or cell)


def test_what_is_reached_in_words() -> None:
    hiv, missing, debt = SHARES.parts
    worst = [Group(hiv, 0.25), Group(missing, 0.4), Group(debt, 0.1)]
    assert K.reached_cell(1300, ()) == "1,300"
    assert SHARES.reached_cell(0.4, worst) == "0.4000"
    assert SHARES.reached_cell(0.4, worst, by_name=True) == "0.4000 (missing)"
    assert SHARES.reached_cell(0.4, worst[:1], by_name=True) == "0.4000"
    size, share = SUBSETS.parts[:2]
    assert SUBSETS.reached_cell(5, [Group(size, 5), Group(share, 0.2)], by_name=True) == "5, confidence 0.2000"
    assert SUBSETS_SHARES.reached_cell(0.2, [Group(share, 0.2)]) == "0.2000"
    assert RECURSIVE.reached_cell(inf, ()) == "unbounded"


def test_the_worst_group_in_words_names_no_value_of_one_person() -> None:
    hiv = SHARES.parts[0]
    assert hiv.describe_worst(Group(hiv, 0.25)) == "Ill = HIV reaches 0.2500 of 0.5"
    assert hiv.describe_worst(Group(hiv, 1.0, 1, ())) == "a protected value of Ill reaches 1.0000 of 0.5"
    assert K.describe_worst(Group(K, 1300)) == "anonymity is 1,300 of 1,200"
    assert EQUAL.describe_worst(Group(EQUAL, 0.25)) == "Ill reaches 0.2500"


@pytest.mark.parametrize(
    ("part", "arithmetic", "limit", "numbers", "badness", "figure"),
    [
        (K, Arithmetic.K, -1200, (1200, 1, 0), -1300.0, 1300),
        (KAnonymity(QID, 10**30), Arithmetic.K, -(2.0**62), (2**62, 1, 0), -5.0, 5),
        (Template(QID, *HIV), Arithmetic.SHARE, 0.5, (1, 2, 0), 0.25, 0.25),
        (DISTINCT, Arithmetic.DISTINCT, -3, (3, 1, 0), -4.0, 4),
        (ENTROPY, Arithmetic.ENTROPY, -log2(2.5), (0, 1, 0), -2.0, 4.0),
        (RECURSIVE, Arithmetic.RECURSIVE, 1.5, (3, 2, 2), 0.5, 0.5),
        (EQUAL, Arithmetic.EQUAL, float(THIRD), (0, 1, 0), 0.2, 0.2),
        (ORDERED, Arithmetic.ORDERED, 0.5, (0, 1, 0), 0.2, 0.2),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, KAnonymity | Template | Diversity | Closeness) else "",
)
def test_the_rule_for_the_search(
    part: Part, arithmetic: Arithmetic, limit: float, numbers: tuple[int, ...], badness: float, figure: float
) -> None:
    rule = part.rule(10_000)
    assert (rule.arithmetic, rule.limit) == (arithmetic, pytest.approx(limit))
    assert (rule.numerator, rule.denominator, rule.level) == numbers
    assert rule.to_figure(badness) == figure
    assert type(rule.to_figure(badness)) is type(figure)


def test_what_is_counted() -> None:
    assert K.counted is None
    assert K.min_group == 1200
    assert Template(QID, *HIV).counted == Counted("Ill", ("HIV",))
    assert DISTINCT.counted == Counted("Ill")
    assert ORDERED.counted == Counted("Ill", None, ("none", "flu", "HIV"))
    assert ORDERED.counted.named == ("none", "flu", "HIV")
    assert Counted("Ill", ("HIV", None)).named == ("HIV",)
    assert Counted("Ill", (AnyOf(("HIV", None, "B*")), "flu")).named == ("HIV", "B*", "flu")
    assert FIRST_LETTER.counted == Counted("Ill", by=Grouping(GroupedBy.PREFIX, 1))


@pytest.mark.parametrize(
    ("part", "best", "text"),
    [
        (K, 38, ("k=1200 cannot be met on {Age}: the whole table has 38 records, so that is the best that can be "
                "reached. Lower k or drop the requirement.")),
        (Template(QID, *HIV), 0.75, ("Confidence 0.5 cannot be met on {Age}: `HIV` of `Ill` has a share of 0.7500 in "
                                    "the whole table, and no masking can reach less. Raise its bound or drop it.")),
        (Template(QID, "Ill", None, HALF), 0.75, "the missing value of `Ill` has a share of 0.7500"),
        (DISTINCT, 1, ("distinct 3-diversity cannot be met on {Age}: in the whole table `Ill` has 1 value, and no "
                      "masking can reach more diversity. Ask for less or drop the requirement.")),
        (FIRST_LETTER, 2, "in the whole table `Ill` grouped by its first character has 2 groups, and no masking"),
        (ENTROPY, 2.25, "`Ill` is as diverse as 2.2500 equally frequent values"),
        (RECURSIVE, 3.5, "`Ill` has its most frequent value 3.5000 times as often as the rare ones"),
        (RECURSIVE, inf, "`Ill` has fewer than 2 values"),
    ],
)  # fmt: skip
def test_what_cannot_be_met_is_said_with_the_best_figure(part: Part, best: float, text: str) -> None:
    assert text in part.cannot_be_met("{Age}", best)


def test_a_distance_from_the_whole_table_can_always_be_met() -> None:
    with pytest.raises(AssertionError, match="as close to itself"):
        EQUAL.cannot_be_met("{Age}", 0.1)


@pytest.mark.parametrize(
    ("part", "texts", "text"),
    [
        (DISTINCT, [str(i) for i in range(257)], "has 257 different values; diversity and closeness count up to 256."),
        (EQUAL, [str(i) for i in range(257)], "has 257 different values; diversity and closeness count up to 256."),
        (Closeness(QID, "Ill", HALF, Distance.ORDERED), ["low", "high"], "`Ill` have no order of their own."),
        (DISTINCT, [str(i) for i in range(257)], "Group them with `by: prefix 1`"),
        (
            Diversity(QID, "Ill", Measure.DISTINCT, Fraction(3), by=Grouping(GroupedBy.PREFIX, 3)),
            [str(i) for i in range(257)],
            "`by: prefix 3` makes 257 groups of the values of `Ill`; diversity and closeness count up to 256.",
        ),
        (ORDERED, ["none", "flu", "HIV", "gout"], "The order of `Ill` lacks 1 value of the table. Add it."),
        (ORDERED, ["gout", "cold", "flu"], "The order of `Ill` lacks 2 values of the table. Add them."),
    ],
)
def test_a_column_that_does_not_fit(part: Part, texts: list[str], text: str) -> None:
    assert text in str(part.misfit(Column(tuple(texts))))


def test_a_level_groups_only_what_the_tree_has() -> None:
    column = Column(("flu", "HIV", "1"), Taxonomy.from_nested({"ANY": ["flu", "1.0"]}))
    assert "The taxonomy of `Ill` lacks 1 value of the table, so `by: level 2` cannot group it. Add it." in str(
        CHAPTERS.misfit(column)
    )


def test_columns_that_fit() -> None:
    assert FIRST_LETTER.misfit(Column(tuple(str(i) for i in range(9999)))) is None
    many = Column(tuple(str(i) for i in range(256)))
    assert DISTINCT.misfit(many) is None
    assert EQUAL.misfit(many) is None
    assert Closeness(QID, "Ill", HALF, Distance.ORDERED).misfit(many) is None
    assert ORDERED.misfit(Column(("flu", "HIV"))) is None
    assert Template(QID, *HIV).misfit(Column(tuple(str(i) for i in range(999)))) is None


def test_thresholds_are_changed_where_there_are_any() -> None:
    assert K.with_k(7) == KAnonymity(QID, 7)
    assert SUBSETS.with_k(7).k == 7
    assert SHARES.with_confidence(THIRD).confidences == (THIRD, THIRD, THIRD)
    assert SUBSETS.with_confidence(THIRD).confidences == (THIRD,)
    halves = [bound / 2 for bound in SHARES.confidences]
    assert SHARES.with_confidences(halves).confidences == tuple(halves)
    assert SUBSETS.with_confidences([THIRD]).confidences == (THIRD,)
    for requirement in (SHARES, SUBSETS_SHARES, DISTINCT, EQUAL):
        assert requirement.with_k(7) == requirement
        assert requirement.k is None
    for requirement in (K, DISTINCT, EQUAL):
        assert requirement.with_confidence(THIRD) == requirement
        assert requirement.with_confidences([]) == requirement
        assert requirement.confidences == ()


def test_the_axis_of_a_picture() -> None:
    assert K.axis == FigureAxis("smallest group", 1200, is_count=True)
    assert SUBSETS.axis == FigureAxis("smallest group", 4, is_count=True)
    assert SUBSETS_SHARES.axis == FigureAxis("largest share of a protected value", 0.5)
    assert SHARES.axis == FigureAxis("largest share of a protected value", None)
    assert DISTINCT.axis == FigureAxis("diversity of the least diverse group", 3)
    assert RECURSIVE.axis == FigureAxis("largest quotient, smaller is safer", 1.5)
    assert EQUAL.axis == FigureAxis("distance of the farthest group", float(THIRD))


def test_only_a_k_of_one_is_noted() -> None:
    assert KAnonymity(("Age",), 1).notes == ("k=1 on {Age} protects nobody.",)
    assert not any(requirement.notes for requirement in ALL)


@pytest.mark.parametrize(
    ("make", "mistake"),
    [
        (lambda: KAnonymity((), 2), "at least one"),
        (lambda: KAnonymity(("Age",), 0), "k is at least 1; found 0"),
        (lambda: Confidence(("Ill",), (HIV,)), "is in its own quasi-identifier"),
        (lambda: Confidence(QID, ()), "protects no value"),
        (lambda: Confidence(QID, (HIV, HIV)), "stands twice"),
        (lambda: LKC(QID, 3, 2), "L is at least 1 and at most"),
        (lambda: LKC(QID, 1), "asks for `k`"),
        (lambda: Diversity(QID, "Ill", Measure.RECURSIVE, Fraction(1)), "is at least 2"),
        (lambda: Diversity(QID, "Ill", Measure.DISTINCT, HALF + 2), "is a whole number"),
        (lambda: Closeness(QID, "Ill", Fraction(2)), "above 0 and at most 1"),
        (lambda: Closeness(QID, "Ill", HALF, order=("a", "b")), "goes with the ordered distance"),
    ],
)
def test_what_means_nothing_is_refused(make: Any, mistake: str) -> None:
    with pytest.raises(PolicyError, match=mistake):
        make()
