"""The search and the mask as a scikit-learn transformer.

`fit` finds a cut on training rows, `transform` applies it to any rows. Only the
rows the cut was found on are guaranteed to meet the requirements.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sized
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from maskwise.errors import InputError, plural, quote
from maskwise.formats import solution_file
from maskwise.formats.policy_file import read_policy, to_data
from maskwise.outcome import cut_lines, findings_lines, listed
from maskwise.pipeline import solve
from maskwise.policy.attributes import Missing
from maskwise.policy.budget import Suppressed
from maskwise.policy.policy import Policy
from maskwise.policy.requirements.k_anonymity import KAnonymity
from maskwise.profile.sensitive import named_values, unseen_values
from maskwise.release.frames import as_frame
from maskwise.release.mask import apply, mask
from maskwise.release.publish import recount
from maskwise.release.released_columns import check_released_columns
from maskwise.release.suppress import suppress
from maskwise.search.options import SearchOptions
from maskwise.search.registry import DEFAULT_CRITERION, DEFAULT_METHOD
from maskwise.table.data_frames import make_ready
from maskwise.table.read import read
from maskwise.values.cells import cells_to_arrow, is_missing
from maskwise.values.input_kind import is_lazy_frame
from maskwise.values.message import warn_in_python, warnings_of
from maskwise.values.reading import AS_IT_IS
from maskwise.values.spelling import text_of

try:
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:  # pragma: no cover - exercised where scikit-learn is absent
    msg = 'Masker needs the `sklearn` extra. Install it with: pip install "maskwise[sklearn]"'
    raise ImportError(msg) from None

from maskwise.classifiers.sklearn_input import allow_any_table

if TYPE_CHECKING:
    from pathlib import Path

    from maskwise.policy.person import Person
    from maskwise.solution.cut import Cut
    from maskwise.solution.solution import Solution
    from maskwise.values.reading import Reading
    from maskwise.verify.verdict import Verdict

ENCODINGS = ("label", "ordinal")
_LONG_POLICY = 400
"""From so many characters on a policy is only counted where parameters are shown."""


class Masker(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Mask future rows as training rows were masked.

    Args:
        policy: A YAML file, a mapping of the same form, or a Policy; None puts
            every column into one quasi-identifier with `k`.
        k: The smallest group, where `policy` is None; 5 if it is None too.
        method: How to search; this and the next seven are as in `maskwise.search.options.SearchOptions`.
        criterion: How `tdr` chooses.
        max_steps: When to stop early.
        time_limit: When to stop early.
        effort: For `conditional`.
        restarts: For `bug`.
        boundaries: Where intervals may be split: `safe` or `exact`; None goes by the policy.
        as_published: Search as the papers do: exact boundaries, a lone hidden value left as `*`.
        random_state: Seeds the variants of `conditional` and the restarts of `bug`: a number, or a NumPy generator
            from which one is drawn at each `fit`. None stands for 0, so every `fit` gives the same cut.
        encode: `label` shows masked values as text, `ordinal` as the number of
            the label in its cut (-1 for the root of unknown values and for numbers
            outside every interval), for models that take numbers only. With
            `method="regions"` intervals overlap; they are numbered by where they
            begin, then by where they end.

    Attributes:
        solution_: The cut that was found.
        verdict_: The recount of the training rows, masked by it; None in a masker that was read from JSON.
        notes_: What is to be known of the training rows and the search; empty in a masker that was read from JSON.
        n_features_in_: Columns seen in `fit`, less the class, the persons and those the policy drops.
        feature_names_in_: Their names, where they had some.

    Example:
        >>> import pandas as pd
        >>> people = pd.DataFrame({"Age": [23, 25, 41, 47], "Sex": ["F", "M", "F", "M"]})
        >>> masker = Masker(k=2).fit(people, ["lo", "lo", "hi", "hi"])
        >>> masker.transform(pd.DataFrame({"Age": [30, 80], "Sex": ["F", "X"]}))["Age"].tolist()
        ['[23, 40)', '[23, 47] or outside']
    """

    def __init__(
        self,
        policy: str | Path | Mapping[str, Any] | Policy | None = None,
        *,
        k: int | None = None,
        method: str = DEFAULT_METHOD,
        criterion: str = DEFAULT_CRITERION,
        max_steps: int | None = None,
        time_limit: float | None = None,
        effort: int | None = None,
        restarts: int = 0,
        boundaries: str | None = None,
        as_published: bool = False,
        random_state: int | np.random.RandomState | None = None,
        encode: str = "label",
    ) -> None:
        self.policy = policy
        self.k = k
        self.method = method
        self.criterion = criterion
        self.max_steps = max_steps
        self.time_limit = time_limit
        self.effort = effort
        self.restarts = restarts
        self.boundaries = boundaries
        self.as_published = as_published
        self.random_state = random_state
        self.encode = encode

    def __sklearn_tags__(self) -> Any:
        tags = allow_any_table(super().__sklearn_tags__())
        tags.transformer_tags.preserves_dtype = []
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803 - scikit-learn's name
        """Find the cut.

        Args:
            X: The training rows.
            y: Their classes; None takes the policy's class column from `X`, or aims at least distortion.
        """
        if self.encode not in ENCODINGS:
            msg = f"`encode` is one of {quote(ENCODINGS)}; found `{self.encode}`."
            raise InputError(msg)
        asked = self._asked()
        X = _ready(X, AS_IT_IS if asked is None else asked.reading)  # noqa: N806 - scikit-learn's name
        frame = self._frame(X, asked, reset=True)
        names = list(frame.columns)
        class_name = asked.class_name if asked is not None else None
        if asked is not None and asked.person is not None:
            frame = frame.with_columns(self._person(X, asked.person))
        if y is not None:
            class_name = class_name or _free_name("class", names)
            frame = _with_class(frame, class_name, y)
        elif class_name is not None:
            whole = _nw().from_native(X, eager_only=True) if hasattr(X, "columns") else frame
            if class_name not in whole.columns:
                msg = f"The policy's class `{class_name}` is neither a column of X nor given as y."
                raise InputError(msg)
            frame = frame.with_columns(whole[class_name])
        if asked is not None and hasattr(X, "columns"):
            # Requirements may count columns that are dropped; later rows do not need them.
            given = _nw().from_native(X, eager_only=True)
            unseen = [name for name in asked.tree_columns if name in given.columns and name not in frame.columns]
            frame = frame.with_columns(given[name] for name in asked.sensitive if name in asked.drop)
            frame = frame.with_columns(given[name] for name in unseen)
        if asked is None:
            asked = Policy((KAnonymity(tuple(names), 5 if self.k is None else self.k),), class_name=class_name)
        elif asked.class_name != class_name:
            asked = replace(asked, class_name=class_name)
        options = self._options()
        dropped = tuple(name for name in asked.tree_columns if name not in names)
        solved = solve(
            read(frame.to_native(), reading=asked.reading),
            replace(asked, drop=dropped, keep=None),
            options,
            columns=names,
        )
        solution, profile, table = solved.solution, solved.profile, solved.table
        messages = (*unseen_values(asked, profile.sensitive), *check_released_columns(table, asked, solution, profile))
        warn_in_python(warnings_of(messages))
        self.solution_ = solution
        masked = mask(table, solution, profile.columns)
        suppressed = suppress(masked, solution)
        masked = masked if suppressed is None else suppressed.table
        verdict = recount(masked, asked.requirements, escaped=False, trees=asked.trees, person=asked.person)
        self.verdict_: Verdict | None = verdict.hiding(named_values(asked.requirements, asked.trees))
        self.notes_ = solution.notes
        self.feature_names_ = names
        return self

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:  # noqa: N803 - scikit-learn's name
        """scikit-learn's, but a policy that would fill pages is only counted."""
        short = type(self)(**self.get_params(deep=False))
        short.policy = _brief(self.policy)
        return str(BaseEstimator.__repr__(short, N_CHAR_MAX))

    def summary(self) -> str:
        """What was asked and reached on the training rows, and what is shown, for people to read."""
        check_is_fitted(self, "solution_")
        solution = self.solution_
        lines = [f"Found on {plural(solution.n_rows, 'training row')}."]
        lines += [] if self.verdict_ is None else findings_lines(self.verdict_)
        gone = [f"No features: {', '.join(self.no_features_)}"] if self.no_features_ else []
        return "\n".join([*lines, *cut_lines(solution), *gone, *listed("Notes", self.notes_)])

    def _person(self, X: Any, person: Person) -> Any:  # noqa: N803 - scikit-learn's name
        """The column that names persons, which is no feature: `fit` counts by it, and later rows need not have it."""
        whole = _nw().from_native(X, eager_only=True) if hasattr(X, "columns") else None
        if whole is None or person.column not in whole.columns:
            msg = f"The policy counts persons by `{person.column}`, which is not a column of X."
            raise InputError(msg)
        return whole[person.column]

    def _options(self) -> SearchOptions:
        """The options of the search: the parameters that have their names, and the seed."""
        names = {field.name for field in fields(SearchOptions)}
        given = {name: value for name, value in self.get_params(deep=False).items() if name in names}
        return SearchOptions(**given, seed=self._seed())

    def _seed(self) -> int | None:
        """The seed of the search, drawn as scikit-learn draws it."""
        if self.random_state is None or isinstance(self.random_state, int | np.integer):
            return None if self.random_state is None else int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _asked(self) -> Policy | None:
        if self.policy is None:
            return None
        if self.k is not None:
            raise InputError(
                "`k` is for a Masker without a policy; this one's policy has its own. Leave out one of them."
            )
        asked = read_policy(self.policy)
        if asked.missing is Missing.DROP:
            raise InputError("A transformer keeps every row, so `missing: drop` does not fit it. Use keep or error.")
        if asked.suppress is not None:
            # A transformer keeps every row, so suppressed ones are shown as roots, whatever the policy says.
            asked = replace(asked, suppress=replace(asked.suppress, shown_as=Suppressed.ROOT))
        return asked

    def transform(self, X: Any) -> Any:  # noqa: N803 - scikit-learn's name
        """Show rows by the cut; the result is of the kind that `X` is."""
        check_is_fitted(self, "solution_")
        is_lazy = is_lazy_frame(X)
        X = _ready(X, self.solution_.reading)  # noqa: N806 - scikit-learn's name
        frame = self._frame(X, None, reset=False)
        shown = as_frame(
            apply(read(frame.to_native(), reading=self.solution_.reading), self.solution_).table, keep_index=True
        )
        if self.encode == "ordinal":
            shown = _with_numbers(shown, self.solution_)
        if hasattr(X, "columns"):
            return shown.lazy() if is_lazy else shown
        columns = _nw().from_native(shown, eager_only=True)
        dtype = np.float64 if self.encode == "ordinal" else object
        return np.column_stack([np.asarray(columns[name].to_list(), dtype) for name in columns.columns])

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """The columns that `transform` returns."""
        check_is_fitted(self, "solution_")
        if input_features is not None and list(input_features) != self.feature_names_:
            raise ValueError("input_features is not equal to feature_names_in_")
        return np.array(self.feature_names_, object)

    def to_json(self) -> str:
        """Write a fitted masker as JSON text."""
        check_is_fitted(self, "solution_")
        params = self.get_params(deep=False)
        # A generator's state is no part of what was fitted.
        is_number = isinstance(params["random_state"], int | np.integer)
        params["random_state"] = int(params["random_state"]) if is_number else None
        if params["policy"] is not None:
            params["policy"] = to_data(read_policy(params["policy"]))
        said = {
            "masker": params,
            "feature_names": self.feature_names_,
            "no_features": list(self.no_features_),
            "has_names": hasattr(self, "feature_names_in_"),
            "solution": json.loads(solution_file.dumps(self.solution_)),
        }
        return json.dumps(said, indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        try:
            said = json.loads(text)
            masker = cls(**said["masker"])
            names = [str(name) for name in said["feature_names"]]
            no_features = tuple(str(name) for name in said["no_features"])
            solution = json.dumps(said["solution"])
        except (ValueError, KeyError, TypeError):
            raise InputError("This is not the JSON of a Masker. Write one with `masker.to_json()`.") from None
        masker.solution_ = solution_file.loads(solution)
        masker.verdict_, masker.notes_ = None, ()
        masker.feature_names_ = names
        masker.no_features_ = no_features
        masker.n_features_in_ = len(names)
        if said.get("has_names"):
            masker.feature_names_in_ = np.array(names, object)
        return masker

    def _frame(self, X: Any, asked: Policy | None, *, reset: bool) -> Any:  # noqa: N803 - scikit-learn's name
        """Check `X` as scikit-learn does and see its features as a data frame.

        The class, the persons and what the policy drops are no features: later rows do not have them.
        """
        nw = _nw()
        if hasattr(X, "columns"):
            frame = nw.from_native(X, eager_only=True)
            if reset:
                gone = [] if asked is None else [*asked.dropped(frame.columns), asked.class_name]
                gone += [] if asked is None or asked.person is None else [asked.person.column]
                self.no_features_: tuple[str, ...] = tuple(dict.fromkeys(name for name in gone if name is not None))
            frame = frame.select(*(frame.get_column(name) for name in frame.columns if name not in self.no_features_))
            validate_data(self, frame.to_native(), reset=reset, skip_check_array=True)
            return frame
        least = max(5 if self.k is None else self.k, 1) if reset and self.policy is None else 1
        array = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan", ensure_min_samples=least)
        if reset:
            self.no_features_ = ()
        names = [f"x{i}" for i in range(array.shape[1])] if reset else self.feature_names_
        columns = {name: cells_to_arrow(array[:, i], name) for i, name in enumerate(names)}
        return nw.from_native(_pa().table(columns), eager_only=True)


@dataclass(frozen=True, slots=True)
class _PolicyInBrief:
    """Stands for a long policy where parameters are shown."""

    n_attributes: int
    n_requirements: int

    def __repr__(self) -> str:
        """How much it says."""
        return f"<policy: {plural(self.n_attributes, 'entry')}, {plural(self.n_requirements, 'requirement')}>"


def _brief(policy: Any) -> Any:
    """A policy as parameters show it: as it is, if it is short."""
    if not isinstance(policy, Policy | Mapping) or len(repr(policy)) <= _LONG_POLICY:
        return policy
    said = to_data(policy) if isinstance(policy, Policy) else policy
    parts = (said.get("attributes"), said.get("requirements"))
    return _PolicyInBrief(*(len(part) if isinstance(part, Sized) else 0 for part in parts))


def _pa() -> Any:
    import pyarrow as pa  # noqa: PLC0415 - heavy

    return pa


def _nw() -> Any:
    import narwhals.stable.v1 as nw  # noqa: PLC0415 - heavy

    return nw


def _ready(X: Any, reading: Reading) -> Any:  # noqa: N803 - scikit-learn's name
    """A data frame in memory with a name for every column; an array as it is."""
    return make_ready(X, reading.rename) if is_lazy_frame(X) or hasattr(X, "columns") else X


def _free_name(name: str, taken: list[str]) -> str:
    while name in taken:
        name = f"_{name}"
    return name


def _with_class(frame: Any, name: str, y: Any) -> Any:
    classes = [None if is_missing(label) else text_of(label) for label in np.asarray(y).ravel().tolist()]
    if len(classes) != len(frame):
        msg = f"Found input variables with inconsistent numbers of samples: [{len(frame)}, {len(classes)}]"
        raise ValueError(msg)
    return frame.with_columns(_nw().new_series(name, classes, _nw().String, backend=frame.implementation))


def _with_numbers(shown: Any, solution: Solution) -> Any:
    """Replace each label by its number in the cut, and a missing cell by nothing."""
    nw = _nw()
    frame = nw.from_native(shown, eager_only=True)
    numbers = []
    for cut in solution.cuts:
        at = _places(cut)
        cells = [np.nan if cell is None else at.get(cell, -1) for cell in frame[cut.attribute].to_list()]
        numbers.append(
            nw.new_series(
                cut.attribute, np.asarray(cells, np.float64).tolist(), nw.Float64, backend=frame.implementation
            )
        )
    return frame.with_columns(*numbers).to_native()


def _places(cut: Cut) -> dict[str, int]:
    return {label: i for i, label in enumerate(cut.labels)}
