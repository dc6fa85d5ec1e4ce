"""How to search: which way, by what measure, for how long.

`SearchOptions` is the only place where these options are defined and checked.
The Python functions take them as keywords (`SearchKeywords`), the command line
as flags.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, TypedDict, Unpack

from maskwise.errors import InputError, did_you_mean, quote
from maskwise.policy.attributes import Boundaries
from maskwise.search import registry
from maskwise.search.registry import BEST_CRITERION, DEFAULT_METHOD, MAX_CLASSES, PLAIN_CRITERION
from maskwise.values.background import Background

if TYPE_CHECKING:
    from maskwise.search.registry import SearchRegistration


GONE = {
    "restarts": "The method `bug` searches once. Leave out `restarts`; the method `regions` tells a classifier more.",
    "rivals": "Other algorithms are no part of maskwise. Pass one with `fit` and `transform` as `against`.",
    "rival": "Other algorithms are no part of maskwise. Pass the tables that they masked with --against NAME=FILE.",
}
"""What is said of options that there were."""


class SearchKeywords(TypedDict, total=False):
    """The options of a search as keyword arguments; `SearchOptions` says what they mean."""

    method: str
    criterion: str | None
    max_steps: int | None
    time_limit: float | None
    effort: int | None
    background: str | None
    boundaries: str | None
    as_published: bool


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop before the search ends by itself."""

    max_steps: int | None = None
    """After so many steps."""
    seconds: float | None = None
    """After so much time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """Everything that is decided about a search but for the policy; options that do not go together are refused.

    >>> SearchOptions(method="bug", max_steps=3).max_steps
    3
    """

    method: str = DEFAULT_METHOD
    """`tdr` (top-down refinement: from the most masked table, as long as it is safe) or `bug` (bottom-up
    generalization: from the raw values, or the leaves of an interval tree, until it is safe)."""
    criterion: str | None = None
    """How `tdr` chooses the next refinement: `score` (information gained per privacy lost), `infogain` (information
    gained), or `conditional` (information that is not shown yet per privacy lost; see the reference). None is
    `conditional` where there is a class, and `score` without one, with more than 50 classes, and as published."""
    max_steps: int | None = None
    """Stop after so many steps; `bug` is safe only at its end and then writes nothing."""
    time_limit: float | None = None
    """Stop searching after so many seconds; `bug` as above."""
    effort: int | None = None
    """For `regions`: 1 searches once, more tries variants and keeps the best. None is 2."""
    background: str | None = None
    """For `conditional` and `regions`: how it is found out what unmasked columns tell of the class. `odds`, which None
    stands for, counts values where the records are, `none` leaves these columns out."""
    boundaries: str | None = None
    """Where intervals may be split: `safe` (between bins of at least k records, at round numbers) or `exact` (at any
    number of the data); None goes by the policy."""
    as_published: bool = False
    """Work as the papers do, whatever the policy says: exact boundaries, the order of records kept, a lone hidden value
    left as `*`."""
    seed: int | None = None
    """Makes variants and folds repeatable; None stands for 0."""

    def __post_init__(self) -> None:
        """Refuse options that do not exist or do not go together."""
        if self.method not in registry.methods():
            msg = f"The method is one of {quote(registry.methods())}; found `{self.method}`."
            raise InputError(msg)
        if self.criterion is not None and self.criterion not in registry.criteria():
            msg = f"The criterion is one of {quote(registry.criteria())}; found `{self.criterion}`."
            raise InputError(msg)
        if (self.max_steps is not None and self.max_steps < 0) or (
            self.time_limit is not None and (math.isnan(self.time_limit) or self.time_limit < 0)
        ):
            raise InputError("A step or time limit is a number that is at least 0.")
        if self.boundaries is not None and self.boundaries not in list(Boundaries):
            msg = f"`boundaries` is one of {quote(list(Boundaries))}; found `{self.boundaries}`."
            raise InputError(msg)
        if self.as_published and self.boundaries == Boundaries.SAFE:
            raise InputError("As published means exact boundaries, and safe ones are asked for. Leave out one of them.")
        if registry.find_search(self.method, self._usual_criterion) is None:
            raise InputError(self._wrong_criterion())
        if self.effort is not None and (self.effort < 1 or "effort" not in self.search.options):
            msg = (
                f"An effort is for the method {quote(registry.methods('effort'))}, and at least 1; others search once."
            )
            raise InputError(msg)
        if self.background is not None and self.background not in list(Background):
            msg = f"The background is one of {quote(list(Background))}; found `{self.background}`."
            raise InputError(msg)
        if self.background is not None and "background" not in self.search.options:
            raise InputError("A background is for the criterion `conditional` and the method `regions`.")
        if self.seed is not None and self.seed < 0:
            raise InputError("A seed is a whole number that is at least 0.")

    def _wrong_criterion(self) -> str:
        own = registry.criteria(self.method)
        if own:
            return f"The criterion of the method `{self.method}` is one of {quote(own)}; found `{self.criterion}`."
        others = [name for name in registry.methods() if registry.criteria(name)]
        return (
            f"A criterion is for the method {quote(others)}; `{self.method}` has its own measure. "
            "Leave out one of them."
        )

    @property
    def _usual_criterion(self) -> str:
        """The criterion that was asked for, or else that of a table with a class."""
        if self.criterion is not None:
            return self.criterion
        has_best = BEST_CRITERION in registry.criteria(self.method)
        return BEST_CRITERION if has_best and not self.as_published else PLAIN_CRITERION

    def decided(self, n_classes: int | None) -> SearchOptions:
        """The same options with a criterion that suits the table, if none was asked for.

        Args:
            n_classes: How many classes there are; None without a class.
        """
        if self.criterion is not None:
            return self
        if n_classes is not None and n_classes <= MAX_CLASSES:
            return replace(self, criterion=self._usual_criterion)
        if self.method == DEFAULT_METHOD and self.background is not None:
            why = "there is no class" if n_classes is None else f"there are {n_classes:,} classes"
            msg = f"A background is for the criterion `conditional`, and {why}. Leave it out."
            raise InputError(msg)
        return replace(self, criterion=PLAIN_CRITERION)

    @property
    def search(self) -> SearchRegistration:
        """The search that these options name."""
        found = registry.find_search(self.method, self._usual_criterion)
        assert found is not None  # noqa: S101 - checked on construction
        return found

    def asked(self) -> dict[str, str | int | float | bool]:
        """The options that were asked for, by name, without the seed, which must stay secret.

        >>> SearchOptions(method="bug", max_steps=3, seed=7).asked()
        {'method': 'bug', 'max_steps': 3}
        """
        usual = {one.name: one.default for one in fields(self)}
        named = {"method", "criterion"}
        return {
            name: value
            for name, value in asdict(self).items()
            if value is not None and (name in named or (name != "seed" and value != usual[name]))
        }

    def boundaries_for(self, asked: Boundaries) -> Boundaries:
        """Where intervals may be split under a policy that asks for these boundaries."""
        if self.as_published:
            return Boundaries.EXACT
        return asked if self.boundaries is None else Boundaries(self.boundaries)

    @property
    def limits(self) -> Limits:
        """When to stop early."""
        return Limits(self.max_steps, self.time_limit)

    @property
    def is_random(self) -> bool:
        """Whether the search draws random numbers, so that a seed has a meaning."""
        return self.search.is_random

    @property
    def spent_effort(self) -> int:
        """The effort that was asked for, or that of the search."""
        return self.search.usual_effort if self.effort is None else self.effort


def search_options(seed: int | None = None, **given: Unpack[SearchKeywords]) -> SearchOptions:
    """Make the options of a search from the keyword arguments of a function.

    Raises:
        TypeError: A keyword is unknown.
        InputError: Options do not exist or do not go together.
    """
    known = SearchKeywords.__annotations__
    for name in given:
        if name in GONE:
            raise InputError(GONE[name])
        if name not in known:
            msg = f"There is no argument `{name}`.{did_you_mean(name, known)}"
            raise TypeError(msg)
    return SearchOptions(seed=seed, **given)
