"""What columns are called: each has a name of its own, or gets one if the policy asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import DuplicateNamesError, InputError, PolicyError, plural, quote
from maskwise.values.file_words import command_words, file_words
from maskwise.values.reading import Rename

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_MANY = 5
"""From so many lacking columns on they are put into one complaint, which names the first of them."""


def unique_names(
    names: Sequence[str], what: str, *, rename: Rename | None = None, is_text: bool = False
) -> tuple[str, ...]:
    """The names of columns, each of them once; refuse columns without a name of their own.

    Args:
        names: The names as they were given.
        what: What has them, for messages.
        rename: How columns of the same name are renamed; None refuses them.
        is_text: They stand in the first line of a text file. That may be a record, so the message quotes none.

    >>> unique_names(["age", "sex", "age"], "`people.csv`", rename=Rename.SUFFIX)
    ('age', 'sex', 'age.1')
    """
    if not names:
        msg = f"{what} has no columns."
        raise InputError(msg)
    nameless = [at for at, name in enumerate(names, start=1) if not isinstance(name, str) or not name]
    if nameless:
        columns = f"column {nameless[0]}" if len(nameless) == 1 else f"columns {_listed(nameless)}"
        msg = f"{what} has no text as the name of {columns}. Name every column."
        raise InputError(msg)
    unwritable = [at for at, name in enumerate(names, start=1) if not _is_writable(name)]
    if unwritable:
        columns = f"column {unwritable[0]}" if len(unwritable) == 1 else f"columns {_listed(unwritable)}"
        msg = (
            f"{what} has a character in the name of {columns} that no file can hold: NUL, or half of a pair. Rename it."
        )
        raise InputError(msg)
    if rename is Rename.SUFFIX:
        return _with_suffixes(names)
    places: dict[str, list[int]] = {}
    for at, name in enumerate(names, start=1):
        places.setdefault(name.casefold(), []).append(at)
    alike = [found for found in places.values() if len(found) > 1]
    if alike:
        raise DuplicateNamesError(_complaint(names, alike, what, is_text=is_text))
    return tuple(names)


def _is_writable(name: str) -> bool:
    """Whether a name is Unicode text without NUL, which ends texts in C."""
    try:
        return "\0" not in name and bool(name.encode())
    except UnicodeEncodeError:
        return False


def _with_suffixes(names: Sequence[str]) -> tuple[str, ...]:
    """Add `.1`, `.2`, ... to a name that stood before, as pandas does; no name that was given is taken twice."""
    given = {name.casefold() for name in names}
    taken: set[str] = set()
    unique: list[str] = []
    for name in names:
        own, n = name, 0
        while own.casefold() in taken or (n and own.casefold() in given):
            n += 1
            own = f"{name}.{n}"
        taken.add(own.casefold())
        unique.append(own)
    return tuple(unique)


def _complaint(names: Sequence[str], alike: Sequence[Sequence[int]], what: str, *, is_text: bool) -> str:
    """Say which columns have the same name.

    Args:
        names: The names.
        alike: The columns of each name, from 1.
        what: What has them.
        is_text: Whether the names may be cells.
    """
    parts = []
    for found in alike:
        spelled = list(dict.fromkeys(names[at - 1] for at in found))
        apart = "" if len(spelled) == 1 else ", which databases do not tell apart,"
        if is_text:
            how = "the same name" if len(spelled) == 1 else f"names that differ in case only{apart}"
            parts.append(f"{how} in columns {_listed(found)}")
        else:
            parts.append(f"{quote(spelled)}{apart} in columns {_listed(found)}")
    remedy = (
        f"Rename one of each, or let them be numbered{file_words('rename: suffix')}"
        f"{command_words('maskwise suggest --rename suffix')}."
    )
    header = " Is its first line a header?" if is_text else ""
    return f"{what} has {'; '.join(parts)}. {remedy}{header}"


def _listed(places: Sequence[int]) -> str:
    """Numbers in words.

    >>> _listed([1, 4, 7])
    '1, 4 and 7'
    """
    *most, last = map(str, places)
    return f"{', '.join(most)} and {last}" if most else last


def refuse_another_table(named: Collection[str], names: Collection[str]) -> None:
    """Refuse a policy that names many columns, most of which a table lacks, in one complaint.

    Args:
        named: The columns that the policy names.
        names: Those of the table, which are not quoted: where the first line is no header, they are cells.
    """
    lacking = [name for name in named if name not in names]
    if len(lacking) < _MANY or 2 * len(lacking) < len(named):
        return
    shown = quote(lacking[:_MANY]) + " and more" * (len(lacking) > _MANY)
    msg = (
        f"{len(lacking)} of the {len(named)} columns in the policy are not in the table, which has "
        f"{plural(len(names), 'column')}: {shown}. Is this the policy of another table, or is the first line of the "
        "table no header?"
    )
    raise PolicyError([msg])
