"""C4.5 as a scikit-learn classifier.

The papers measure a masked table by how well C4.5 learns from it. This is
release 8 (Quinlan 1993, and 1996 for numbers), in the reading of Weka's J48: the
error estimate has the exact normal deviate where Quinlan's code interpolates a
table. One thing differs from both: any two different numbers can be told apart,
also when they are less than 1e-5 from each other.

`columns` codes the table, `tree` builds the tree.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from maskwise.classifiers.c45.record_kernels import walk
from maskwise.classifiers.c45.split_kernels import CATEGORY, TINY
from maskwise.classifiers.c45.tree import C45Tree, Records, build, smooth
from maskwise.classifiers.columns import encode, learn_features
from maskwise.classifiers.sklearn_input import allow_any_table, check_records, check_training
from maskwise.errors import InputError

LARGEST_CF = 0.5


class C45Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """C4.5 release 8: gain ratio, a branch per category, pessimistic pruning.

    Text, categories and truth values are categories; numbers, dates and times are
    split at a threshold. A record with a missing value goes down all branches in
    parts, as does one with a category that the training table does not have. Of
    equal splits the first column's is taken, of equally likely classes the first.

    Args:
        min_records: A split must have so many records in at least two branches.
        cf: The confidence of the error estimate, up to 0.5; smaller prunes more.
        laplace: Whether chances are Laplace's, (n + 1) / (N + number of classes) in a leaf of N records, so that none
            is 0; what is predicted stays the same.

    Attributes:
        classes_: The classes, sorted.
        n_features_in_: Columns seen in `fit`.
        feature_names_in_: Their names, where they had some.
        features_: Their kinds and values.
        tree_: The nodes, as arrays.
        n_nodes_: How many there are, leaves without records included.
        n_leaves_: How many of them are leaves.
        root_: The column that the root asks for; None if the tree is a leaf.

    Example:
        >>> import pandas as pd
        >>> people = pd.DataFrame({"age": [23, 25, 41, 47, 52, 58], "sex": list("FMFMFM")})
        >>> tree = C45Classifier().fit(people, ["lo", "lo", "hi", "hi", "hi", "hi"])
        >>> print(tree.describe())
        age <= 25: lo (2)
        age > 25: hi (4)
        >>> tree.predict(pd.DataFrame({"age": [30, None], "sex": ["X", "F"]})).tolist()
        ['hi', 'hi']
    """

    def __init__(self, *, min_records: int = 2, cf: float = 0.25, laplace: bool = False) -> None:
        self.min_records = min_records
        self.cf = cf
        self.laplace = laplace

    def __sklearn_tags__(self) -> Any:
        return allow_any_table(super().__sklearn_tags__())

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803 - scikit-learn's name
        """Learn a tree.

        Args:
            X: The training records: a pandas, Polars or Arrow table, or a two-dimensional array.
            y: Their classes.
        """
        self._check_parameters()
        columns, self.classes_, labels = check_training(self, X, y)
        self.features_ = learn_features(columns)
        n_values = np.array([feature.n_values for feature in self.features_], np.int64)
        numbers = tuple(feature.numbers for feature in self.features_)
        codes = encode(columns, self.features_)
        records = Records(codes, labels, len(self.classes_), numbers, n_values, np.ones(len(labels)))
        self.tree_ = build(records, int(self.min_records), float(self.cf))
        return self

    def predict_proba(self, X: Any) -> np.ndarray[Any, Any]:  # noqa: N803 - scikit-learn's name
        """The chance of each class: its share in the leaf, or in several leaves by weight."""
        chances: np.ndarray[Any, Any] = walk(self._code(X), *self._tree(laplace=self.laplace)[:6])
        return chances

    def predict(self, X: Any) -> np.ndarray[Any, Any]:  # noqa: N803 - scikit-learn's name
        """The likeliest class of each record."""
        chances = walk(self._code(X), *self._tree(laplace=False)[:6])
        likeliest: np.ndarray[Any, Any] = self.classes_[_likeliest(chances)]
        return likeliest

    def _code(self, X: Any) -> np.ndarray[Any, Any]:  # noqa: N803 - scikit-learn's name
        check_is_fitted(self, "tree_")
        return encode(check_records(self, X, reset=False), self.features_)

    def _tree(self, *, laplace: bool) -> C45Tree:
        return smooth(self.tree_) if laplace else self.tree_

    @property
    def n_nodes_(self) -> int:
        """How many nodes the tree has, leaves without records included."""
        check_is_fitted(self, "tree_")
        return len(self.tree_.attribute)

    @property
    def n_leaves_(self) -> int:
        """How many leaves the tree has, those without records included."""
        check_is_fitted(self, "tree_")
        return int((self.tree_.attribute < 0).sum())

    @property
    def root_(self) -> str | None:
        """The column that the root asks for; None if the tree is a leaf."""
        check_is_fitted(self, "tree_")
        at = int(self.tree_.attribute[0])
        return None if at < 0 else self.features_[at].name

    def describe(self) -> str:
        """Write the tree, a branch per line; behind a leaf its records and how many of them it gets wrong."""
        check_is_fitted(self, "tree_")
        tree = self.tree_
        lines = []
        todo = [(0, -1, "")]
        while todo:
            node, depth, test = todo.pop()
            at = int(tree.attribute[node])
            leaf = "" if at >= 0 else self._leaf(node)
            if depth >= 0 or at < 0:
                lines.append("|   " * depth + test + leaf)
            if at >= 0:
                first, last = int(tree.first[node]), int(tree.first[node] + tree.n_branches[node])
                todo.extend(
                    (child, depth + 1, self._test(node, child - first)) for child in reversed(range(first, last))
                )
        return "\n".join(lines)

    def _leaf(self, node: int) -> str:
        counts = self.tree_.counts[node]
        wrong = counts.sum() - counts.max()
        missed = f"/{round(wrong, 2):g}" if round(wrong, 2) > 0 else ""
        return f": {self.classes_[_likeliest(self.tree_.chances[node])]} ({round(counts.sum(), 2):g}{missed})"

    def _test(self, node: int, branch: int) -> str:
        feature = self.features_[self.tree_.attribute[node]]
        cut = int(self.tree_.cut[node])
        if feature.numbers is None or cut == CATEGORY:
            return f"{feature.name} = {feature.categories[branch]}"
        return f"{feature.name} {'>' if branch else '<='} {feature.numbers[cut]:.12g}"

    def _check_parameters(self) -> None:
        if not isinstance(self.min_records, Integral) or self.min_records < 1:
            msg = f"`min_records` is a whole number of at least 1; found {self.min_records!r}."
            raise InputError(msg)
        if not isinstance(self.cf, Real) or not 0 < self.cf <= LARGEST_CF:
            msg = f"`cf` is above 0 and at most {LARGEST_CF}; found {self.cf!r}."
            raise InputError(msg)


def _likeliest(chances: np.ndarray[Any, Any]) -> Any:
    """The first of the classes of largest chance, whatever rounding did to the last digits."""
    return (chances > chances.max(axis=-1, keepdims=True) - TINY).argmax(axis=-1)
