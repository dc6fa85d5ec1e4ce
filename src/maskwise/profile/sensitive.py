"""Sensitive columns: their distinct values, and whether requirements can speak of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import PolicyError, did_you_mean, plural, quote
from maskwise.policy.requirements.any_of import AnyOf, elements_of, is_prefix
from maskwise.policy.rules.rule_tree import RuleTree
from maskwise.profile.columns import Sensitive
from maskwise.values.message import Audience, Level, Message, private_note
from maskwise.values.set_cells import find_separator
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from maskwise.policy.policy import Policy
    from maskwise.policy.requirements.any_of import Value
    from maskwise.policy.requirements.base import Part, Requirement
    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.table.table import Table

_LISTED = 8
"""So many values are listed in one message."""


def take_sensitive(
    table: Table, name: str, tree: Taxonomy | RuleTree | None = None, read_text: Callable[[str], str] = str
) -> Sensitive:
    """Count the values of a sensitive column.

    Args:
        table: The records.
        name: The column.
        tree: Its taxonomy, or the rule that makes one, if it has one.
        read_text: Reads a cell as it was before it was written, where writing changed cells.
    """
    table.require_sensitive(name)
    found, form = table.distinct(name), table.set_form(name)
    texts = tuple(read_text(text_of(key)) for key in found.keys.to_pylist())
    sets = None if form is None else tuple(map(form.values, texts))
    texts = texts if sets is None else tuple(dict.fromkeys(value for held in sets for value in held))
    own = tree.tree_with(texts) if isinstance(tree, RuleTree) else tree
    return Sensitive(found.keys, texts, found.counts, found.n_missing, own, sets)


def check_values(part: Part, sensitive: Mapping[str, Sensitive], at: str) -> None:
    """Refuse a rule that the values of its sensitive column do not allow.

    Args:
        part: The rule.
        sensitive: The columns.
        at: Where the rule stands in the file.
    """
    if part.counted is not None and (mistake := part.misfit(sensitive[part.counted.column])) is not None:
        raise PolicyError([at + mistake])


def unseen_values(
    policy: Policy, sensitive: Mapping[str, Sensitive], masked: Sequence[str] = ()
) -> tuple[Message, ...]:
    """Warn of protected values that no record has: most likely they are misspelt, and nobody is protected.

    Also of elements of unions that stand for fewer values than they seem to.

    The owner is warned once of each value, in one message for all of a union.
    A union may name whatever could occur, such as a list of grave diagnoses:
    while some of it occurs, what it names by how codes begin is only noted.
    Recipients are told nothing, since which values are protected is no concern of theirs.
    Nothing is suggested but what the policy itself says of the column: other
    protected values, a named order, the leaves of a tree. Cells that it does
    not name are secret.

    Args:
        policy: What is asked.
        sensitive: The columns.
        masked: Columns that may not show every value any more.
    """
    messages: list[Message] = []
    warned: set[tuple[str, str | None]] = set()
    named = named_values(policy.requirements, policy.trees)
    for i, requirement in enumerate(policy.requirements):
        at = policy.at(("requirements", i))
        for part in {part.subject: part for part in requirement.parts}.values():
            for column, value, unseen in _unseen(part, sensitive):
                new = [text for text in unseen if (column, text) not in warned]
                warned.update((column, text) for text in new)
                if None in new:
                    messages.append(private_note(f"{at}The missing value of `{column}` occurs in no record."))
                texts = [text for text in new if text is not None]
                if isinstance(value, AnyOf) and len(unseen) < len(value.elements):
                    # A list of what begins alike is often longer than the table; a whole value may be misspelt.
                    begins, texts = _parted(texts)
                    said = f"{at}{_listed(begins)} of `{column}` {_occur(begins)}, unlike others of the same union."
                    messages += [private_note(said)] if begins else []
                known = [text for text in named[column] if sensitive[column].n_records(text)]
                why = ", or is the column masked here" if column in masked else ""
                if texts:
                    said = f"{at}{_listed(texts)} of `{column}` {_protected(texts)}.{_question(texts, known, why)}"
                    messages.append(Message(Level.WARNING, Audience.OWNER, said))
    return (*messages, *_ambiguous_elements(policy, sensitive))


def plain_sets(policy: Policy, sensitive: Mapping[str, Sensitive]) -> tuple[Message, ...]:
    """Warn of sensitive columns whose cells seem to hold several values, while each cell is counted as one."""
    found = []
    for i, requirement in enumerate(policy.requirements):
        for name in dict.fromkeys(part.counted.column for part in requirement.parts if part.counted is not None):
            separator = None if sensitive[name].holds_sets else find_separator(sensitive[name].texts)
            if separator is not None:
                text = (
                    f"Cells of `{name}` seem to hold several values with `{separator}` between them, and each cell is "
                    "counted as one value: what all cells of a group have in common is not protected. "
                    f'Write `sensitive: {{{name}: {{set: "{separator}"}}}}`.'
                )
                found.append(Message(Level.WARNING, Audience.OWNER, policy.at(("requirements", i)) + text))
    return tuple(found)


def _parted(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Elements of a union with a trailing `*`, and whole values."""
    return [text for text in texts if is_prefix(text)], [text for text in texts if not is_prefix(text)]


