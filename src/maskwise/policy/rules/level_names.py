"""Levels of a rule that have names, as a policy lists them: the finest first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maskwise.errors import PolicyError, did_you_mean, quote


def read_names(key: str, data: object, known: tuple[str, ...], *, all_by_default: bool = False) -> tuple[str, ...]:
    """Read the chosen levels; return the coarsest first.

    Args:
        key: What the rule is called, for messages.
        data: What stands in the policy.
        known: All levels, the finest first.
        all_by_default: Whether nothing stands for all levels, as with code systems.

    >>> read_names("season", ["month", "season"], ("month", "season"))
    ('season', 'month')
    """
    if data is None and all_by_default:
        return known[::-1]
    names = [str(name) for name in (data if isinstance(data, list | tuple) else [data])]
    if data is None or not names:
        raise PolicyError([f"`{key}` has a list of levels, the finest first: {key}: [{', '.join(known)}]."])
    for name in names:
        if name not in known:
            msg = f"`{name}` is no level of `{key}`.{did_you_mean(name, known)} Known: {quote(known)}."
            raise PolicyError([msg])
    ordered = [name for name in known if name in names]
    if names != ordered:
        msg = f"The levels of `{key}` stand once each, the finest first: {key}: [{', '.join(ordered)}]."
        raise PolicyError([msg])
    return tuple(reversed(ordered))


def split_options(key: str, given: object, options: Mapping[str, tuple[str, ...]]) -> tuple[object, dict[str, str]]:
    """Tell the levels of an entry from its options, as in `{levels: [code, chapter], version: cm}`.

    Args:
        key: What the rule is called, for messages.
        given: What stands in the policy: the levels, or a mapping.
        options: The options and the words that each may have; the first is the usual one.

    Returns:
        The levels as they stand there, and every option.
    """
    asked: Mapping[Any, Any] = given if isinstance(given, Mapping) else {"levels": given}
    chosen = {name: words[0] for name, words in options.items()}
    for name, word in asked.items():
        if name == "levels":
            continue
        if name not in options:
            known = ("levels", *options)
            raise PolicyError(
                [f"`{name}` is no option of `{key}`.{did_you_mean(str(name), known)} Known: {quote(known)}."]
            )
        if str(word) not in options[name]:
            raise PolicyError([f"`{name}` of `{key}` is one of {quote(options[name])}; found `{word}`."])
        chosen[name] = str(word)
    return asked.get("levels"), chosen


def levels_data(levels: tuple[str, ...], options: Mapping[str, str] | None = None) -> Any:
    """What a policy says: the levels, the finest first, and options that are not the usual ones.

    >>> levels_data(("chapter", "code"), {"version": "cm"})
    {'levels': ['code', 'chapter'], 'version': 'cm'}
    """
    listed = list(reversed(levels))
    return {"levels": listed, **options} if options else listed
