"""Publish a masked table: nothing is released before the verifier has recounted it.

`publish` writes a masked table under a temporary name and opens it again. The
caller recounts it (`recount`) and refuses it (`refuse_unless_confirmed`) or lets
it get its name, together with the files that belong to it (`file_set`).
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from maskwise.engines.base import Feature
from maskwise.engines.choose import start_beside
from maskwise.errors import InputError, RefusedError, plural
from maskwise.policy.requirements.qid import called
from maskwise.release.escape import original_text, safe_name, spreadsheet_safe
from maskwise.release.file_set import FileSet, Sidecar
from maskwise.release.frames import as_frame
from maskwise.table.files import SEPARATORS, first_bytes, parse_header
from maskwise.table.kept_counts import NothingKept
from maskwise.table.read import read
from maskwise.table.table import Table, kept_columns
from maskwise.values.input_kind import input_kind
from maskwise.values.location import Folder, TableName, inner_suffix, suffix_of
from maskwise.values.spelling import text_of
from maskwise.verify.same_groups import show_same_groups
from maskwise.verify.verify import verify

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from maskwise.engines.sql import Engine
    from maskwise.policy.person import Person
    from maskwise.policy.requirements.base import Requirement
    from maskwise.policy.rules.rule_tree import RuleTree
    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.solution.cut import Cut
    from maskwise.solution.solution import Solution
    from maskwise.values.location import Place
    from maskwise.verify.verdict import Verdict


_MARK = "\ufeff"
_SAME = 1e-9
"""Figures closer than this are the same: counts are exact, shares are quotients of them."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A masked table that is written but not released: it can be recounted, and has no name yet."""

    data: Any
    """What the owner gets if it is released: the place it is written to, or a table of the kind that was given."""
    table: Table
    """What was written, opened again, under the owner's column names."""
    sidecars: list[Sidecar] = field(default_factory=list)
    """The files that appear together with it."""
    written: Path | None = None
    """The file or folder that it is written to, complete, until it gets its name; None for a table."""

    def add(self, sidecars: Iterable[Sidecar]) -> None:
        """Let files appear together with the release, or not at all."""
        self.sidecars.extend(sidecars)


@contextmanager
def publish(masked: Table, target: Place | None, *, escape: bool) -> Iterator[Draft]:
    """Write a masked table under a temporary name; release it, with its sidecars, if the block ends well.

    The block recounts the draft and raises to refuse it. Then nothing is
    released and every draft is removed.

    Args:
        masked: What to release.
        target: Where to; None releases it in memory.
        escape: Quote what a spreadsheet would run.
    """
    # Every name is given here, all at once when the outer block ends. A table gets its name in the inner one, when all
    # files wait for theirs.
    with FileSet() as files, _drafted(masked, target, files, escape=escape) as draft:
        yield draft
        for sidecar in draft.sidecars:
            files.write(sidecar)
        files.prepare()


@contextmanager
def _drafted(masked: Table, target: Place | None, files: FileSet, *, escape: bool) -> Iterator[Draft]:
    """Write under a temporary name and open what was written."""
    safe = spreadsheet_safe(masked) if escape else masked
    if target is None:
        with _in_memory(safe) as draft:
            yield draft
        return
    names = tuple(safe_name(name) for name in masked.names) if escape else masked.names
    with _written(safe, target, names, files) as (written, path):
        if written.names != names:
            raise RefusedError("The written file has other columns than the table. Nothing was released.")
        yield Draft(target, replace(written, names=masked.names, forms=masked.forms), written=path)


@contextmanager
def _in_memory(masked: Table) -> Iterator[Draft]:
    """Make a table of the kind that was given; remove it from its database if the block fails."""
    data = as_frame(masked)
    try:
        is_there = input_kind(data).is_database_table
        opened = read(data, masked.engine if is_there else start_beside(masked.engine))
        yield Draft(data, replace(opened, expr=opened.engine.counted(opened.expr), forms=masked.forms))
    except BaseException:
        masked.engine.discard(data)
        raise


