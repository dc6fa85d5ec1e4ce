"""Small pieces of what commands print."""

from __future__ import annotations

import json
import sys
from typing import Any


def shown_name(data: str) -> str:
    """What is said of the data: an address may hold a password.

    >>> shown_name("postgres://me:secret@host/db#people")
    'people'
    """
    return data.rpartition("#")[2] if "://" in data else data


def print_json(data: Any) -> None:
    """Print plain values as JSON."""
    sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=False) + "\n")
