"""Levels of a rule that have names, as a policy lists them: the finest first."""

from __future__ import annotations

from maskwise.errors import PolicyError, did_you_mean, quote


def read_names(key: str, data: object, known: tuple[str, ...]) -> tuple[str, ...]:
    """Read the chosen levels; return the coarsest first.

    Args:
        key: What the rule is called, for messages.
        data: What stands in the policy.
        known: All levels, the finest first.

    >>> read_names("season", ["month", "season"], ("month", "season"))
    ('season', 'month')
    """
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
