"""The gate: nothing is handed out before the verifier has recounted it.

What is written is written under a temporary name, read again, recounted, and
only then gets its name, together with the files that belong to it.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from maskwise.errors import RefusedError, plural
from maskwise.release.atomic_files import alone, appearing, appearing_folder, write_draft
from maskwise.release.escape import safe_name, safe_text, spreadsheet_safe
from maskwise.release.frames import as_frame
from maskwise.table.read import read
from maskwise.table.table import Table
from maskwise.values.location import Folder, TableName, suffix_of
from maskwise.verify.verify import verify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from maskwise.policy.policy import Policy
    from maskwise.policy.requirements.base import Requirement
    from maskwise.solution.solution import Solution
    from maskwise.values.location import Place
    from maskwise.verify.verdict import Verdict


_SAME = 1e-9
"""Figures closer than this are the same: counts are exact, shares are quotients of them."""


@dataclass(frozen=True, slots=True)
class Sidecar:
    """A file that appears together with a release, or not at all."""

    path: Path
    """Where."""
    text: str | bytes
    """What."""
    private: bool = False
    """Whether only the owner may read it."""


def hand_out(
    masked: Table,
    target: Place | None,
    requirements: Sequence[Requirement],
    accept: Callable[[Table, Verdict], Any],
    stage: Callable[[str], None] = lambda name: None,  # noqa: ARG005
    beside: Callable[[Any], Sequence[Sidecar]] | None = None,
    *,
    escape: bool,
) -> tuple[Any, Any]:
    """Hand out a table only after the verifier has recounted what is handed out.

    Args:
        masked: What to release.
        target: Where to; None hands it out in memory.
        requirements: What is recounted.
        accept: Told what was found; raises to refuse, and returns the result.
        stage: Hears that the recount begins.
        beside: Makes, from what `accept` returned, the files that appear together with the target.
        escape: Quote what a spreadsheet would run.

    Returns:
        The released data and what `accept` returned.
    """
    named = masked.names
    masked = spreadsheet_safe(masked) if escape else masked
    if target is None:
        data = as_frame(masked)
        stage("verify")
        is_inside = type(data).__module__.startswith(("ibis", "pyspark"))
        found = read(data, masked.engine if is_inside else None)
        try:
            return data, accept(found, recount(found, requirements, escaped=escape))
        except BaseException:
            masked.engine.discard(data)
            raise
    names = tuple(safe_name(name) for name in named) if escape else named
    # The release gets its name first: the inner block ends before the outer one.
    once = _is_scanned_once(requirements)
    with ExitStack() as last, ExitStack() as sidecars, _drafted(masked, target, names, once=once) as written:
        stage("verify")
        if written.names != names:
            raise RefusedError("The written file has other columns than the table. Nothing was released.")
        found = replace(written, names=named)
        result = accept(found, recount(found, requirements, escaped=escape))
        files = beside(result) if beside is not None else ()
        for sidecar in files:
            write_draft(sidecars.enter_context(appearing(sidecar.path)), sidecar.text, private=sidecar.private)
        last.enter_context(alone(sidecar.path for sidecar in files))
    return target, result


@contextmanager
def _drafted(masked: Table, target: Place, names: tuple[str, ...], *, once: bool) -> Iterator[Table]:
    """Write under a temporary name and open what was written; it gets its name if the block ends well."""
    expr = masked.expr.select(*(f"c{i}" for i in range(len(names))))
    if isinstance(target, Folder):
        with appearing_folder(target.path) as folder:
            masked.engine.write_folder(expr, folder, names)
            yield read(Folder(folder), masked.engine if masked.engine.reads_files else None)
        return
    if isinstance(target, TableName):
        with masked.engine.appearing(expr, target, names) as written:
            columns = [written[name].name(f"c{i}") for i, name in enumerate(written.columns)]
            yield Table(masked.engine, written.select(columns), tuple(written.columns), masked.source)
        return
    suffix = suffix_of(target)
    with appearing(target, suffix) as draft:
        masked.engine.write(expr, draft, names, suffix, masked.source)
        delimiter = {".csv": ",", ".tsv": "\t"}.get(suffix.removesuffix(".gz"))
        yield read(draft, once=once, delimiter=delimiter)


def _is_scanned_once(requirements: Sequence[Requirement]) -> bool:
    """Whether a recount looks at the records only once, so that they need not be loaded first."""
    if len(requirements) != 1 or requirements[0].lists_worst_groups:
        return False
    parts = requirements[0].parts
    return len(parts) == 1 and parts[0].counted is None


def as_written(requirement: Requirement) -> Requirement:
    """A requirement whose protected values are spelled as cells that a spreadsheet does not run."""
    return requirement.respell(safe_text)


def recount(found: Table, asked: Sequence[Requirement], *, escaped: bool) -> Verdict:
    """Verify by the spelling that was written, and tell by the one that was asked.

    Args:
        found: The table.
        asked: The requirements.
        escaped: What a spreadsheet would run was quoted.
    """
    verdict = verify(found, [as_written(one) for one in asked] if escaped else asked)
    told = [replace(finding, requirement=one) for finding, one in zip(verdict.findings, asked, strict=True)]
    return replace(verdict, findings=tuple(told))


def insist(verdict: Verdict, policy: Policy, solution: Solution, n_rows: int, names: tuple[str, ...]) -> None:
    """Refuse a release that the recount does not confirm in every point."""
    broken = [finding.complaint() for finding in verdict.findings if not finding.is_met]
    masked = {cut.attribute for cut in solution.cuts}
    for finding, reached in zip(verdict.findings, solution.reached, strict=True):
        is_seen = not (set(finding.requirement.columns) - set(finding.requirement.qid)) & masked
        if is_seen and abs(finding.figure - reached.figure) > _SAME:
            broken.append(f"{finding.requirement.name} has {finding.figure:g} where the search has {reached.figure:g}")
    if verdict.n_rows != n_rows:
        broken.append(f"{plural(verdict.n_rows, 'record')} written, not {n_rows:,}")
    broken += [f"the dropped column `{name}` is still there" for name in policy.drop if name in names]
    if broken:
        msg = (
            f"The recount of the masked table does not confirm it: {'; '.join(broken)}. "
            "Nothing was released. Please report this as a bug."
        )
        raise RefusedError(msg)


@contextmanager
def given_back(table: Table) -> Iterator[None]:
    """Take back from the owner's database what was lent to it."""
    try:
        yield
    finally:
        table.engine.forget()
