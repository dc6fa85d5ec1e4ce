"""What the terminal shows: progress while a run goes on, tables when it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid
from rich.text import Text

from maskwise.errors import plural
from maskwise.policy.requirements.qid import called
from maskwise.policy.requirements.wording import figure_text
from maskwise.progress import Compiling, StageBegun, StepTaken
from maskwise.solution.steps import Generalization
from maskwise.values.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from maskwise.progress import Event
    from maskwise.solution.steps import Step
    from maskwise.values.message import Level, Message
    from maskwise.verify.verdict import Verdict

_MOST_LABELS = 8
_FIGURES_WIDE = 9
"""How wide the sizes of groups are at most, in letters: a million has nine."""


class Terminal:
    """Progress on standard error, if that is a terminal; results on standard output."""

    def __init__(self, *, quiet: bool) -> None:
        """Open both streams.

        Args:
            quiet: Show nothing but errors and warnings.
        """
        self.quiet = quiet
        self.out = Console(quiet=quiet, soft_wrap=True, highlight=False, emoji=False)
        self.err = Console(stderr=True, soft_wrap=True, highlight=False, emoji=False)
        self._progress: Progress | None = None
        self._task: Any = None
        self._stage = ""
        self._n_compiled = 0

    def __enter__(self) -> Self:
        if self.err.is_terminal and not self.quiet:
            self._progress = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(20),
                TimeElapsedColumn(),
                console=self.err,
                transient=True,
            )
            self._progress.start()
            self._task = self._progress.add_task("starting", total=len(Stage))
        return self

    def __exit__(self, *reason: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def hear(self, event: Event) -> None:
        """Show how far a run has come."""
        if isinstance(event, StageBegun):
            self.stage(event)
        elif isinstance(event, StepTaken):
            self.step(event.step)
        elif isinstance(event, Compiling) and self._progress is not None:
            self._n_compiled += 1
            only = "[dim](only the first run does, for some seconds)[/]"
            self._progress.update(self._task, description=f"{self._stage}: compiling loop {self._n_compiled} {only}")

    def stage(self, begun: StageBegun) -> None:
        """Show that a stage begins."""
        self._stage = str(begun)
        if self._progress is not None:
            self._progress.update(self._task, description=self._stage, completed=list(Stage).index(begun.stage))

    def step(self, step: Step | Generalization) -> None:
        """Show the step that was just performed."""
        if self._progress is not None:
            left = ", ".join(
                f"anonymity {figure:,}" if isinstance(figure, int) else f"{figure:.3f}" for figure in step.requirements
            )
            # Bottom-up, only the last state is safe.
            stop = "Ctrl-C gives up" if isinstance(step, Generalization) else "Ctrl-C stops safely"
            self._progress.update(
                self._task,
                description=f"{self._stage}: step {step.step}, {escape(step.attribute)}, {left} [dim]({stop})[/]",
            )

    def say(self, text: str) -> None:
        """Print a line of plain text."""
        self.out.print(Text(text))

    def note(self, text: str) -> None:
        """Print a note on standard error."""
        if not self.quiet:
            self.err.print(Text.assemble(("note:", "yellow"), " ", text))

    def warn(self, text: str) -> None:
        """Print a warning on standard error, also where nothing else is printed."""
        self.err.print(Text.assemble(("warning:", "bold yellow"), " ", text))

    def show_messages(self, messages: Iterable[Message], level: Level) -> None:
        """Print the messages of one level, as the owner reads them."""
        for message in messages:
            if message.level is level:
                (self.warn if message.is_warning else self.note)(message.text)

    def show_report(self, data: dict[str, Any], verdict: Verdict) -> None:
        """Show what was asked and reached, and how each attribute is now shown.

        Args:
            data: What a report says.
            verdict: The recount; it knows the protected values, which a report does not tell.
        """
        from maskwise.report.report import describe_ending, shown_values  # noqa: PLC0415 - start-up
        from maskwise.report.sections import column_lines  # noqa: PLC0415 - start-up

        grid = Grid(title="Requirements, recounted from the release", title_justify="left")
        of = "" if verdict.n_persons is None else f" ({verdict.unit.plural})"
        for column in ("quasi-identifier", "asked", "reached"):
            grid.add_column(column, overflow="fold")
        for column in ("groups", f"smallest group{of}", f"median group{of}"):
            # The names of columns need the room.
            grid.add_column(column, overflow="fold", max_width=_FIGURES_WIDE)
        seen: list[str] | None = None
        for item, finding in zip(data["requirements"], verdict.findings, strict=True):
            qid = "as above" if item["qid"] == seen else ", ".join(item["qid"])
            seen = item["qid"]
            implied = f" (implied by {item['implied_by'] + 1})" if item["implied_by"] is not None else ""
            sizes, asked = item["group_sizes"], finding.requirement
            grid.add_row(
                Text(qid + implied),
                Text(asked.asked_cell(by_name=True)),
                Text(asked.reached_cell(finding.figure, finding.tightest, by_name=True)),
                f"{item['groups']:,}",
                f"{sizes['min']:,}",
                f"{sizes['median']:,}",
            )
        self.out.print(grid)
        grid = Grid(title="How each attribute is shown", title_justify="left")
        for column in ("attribute", "by", "values"):
            grid.add_column(column, overflow="fold")
        for item in data["attributes"]:
            values = shown_values(item)
            more = f" and {len(values) - _MOST_LABELS} more" if len(values) > _MOST_LABELS else ""
            said = item.get("sentence") or ", ".join(values[:_MOST_LABELS]) + more
            grid.add_row(Text(item["name"]), item["kind"], Text(said))
        self.out.print(grid)
        if "regions" in data:
            self.say(data["regions"]["sentence"])
        for line in column_lines(data):
            self.say(line)
        if data["ending"] in {"maximal", "exhausted", "met"}:
            self.say(describe_ending(data))
        else:
            self.note(describe_ending(data))

    def progress(self, what: str, done: int, total: int) -> None:
        """Show how much of a known amount of work is done."""
        if self._progress is not None:
            self._progress.update(self._task, description=what, completed=done, total=total)

    def show_rows(self, title: str, names: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Show a few records."""
        grid = Grid(title=title, title_justify="left")
        for name in names:
            grid.add_column(Text(name), overflow="fold")
        for row in rows:
            grid.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
        self.out.print(grid)

    def show_verdict(self, verdict: Verdict) -> None:
        """Show what a recount found; the sizes of the same groups once."""
        seen: set[object] = set()
        for finding in verdict.findings:
            word = ("holds", "green") if finding.is_met else ("is violated", "bold red")
            rest = (
                f": the smallest of {plural(finding.n_groups, 'group')} has {plural(finding.anonymity, finding.unit)}"
            )
            if finding.tightest:
                rest = f": the worst of {plural(finding.n_groups, 'group')} reaches {figure_text(finding.figure)}"
            self.out.print(Text.assemble(finding.requirement.asks(by_name=True), " ", word, rest))
            for tight in finding.tightest:
                group = ", ".join("(missing)" if text is None else text for text in tight.shown)
                where = (
                    f"in the group ({group}) of {plural(tight.n_records, tight.unit)}"
                    if tight.shown
                    else "in a group of one"
                )
                where += f" on {called(tight.part.qid)}"
                self.out.print(Text(f"  {tight.part.describe_worst(tight)} {where}"))
            if not finding.is_met:
                self.out.print(
                    f"  violated in {plural(finding.n_violating_groups, 'group')} "
                    f"with {plural(finding.n_violating_records, finding.unit)}"
                )
            groups = (frozenset(finding.requirement.qid), finding.sizes)
            if groups in seen:
                continue
            seen.add(groups)
            grid = Grid("group size", "groups", finding.unit.plural, box=None, pad_edge=False, padding=(0, 3, 0, 0))
            for low, high, n_groups, n_records in finding.histogram():
                if not n_groups:
                    continue
                size = f"{low:,} and more" if high is None else f"{low:,} to {high:,}" if high > low else f"{low:,}"
                grid.add_row(f"  {size}", f"{n_groups:,}", f"{n_records:,}")
            self.out.print(grid)
