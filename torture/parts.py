"""The parts of the campaign, by name, each opened as a context."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from torture import corruption, faults, kills, studio_bodies
from torture.campaign import Part
from torture.differential import Differential
from torture.hostile import Hostile

PARTS: dict[str, Callable[[], AbstractContextManager[Part]]] = {
    "differential": lambda: nullcontext(Differential()),
    "faults": faults.opened,
    "kills": kills.opened,
    "corruption": corruption.opened,
    "hostile": lambda: nullcontext(Hostile()),
    "studio": studio_bodies.opened,
    "spark": kills.opened_on_spark,
}
"""The last one only where it is named: every run of it starts a JVM."""
