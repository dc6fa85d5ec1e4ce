"""How many rows queries have, as PostgreSQL's planner estimates it from its statistics, in a millisecond."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Run = Callable[[str], Any]
    """Runs a query and gives its cursor."""


def n_rows(run: Run, query: str, columns: Sequence[str] = ()) -> int:
    """How many rows a query has, or how many different ones on some of its columns."""
    names = ", ".join(columns)
    grouped = f"SELECT {names} FROM ({query}) q GROUP BY {names}"  # noqa: S608
    return int(_plan(run, grouped if columns else query)["Plan Rows"])


def most_rows(run: Run, query: str) -> int:
    """How many rows any step of a query has: at least as many as its result, if no step makes several of one.

    The result of a GROUP BY may be estimated far too low, the rows of a table hardly.
    """
    return max(int(step["Plan Rows"]) for step in _steps(_plan(run, query)))


def _plan(run: Run, query: str) -> dict[str, Any]:
    found: dict[str, Any] = run(f"EXPLAIN (FORMAT JSON) {query}").fetchone()[0][0]["Plan"]
    return found


def _steps(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from _steps(below)
