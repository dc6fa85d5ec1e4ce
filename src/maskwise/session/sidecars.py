"""The files that a command writes beside a release: solution, trace, curve, report, certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from maskwise.errors import InputError
from maskwise.formats import solution_file, trace_file
from maskwise.release.file_set import Sidecar
from maskwise.release.target_checks import check_target
from maskwise.report.plot import check_curve, render
from maskwise.report.report import check_suffix, report
from maskwise.values.message import Audience

if TYPE_CHECKING:
    from pathlib import Path

    from maskwise.certificate.certify import Certification
    from maskwise.outcome import Outcome


@dataclass(frozen=True, slots=True)
class SidecarPaths:
    """Where each file goes; None leaves it out."""

    solution: Path | None = None
    """For `maskwise apply`."""
    trace: Path | None = None
    """A line per step."""
    curve: Path | None = None
    """What each step keeps and reaches."""
    report: Path | None = None
    """What was asked and reached, as recipients may read it."""
    owner_report: Path | None = None
    """The same with everything that the owner should know."""
    is_public: bool = False
    """Whether the solution is written in the form that may accompany the release."""
    certification: Certification | None = None
    """Writes a certificate."""

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files that were asked for."""
        paths = (self.solution, self.trace, self.curve, self.report, self.owner_report)
        certified = () if self.certification is None else self.certification.paths
        return (*(path for path in paths if path is not None), *certified)

    def check(self) -> None:
        """Refuse files that cannot be written, before any work is done."""
        if self.is_public and self.solution is None:
            raise InputError("--public says how --solution is written, but no --solution is given.")
        for path in self.paths:
            check_target(path)
        for text in (self.report, self.owner_report):
            if text is not None:
                check_suffix(text)
        if self.curve is not None:
            check_curve(self.curve)

    def make(self, outcome: Outcome) -> list[Sidecar]:
        """Make the files of a run; what lists hidden values is private."""
        files = []
        if self.solution is not None:
            text = solution_file.dumps(outcome.solution, public=self.is_public)
            files.append(Sidecar(self.solution, text, private=not self.is_public))
        if self.trace is not None:
            files.append(Sidecar(self.trace, trace_file.dumps(outcome.steps), private=True))
        if self.curve is not None:
            picture = render(outcome.curve, outcome.policy, self.curve)
            files.append(Sidecar(self.curve, picture, private=True))
        if self.report is not None:
            files.append(Sidecar(self.report, report(outcome).render(self.report)))
        if self.owner_report is not None:
            text = report(outcome, Audience.OWNER).render(self.owner_report)
            files.append(Sidecar(self.owner_report, text, private=True))
        if self.certification is not None:
            files += self.certification(outcome)
        return files
