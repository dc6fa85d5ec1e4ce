"""Judge what a masked table is still good for.

The package itself can be called: `maskwise.evaluate(data, policy)` is
`maskwise.evaluate.evaluate(data, policy)`.

Measure:
    evaluate: What masking costs a classifier.
    Evaluation, Record: The errors that were found.

Train:
    C45Classifier: The decision tree that the papers measure with.
    NaiveBayes: The other one, for numbers and categories together.

Nothing heavy is imported until it is used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maskwise.c45.classifier import C45Classifier
    from maskwise.evaluate.naive_bayes import NaiveBayes
    from maskwise.evaluate.records import Evaluation, Record
    from maskwise.evaluate.run import evaluate

_HOME = {
    "C45Classifier": "maskwise.c45.classifier",
    "Evaluation": "maskwise.evaluate.records",
    "NaiveBayes": "maskwise.evaluate.naive_bayes",
    "Record": "maskwise.evaluate.records",
    "evaluate": "maskwise.evaluate.run",
}

__all__ = ["C45Classifier", "Evaluation", "NaiveBayes", "Record", "evaluate"]


class _Callable(ModuleType):
    """A package that is called as its main function."""

    def __call__(self, *args: Any, **kwargs: Any) -> Evaluation:
        """Measure what masking costs a classifier; see `evaluate` in this package."""
        from maskwise.evaluate.run import evaluate  # noqa: PLC0415 - heavy

        return evaluate(*args, **kwargs)


sys.modules[__name__].__class__ = _Callable


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        msg = f"module 'maskwise.evaluate' has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
