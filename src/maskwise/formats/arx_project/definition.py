"""What an ARX project says of its columns: `definition.xml`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from maskwise.errors import InputError

if TYPE_CHECKING:
    from maskwise.formats.arx_project.xml_elements import Element

_ENTRY = "assigment"
"""How ARX spells it."""


class ArxRole(StrEnum):
    """What a column is, in ARX's words."""

    IDENTIFYING = "IDENTIFYING_ATTRIBUTE"
    QUASI_IDENTIFYING = "QUASI_IDENTIFYING_ATTRIBUTE"
    SENSITIVE = "SENSITIVE_ATTRIBUTE"
    INSENSITIVE = "INSENSITIVE_ATTRIBUTE"


@dataclass(frozen=True, slots=True)
class ArxAttribute:
    """A column of a project."""

    name: str
    """The column."""
    role: ArxRole
    """What it is."""
    datatype: str
    """`String`, `Integer`, `Decimal`, `Date/Time` or `Ordinal`."""
    hierarchy: str | None
    """The member that holds its hierarchy, below the definition's folder."""
    least: int | None
    """The least level that it is generalized to; None sets no limit."""
    most: int | None
    """The highest level that it is generalized to; None sets no limit."""
    is_response: bool
    """Whether recipients predict it."""
    microaggregation: str | None
    """The function that replaces its values by a figure of their group."""

    @property
    def has_order(self) -> bool:
        """Whether its values are numbers or dates."""
        return self.datatype in {"Integer", "Decimal", "Date/Time"}


def read_definition(definition: Element, name: str) -> list[ArxAttribute]:
    """Read every column, in the order of the table."""
    found: dict[str, ArxAttribute] = {}
    for entry in definition.below(_ENTRY):
        column, role = entry.find("name"), entry.find("type")
        if not column or role not in set(ArxRole):
            msg = (
                f"{name}: a column has no name, or a role that is not known (`{role}`). Save the project again in ARX."
            )
            raise InputError(msg)
        if column in found:
            msg = f"{name}: column `{column}` is described twice. Save the project again in ARX."
            raise InputError(msg)
        found[column] = ArxAttribute(
            column,
            ArxRole(role),
            entry.find("datatype") or "String",
            entry.find("ref"),
            _level(entry.find("min")),
            _level(entry.find("max")),
            entry.find("response") == "true",
            entry.find("microaggregationFunction"),
        )
    if not found:
        msg = f"{name}: no column is described. Save the project again in ARX."
        raise InputError(msg)
    return list(found.values())


def _level(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() else None
