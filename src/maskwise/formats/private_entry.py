"""The requirement `epsilon` as a policy file says it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticCustomError

from maskwise.errors import PolicyError, did_you_mean, quote
from maskwise.policy.private_release import PrivateForm, PrivateRelease
from maskwise.policy.requirements.file_form import ValueMistake, number

if TYPE_CHECKING:
    from collections.abc import Mapping

LEAD = "epsilon"
AUTO = "auto"
_KEYS = (LEAD, "attributes", "steps", "as", "per_person")


def is_private_entry(value: Mapping[str, Any]) -> bool:
    """Whether an entry of the requirements is about a differentially private release."""
    return LEAD in value


def read_private_entry(value: Mapping[str, Any]) -> PrivateRelease:
    """Read an entry whose values are texts and lists.

    >>> read_private_entry({"epsilon": "0.5", "attributes": ["Age"], "steps": "auto"}).epsilon
    Fraction(1, 2)
    """
    if "utility" in value:
        raise _mistake("Refinements are always chosen by the Gini impurity. Delete `utility`.")
    unknown = [str(key) for key in value if key not in _KEYS]
    if unknown:
        known = f"{did_you_mean(unknown[0], _KEYS)} Known here: {quote(_KEYS)}"
        raise _mistake(f"`{unknown[0]}` does not go with `epsilon`.{known}")  # noqa: EM102 - a helper makes the error
    names = value.get("attributes")
    names = [names] if isinstance(names, str) else names
    if not isinstance(names, list) or not names:
        raise _mistake("`epsilon` goes with `attributes`, the list of columns that are released beside the class")
    try:
        return PrivateRelease(
            number(value[LEAD], "epsilon"),
            tuple(map(str, names)),
            _steps(value.get("steps", AUTO)),
            _choice(PrivateForm, "as", value.get("as", PrivateForm.RECORDS)),
            _whole("per_person", value.get("per_person", 1)),
        )
    except ValueMistake as mistake:
        raise _mistake(str(mistake)) from None
    except PolicyError as error:
        raise _mistake(" ".join(error.mistakes).removesuffix(".")) from None


def _mistake(text: str) -> PydanticCustomError:
    # The type tells `policy_file` to print the text as it is; a brace would be taken for a field of the message.
    return PydanticCustomError("kind", "{text}", {"text": text})


def _steps(value: object) -> int | None:
    return None if value is None or value == AUTO else _whole("steps", value, f" or `{AUTO}`")


def _whole(key: str, value: object, also: str = "") -> int:
    if not str(value).strip().isdecimal():
        message = f"{key} is a whole number{also}"
        raise ValueMistake(message)
    return int(str(value))


def _choice(choices: Any, key: str, value: object) -> Any:
    known = tuple(map(str, choices))
    if str(value) not in known:
        message = f"{key} is one of {quote(known)}; found `{value}`.{did_you_mean(str(value), known)}"
        raise ValueMistake(message.removesuffix("."))
    return choices(str(value))
