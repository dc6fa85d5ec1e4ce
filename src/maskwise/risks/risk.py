"""What is known of the risk in a table."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from maskwise.policy.requirements.unit import Unit


class ColumnSet(StrEnum):
    """What the columns are that somebody knows of a record."""

    QID = "quasi-identifier"
    SENSITIVE = "sensitive columns"
    RELEASED = "all released columns"


@dataclass(frozen=True, slots=True)
class GroupRisk:
    """How likely a record is found by somebody who knows what it shows on some columns."""

    columns: tuple[str, ...]
    """The columns."""
    n_records: int
    """The records; where persons are counted, the persons, each once in every group that it is in."""
    n_groups: int
    """The combinations of values that occur."""
    smallest: int
    """The records of the smallest group; 0 if there is no record."""
    highest: float
    """The largest chance to pick the right record: 1 / smallest."""
    average: float
    """The mean chance over all records: groups / records."""
    unique: float
    """The share of records that are alone in their group."""
    above: Mapping[float, float]
    """For each threshold the share of records whose chance is above it."""
    k: int | None = None
    """The group size that was asked on these columns; over all released columns, the smallest that was asked."""
    below_k: float | None = None
    """The share of records in groups smaller than that."""
    columns_are: ColumnSet = ColumnSet.QID
    """What the columns are."""


@dataclass(frozen=True, slots=True)
class OneMore:
    """What is left of a QID's groups for somebody who knows one more released column."""

    qid: tuple[str, ...]
    """The QID."""
    column: str
    """The released column that is known beside it."""
    smallest: int
    """The smallest group then."""
    below_k: float
    """The share of records in groups that are then smaller than the k asked on the QID."""


@dataclass(frozen=True, slots=True)
class Disclosure:
    """How well a column can be guessed from what a record shows on a QID."""

    qid: tuple[str, ...]
    """The QID."""
    column: str
    """The column that is guessed."""
    least_distinct: int
    """The fewest distinct values in a group."""
    least_entropy: float
    """The least entropy in a group, as an effective number of values: e to the entropy."""
    largest_share: float
    """The largest share of one value in a group."""
    guess_rate: float
    """The share of records guessed right by naming the most frequent value of their group."""
    base_rate: float
    """The share of the same guessed right by naming one value for all, the most frequent."""


@dataclass(frozen=True, slots=True)
class PopulationRisk:
    """How likely a record is found by somebody who has a table of the population it was drawn from."""

    qid: tuple[str, ...]
    """The QID."""
    n_population: int
    """The records of the population."""
    journalist_highest: float
    """The largest chance to pick the right person: 1 / the smallest group of the population that has a record."""
    journalist_average: float
    """The mean chance."""
    marketer: float
    """The share of records that are found on average if all are tried."""


@dataclass(frozen=True, slots=True)
class UniqueEstimate:
    """How many records of a population are likely to be unique, estimated from a sample of it."""

    qid: tuple[str, ...]
    """The columns."""
    n_population: int
    """The size of the population."""
    zayatz: float | None
    """By Zayatz' model, as a share of the population; None where it has no solution."""
    pitman: float | None
    """By Pitman's."""
    snb: float | None
    """By the slide negative binomial model."""
    model: str
    """The model that Dankar's rule chooses."""
    estimate: float | None
    """What it says."""
    note: str = ""
    """Why there is no estimate, or another one than the rule would choose."""


@dataclass(frozen=True, slots=True)
class Risk:
    """What is known of the risk in a table, from the counts of its groups."""

    unit: Unit
    """What was counted."""
    thresholds: Mapping[str, float]
    """Thresholds by the names they were asked by."""
    qids: tuple[GroupRisk, ...]
    """For each QID of the policy, and for the sensitive columns together."""
    everything: GroupRisk
    """Over all released columns together."""
    one_more: tuple[OneMore, ...] = ()
    """For each QID with a k and each other released column."""
    disclosures: tuple[Disclosure, ...] = ()
    """For each QID and each sensitive column, and the class."""
    populations: tuple[PopulationRisk, ...] = ()
    """For each QID, where a table of the population was given."""
    estimates: tuple[UniqueEstimate, ...] = ()
    """For each QID, where the size of the population was given."""

    def to_data(self) -> dict[str, Any]:
        """The same as plain values, for JSON: what is above a threshold stands under the threshold's name."""
        data = asdict(self, dict_factory=_listed)
        for one in (*data["qids"], data["everything"]):
            one["above"] = {name: one["above"][limit] for name, limit in self.thresholds.items()}
            one["columns_are"] = str(one["columns_are"])
        return {**data, "unit": str(self.unit), "thresholds": dict(self.thresholds)}


def _listed(fields: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of a value as JSON has them: its lists are no tuples."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields}
