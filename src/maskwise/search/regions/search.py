"""The search region by region; see `interface.Search`."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from maskwise.compress.request import ClassRequest, Coding, CountRequest
from maskwise.errors import InfeasibleError, InputError
from maskwise.policy.attributes import Kind, Minimality
from maskwise.search import rule_kernels
from maskwise.search.bounds import as_rules, list_union
from maskwise.search.cut_groups import weigh_groups
from maskwise.search.interface import NoProgress
from maskwise.search.options import Limits
from maskwise.search.preferences import broken_before, preferences_of
from maskwise.search.regions import region_arrays
from maskwise.search.regions.build_regions import build_regional_solution
from maskwise.search.regions.descent import Descent
from maskwise.search.regions.domains import flatten, list_domains
from maskwise.search.regions.growth import Growth
from maskwise.search.regions.qid_groups import QidGroups
from maskwise.search.regions.shared_splits import MOST_QIDS, SharedSplits
from maskwise.search.regions.teacher import align, teach_counts
from maskwise.search.regions.variants import RegionVariant, choose_variant
from maskwise.search.registry import MAX_CLASSES
from maskwise.solution.solution import Ending
from maskwise.values.message import private_note
from maskwise.values.row_numbers import number_rows
from maskwise.values.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import Compact, CompressedTables
    from maskwise.search.interface import Problem, Progress
    from maskwise.search.regions.growth import Split
    from maskwise.search.regions.region_arrays import Domains
    from maskwise.search.regions.teacher import Lesson
    from maskwise.search.value_trees import AnyTree
    from maskwise.solution.solution import Solution
    from maskwise.values.message import Message

    Ints = NDArray[np.int64]


class Phase(Protocol):
    """One part of the search."""

    def best(self) -> object | None:
        """What would be split next; None at the end."""

    def split_best(self) -> Sequence[Split]:
        """Split it."""


class RegionSearch:
    """Splits the table into regions as long as every group of every QID stays safe."""

    def __init__(self, problem: Problem) -> None:
        _refuse_what_does_not_fit(problem)
        self.problem = problem
        profile, n_cuts = problem.profile, problem.policy.n_cuts
        own, floors = profile.columns[:n_cuts], problem.policy.floors()
        self.domains = list_domains(replace(profile, columns=own), floors)
        self._union, self._qids, self._bounds = list_union(problem.profile, problem.policy)
        self._variant = RegionVariant()
        self._learned: tuple[Lesson | None] | None = None

    @property
    def request(self) -> CountRequest:
        """The rows of all masked attributes together, also by class, from which a good classifier learns."""
        problem, policy = self.problem, self.problem.policy
        classes = None
        if policy.class_name is not None:
            classes = ClassRequest(policy.class_name, problem.background, policy.n_cuts)
        # What earlier releases show is known as it is.
        known = [len(column.counts) + 1 for column in problem.profile.columns[policy.n_cuts :]]
        codings = (
            *(Coding(domain.code_of_value, domain.n_codes) for domain in self.domains),
            *(Coding(np.arange(n_codes), n_codes) for n_codes in known),
        )
        return CountRequest(codings, (self._union,), classes)

    def _lesson(self, counts: CompressedTables) -> Lesson | None:
        """What is known of the rows, learned once from their counts; None without a class."""
        if counts.classes is not None and self._learned is None:
            self._learned = (
                teach_counts(
                    counts.classes,
                    is_number=[domain.column.kind is Kind.INTERVAL for domain in self.domains],
                    seed=self.problem.options.seed or 0,
                    class_is_number=self.problem.policy.class_is_number,
                ),
            )
        return None if self._learned is None else self._learned[0]

    @property
    def coded_trees(self) -> Sequence[AnyTree]:
        """None: regions have no trees in common."""
        return ()

    def run(self, counts: CompressedTables, progress: Progress) -> Solution:
        """Split until nothing valid gains anything, or a limit is reached."""
        return self._run(counts, self.problem.options.limits, progress)

    def rerun(self, counts: CompressedTables, n_steps: int) -> Solution:
        """Split so many times by the variant that was chosen."""
        return self._run(counts, Limits(n_steps), NoProgress(), self._variant)

    def _run(
        self, counts: CompressedTables, limits: Limits, progress: Progress, chosen: RegionVariant | None = None
    ) -> Solution:
        """Split until nothing valid gains anything, or a limit is reached.

        Args:
            counts: The answer to the request.
            limits: When to stop early.
            progress: Told of every search and step.
            chosen: How to search, where that has been chosen.
        """
        problem = self.problem
        (everything,) = counts.tables
        if everything.persons is not None:
            self._refuse_what_persons_do_not_allow()
        compact, labels = _part_known(everything, problem.policy.n_cuts)
        begin = time.monotonic()
        whole = compact.whole()
        n_cuts = problem.policy.n_cuts
        flat, roots = flatten(self.domains, preferences_of(problem.policy).weights[:n_cuts])
        notes: list[Message] = []
        if counts.classes is not None:
            progress.stage(Stage.LEARN)
        lesson = self._lesson(counts)
        if chosen is None:
            progress.stage(Stage.COMPARE)
            chosen, notes = self._choose(lesson, flat, roots, whole)
        self._variant = variant = chosen
        progress.stage(Stage.SEARCH)
        terms = self._terms(whole, variant)
        sums = align(lesson, compact.codes, are_distinct=compact.persons is None and not labels)
        growth = Growth(compact, sums, flat, roots, terms, self._groups(whole, labels), _number_blocks(labels))
        descent = Descent(growth, self.domains, self._bounds)
        self._refuse_what_was_released_before(descent)
        ending = self._descend(descent, limits, progress, begin)
        return build_regional_solution(
            problem,
            self.domains,
            growth,
            self._bounds,
            descent.steps,
            descent.curve.points,
            ending,
            (*notes, *counts.workspace.messages()),
        )

    def _groups(self, whole: Ints, labels: Sequence[Ints]) -> list[QidGroups]:
        """The groups of each QID, of one region yet.

        Args:
            whole: The counters of the whole table.
            labels: For each attribute that earlier releases show what is known of every row.
        """
        n_cuts = self.problem.policy.n_cuts
        return [
            QidGroups(
                [a for a in qid.attributes if a < n_cuts],
                as_rules([b for b in self._bounds if b.table == t], whole),
                whole,
                block=_number_blocks([labels[a - n_cuts] for a in qid.attributes if a >= n_cuts]),
            )
            for t, qid in enumerate(self._qids)
        ]

    def _choose(
        self, lesson: Lesson | None, domains: Domains, roots: Ints, whole: Ints
    ) -> tuple[RegionVariant, list[Message]]:
        """Choose how to search, where there is a class and effort allows it."""
        options = self.problem.options
        if lesson is None or options.spent_effort == 1:
            return RegionVariant(), []
        terms = self._terms(whole, RegionVariant())
        variant, text = choose_variant(lesson.records, lesson.codes, domains, roots, terms.least, options.seed or 0)
        return variant, [private_note(text)]

    def _terms(self, whole: Ints, variant: RegionVariant) -> region_arrays.Terms:
        """What every part must satisfy: all rules at once, so that it may be in any group."""
        rules = as_rules(self._bounds, whole)
        is_by_size = bool((rules.kind[rules.is_enforced] == rule_kernels.K).all())
        smallest = self._smallest(rules)
        least = smallest * variant.factor
        return region_arrays.Terms(
            rules,
            least,
            smallest if self.problem.policy.known else least,
            is_by_size,
            region_arrays.SHRINKAGE,
            variant.depth,
            region_arrays.BREADTH,
            region_arrays.AHEAD,
        )

    @staticmethod
    def _smallest(rules: rule_kernels.Rules) -> int:
        """The largest k of all."""
        return int(rules.over[(rules.kind == rule_kernels.K) & rules.is_enforced].max(initial=1))

    def _descend(self, descent: Descent, limits: Limits, progress: Progress, begin: float) -> Ending:
        """Split as long as a phase has a split that is valid and gains something; say why it ended."""

        def is_over() -> bool:
            return limits.seconds is not None and time.monotonic() - begin >= limits.seconds

        def finish(phase: Phase) -> Ending | None:
            while phase.best() is not None:
                if limits.max_steps is not None and len(descent.steps) >= limits.max_steps:
                    return Ending.STEPS
                if is_over():
                    return Ending.TIME
                if not progress.step(descent.add(phase.split_best()), descent.curve):
                    return Ending.INTERRUPTED
            return Ending.TIME if is_over() else None

        for phase in self._phases(descent.growth, is_over):
            ending = finish(phase)
            if ending is not None:
                return ending
        return Ending.MAXIMAL

    def _phases(self, growth: Growth, is_over: Callable[[], bool]) -> Iterator[Phase]:
        """Single regions, then those that are one group."""
        growth.weigh_all()
        yield growth
        # Persons of several regions do not add up, and blocks are not counted there, so that is left out for both.
        if growth.adds_up and not self.problem.policy.known and 1 < len(self._qids) <= MOST_QIDS:
            yield SharedSplits(growth, is_over)

    def _refuse_what_persons_do_not_allow(self) -> None:
        """Refuse what cannot be counted where the masked values of some persons differ from record to record."""
        policy = self.problem.policy
        why = "Some persons have records with different masked values"
        if policy.known:
            msg = (
                f"{why}. The method `regions` then cannot take what earlier releases show into account. Use the method "
                "`tdr` with --against."
            )
            raise InputError(msg)
        for bound in self._bounds:
            if bound.rule.arithmetic != rule_kernels.K:
                msg = (
                    f"{policy.at(('requirements', bound.requirement))}{why}. The method `regions` then takes only "
                    "requirements on the size of groups (k). Use the method `tdr`, or make these values the same."
                )
                raise InputError(msg)

    def _refuse_what_was_released_before(self, descent: Descent) -> None:
        """Refuse requirements that earlier releases break by themselves, whatever this one shows."""
        broken: set[int] = set()
        growth = descent.growth
        for t, groups in enumerate(growth.groups):
            if groups.block is not None:
                bounds = [bound for bound in self._bounds if bound.table == t]
                counts = growth.count_blocks([0], groups.block)
                _, is_broken = weigh_groups(groups.rules, counts)
                broken |= {bound.requirement for bound, bad in zip(bounds, is_broken, strict=True) if bad.any()}
        if broken:
            figures = descent.figures()
            complaints = [broken_before(self.problem.policy, i, figures[i]) for i in sorted(broken)]
            raise InfeasibleError("\n".join(complaints))


def _part_known(everything: Compact, n_cuts: int) -> tuple[Compact, list[Ints]]:
    """The rows of the attributes that have a cut, and for each of the others what is known of every row."""
    codes = everything.codes
    if codes.shape[1] == n_cuts:
        return everything, []
    own = replace(everything, attributes=everything.attributes[:n_cuts], codes=np.ascontiguousarray(codes[:, :n_cuts]))
    return own, [column.astype(np.int64) for column in codes[:, n_cuts:].T]


def _number_blocks(labels: Sequence[Ints]) -> Ints | None:
    """A number for the combination of known labels of each row; None if nothing is known."""
    return number_rows(labels, len(labels[0])) if labels else None


def _refuse_what_does_not_fit(problem: Problem) -> None:
    """Refuse what regions cannot do."""
    policy, options = problem.policy, problem.options
    if options.as_published:
        raise InputError("The method `regions` is not in the papers, so it does not go with --as-published.")
    if problem.profile.n_classes > MAX_CLASSES:
        msg = (
            f"The method `regions` takes up to {MAX_CLASSES} classes; found {problem.profile.n_classes:,}. "
            "Use the method `tdr`."
        )
        raise InputError(msg)
    if policy.suppress is not None:
        msg = (
            f"{policy.at(('suppress',))}The method `regions` suppresses no records: what is rare stays in its region. "
            "Delete `suppress`, or use the method `tdr`."
        )
        raise InputError(msg)
    if policy.minimality is Minimality.GUARD:
        msg = (
            f"{policy.at(('minimality',))}`minimality: guard` is for one cut of the whole table, not for the method "
            "`regions`. Use the method `tdr`, or write `minimality: check`."
        )
        raise InputError(msg)
    if any(preferences_of(policy).levels[: policy.n_cuts]):
        raise InputError("The method `regions` has no levels that hold everywhere. Leave out `at_least`, or use `tdr`.")
