"""The levels of a code system that an owner chose, as a policy lists them: the finest first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maskwise.errors import PolicyError, did_you_mean, quote
from maskwise.policy.rules.level_names import read_names


def take_levels(key: str, given: object, known: tuple[str, ...]) -> tuple[str, ...]:
    """The chosen levels, the coarsest first; all of them where nothing is given.

    Args:
        key: What the rule is called, for messages.
        given: What stands in the policy: a list, the finest level first.
        known: All levels of the code system, the finest first.

    >>> take_levels("isco", ["unit", "major"], ("unit", "minor", "submajor", "major"))
    ('major', 'unit')
    """
    return known[::-1] if given is None else read_names(key, given, known)


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