def _question(texts: Sequence[str], known: Sequence[str], why: str) -> str:
    """What to look at: a value that the policy names and that is nearly the same, or the spelling."""
    meant = {text: near for text in texts if (near := did_you_mean(text, known))}
    if len(texts) == 1 and meant:
        return meant[texts[0]]
    if meant:
        return "".join(f" `{text}`:{near}" for text, near in meant.items())
    return f" {'Is it' if len(texts) == 1 else 'Are they'} spelled as in the data{why}?"


def _listed(texts: Sequence[str]) -> str:
    """Values by name, if they are few."""
    return quote(texts) if len(texts) <= _LISTED else f"{quote(texts[:_LISTED])} and {len(texts) - _LISTED:,} more"


def _occur(texts: Sequence[str]) -> str:
    return "occurs in no record" if len(texts) == 1 else "occur in no record"


def _protected(texts: Sequence[str]) -> str:
    return f"{'is' if len(texts) == 1 else 'are'} protected but {_occur(texts)}"


def _unseen(part: Part, sensitive: Mapping[str, Sensitive]) -> Iterator[tuple[str, Value, list[str | None]]]:
    """Column and value of each sensitive value that a rule counts, and those of its elements that no record has."""
    counted = part.counted
    for value in () if counted is None else counted.values or ():
        assert counted is not None  # noqa: S101 - it has values
        found = sensitive[counted.column]
        like = found.values_like if isinstance(value, AnyOf) else found.spellings_of
        yield counted.column, value, [one for one in elements_of(value) if not found.n_records(*like(one))]


def _ambiguous_elements(policy: Policy, sensitive: Mapping[str, Sensitive]) -> tuple[Message, ...]:
    """Warn of elements with a trailing `*` that are values of the data, while other values begin like them."""
    counted = [part.counted for requirement in policy.requirements for part in requirement.parts]
    unions = [(one.column, v) for one in counted if one is not None for v in one.values or () if isinstance(v, AnyOf)]
    messages = []
    for column, element in dict.fromkeys((column, text) for column, union in unions for text in union.elements):
        if element is not None and is_prefix(element) and sensitive[column].n_records(element):
            n_others = sum(text.startswith(element[:-1]) for text in sensitive[column].texts) - 1
            if n_others:
                text = (
                    f"`{element}` of `{column}` is a value of the data, so it stands for that value only, and not for "
                    f"{plural(n_others, 'other value')} that begin alike. Name those too if they are to be protected."
                )
                messages.append(Message(Level.WARNING, Audience.OWNER, text))
    return tuple(messages)


def named_values(
    requirements: Sequence[Requirement], trees: Mapping[str, Taxonomy | RuleTree | None]
) -> dict[str, list[str]]:
    """The sensitive columns, each with the values of it that the policy names, so that they are no secret.

    Args:
        requirements: They name protected values, and orders.
        trees: The taxonomies of masked columns, which name values too.
    """
    found: dict[str, list[str]] = {}
    for part in (part for requirement in requirements for part in requirement.parts):
        if part.counted is not None:
            found.setdefault(part.counted.column, []).extend(part.counted.named)
    for column, tree in trees.items():
        if tree is not None and column in found:
            found[column] += tree.labels
    return {column: list(dict.fromkeys(named)) for column, named in found.items()}
