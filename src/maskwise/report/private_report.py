"""The report of a private release: what was asked, what epsilon means, what the mechanism chose and spent.

It holds what the mechanism released and what the policy says, so it may
accompany the release; there is no other report for the owner.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from maskwise.errors import plural
from maskwise.policy.attributes import Missing
from maskwise.policy.private_release import PrivateForm
from maskwise.report.content import Bullets, Paragraph, Section, TextTable
from maskwise.report.html import write_html
from maskwise.report.markdown import write_markdown
from maskwise.report.report import check_suffix

if TYPE_CHECKING:
    from pathlib import Path

    from maskwise.private.outcome import PrivateOutcome

PRIVATE_TITLE = "Report of a private release"
NOT_COVERED = (
    (
        "What is true of many people alike can be learned, also about somebody who is in the table: epsilon bounds "
        "what one person's own records change, not what a population tells about its members."
    ),
    "Releases of the same people add up: the epsilons of all of them are what protects a person. A ledger adds them.",
    (
        "Whoever watches the run itself may learn from its time, its memory or a failing disk; who only gets its files "
        "does not."
    ),
    "Relatives, or records of one person under different keys, count as different persons.",
    "A file that cannot be read at all ends the run with an error that its owner sees.",
)
"""What a private release does not protect against."""
_PRIORS = (0.01, 0.1, 0.5)
"""Beliefs before a release, for the table of odds."""


def largest_belief(before: float, epsilon: float) -> float:
    """How sure anybody can be after something that changes odds by a factor of at most e to the power of epsilon.

    Args:
        before: How sure they were.
        epsilon: The logarithm of the factor.

    >>> round(largest_belief(0.1, 1.0), 3)
    0.232
    """
    odds = before / (1 - before) * math.exp(epsilon)
    return odds / (1 + odds)


@dataclass(frozen=True, slots=True)
class PrivateReport:
    """A private release in words and figures."""

    data: dict[str, Any]
    """Everything the report says, as plain values."""

    def sections(self) -> tuple[Section, ...]:
        """Everything the report says, in the order in which people read it."""
        data = self.data
        odds = tuple(
            (f"{row['before']:.0%}", f"{row['is_in_table']:.1%}", f"{row['has_value']:.1%}") for row in data["beliefs"]
        )
        steps = tuple(
            (str(i), one["attribute"], one["from"], ", ".join(one["to"]))
            for i, one in enumerate(data["chosen"], start=1)
        )
        shown = tuple((one["name"], one["kind"], ", ".join(one["shown"])) for one in data["attributes"])
        spent = tuple((one["what"], f"{one['epsilon']:.6g}") for one in data["spent"])
        belief = (
            "sure before",
            "afterwards, that somebody is in the table",
            "afterwards, of a value of somebody in it",
        )
        made: list[Section] = [
            Section("summary", "In short", (Paragraph(" ".join(data["summary"]), is_lead=True),)),
            Section(
                "epsilon",
                "What epsilon means",
                (Paragraph(data["meaning"]), TextTable(belief, odds, numeric=(0, 1, 2))),
            ),
            Section("shown", "How each attribute is shown", (TextTable(("attribute", "kind", "shows"), shown),)),
            Section("noise", "Counts and noise", (Bullets(tuple(data["noise"])),)),
            Section("spent", "What epsilon was spent on", (TextTable(("for", "epsilon"), spent, numeric=(1,)),)),
            Section("limits", "What it does not protect", (Bullets(tuple(data["does_not_protect"])),)),
        ]
        if steps:
            table = TextTable(("step", "attribute", "from", "to"), steps, numeric=(0,))
            made.insert(3, Section("chosen", "What the mechanism chose", (table,)))
        return tuple(made)

    def to_json(self) -> str:
        """For scripts."""
        return json.dumps(self.data, indent=2, ensure_ascii=False) + "\n"

    def to_markdown(self) -> str:
        """For people who read text."""
        return write_markdown(PRIVATE_TITLE, None, self.sections())

    def to_html(self) -> str:
        """For people, as one page that needs nothing else."""
        about = f"epsilon = {self.data['epsilon']:g}"
        return write_html(PRIVATE_TITLE, about, None, self.sections(), f"Written by maskwise {self.data['maskwise']}.")

    def render(self, path: Path) -> str:
        """The form that a file's suffix asks for."""
        check_suffix(path)
        return {".json": self.to_json, ".html": self.to_html}.get(path.suffix, self.to_markdown)()


