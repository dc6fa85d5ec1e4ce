"""Mask other rows in the way a saved solution says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.errors import NotMetError
from maskwise.formats.solution_file import read_solution
from maskwise.outcome import NO_PERSON_COLUMN, NO_SENSITIVE_COLUMN, Applied
from maskwise.profile.sensitive import named_values
from maskwise.release import mask as masking
from maskwise.release.number_columns import as_labels, write_numbers
from maskwise.release.publish import publish, recount
from maskwise.release.shuffle import check_seed, in_their_order, shuffle_records, shuffles, with_places
from maskwise.release.target import resolve_target
from maskwise.table.endpoints import closing, open_data
from maskwise.values.memory import parse_memory

if TYPE_CHECKING:
    from maskwise.solution.solution import Solution


def apply(
    data: Any,
    solution: str | Path | Solution,
    output: str | Path | None = None,
    *,
    strict: bool = False,
    outside: str = "root",
    enforce: bool = False,
    keep_order: bool = False,
    shuffle: bool = False,
    seed: int | None = None,
    escape_formulas: bool = False,
    engine: Any = None,
    memory: str | None = None,
) -> Applied:
    """Mask other rows in the way a saved solution says.

    The cut was found on other records, so these rows alone need not meet its
    requirements; the verdict says whether they do.

    Args:
        data: As in `anonymize`.
        solution: A solution file, or a Solution.
        output: As in `anonymize`.
        strict: Refuse values that the solution does not know, numbers outside every interval, and columns that the
            release did not have.
        outside: What happens to rows with a number or date outside every interval that is shown: `root` shows the
            whole range and "or outside", `drop` leaves the row out, `refuse` refuses the rows.
        enforce: Refuse rows that alone do not meet the requirements.
        keep_order: As in `anonymize`.
        shuffle: The default; it goes with no `keep_order`.
        seed: As in `anonymize`.
        escape_formulas: As in `anonymize`.
        engine: As in `anonymize`.
        memory: As in `anonymize`.
    """
    is_shuffled = shuffles(keep_order=keep_order, shuffle=shuffle)
    check_seed(seed, is_used=is_shuffled)
    saved = read_solution(Path(solution)) if isinstance(solution, str | Path) else solution
    read = [Path(solution)] if isinstance(solution, str | Path) else []
    target = None if output is None else resolve_target(output, data, engine, read)
    table = open_data(data, engine, target, parse_memory(memory), saved.reading)
    with closing(table):
        placed = with_places(table, are_kept=not is_shuffled or seed is not None)
        later = masking.apply(placed, saved, strict=strict, outside=outside)
        masked = write_numbers(later.table, saved)
        masked = shuffle_records(masked, seed) if is_shuffled else in_their_order(masked)
        whole = as_labels(write_numbers(later.whole, saved), saved)

        # Later rows may not have the sensitive column yet, or show it masked; then its templates cannot be recounted.
        asked = [reached.requirement for reached in saved.reached]
        present = set(later.whole.names)
        about = set() if saved.person is None else {saved.person.column}
        hidden = {cut.attribute for cut in saved.cuts}
        requirements = [
            requirement
            for requirement in asked
            if {*requirement.columns, *about} <= present
            and not (set(requirement.columns) - set(requirement.qid)) & hidden
        ]
        unchecked = tuple(requirement for requirement in asked if requirement not in requirements)
        why = NO_SENSITIVE_COLUMN if about <= present else NO_PERSON_COLUMN
        if enforce and unchecked:
            msg = f"{unchecked[0].asks()} cannot be recounted: {why}."
            raise NotMetError(msg)
        with publish(masked, target, escape=escape_formulas) as draft:
            verdict = recount(
                as_labels(draft.table, saved),
                requirements,
                escaped=escape_formulas,
                trees=saved.taxonomies,
                whole=whole,
                generalized=[cut.attribute for cut in saved.fixed],
                person=saved.person,
            )
            if enforce and not verdict.is_met:
                broken = "; ".join(finding.complaint() for finding in verdict.findings if not finding.is_met)
                msg = f"These rows alone do not meet the requirements: {broken}. Mask them anew, together with others."
                raise NotMetError(msg)
            verdict = verdict.hiding(named_values(asked, saved.taxonomies))
            applied = Applied(
                draft.data,
                verdict,
                later.unknown,
                later.outside,
                later.n_dropped,
                later.n_outside_dropped,
                later.left_out,
                unchecked,
                why,
                later.n_suppressed,
                saved.is_private,
                tuple(cut.attribute for cut in saved.cuts if set(cut.labels) <= {cut.root}),
            )
    return applied
