"""Trees that are made of the table itself when it is profiled, so that they are secret beyond what the release shows.

A rule says for any value what stands above it; these know only the values of
the table that they were made of. A later value that is none of them is shown as
the root.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from maskwise.errors import PolicyError, quote
from maskwise.policy.rules.from_column import FromColumn
from maskwise.policy.rules.grow import Grow, GrowBy
from maskwise.values.file_words import file_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from maskwise.policy.attributes import Attribute
    from maskwise.policy.policy import Policy

_CLASSES: dict[str, type[Grow | FromColumn]] = {"grow": Grow, "from_column": FromColumn}
MADE_KEYS = frozenset(_CLASSES)
"""The keys of an attribute's entry that ask for such a tree."""


class TreeSource(Protocol):
    """What a tree is made of."""

    @property
    def key(self) -> str:
        """The word in a policy."""

    @property
    def height(self) -> int:
        """How many levels the tree has below its root, as far as that is known before it is made."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The other columns that it is made of."""

    def to_data(self) -> Any:
        """What stands beside the key in a policy."""


def read_source(entry: Mapping[str, Any]) -> TreeSource:
    """Read what a tree is made of.

    Args:
        entry: The parts of an attribute's entry, one of which is the key of such a tree.

    >>> read_source({"grow": "classes", "weight": 2}).to_data()
    'classes'
    """
    keys = [key for key in entry if key in MADE_KEYS]
    if len(keys) != 1:
        raise PolicyError([f"An attribute has one tree; found {quote(keys)}. Name one of them."])
    return _CLASSES[keys[0]].from_data(entry[keys[0]])


def source_mistakes(policy: Policy) -> list[str]:
    """What is wrong with attributes whose trees are made of the table."""
    mistakes = []
    for attribute in policy.attributes:
        if attribute.source is not None and attribute.name in policy.masked:
            at = policy.at(("attributes", attribute.name))
            mistakes += [f"{at}`{attribute.name}`: {text}" for text in _mistakes_of(attribute, policy)]
    return mistakes


def _mistakes_of(attribute: Attribute, policy: Policy) -> Iterator[str]:
    source = attribute.source
    if attribute.name in policy.sensitive:
        yield "its values are protected, and a tree made of them would name some. List a taxonomy instead."
    if isinstance(source, Grow) and source.by is GrowBy.CLASSES:
        if policy.class_name is None:
            yield f"A tree by classes needs a class. Name one, or grow it by frequency{file_words('grow: frequency')}."
        elif policy.class_name in policy.sensitive:
            yield (
                f"A tree by classes would tell which hidden values have how much of `{policy.class_name}`, which is "
                f"sensitive. Grow it by frequency or similarity{file_words('grow: frequency', 'grow: similarity')}."
            )
    if isinstance(source, FromColumn):
        if attribute.name in source.columns:
            yield "`from_column` names the column itself. Name columns with larger groups."
        if secret := [name for name in source.columns if name in policy.sensitive]:
            yield f"`from_column` names {quote(secret)}, whose values are protected. Name other columns."


def released_sources(policy: Policy, names: tuple[str, ...]) -> list[str]:
    """What is wrong where columns that a tree is made of would be released as they are: they tell what it hides.

    Args:
        policy: What is asked.
        names: The columns of the table.
    """
    hidden = {*policy.dropped(names), *policy.masked, *(attribute.name for attribute in policy.fixed)}
    mistakes = []
    for attribute in policy.attributes:
        told = [name for name in (attribute.source.columns if attribute.source else ()) if name not in hidden]
        if told and attribute.name in policy.masked:
            at = policy.at(("attributes", attribute.name))
            mistakes.append(
                f"{at}`{attribute.name}` is generalized along {quote(told)}, which would be released and tell what is "
                f"hidden. Leave each out of the release{file_words('drop')}, or add it to the quasi-identifier."
            )
    return mistakes
