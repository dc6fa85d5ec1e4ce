"""The searches that there are, one line each.

A new search is one module with a class that `interface.Search` describes, and
one line here. Modules are named, not imported: compiled code is slow to load,
and the command line needs the names only.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maskwise.search.interface import Problem, Search

DEFAULT_METHOD = "tdr"
PLAIN_CRITERION = "score"
"""The papers' criterion; also what stands in the files for a method with a measure of its own."""
BEST_CRITERION = "conditional"
"""What is searched by where nothing is asked for and there is a class."""
MAX_CLASSES = 50
"""Searches that tell groups apart by class take up to so many classes."""


@dataclass(frozen=True, slots=True)
class SearchRegistration:
    """One search: what it is called, where it is, and which options it takes."""

    method: str
    """Which way the search goes, as the option `method` spells it."""
    criterion: str | None
    """How it chooses, as the option `criterion` spells it; None for a method with a measure of its own."""
    home: str
    """Its module and class, as in `maskwise.search.score_search:ScoreSearch`."""
    options: frozenset[str] = frozenset()
    """Which of the options `effort` and `background` it takes."""
    usual_effort: int = 1
    """The effort where none is asked for."""
    is_random: bool = False
    """Whether it draws random numbers in every run, so that a seed has a meaning."""
    starts_from_raw_values: bool = False
    """Whether it needs to know every value, also one that is too rare ever to be shown."""
    tries_every_split: bool = False
    """Whether it splits an interval wherever that is valid, and not only where the class is told best."""


SEARCHES = (
    SearchRegistration("tdr", "score", "maskwise.search.score_search:ScoreSearch"),
    SearchRegistration("tdr", "infogain", "maskwise.search.score_search:ScoreSearch"),
    SearchRegistration(
        "tdr",
        "conditional",
        "maskwise.search.conditional.search:ConditionalSearch",
        options=frozenset({"background"}),
        tries_every_split=True,
    ),
    SearchRegistration(
        "bug",
        None,
        "maskwise.search.bottomup_search:BottomUpSearch",
        starts_from_raw_values=True,
    ),
    SearchRegistration(
        "regions",
        None,
        "maskwise.search.regions.search:RegionSearch",
        options=frozenset({"effort", "background"}),
        usual_effort=2,
        is_random=True,
        tries_every_split=True,
    ),
)


def methods(option: str | None = None) -> tuple[str, ...]:
    """The names of all methods, or of those that take an option.

    >>> methods(), methods("effort")
    (('tdr', 'bug', 'regions'), ('regions',))
    """
    return tuple(dict.fromkeys(one.method for one in SEARCHES if option is None or option in one.options))


def criteria(method: str | None = None, option: str | None = None) -> tuple[str, ...]:
    """The names of all criteria, or of those of a method or with an option.

    >>> criteria(), criteria("bug"), criteria(option="background")
    (('score', 'infogain', 'conditional'), (), ('conditional',))
    """
    chosen = [one for one in SEARCHES if method in {None, one.method} and (option is None or option in one.options)]
    return tuple(dict.fromkeys(one.criterion for one in chosen if one.criterion is not None))


def find_search(method: str, criterion: str) -> SearchRegistration | None:
    """The search with this method and criterion; a method with a measure of its own has the plain criterion."""
    for one in SEARCHES:
        if one.method == method and (one.criterion or PLAIN_CRITERION) == criterion:
            return one
    return None


def start_search(problem: Problem) -> Search:
    """Set up the search that a problem's options name."""
    module, _, name = problem.options.search.home.partition(":")
    made: Search = getattr(import_module(module), name)(problem)
    return made