def private_report(outcome: PrivateOutcome) -> PrivateReport:
    """Say what a private run asked, chose, spent and shows.

    Args:
        outcome: The run.
    """
    asked, made, cells = outcome.asked, outcome.released, outcome.released.cells
    epsilon = float(asked.epsilon)
    unit = neighbours(outcome)
    records = plural(outcome.n_records, "record")
    data: dict[str, Any] = {
        "maskwise": version("maskwise"),
        "epsilon": epsilon,
        "neighbours": unit,
        "mechanism": MECHANISM,
        "class": outcome.policy.class_name,
        "columns": list(outcome.columns),
        "released_as": str(asked.form),
        "records": outcome.n_records,
        "combinations": len(cells.counts),
        "cells": cells.n_cells,
        "threshold": cells.threshold,
        "noise_scale": cells.scale,
        "per_person": asked.per_person,
        "most_steps": made.n_steps,
        "chosen": [{"attribute": one.attribute, "from": one.before, "to": list(one.after)} for one in made.chosen],
        "attributes": [
            {"name": domain.attribute, "kind": str(domain.kind), "shown": list(dict.fromkeys(texts))}
            for domain, texts in zip(made.cuts, cells.labels, strict=True)
        ],
        "spent": [{"what": line.what, "epsilon": float(line.epsilon * asked.per_person)} for line in made.spent],
        "beliefs": [
            # Another value of somebody is a record less and a record more.
            {"before": one, "is_in_table": largest_belief(one, epsilon), "has_value": largest_belief(one, 2 * epsilon)}
            for one in _PRIORS
        ],
        **({} if outcome.ledger is None else {"ledger": outcome.ledger.to_data()}),
        "does_not_protect": list(NOT_COVERED),
    }
    factor = f"{math.exp(epsilon):,.3g}"
    data["meaning"] = (
        f"Whatever somebody knows already, and whatever they do with this release: it would have come out nearly as "
        f"likely without any one person, within a factor of {factor} (e to the power of {epsilon:g}), for {unit}. "
        "The table says how sure anybody can be at most."
    )
    data["noise"] = _noise(outcome)
    named = f"{plural(len(asked.attributes), 'attribute')} and the class {outcome.policy.class_name}"
    data["summary"] = [
        f"{records} by noisy counts, of {named}.",
        f"The release is {epsilon:g}-differentially private for {unit}.",
        "Its records are made from noisy counts; none of them is a person's. Every other column is left out.",
    ]
    return PrivateReport(data)


MECHANISM = (
    "Top-down refinement in which every refinement is chosen by OpenDP's noisy max, then counts of all combinations of "
    "the shown values and the class with OpenDP's discrete Laplace noise; combinations without records get the same "
    "noise."
)
"""The mechanism in a sentence, for reports and certificates."""


def neighbours(outcome: PrivateOutcome) -> str:
    """Which tables the guarantee compares."""
    if outcome.policy.person is None:
        return "adding or removing one record"
    m = outcome.asked.per_person
    return f"adding or removing one person, of whom at most {plural(m, 'record')} {'is' if m == 1 else 'are'} used"


def _noise(outcome: PrivateOutcome) -> list[str]:
    """How counts came about, in sentences."""
    cells = outcome.released.cells
    missing = "left out" if outcome.policy.missing is Missing.DROP else "shown as the root"
    form = (
        "Each combination is repeated as often as its noisy count says, in the order of its labels."
        if outcome.asked.form is PrivateForm.RECORDS
        else "Each combination stands once, with its noisy count."
    )
    return [
        f"There are {cells.n_cells:,} combinations; each count has discrete Laplace noise of scale {cells.scale:.4g}.",
        f"Counts below {cells.threshold:,} are left out. The threshold follows from the number of combinations.",
        f"Numbers beyond a declared range are put to its end; other cells outside a declared domain are {missing}.",
        form,
    ]
