"""Runs to report on: a real one with results added by hand, and ones put together from any names and values."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

import maskwise
from maskwise import KAnonymity
from maskwise.attacks.attack import Attack, AttackResult
from maskwise.outcome import Outcome
from maskwise.policy.attributes import Kind
from maskwise.policy.policy import Policy
from maskwise.policy.requirements.unit import Unit
from maskwise.release.common_rows import CommonRow
from maskwise.risks.risk import Disclosure, GroupRisk, OneMore, PopulationRisk, Risk, UniqueEstimate
from maskwise.solution.cut import Cut
from maskwise.solution.reasons import Change, Reason, ReasonKind, Reasons
from maskwise.solution.solution import Reached, Solution
from maskwise.values.message import Audience, Level, Message
from maskwise.verify.verdict import Finding, Verdict

QID = ("Age", "Edu", "Job")
EDU = {"ANY": {"School": ["5th", "8th"], "University": ["Bachelor", "Master", "Doctor"]}}
POLICY: dict[str, Any] = {
    "class": "Pay",
    "attributes": {"Age": {"interval": [0, 100]}, "Edu": {"taxonomy": EDU}, "Job": "suppress"},
    "requirements": [
        {"qid": list(QID), "k": 6},
        {"qid": ["Age", "Edu"], "sensitive": {"Ill": ["hiv"]}, "confidence": 0.9},
    ],
    "drop": ["Name"],
}
RARE = "astronaut"
"""A job that only one person has."""


def people(n: int = 400) -> pa.Table:
    """Records with a rare job and a name of their own."""
    rng = random.Random(7)  # noqa: S311 - test data
    ages = [rng.randrange(18, 90) for _ in range(n)]
    return pa.table(
        {
            "Name": [f"name-{i}" for i in range(n)],
            "Age": ages,
            "Edu": [rng.choice(["5th", "8th", "Bachelor", "Master", "Doctor"]) for _ in range(n)],
            "Job": [RARE, *(rng.choice(["clerk", "nurse", "judge"]) for _ in range(n - 1))],
            "Ill": [rng.choice(["flu", "cold", "hiv"]) for _ in range(n)],
            "Pay": [["low", "high"][(age > 50) ^ (rng.random() < 0.1)] for age in ages],
        }
    )


def real_run() -> Outcome:
    """A masked table, with nothing added."""
    return maskwise.anonymize(people(), POLICY)


def risk() -> Risk:
    """Figures that occur nowhere else in a report."""
    return Risk(
        Unit.RECORD,
        {"ema-0070": 0.09, "0.2": 0.2},
        (GroupRisk(QID, 400, 31, 8, 1 / 8, 0.0775, 0.0, {0.09: 0.6123, 0.2: 0.0}, 6, 0.0),),
        GroupRisk((*QID, "Ill", "Pay"), 400, 200, 1, 1.0, 0.5, 0.0444, {0.09: 0.7345, 0.2: 0.456}, 6, 0.2831),
        (OneMore(QID, "Ill", 3, 0.1729), OneMore(QID, "Pay", 2, 0.2157)),
        (Disclosure(QID, "Ill", 2, 1.61, 0.8123, 0.5419, 0.3571),),
        (PopulationRisk(QID, 90_001, 0.0313, 0.0119, 0.0117),),
        (UniqueEstimate(QID, 80_003, 0.0731, 0.0623, None, "pitman", 0.0623),),
    )


ATTACKS = (
    Attack("homogeneity", "a person's group.", AttackResult.PASSED, "81 % at most.", Audience.RECIPIENT, 0.8123, 0.9),
    Attack("downcoding", "the policy.", AttackResult.FAILED, "12.7 % of cells are told.", Audience.OWNER, 0.127, 0.05),
    Attack("composition", "another release.", AttackResult.NOT_RUN, "There is none.", Audience.RECIPIENT),
)


class Errors:
    """What `evaluate` gives, as far as a report looks at it."""

    class_name = "Pay"
    n_tested = 1234

    def to_data(self) -> list[dict[str, Any]]:
        found = (("BE", None, 14.21), ("AE", 6, 15.37), ("UE", None, 19.48))
        return [
            {"classifier": "c4.5", "protocol": "held-out", "k": k, "measure": measure, "error": error}
            | {"low": error - 0.5, "high": error + 0.5}
            for measure, k, error in found
        ] + [
            {
                "classifier": "c4.5",
                "protocol": "held-out",
                "k": 900,
                "measure": "AE",
                "error": None,
                "low": None,
                "high": None,
            }
        ]


def full_run() -> Outcome:
    """A masked table with risk, attacks and reasons."""
    outcome = real_run()
    reasons = tuple(
        Reason(
            *(
                cut.attribute,
                label,
                ReasonKind.BREAKS,
                f"A group of 3 would be left below {label}.",
                ("x", "y"),
                0,
                3.0,
            ),
            n_records=9,
        )
        for cut in outcome.solution.cuts
        for label in cut.labels
    )
    wanted = next(i for i, one in enumerate(reasons) if (one.attribute, one.shown) == ("Job", "*"))
    change = Change("Job", "*", "k=3 instead of 6 on {Age, Edu, Job}", instead=("x", "y"))
    why = Reasons(reasons, (("Job", 0),), (change,), (wanted,))
    return replace(outcome, risk=risk(), attacks=ATTACKS, reasons=why)


def put_together(
    cuts: Sequence[Cut],
    passed: Sequence[str] = (),
    common: Sequence[CommonRow] = (),
    messages: Sequence[str] = (),
    sizes: tuple[tuple[int, int], ...] = ((5, 2), (40, 3)),
) -> Outcome:
    """A run that reports on these cuts, with a k on all of them."""
    names = tuple(cut.attribute for cut in cuts)
    asked = KAnonymity(names, 5)
    n_rows = sum(size * n for size, n in sizes)
    finding = Finding(asked, sizes[0][0], sum(n for _, n in sizes), 0, 0, sizes, n_rows=n_rows)
    solution = Solution(
        tuple(cuts), (Reached(asked, 5),), n_rows, "", "tdr", "score", "maximal", columns=(*names, *passed)
    )
    said = tuple(Message(Level.WARNING, Audience.RECIPIENT, text) for text in messages)
    verdict = Verdict(n_rows, (finding,))
    return Outcome(None, solution, verdict, Policy((asked,)), "a table", messages=said, common=tuple(common))


def suppressed(name: str, shown: Sequence[str], hidden: Sequence[str] = ()) -> Cut:
    """An attribute that shows some values and hides others."""
    return Cut(name, Kind.SUPPRESS, "*", shown=tuple(shown), hidden=tuple(hidden))
