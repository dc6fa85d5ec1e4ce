"""Small pieces of what commands print."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console
from rich.text import Text


def shown_name(data: str) -> str:
    """What is said of the data: an address may hold a password.

    >>> shown_name("postgres://me:secret@host/db#people")
    'people'
    """
    return data.rpartition("#")[2] if "://" in data else data


def print_json(data: Any) -> None:
    """Print plain values as JSON."""
    sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def print_error(text: str) -> None:
    """Print an error on standard error."""
    console = Console(stderr=True, soft_wrap=True, highlight=False, emoji=False)
    console.print(Text.assemble(("error:", "bold red"), " ", text))
