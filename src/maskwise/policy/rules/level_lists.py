"""Levels of a rule that are numbers, as a policy lists them: the finest first."""

from __future__ import annotations

from itertools import pairwise

from maskwise.errors import PolicyError


def read_counts(key: str, data: object, example: str, most: int = 255) -> tuple[int, ...]:
    """Read ever smaller whole numbers, such as how many characters are kept.

    Args:
        key: What the rule is called, for messages.
        data: What stands in the policy: a number, or a list.
        example: How it is written.
        most: The largest number that means something.

    >>> read_counts("prefix", ["5", "3"], "[5, 3]")
    (5, 3)
    """
    given = data if isinstance(data, list | tuple) else [data]
    texts = [str(part).strip() for part in given]
    if not texts or not all(text.isascii() and text.isdecimal() and 0 < int(text) <= most for text in texts):
        msg = f"`{key}` has whole numbers from 1 to {most}, the largest first: {key}: {example}; found {shown(data)}."
        raise PolicyError([msg])
    numbers = tuple(int(text) for text in texts)
    if any(first <= then for first, then in pairwise(numbers)):
        ordered = sorted(set(numbers), reverse=True)
        msg = f"The numbers of `{key}` stand once each, the largest first, as it shows most: {key}: {ordered}."
        raise PolicyError([msg])
    return numbers


def shown(data: object) -> str:
    """What stands in a policy, short enough for a message.

    >>> shown(["a", "1"]), shown(None)
    ('`[a, 1]`', 'nothing')
    """
    if data is None:
        return "nothing"
    text = f"[{', '.join(map(str, data))}]" if isinstance(data, list | tuple) else str(data)
    return f"`{text[:60]}`"
