"""LKC-privacy: an attacker knows at most L of the attributes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar

from maskwise.errors import PolicyError
from maskwise.policy.requirements.confidence import Confidence, Template, shares_data, value_of_largest
from maskwise.policy.requirements.file_form import Key, Model, name_list
from maskwise.policy.requirements.k_anonymity import (
    K,
    KAnonymity,
    confidence_without_values,
    k_cell,
    smallest_group_axis,
)
from maskwise.policy.requirements.protected_values import (
    CONFIDENCE,
    SENSITIVE,
    asked_shares,
    bounds_misfit,
    column_without_values,
    columns_of,
    public_values_data,
    read_values,
    share_axis,
    share_cells,
    values_data,
    with_bound,
    with_bounds,
)
from maskwise.policy.requirements.qid import called, qid_mistakes, refuse
from maskwise.policy.requirements.wording import figure_text, group_data

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from maskwise.policy.requirements.base import FigureAxis, Part, WorstGroup
    from maskwise.policy.requirements.file_form import Entry
    from maskwise.policy.requirements.protected_values import Protected

MOST_QIDS = 200_000
"""The most combinations of attributes that one requirement may stand for."""


@dataclass(frozen=True, slots=True)
class LKC:
    """An attacker knows at most `known` of the attributes: k and confidences hold on each so large subset.

    Claim: anti-monotone and complete. Its rules are k-anonymity and templates
    on subsets; a smaller subset's groups are unions of a larger one's.
    """

    qid: tuple[str, ...]
    """All attributes of which an attacker may know some."""
    known: int
    """How many of them at most (L)."""
    k: int | None = None
    """The smallest group allowed on every subset (K)."""
    sensitive: Protected = ()
    """Column, value or union, and largest share (C), for each protected value."""

    notes: ClassVar[tuple[str, ...]] = ()
    """Nothing, whatever the table is."""
    lists_worst_groups: ClassVar[bool] = True
    """The worst groups are listed, since they may be on any subset."""

    def __post_init__(self) -> None:
        """Refuse an L that does not fit, and more subsets than can be searched."""
        if self.k is None and not self.sensitive:
            raise PolicyError(["An lkc requirement asks for `k`, or for `sensitive` with `confidence`, or both."])
        refuse(qid_mistakes(self.qid, [column for column, _, _ in self.sensitive]))
        if not 1 <= self.known <= len(self.qid):
            msg = f"L is at least 1 and at most the number of attributes, {len(self.qid)}; found {self.known}."
            raise PolicyError([msg])
        if comb(len(self.qid), self.known) > MOST_QIDS:
            msg = (
                f"{self.known} of {len(self.qid)} attributes are {comb(len(self.qid), self.known):,} combinations, "
                f"more than {MOST_QIDS:,}. Lower L, or name fewer attributes."
            )
            raise PolicyError([msg])
        if self.k is not None:
            KAnonymity(self.qid, self.k)
        if self.sensitive:
            Confidence(self.qid, self.sensitive)

    @property
    def name(self) -> str:
        """What messages call its QID."""
        return f"any {self.known} of {called(self.qid)}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns a recount looks at."""
        return (*self.qid, *columns_of(self.sensitive))

    @property
    def parts(self) -> tuple[Part, ...]:
        """The rules it is made of: for each subset its k, then its templates."""
        return _parts(self.qid, self.known, self.k, self.sensitive)

    @property
    def confidences(self) -> tuple[Fraction, ...]:
        """The bounds of its templates."""
        return tuple(bound for _, _, bound in self.sensitive)

    @property
    def axis(self) -> FigureAxis:
        """Its figure in a picture."""
        return share_axis(self.sensitive) if self.k is None else smallest_group_axis(self.k)

    @property
    def persons_misfit(self) -> str | None:
        """Say that shares of persons on fewer attributes do not follow from those on L.

        A group on fewer attributes is a union of groups on L, and its share of
        records is a mean of theirs. A person may be in several of them.
        """
        if not self.sensitive or self.known == 1:
            return None
        return (
            f"Shares of persons on {self.name} do not follow from those on more attributes, as those of records do. "
            "Keep its `k`, and write a requirement with `sensitive` for each quasi-identifier."
        )

    def with_k(self, k: int) -> LKC:
        """The same with another k; unchanged if it asks for none."""
        return self if self.k is None else replace(self, k=k)

    def with_confidence(self, bound: Fraction) -> LKC:
        """The same with another bound on every share."""
        return replace(self, sensitive=with_bound(self.sensitive, bound))

    def with_confidences(self, bounds: Sequence[Fraction]) -> LKC:
        """The same with other bounds on its shares."""
        return replace(self, sensitive=with_bounds(self.sensitive, bounds))

    def asks(self, *, by_name: bool = False) -> str:
        """What it asks, in a few words."""
        wanted = [] if self.k is None else [f"k={self.k}"]
        wanted += [asked_shares(self.sensitive, by_name=by_name)] if self.sensitive else []
        return f"{' and '.join(wanted)} on {self.name}"

    def asked_cell(self, *, by_name: bool = False) -> str:
        """What it asks, for a table cell."""
        wanted = [] if self.k is None else [k_cell(self.k)]
        wanted += share_cells(self.sensitive, by_name=by_name)
        return f"{', '.join(wanted)} for any {self.known} of them"

    def reached_cell(self, figure: float, worst: Sequence[WorstGroup], *, by_name: bool = False) -> str:
        """The smallest group and the largest share, for a table cell."""
        shares = [group.figure for group in worst if isinstance(group.part, Template)]
        also = f", confidence {figure_text(max(shares))}" if self.k is not None and shares else ""
        return figure_text(figure) + also + (value_of_largest(worst) if by_name else "")

    def report_data(self, worst: Sequence[WorstGroup]) -> dict[str, Any]:
        """What it asks and the worst groups with their QIDs, as plain values without protected values."""
        data = {"qid": list(self.qid), **self.public_data()}
        if self.sensitive:
            data["sensitive"] = shares_data(worst, with_qid=True)
        if self.k is not None and worst:
            data["tightest_group"] = group_data(worst[0], with_qid=True)["tightest_group"]
        return data

    def to_data(self) -> dict[str, Any]:
        """The entry of a policy file that says the same.

        >>> LKC(("Age", "Sex"), 1, 5).to_data()
        {'lkc': {'attributes': ['Age', 'Sex'], 'L': 1}, 'k': 5}
        """
        return self._data(values_data(self.sensitive))

    def public_data(self) -> dict[str, Any]:
        """That entry without protected values."""
        return self._data(public_values_data(self.sensitive))

    def _data(self, values: object) -> dict[str, Any]:
        k = {} if self.k is None else {"k": self.k}
        sensitive = {"sensitive": values} if self.sensitive else {}
        return {"lkc": {"attributes": list(self.qid), "L": self.known}, **k, **sensitive}


@lru_cache(maxsize=4)  # thousands of them, and everything that reads a policy asks
def _parts(qid: tuple[str, ...], known: int, k: int | None, sensitive: Protected) -> tuple[Part, ...]:
    parts: list[Part] = []
    for subset in combinations(qid, known):
        parts += [] if k is None else [KAnonymity(subset, k)]
        parts += [Template(subset, column, value, bound) for column, value, bound in sensitive]
    return tuple(parts)


def _misfit(entry: Entry, stray: str | None) -> str | None:
    is_empty = "k" not in entry and "sensitive" not in entry
    return (
        stray
        or column_without_values(entry)
        or ("`lkc` needs `k`, or `sensitive` with `confidence`, or both" if is_empty else None)
        or confidence_without_values(entry)
        or bounds_misfit(entry)
    )


def _build(entry: Entry) -> LKC:
    return LKC(tuple(entry["lkc"]["attributes"]), entry["lkc"]["L"], entry.get("k"), read_values(entry))


_ATTRIBUTES = Key("lkc", fields=(Key("attributes", list[str], name_list, least=1), Key("L", int)))
MODEL = Model("lkc", (_ATTRIBUTES, K, SENSITIVE, CONFIDENCE), _build, _misfit, attributes="lkc")