@contextmanager
def _written(
    masked: Table, target: Place, names: tuple[str, ...], files: FileSet
) -> Iterator[tuple[Table, Path | None]]:
    """Write a file, a folder or a table of a database; it gets its name if the block ends well.

    Gives what was written, opened again, and where a file or folder stands until then.

    Args:
        masked: What to write.
        target: Where to.
        names: What the columns are called there.
        files: Takes the file or folder, to give it its name.
    """
    expr = masked.expr.select(*(f"c{i}" for i in range(len(names))))
    if isinstance(target, Folder):
        folder = files.folder(target.path)
        masked.engine.write(expr, Folder(folder), names, masked.source)
        opened = read(Folder(folder), masked.engine if masked.engine.can(Feature.FILES) else None, is_counted=True)
        yield opened, folder
        return
    if isinstance(target, TableName):
        with masked.engine.draft_table(expr, target, names) as written:
            columns = [written[name].name(f"c{i}") for i, name in enumerate(written.columns)]
            counted = masked.engine.counted(written.select(columns))
            yield Table(masked.engine, counted, tuple(written.columns), masked.source), None
        return
    if names[0].startswith(_MARK) and inner_suffix(target) in {".csv", ".tsv"}:
        msg = (
            "The name of the first column begins with a byte order mark (U+FEFF), which readers of text files pass "
            "over. Rename it, or write parquet."
        )
        raise InputError(msg)
    draft = files.file(target, suffix_of(target))
    masked.engine.write(expr, draft, names, masked.source, masked.csv_form)
    # Not by its header: a lone column may have a name that looks like several.
    delimiter = {".csv": masked.csv_form.delimiter, ".tsv": "\t"}.get(inner_suffix(target))
    yield _open_to_count(draft, start_beside(masked.engine), delimiter), draft


def open_release(path: Path, names: Sequence[str]) -> Table:
    """Open a file or folder that a release was written to, to count in it.

    Args:
        path: Where it is.
        names: What its columns should be called. They tell what separates the cells of a csv, where a name or a cell
            looks like several.
    """
    if path.is_dir():
        return read(Folder(path))
    headers = {}
    if inner_suffix(path) == ".csv" and path.is_file():
        start = first_bytes(path, suffix_of(path))
        headers = {mark: parse_header(path, start, mark)[0] for mark in SEPARATORS}
    written = (list(names), [safe_name(name) for name in names])
    fitting = [mark for mark, header in headers.items() if header in written]
    fitting = fitting or [mark for mark, header in headers.items() if len(header) == len(names)]
    # A lone name is the same whatever separates cells. What reads every record then reads them alike.
    for mark in fitting[:-1]:
        with suppress(InputError):
            return _open_to_count(path, None, mark)
    return _open_to_count(path, None, fitting[-1] if fitting else None)


def _open_to_count(path: Path, engine: Engine | None, delimiter: str | None) -> Table:
    # Parsed once, and kept as distinct rows: of a million masked records there are a thousand.
    return read(path, engine, delimiter=delimiter, is_counted=True)


def recount(
    table: Table,
    requirements: Sequence[Requirement],
    *,
    escaped: bool,
    trees: Mapping[str, Taxonomy | RuleTree | None] | None = None,
    whole: Table | None = None,
    generalized: Collection[str] = (),
    person: Person | None = None,
) -> Verdict:
    """Verify a table; sensitive values are read as they were before they were written.

    Args:
        table: The table.
        requirements: What was asked.
        escaped: What a spreadsheet would run was quoted.
        trees: The taxonomies of sensitive columns.
        whole: The masked records with the columns that are not released, or released in another way. A requirement
            that speaks of one is counted there, and the released table must show the same groups.
        generalized: The columns that are released in another way.
        person: Whom the records are about, to count persons; None counts records.

    Raises:
        RefusedError: The released table shows other groups than the one that was counted.
    """
    # What a session has counted before is not asked: a recount counts.
    table = replace(table, kept=NothingKept())
    whole = None if whole is None else replace(whole, kept=NothingKept())
    read_text = original_text if escaped else str
    about = set() if person is None else {person.column}
    shown = set(table.names) - set(generalized)
    released = [one for one in requirements if whole is None or {*one.columns, *about} <= shown]
    unreleased = [one for one in requirements if one not in released]
    verdict = verify(table, released, trees, read_text, person if released else None)
    found = dict(zip(released, verdict.findings, strict=True))
    if unreleased:
        assert whole is not None  # noqa: S101 - else every requirement was counted above
        names = dict.fromkeys(name for one in unreleased for name in one.columns) | dict.fromkeys(about)
        with kept_columns(spreadsheet_safe(whole) if escaped else whole, list(names)) as kept:
            for one in unreleased:
                _refuse_other_groups(table, one, kept)
            counted = verify(kept, unreleased, trees, read_text, person)
        found |= dict(zip(unreleased, counted.findings, strict=True))
        verdict = replace(verdict, n_persons=counted.n_persons)
    return replace(verdict, findings=tuple(found[one] for one in requirements))


