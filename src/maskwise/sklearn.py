"""The search and the mask as a scikit-learn transformer.

`fit` finds a cut on training rows, `transform` applies it to any rows. Only the
rows the cut was found on are guaranteed to meet the requirements.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Self

import narwhals.stable.v1 as nw
import numpy as np
import pyarrow as pa
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from maskwise.classifiers.sklearn_input import allow_any_table
from maskwise.errors import InputError, plural, quote
from maskwise.formats import solution_file
from maskwise.formats.policy_brief import brief
from maskwise.formats.policy_file import read_policy, to_data
from maskwise.outcome import cut_lines, findings_lines, listed
from maskwise.pipeline import solve
from maskwise.policy.attributes import Missing
from maskwise.policy.budget import Suppressed
from maskwise.policy.policy import Policy
from maskwise.policy.requirements.k_anonymity import KAnonymity
from maskwise.private.parameters import exact_epsilon, refuse_parameters
from maskwise.private.run import anonymize_privately
from maskwise.profile.sensitive import named_values, unseen_values
from maskwise.release.frame_encodings import names_out, no_feature_notes, unknown_warnings, with_indicators, with_places
from maskwise.release.frames import as_frame
from maskwise.release.mask import apply, mask
from maskwise.release.number_columns import (
    as_labels,
    as_numbers,
    find_means,
    with_raw_numbers,
    write_numbers,
)
from maskwise.release.publish import recount
from maskwise.release.released_columns import check_released_columns
from maskwise.release.suppress import suppress
from maskwise.search.options import SearchOptions
from maskwise.search.registry import DEFAULT_METHOD
from maskwise.table.data_frames import free_name, ready_rows, with_class
from maskwise.table.read import read
from maskwise.values.cells import cells_to_arrow
from maskwise.values.input_kind import is_lazy_frame
from maskwise.values.message import warn_in_python, warnings_of
from maskwise.values.number_forms import Numbers
from maskwise.values.reading import AS_IT_IS

if TYPE_CHECKING:
    from pathlib import Path

    from maskwise.policy.person import Person
    from maskwise.profile.columns import Profile
    from maskwise.solution.solution import Solution
    from maskwise.table.table import Table
    from maskwise.verify.verdict import Verdict

ENCODINGS = ("label", "ordinal", "onehot", "midpoint", "mean", "bounds")
_NO_DOMAINS = (
    "`epsilon` needs a policy that asks for one: domains must be declared, not taken from the rows. Give a policy with "
    "requirements: [{epsilon: 1, attributes: [...]}]."
)


class Masker(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Mask future rows as training rows were masked.

    Args:
        policy: A YAML file, a mapping of the same form, or a Policy; None puts
            every column into one quasi-identifier with `k`.
        k: The smallest group. Where `policy` is None, 5 if it is None too; else a number instead of every k of the
            policy, or a mapping from quasi-identifiers, such as `Age, Sex`, to a number instead of each of theirs.
        epsilon: For a policy that asks for an `epsilon`: another one instead. The cut is then found with differential
            privacy, and `released_` is the release to learn from: rows that `transform` shows are not protected by it.
        method: How to search; this and the next eight are as in `maskwise.search.options.SearchOptions`.
        criterion: How `tdr` chooses.
        max_steps: When to stop early.
        time_limit: When to stop early.
        effort: For `regions`.
        background: For `conditional` and `regions`.
        boundaries: Where intervals may be split: `safe` or `exact`; None goes by the policy.
        as_published: Search as the papers do: exact boundaries, a lone hidden value left as `*`.
        random_state: Seeds the folds of `regions`: a number, or a NumPy generator
            from which one is drawn at each `fit`. None stands for 0, so every `fit` gives the same cut.
        encode: `ordinal` shows masked values as the number of the label in its cut (-1 for the root of unknown values
            and for numbers outside every interval), for models that take numbers only; `label` as text. With
            `method="regions"` intervals overlap; they are numbered by where they
            begin, then by where they end. `onehot` makes a column of 0 and 1 for
            each label (`Age=[23, 40)`). `midpoint`, `mean` and `bounds` write
            intervals of numbers as the middle, as the mean of the training rows
            behind each, or as two columns (`Age_low`, `Age_high`); other masked
            columns stay text.

    Attributes:
        solution_: The cut that was found.
        verdict_: The recount of the training rows, masked by it; None in a masker that was read from JSON.
        released_: With an epsilon, the private release of the training rows; None without, or read from JSON.
        notes_: What is to be known of the training rows and the search; only of columns in a masker read from JSON.
        no_features_: Columns that are no features, which `transform` leaves out: class, persons, dropped ones.
        n_features_in_: Columns seen in `fit`, less the class, the persons and those the policy drops.
        feature_names_in_: Their names, where they had some.

    Example:
        >>> import pandas as pd
        >>> people = pd.DataFrame({"Age": [23, 25, 41, 47], "Sex": ["F", "M", "F", "M"]})
        >>> masker = Masker(k=2, encode="label").fit(people, ["lo", "lo", "hi", "hi"])
        >>> masker.transform(pd.DataFrame({"Age": [30, 80], "Sex": ["F", "X"]}))["Age"].tolist()
        ['[23, 40)', '[23, 47] or outside']
    """

    def __init__(
        self,
        policy: str | Path | Mapping[str, Any] | Policy | None = None,
        *,
        k: int | Mapping[str, int] | None = None,
        epsilon: float | str | None = None,
        method: str = DEFAULT_METHOD,
        criterion: str | None = None,
        max_steps: int | None = None,
        time_limit: float | None = None,
        effort: int | None = None,
        background: str | None = None,
        boundaries: str | None = None,
        as_published: bool = False,
        random_state: int | np.random.RandomState | None = None,
        encode: str = "ordinal",
    ) -> None:
        self.policy = policy
        self.k = k
        self.epsilon = epsilon
        self.method = method
        self.criterion = criterion
        self.max_steps = max_steps
        self.time_limit = time_limit
        self.effort = effort
        self.background = background
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
        X = ready_rows(X, AS_IT_IS if asked is None else asked.reading)  # noqa: N806 - scikit-learn's name
        frame = self._frame(X, asked, reset=True)
        names = list(frame.columns)
        class_name = asked.class_name if asked is not None else None
        if asked is not None and asked.person is not None:
            frame = frame.with_columns(self._person(X, asked.person))
        if y is not None:
            class_name = class_name or free_name("class", names)
            frame = with_class(frame, class_name, y)
        elif class_name is not None:
            whole = nw.from_native(X, eager_only=True) if hasattr(X, "columns") else frame
            if class_name not in whole.columns:
                msg = f"The policy's class `{class_name}` is neither a column of X nor given as y."
                raise InputError(msg)
            frame = frame.with_columns(whole[class_name])
        if asked is not None and hasattr(X, "columns"):
            # Requirements may count columns that are dropped; later rows do not need them.
            given = nw.from_native(X, eager_only=True)
            unseen = [name for name in asked.tree_columns if name in given.columns and name not in frame.columns]
            frame = frame.with_columns(given[name] for name in asked.sensitive if name in asked.drop)
            frame = frame.with_columns(given[name] for name in unseen)
        if asked is None:
            asked = Policy((KAnonymity(tuple(names), self._usual_k),), class_name=class_name)
        elif asked.class_name != class_name:
            asked = replace(asked, class_name=class_name)
        self.released_: Any = None
        if asked.private is not None:
            return self._fit_privately(frame.to_native(), asked)
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
        self.solution_ = solution = self._with_form(solution, profile, table, asked)
        masked = mask(table, solution, profile.columns)
        suppressed = suppress(masked, solution)
        masked = masked if suppressed is None else suppressed.table
        masked = as_labels(write_numbers(masked, solution), solution)
        verdict = recount(masked, asked.requirements, escaped=False, trees=asked.trees, person=asked.person)
        self.verdict_: Verdict | None = verdict.hiding(named_values(asked.requirements, asked.trees))
        self.notes_ = (*solution.notes, *no_feature_notes(self.no_features_))
        self.feature_names_ = names
        return self

    @property
    def _usual_k(self) -> int:
        """The smallest group where there is no policy."""
        if isinstance(self.k, Mapping):
            raise InputError("A mapping of `k` names quasi-identifiers of a policy. Give a policy, or a number.")
        return 5 if self.k is None else self.k

    @property
    def _form(self) -> Numbers:
        """What stands for a masked number."""
        return Numbers(self.encode) if self.encode in list(Numbers) else Numbers.LABEL

    def _with_form(self, solution: Solution, profile: Profile, table: Table, asked: Policy) -> Solution:
        """The solution with what stands for masked numbers."""
        if self._form is not Numbers.MEAN:
            return as_numbers(solution, self._form, {})
        beside = mask(with_raw_numbers(table, solution), solution, profile.columns)
        return as_numbers(solution, self._form, find_means(beside, solution, asked.floors()))

    def _fit_privately(self, training: Any, asked: Policy) -> Self:
        """Release the training rows with differential privacy, and keep the cut."""
        refuse_parameters(self.get_params(deep=False), type(self)().get_params(deep=False))
        outcome = anonymize_privately(training, asked)
        attributes = outcome.asked.attributes
        self.solution_ = as_numbers(replace(outcome.solution, columns=attributes), self._form, {})
        self.released_, self.verdict_, self.notes_ = outcome.data, None, ()
        self.feature_names_ = list(attributes)
        return self

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:  # noqa: N803 - scikit-learn's name
        """scikit-learn's, but a policy that would fill pages is only counted."""
        short = type(self)(**self.get_params(deep=False))
        short.policy = brief(self.policy)
        return str(BaseEstimator.__repr__(short, N_CHAR_MAX))

    def summary(self) -> str:
        """What was asked and reached on the training rows, and what is shown, for people to read."""
        check_is_fitted(self, "solution_")
        solution = self.solution_
        lines = [f"Found on {plural(solution.n_rows, 'training row')}."]
        lines += [] if self.verdict_ is None else findings_lines(self.verdict_)
        return "\n".join([*lines, *cut_lines(solution), *listed("Notes", self.notes_)])

    def _person(self, X: Any, person: Person) -> Any:  # noqa: N803 - scikit-learn's name
        """The column that names persons, which is no feature: `fit` counts by it, and later rows need not have it."""
        whole = nw.from_native(X, eager_only=True) if hasattr(X, "columns") else None
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
            if self.epsilon is not None:
                raise InputError(_NO_DOMAINS)
            return None
        asked = read_policy(self.policy, private=True)
        asked = asked if self.k is None else _with_k(asked, self.k)
        if self.epsilon is not None:
            if asked.private is None:
                raise InputError(_NO_DOMAINS)
            asked = replace(asked, private=replace(asked.private, epsilon=exact_epsilon(self.epsilon)))
        if asked.missing is Missing.DROP:
            raise InputError("A transformer keeps every row, so `missing: drop` does not fit it. Use keep or error.")
        if asked.suppress is not None:
            # A transformer keeps every row, so suppressed ones are shown as roots, whatever the policy says.
            asked = replace(asked, suppress=replace(asked.suppress, shown_as=Suppressed.ROOT))
        return asked

    def transform(self, X: Any) -> Any:  # noqa: N803 - scikit-learn's name
        """Show rows by the cut; the result is of the kind that `X` is, without the class and other non-features."""
        check_is_fitted(self, "solution_")
        is_lazy = is_lazy_frame(X)
        X = ready_rows(X, self.solution_.reading)  # noqa: N806 - scikit-learn's name
        frame = self._frame(X, None, reset=False)
        later = apply(read(frame.to_native(), reading=self.solution_.reading), self.solution_)
        warn_in_python(unknown_warnings(later.unknown, len(frame)))
        shown = as_frame(write_numbers(later.table, self.solution_), keep_index=True)
        if self.encode == "ordinal":
            shown = with_places(shown, self.solution_)
        elif self.encode == "onehot":
            shown = with_indicators(shown, self.solution_)
        if hasattr(X, "columns"):
            return shown.lazy() if is_lazy else shown
        columns = nw.from_native(shown, eager_only=True)
        dtype = np.float64 if self.encode in {"ordinal", "onehot"} else object
        return np.column_stack([np.asarray(columns[name].to_list(), dtype) for name in columns.columns])

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """The columns that `transform` returns."""
        check_is_fitted(self, "solution_")
        if input_features is not None and list(input_features) != self.feature_names_:
            raise ValueError("input_features is not equal to feature_names_in_")
        return np.array(names_out(self.feature_names_, self.solution_, self.encode), object)

    def to_json(self) -> str:
        """Write a fitted masker as JSON text."""
        check_is_fitted(self, "solution_")
        params = self.get_params(deep=False)
        # A generator's state is no part of what was fitted.
        is_number = isinstance(params["random_state"], int | np.integer)
        params["random_state"] = int(params["random_state"]) if is_number else None
        if params["policy"] is not None:
            params["policy"] = to_data(read_policy(params["policy"], private=True))
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
        masker.released_, masker.verdict_, masker.notes_ = None, None, no_feature_notes(no_features)
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
        if hasattr(X, "columns"):
            frame = nw.from_native(X, eager_only=True)
            if reset:
                gone = [] if asked is None else [*asked.dropped(frame.columns), asked.class_name]
                gone += [] if asked is None or asked.person is None else [asked.person.column]
                self.no_features_: tuple[str, ...] = tuple(dict.fromkeys(name for name in gone if name is not None))
            frame = frame.select(*(frame.get_column(name) for name in frame.columns if name not in self.no_features_))
            validate_data(self, frame.to_native(), reset=reset, skip_check_array=True)
            return frame
        least = max(self._usual_k, 1) if reset and self.policy is None else 1
        array = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan", ensure_min_samples=least)
        if reset:
            self.no_features_ = ()
        names = [f"x{i}" for i in range(array.shape[1])] if reset else self.feature_names_
        columns = {name: cells_to_arrow(array[:, i], name) for i, name in enumerate(names)}
        return nw.from_native(pa.table(columns), eager_only=True)


def _with_k(policy: Policy, k: int | Mapping[str, int]) -> Policy:
    """A policy with another k in every requirement that has one, or in those on the named quasi-identifiers."""
    known = {", ".join(one.qid) for one in policy.requirements if one.k is not None}
    if not known:
        raise InputError("The policy asks for no k, so there is none to replace. Leave out `k`.")
    wanted = k if isinstance(k, Mapping) else dict.fromkeys(known, k)
    if unknown := sorted(set(wanted) - known):
        msg = f"The policy asks for no k on `{unknown[0]}`. It does on {quote(sorted(known))}."
        raise InputError(msg)
    changed = [one.with_k(wanted.get(", ".join(one.qid), one.k)) if one.k else one for one in policy.requirements]
    return replace(policy, requirements=tuple(changed))
