"""The command `maskwise evaluate`: parse, call `evaluate`, print and write."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from maskwise.cli.options import (
    AsJson,
    AsPublished,
    BackgroundName,
    CriterionName,
    MethodName,
    PolicyPath,
    Quiet,
    require_distinct_names,
)
from maskwise.errors import InputError
from maskwise.search.registry import DEFAULT_METHOD

if TYPE_CHECKING:
    from maskwise.evaluation.records import Evaluation


def evaluate(
    data: Annotated[Path, Parameter(help="The table before it is masked.")],
    /,
    *,
    policy: PolicyPath,
    output: Annotated[
        tuple[Path, ...],
        Parameter(
            name=["--output", "-o"],
            negative="",
            show_default=False,
            help="Write the errors here: .csv, .json, or a plot as .svg or .png. May be given several times.",
        ),
    ] = (),
    k: Annotated[
        str | None, Parameter(name="--k", help="Try every k requirement with these k, such as 20,60,100.")
    ] = None,
    h: Annotated[
        str | None, Parameter(name="--h", help="Try every confidence requirement with these bounds, such as 0.5,0.7.")
    ] = None,
    test: Annotated[Path | None, Parameter(help="A table of test records with the same columns.")] = None,
    split: Annotated[
        float | None,
        Parameter(help="Without --test: the share of test records, drawn at random; a third if not given."),
    ] = None,
    folds: Annotated[int | None, Parameter(help="Instead: cross-validation with so many parts.")] = None,
    seed: Annotated[int, Parameter(help="Makes the split and the classifiers repeatable.")] = 0,
    protocol: Annotated[
        Literal["held-out", "combined", "both"],
        Parameter(
            help="Find the cut on the training records only, or as in the papers on training and test records together."
        ),
    ] = "held-out",
    classifier: Annotated[
        tuple[str, ...],
        Parameter(
            negative="",
            show_default=False,
            help="c4.5, naive-bayes, logistic-regression, gradient-boosting, or the import path of a scikit-learn "
            "classifier; of a class that is a number tree, linear-regression, gradient-boosting or a path. May be "
            "given several times; by default the first two, or of a number all.",
        ),
    ] = (),
    measure: Annotated[
        tuple[str, ...],
        Parameter(
            negative="",
            show_default=False,
            help="error (the default), auc, logloss, f1, balanced, calibration, or all, such as error,auc; of a class "
            "that is a number mae and r2. All are of the same predictions.",
        ),
    ] = (),
    by: Annotated[
        tuple[str, ...],
        Parameter(
            negative="",
            show_default=False,
            help="A column of the unmasked table, such as sex: measure also the test records with each of its values. "
            "May be given several times.",
        ),
    ] = (),
    numbers: Annotated[
        Literal["label", "midpoint", "mean", "bounds"],
        Parameter(
            help="How classifiers see masked numbers: as labels in order, or as the middle, the mean or both ends of "
            "their interval."
        ),
    ] = "label",
    method: Annotated[MethodName, Parameter(help="Which way the search goes, as in mask.")] = DEFAULT_METHOD,
    criterion: Annotated[
        CriterionName | None, Parameter(help="How tdr chooses the next refinement, as in mask.")
    ] = None,
    effort: Annotated[int | None, Parameter(help="How many variants regions try, as in mask.")] = None,
    background: Annotated[
        BackgroundName | None, Parameter(help="What conditional and regions know of unmasked columns, as in mask.")
    ] = None,
    boundaries: Annotated[
        Literal["safe", "exact", "both"] | None,
        Parameter(
            help="Where intervals are split, as in mask; or both, to see what safe boundaries cost beside exact ones."
        ),
    ] = None,
    as_published: AsPublished = False,
    against: Annotated[
        tuple[str, ...],
        Parameter(
            negative="",
            show_default=False,
            help="NAME=FILE: evaluate also what another tool made of the same records, in the same order. May be given "
            "several times.",
        ),
    ] = (),
    runs: Annotated[
        int, Parameter(help="For a policy with epsilon: how often a release is drawn; DP is the mean error.")
    ] = 10,
    quiet: Quiet = False,
    json_: AsJson = False,
) -> int:
    """Measure what masking costs a classifier: its errors with and without."""
    from maskwise.cli.evaluation_tables import show_evaluation  # noqa: PLC0415 - start-up
    from maskwise.cli.terminal import Terminal  # noqa: PLC0415 - start-up
    from maskwise.evaluation.records import check_suffix  # noqa: PLC0415 - start-up
    from maskwise.evaluation.run import evaluate as run_evaluation  # noqa: PLC0415 - start-up
    from maskwise.release.target_checks import check_target  # noqa: PLC0415 - start-up

    others = _named(against)
    for path in output:
        check_suffix(path)
        check_target(path)
    sources = [policy, data, *([] if test is None else [test]), *others.values()]
    require_distinct_names(*output, inputs=sources)
    terminal = Terminal(quiet=quiet or json_)
    with terminal:
        found = run_evaluation(
            data,
            policy,
            test=test,
            split=split,
            folds=folds,
            seed=seed,
            protocol=protocol,
            classifiers=classifier or None,
            measures=measure,
            by=by,
            numbers=numbers,
            k=k,
            h=h,
            method=method,
            criterion=criterion,
            effort=effort,
            background=background,
            boundaries=boundaries,
            as_published=as_published,
            against=others,
            runs=runs,
            progress=terminal.progress,
        )
    _write(found, output)
    if json_:
        sys.stdout.write(found.to_json())
        return 0
    show_evaluation(terminal, found)
    for note in dict.fromkeys([*found.notes, *(one.note for one in found.records if one.note)]):
        terminal.note(note)
    for path in output:
        terminal.say(f"{'figures' if 'metric' in found.keys else 'errors'}: {path}")
    return 0


def _named(against: tuple[str, ...]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for text in against:
        name, sign, path = text.partition("=")
        if not name.strip() or not sign or not path:
            msg = f"--against is NAME=FILE, such as arx=masked.csv; found `{text}`."
            raise InputError(msg)
        if name.strip() in found:
            msg = f"--against names `{name.strip()}` twice. Give each file its own name."
            raise InputError(msg)
        found[name.strip()] = Path(path)
    return found


def _write(found: Evaluation, output: tuple[Path, ...]) -> None:
    """Write all files, or none."""
    from maskwise.release.file_set import Sidecar, write_files  # noqa: PLC0415 - start-up

    write_files([Sidecar(path, found.render(path)) for path in output])
