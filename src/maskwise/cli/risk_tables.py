"""What the terminal shows of risk: a short table and the sentences that must not be missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table as Grid
from rich.text import Text

from maskwise.risks.wording import (
    GROUP_HEADERS,
    above_cells,
    columns_cell,
    disclosure_texts,
    estimate_text,
    everything_text,
    explain_groups,
    group_cells,
    one_more_texts,
    percent,
    population_text,
    threshold_cells,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.cli.terminal import Terminal
    from maskwise.risks.risk import Risk


def show_risk(terminal: Terminal, risk: Risk, *, in_full: bool = False) -> None:
    """Show how likely somebody is found, or something about them.

    Args:
        terminal: Where to.
        risk: The figures.
        in_full: Also list thresholds, and every further column that somebody may know beside a QID.
    """
    rows = [(columns_cell(one), group_cells(one), above_cells(risk, one)) for one in (*risk.qids, risk.everything)]
    figures = [(name, cells) for name, cells, _ in rows]
    above = [(name, cells) for name, _, cells in rows]
    _show(terminal, f"Risk, counted in {risk.unit.plural}", GROUP_HEADERS, figures)
    terminal.say(explain_groups(risk))
    if in_full:
        title = f"Share of {risk.unit.plural} above a threshold"
        _show(terminal, title, [GROUP_HEADERS[0], *threshold_cells(risk)], above)
    terminal.say(everything_text(risk))
    if in_full and risk.one_more:
        headers = ("quasi-identifier", "and also", "smallest group", "in groups smaller than k")
        more = [(", ".join(one.qid), [one.column, f"{one.smallest:,}", percent(one.below_k)]) for one in risk.one_more]
        _show(terminal, "With one more column than a quasi-identifier", headers, more)
    else:
        for text in one_more_texts(risk):
            terminal.say(text)
    for text in (
        *disclosure_texts(risk),
        *map(population_text, risk.populations),
        *map(estimate_text, risk.estimates),
    ):
        terminal.say(text)


def _show(terminal: Terminal, title: str, headers: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Print a table whose first cells may be long and whose others are short."""
    grid = Grid(title=title, title_justify="left")
    grid.add_column(headers[0], overflow="fold", min_width=16)
    for header in headers[1:]:
        grid.add_column(header)
    for name, cells in rows:
        grid.add_row(Text(name), *map(Text, cells))
    terminal.out.print(grid)
