"""Find what to release: the cut of a table, alone or beside earlier releases, the attacks on it and its reasons."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from maskwise.attacks.run import attack_search
from maskwise.pipeline.solving import refuse_reasons, solve
from maskwise.release.earlier import join_earlier
from maskwise.values.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.attacks.attack import Attack
    from maskwise.compress.spill import Workspace
    from maskwise.pipeline.solving import Solved
    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Profile
    from maskwise.progress import RunProgress
    from maskwise.release.earlier import EarlierRelease, JointProblem
    from maskwise.search.options import SearchOptions
    from maskwise.solution.reasons import Reasons
    from maskwise.solution.solution import Solution
    from maskwise.table.table import Table


@dataclass(frozen=True, slots=True)
class ReleasePlan:
    """What a search found: everything that is needed to write a release, and nothing is written yet."""

    joint: JointProblem
    """What was asked, together with what earlier releases show."""
    solution: Solution
    """What is to be shown, in the owner's terms."""
    found: Solution
    """The same as the search counted it, with what earlier releases show."""
    profile: Profile
    """The distinct cells of each masked attribute."""
    table: Table
    """The records without dropped ones, with what earlier releases show."""
    options: SearchOptions
    """How it was searched."""
    attacks: tuple[Attack, ...]
    """The attacks that were tried on the method."""
    reasons: Reasons | None = None
    """Why each masked value is shown as it is, where that was asked."""

    @property
    def asked(self) -> Policy:
        """What the owner asked."""
        return self.joint.asked


@dataclass(frozen=True, slots=True)
class FinishedSearch:
    """A search that is over, with its counts, from which earlier steps and reasons can still be had."""

    joint: JointProblem
    """What was asked, together with what earlier releases show."""
    solved: Solved
    """What the search found."""

    def at(self, n_steps: int) -> FinishedSearch:
        """The state after so many of its steps."""
        return replace(self, solved=self.solved.at(n_steps))

    @property
    def solution(self) -> Solution:
        """What is shown, in the owner's terms."""
        return self.joint.own_solution(self.solved.solution)

    def explain(self) -> Reasons:
        """Why each masked value is shown as it is."""
        return self.joint.own_reasons(self.solved.explain())

    def take(self, progress: RunProgress, *, why: bool = False) -> ReleasePlan:
        """What a release needs of it; its counts are left behind.

        Args:
            progress: Is told what is done.
            why: Find out why each masked value is shown as it is.
        """
        progress.stage(Stage.ATTACK)
        attacks = attack_search(self.solved.searched)
        reasons = None
        if why:
            progress.stage(Stage.EXPLAIN)
            reasons = self.explain()
        solved = self.solved
        return ReleasePlan(
            self.joint,
            self.solution,
            solved.solution,
            self.joint.own_profile(solved.profile),
            solved.table,
            solved.problem.options,
            attacks,
            reasons,
        )


def find(
    table: Table,
    asked: Policy,
    earlier: Sequence[EarlierRelease],
    options: SearchOptions,
    progress: RunProgress,
    workspace: Workspace | None = None,
    *,
    why: bool = False,
) -> FinishedSearch:
    """Search, alone or beside earlier releases.

    Args:
        table: The records.
        asked: What the owner asks.
        earlier: Earlier releases of the same people.
        options: How to search.
        progress: Is told how far the search has come, and may ask to stop.
        workspace: Where compressed tables are kept; None is memory without bound.
        why: Reasons will be asked for, so that a policy for which they are not known is refused at once.
    """
    if why:
        refuse_reasons(asked)
    joint = join_earlier(table, asked, earlier)
    with joint.explaining():
        return FinishedSearch(joint, solve(joint.table, joint.policy, options, progress, workspace))
