"""The risk section of a report, in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.risks.wording import (
    GROUP_HEADERS,
    above_cells,
    columns_cell,
    estimate_text,
    everything_text,
    group_cells,
    percent,
    population_text,
    threshold_cells,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.risks.risk import Risk


def risk_section(risk: Risk) -> list[str]:
    """Say how likely somebody is found, or something about them, in lines of Markdown."""
    lines = [
        "",
        "## Risk",
        "",
        everything_text(risk),
        "",
        f"The chance to pick the right one of the {risk.unit.plural} that show the same, if a person is in the table:",
        "",
        *_grid(
            [*GROUP_HEADERS, *threshold_cells(risk)],
            [[columns_cell(one), *group_cells(one), *above_cells(risk, one)] for one in (*risk.qids, risk.everything)],
        ),
    ]
    if risk.one_more:
        rows = [[", ".join(o.qid), o.column, f"{o.smallest:,}", percent(o.below_k)] for o in risk.one_more]
        lines += ["", "For somebody who knows one more released column than a quasi-identifier:", ""]
        lines += _grid(["quasi-identifier", "and also", "smallest group", "in groups smaller than k"], rows)
    if risk.disclosures:
        rows = [
            [
                o.column,
                ", ".join(o.qid),
                percent(o.guess_rate),
                percent(o.base_rate),
                f"{o.least_distinct:,}",
                f"{o.least_entropy:.3g}",
                percent(o.largest_share),
            ]
            for o in risk.disclosures
        ]
        lines += ["", "How well a column can be guessed:", ""]
        headers = ["column", "from", "right", "right without", "fewest values", "least effective values"]
        lines += _grid([*headers, "largest share"], rows)
    texts = [population_text(one) for one in risk.populations] + [estimate_text(one) for one in risk.estimates]
    return lines + ([""] + [f"- {text}" for text in texts] if texts else [])


def _grid(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(headers)} |", "| --- " * len(headers) + "|", *(f"| {' | '.join(row)} |" for row in rows)]
