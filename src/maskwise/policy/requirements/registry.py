"""All privacy models, and which of them an entry of a policy file is about.

A new model is a file beside this one and a line in `_MODELS`; its measure is a
file in `verify.measures` and a line there. A model of another package is added
with `register`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import quote
from maskwise.policy.requirements import closeness, confidence, diversity, k_anonymity, lkc

if TYPE_CHECKING:
    from maskwise.policy.requirements.base import Requirement
    from maskwise.policy.requirements.file_form import Entry, Key, Model

_MODELS: list[Model] = [k_anonymity.MODEL, confidence.MODEL, lkc.MODEL, diversity.MODEL, closeness.MODEL]
_NOTHING_ASKED = "`k` is missing, or `sensitive` with `confidence`. Add one of them, and not both"


def register(model: Model) -> None:
    """Let policy files write one more model.

    Raises:
        ValueError: Its lead is taken, or one of its keys has another meaning already.
    """
    known = {key.name: key for key in known_keys()}
    other = [key.name for key in model.keys if known.get(key.name, key) != key]
    if other or any(model.lead == one.lead for one in _MODELS):
        message = f"{quote(other or [model.lead])} is a key of another model. Choose another name."
        raise ValueError(message)
    _MODELS.append(model)


def unregister(model: Model) -> None:
    """Take back what `register` did."""
    _MODELS.remove(model)


def known_keys() -> tuple[Key, ...]:
    """The keys of all models: first those that name attributes, then the others.

    >>> [key.name for key in known_keys()]
    ['qid', 'lkc', 'k', 'sensitive', 'confidence', 'diversity', 'by', 'closeness', 'distance', 'order']
    """
    every = {key.name: key for model in _MODELS for key in model.keys}
    first = [every[name] for name in _attribute_keys()]
    return tuple(dict.fromkeys([*first, *every.values()]))


def misfit(entry: Entry) -> str | None:
    """Say why the keys of an entry do not fit together, if they do not."""
    text = _attributes_misfit(entry)
    if text is not None:
        return text
    model = _model_of(entry)
    stray = _stray_companions(entry, model)
    if model is None:
        return stray or _NOTHING_ASKED
    return model.misfit(entry, stray) or stray or _unread(entry, model)


def requirement_of(entry: Entry) -> Requirement:
    """The requirement that an entry asks, once its keys fit together.

    >>> requirement_of({"qid": ["Age"], "k": 5})
    KAnonymity(qid=('Age',), k=5)
    """
    model = _model_of(entry)
    if model is None:
        raise ValueError(_NOTHING_ASKED)
    return model.build(entry)


def _attribute_keys() -> tuple[str, ...]:
    return tuple(dict.fromkeys(model.attributes for model in _MODELS))


def _attributes_misfit(entry: Entry) -> str | None:
    names = _attribute_keys()
    given = [name for name in names if name in entry]
    if not given:
        return f"`{names[0]}` is missing. Add it, or {quote(names[1:])}"
    return None if len(given) == 1 else _two_requirements(*given[:2])


def _two_requirements(one: str, other: str) -> str:
    return f"`{one}` and `{other}` are two requirements. Write one line for each"


def _model_of(entry: Entry) -> Model | None:
    """The model that is asked for: of several, the one that was listed last."""
    return next((model for model in reversed(_MODELS) if model.lead in entry), None)


def _stray_companions(entry: Entry, chosen: Model | None) -> str | None:
    """Say so if a key is given that only goes with the lead of another model."""
    for model in _MODELS:
        if model is not chosen and any(name in entry for name in model.companions):
            go = "go" if len(model.companions) > 1 else "goes"
            return f"{quote(model.companions).replace(', ', ' and ')} {go} with `{model.lead}`"
    return None


def _unread(entry: Entry, model: Model) -> str | None:
    """Say so if a key is given that the model does not read."""
    own = {key.name for key in model.keys}
    unread = [key.name for key in known_keys() if key.name in entry and key.name not in own]
    if not unread:
        return None
    leads = [name for name in unread if any(name == one.lead for one in _MODELS)]
    return _two_requirements(leads[0], model.lead) if leads else f"{quote(unread)} does not go with `{model.lead}`"