def _refuse_other_groups(table: Table, requirement: Requirement, counted: Table) -> None:
    """Refuse a released table that does not show the groups of the table in which a requirement is counted."""
    # What is known from an earlier release is counted with, and not released.
    released = [name for name in requirement.qid if name in table.names]
    if not show_same_groups(table, counted, released):
        msg = (
            f"The written table does not show the groups on {called(released)} that were counted. "
            "Nothing was released. Please report this as a bug."
        )
        raise RefusedError(msg)


def refuse_other_labels(table: Table, fixed: Sequence[Cut], *, escaped: bool) -> None:
    """Refuse a release in which a column that is shown at one depth of its taxonomy shows anything else.

    Args:
        table: What was written.
        fixed: What the columns may show.
        escaped: As in `recount`.
    """
    for cut in fixed:
        texts = {text_of(key) for key in table.distinct(cut.attribute).keys.to_pylist()}
        shown = {original_text(text) if escaped else text for text in texts}
        if not shown <= {*cut.labels, cut.root}:
            msg = (
                f"The written table shows other values of `{cut.attribute}` than those at its depth. "
                "Nothing was released. Please report this as a bug."
            )
            raise RefusedError(msg)


def refuse_unless_confirmed(
    verdict: Verdict,
    dropped: Collection[str],
    solution: Solution,
    n_rows: int,
    names: tuple[str, ...],
    n_persons: int | None = None,
    merged: Collection[str] = (),
) -> None:
    """Refuse a release unless the recount confirms what the search found in every point.

    Args:
        verdict: The recount.
        dropped: The columns that were to be left out.
        solution: What the search found.
        n_rows: How many records were to be written.
        names: The columns that were written.
        n_persons: How many persons they are about, where the policy says so.
        merged: Attributes of which several labels are written alike: their groups may be larger than those found.
    """
    broken = [finding.complaint() for finding in verdict.findings if not finding.is_met]
    masked = {cut.attribute for cut in solution.cuts}
    for finding, reached in zip(verdict.findings, solution.reached, strict=True):
        # Where a sensitive column is masked too, the search's figure is about the raw values, this one is not.
        is_comparable = not (set(finding.requirement.columns) - set(finding.requirement.qid)) & masked
        is_comparable = is_comparable and not set(finding.requirement.qid) & set(merged)
        if is_comparable and abs(finding.figure - reached.figure) > _SAME:
            broken.append(f"{finding.requirement.name} has {finding.figure:g} where the search has {reached.figure:g}")
    if verdict.n_rows != n_rows:
        broken.append(f"{plural(verdict.n_rows, 'record')} written, not {n_rows:,}")
    if verdict.n_persons != n_persons:
        broken.append(f"{verdict.n_persons} persons counted, not {n_persons}")
    broken += [f"the dropped column `{name}` is still there" for name in dropped if name in names]
    if broken:
        msg = (
            f"The recount of the masked table does not confirm it: {'; '.join(broken)}. "
            "Nothing was released. Please report this as a bug."
        )
        raise RefusedError(msg)
