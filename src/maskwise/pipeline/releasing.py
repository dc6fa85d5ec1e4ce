"""Write what a search found, recount it, and only then give it its name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from maskwise.attacks.composition import attack_with_earlier
from maskwise.attacks.run import attack_release, failed_messages
from maskwise.engines.base import Feature
from maskwise.outcome import Outcome, Run
from maskwise.pipeline.suppressing import mask_and_suppress, what_is_left
from maskwise.profile.record_order import order_message, order_tells
from maskwise.profile.sensitive import named_values, unseen_values
from maskwise.release import mask as masking
from maskwise.release.common_rows import common_rows
from maskwise.release.hidden_columns import warn_of_hidden_columns
from maskwise.release.label_counts import count_regions
from maskwise.release.number_columns import (
    as_labels,
    as_numbers,
    find_means,
    merged_labels,
    number_messages,
    with_raw_numbers,
    write_numbers,
)
from maskwise.release.publish import publish, recount, refuse_other_labels, refuse_unless_confirmed
from maskwise.release.release_risks import assess_release
from maskwise.release.released_columns import look_at_columns
from maskwise.release.shuffle import in_their_order, shuffle_records, with_places
from maskwise.release.suppressed_share import suppression_messages
from maskwise.table.endpoints import input_files
from maskwise.values.number_forms import Numbers
from maskwise.values.stages import Stage
from maskwise.verify.single_records import warn_of_single_records

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from maskwise.pipeline.finding import ReleasePlan
    from maskwise.progress import RunProgress
    from maskwise.release.file_set import Sidecar
    from maskwise.values.location import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseOptions:
    """How a release is written."""

    is_shuffled: bool = True
    """Whether its records come in random order."""
    seed: int | None = None
    """Makes that order repeatable."""
    escape_formulas: bool = False
    """Whether cells that a spreadsheet would run are quoted."""
    strict_leaks: bool = False
    """Whether a released column that tells what a masked one hides is refused."""
    numbers: Numbers = Numbers.LABEL
    """What stands for a masked number."""


def release(
    taken: ReleasePlan,
    target: Place | None,
    how: ReleaseOptions,
    progress: RunProgress,
    source: tuple[Any, Any] = (None, None),
    beside: Callable[[Outcome], Sequence[Sidecar]] | None = None,
) -> Outcome:
    """Mask, write, recount, assess; nothing gets its name that the recount has not confirmed.

    Args:
        taken: What to release.
        target: Where to; None gives it back in memory.
        how: How it is written.
        progress: Is told how far it has come.
        source: The data and the engine as they were given, to say what was read.
        beside: Makes the files that appear together with it.
    """
    joint, asked, solution, profile = taken.joint, taken.asked, taken.solution, taken.profile
    counted, table = taken.table, joint.own_table(taken.table)
    progress.stage(Stage.CHECK)
    checked = look_at_columns(table, asked, solution, profile, strict=how.strict_leaks)
    messages = (*solution.messages, *solution.implied(), *joint.messages(profile.n_rows), *checked.messages)
    progress.stage(Stage.MASK)
    counted = with_places(counted, are_kept=not how.is_shuffled or how.seed is not None)
    counted = with_raw_numbers(counted, solution) if how.numbers is Numbers.MEAN else counted
    whole, solution, hit = mask_and_suppress(counted, asked, solution, profile)
    means = find_means(whole, solution, asked.floors()) if how.numbers is Numbers.MEAN else {}
    solution = as_numbers(solution, how.numbers, means)
    labelled = masking.drop_columns(masking.show_fixed(whole, solution), (*solution.drop, *joint.policy.known))
    masked = write_numbers(labelled, solution)
    if how.is_shuffled:
        # A seed for variants alone asks for no order that can be repeated, which a database has not.
        can_repeat = table.engine.can(Feature.RECORD_ORDER) or not taken.options.is_random
        masked = shuffle_records(masked, how.seed if can_repeat else None)
    else:
        masked = in_their_order(masked)
        messages = (*messages, *order_message(order_tells(table, profile.columns)))
    whole = as_labels(write_numbers(whole, solution), solution)
    with publish(masked, target, escape=how.escape_formulas) as draft:
        progress.stage(Stage.VERIFY)
        written = as_labels(draft.table, solution)
        verdict = recount(
            written,
            joint.policy.requirements,
            escaped=how.escape_formulas,
            trees=asked.trees,
            whole=whole,
            generalized=[cut.attribute for cut in solution.fixed],
            person=asked.person,
        )
        refuse_other_labels(written, solution.fixed, escaped=how.escape_formulas)
        n_rows, n_persons = what_is_left(hit, profile)
        dropped = asked.dropped(table.names)
        merged = merged_labels(solution)
        refuse_unless_confirmed(verdict, dropped, taken.found, n_rows, draft.table.names, n_persons, merged)
        progress.stage(Stage.ASSESS)
        attacks = (*taken.attacks, *attack_with_earlier(joint, verdict))
        verdict = joint.own_verdict(verdict).hiding(named_values(asked.requirements, asked.trees))
        verdict = replace(verdict, messages=unseen_values(asked, profile.sensitive))
        run = Run(
            taken.options.asked()
            | {"keep_order": not how.is_shuffled, "escape_formulas": how.escape_formulas}
            | ({} if how.numbers is Numbers.LABEL else {"numbers": str(how.numbers)}),
            table.engine.dialect.name,
            str(table.engine.dialect.backend.version),
            input_files(*source),
            draft.written,
        )
        attacks = (*attacks, *attack_release(asked, written, whole, checked.leaks))
        risk, owner_risk = assess_release(written, whole, asked, solution, verdict)
        outcome = Outcome(
            draft.data,
            solution,
            verdict,
            asked,
            table.source,
            profile.n_dropped,
            (
                *warn_of_single_records(verdict),
                *warn_of_hidden_columns(taken.solution, profile.columns, asked),
                *messages,
                *suppression_messages(hit, asked),
                *number_messages(solution),
                *failed_messages(attacks),
            ),
            risk,
            attacks,
            taken.reasons,
            owner_risk=owner_risk,
            run=run,
            common=common_rows(written, [cut.attribute for cut in solution.cuts]),
            regions=count_regions(written, solution, escaped=how.escape_formulas),
            suppressed=hit,
        )
        if beside is not None and target is not None:
            draft.add(beside(outcome))
    return outcome
