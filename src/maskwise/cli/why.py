"""What `mask --why` prints: a table for each attribute, and what would free the most wanted values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table as Grid
from rich.text import Text

from maskwise.report.why import FREED, TITLE, holding_back, most_of

if TYPE_CHECKING:
    from maskwise.cli.terminal import Terminal

_MOST_VALUES = 12
"""So many values of an attribute are listed; of more, the rest is counted."""


def show_why(terminal: Terminal, data: dict[str, Any]) -> None:
    """Print why values stay masked.

    Args:
        terminal: Where to.
        data: What `report.why.why_data` says.
    """
    if not data["attributes"]:
        terminal.say(f"{TITLE}: nothing is hidden.")
        return
    grid = Grid(title=f"{TITLE} (for you alone: it rests on the original records)", title_justify="left")
    grid.add_column("attribute", overflow="fold")
    grid.add_column("shown", overflow="fold", min_width=8)
    grid.add_column("records", justify="right")
    grid.add_column("why not more", overflow="fold")
    for attribute in data["attributes"]:
        values, more = most_of(attribute["values"], _MOST_VALUES)
        rows = [(value["shown"], f"{value['records']:,}", value["text"]) for value in values]
        rows += [("", "", more)] if more else []
        for at, row in enumerate(rows):
            grid.add_row(Text("" if at else attribute["name"]), *map(Text, row))
        grid.add_section()
    terminal.out.print(grid)
    for attribute in data["attributes"]:
        if "sentence" in attribute:
            terminal.say(f"{attribute['name']}: {attribute['sentence']}")
    for text in holding_back(data):
        terminal.say(text)
    if data["wanted"]:
        terminal.say(f"{FREED}:")
        for one in data["wanted"]:
            terminal.say(f"  {one['text']}")
