"""The commands `maskwise taxonomy …`: parse, call one function, print or write."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from maskwise.cli.options import AsJson, Engine, Memory, Quiet, require_distinct_names
from maskwise.cli.printing import print_json
from maskwise.cli.tree_sources import ClassName, Grow, PolicyFile, Rule, TreeAsked
from maskwise.errors import InputError, plural, quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.policy.taxonomy_check import TaxonomyCheck

taxonomy = App(name="taxonomy", help="Show, check, build, import and export taxonomies.", help_format="plaintext")

TreeFile = Annotated[
    Path,
    Parameter(help="The taxonomy: .yaml, .json, .csv or .tsv (ARX, edge list, SKOS), .txt (indented, Amnesia), .hchy."),
]
Form = Annotated[
    str | None,
    Parameter(
        name="--format",
        help="yaml, json, arx, edges, skos, indented, amnesia or braces; without it suffix and content decide.",
    ),
]
Attribute = Annotated[
    str | None, Parameter(name="--attribute", help="Whose tree is meant, where the file holds several.")
]
Root = Annotated[str | None, Parameter(name="--root", help="Put several trees under this label.")]
Data = Annotated[str | None, Parameter(name="--data", help="A table that has the column.")]
Column = Annotated[str | None, Parameter(name="--column", help="The column whose values the leaves are.")]
Target = Annotated[Path, Parameter(name=["--output", "-o"], help="Where to write.")]
_LISTED = 10
"""So many values of each kind are listed."""


@taxonomy.command
def show(
    file: TreeFile | None = None,
    /,
    *,
    rule: Rule = None,
    grow: Grow = None,
    class_name: ClassName = None,
    policy: PolicyFile = None,
    data: Data = None,
    column: Column = None,
    depth: Annotated[int | None, Parameter(help="Draw so many levels below the root.")] = None,
    all_: Annotated[
        bool, Parameter(name="--all", negative="", help="Draw every child; without it 25 of each value.")
    ] = False,
    svg: Annotated[Path | None, Parameter(help="Write the drawing here as a picture.")] = None,
    attribute: Attribute = None,
    format_: Form = None,
    engine: Engine = None,
    memory: Memory = None,
) -> int:
    """Draw a taxonomy, or what a rule or a policy makes of a column; with the records of each value of a table."""
    from maskwise.cli.terminal import Terminal  # noqa: PLC0415 - start-up
    from maskwise.policy.taxonomy_check import records_below  # noqa: PLC0415 - start-up
    from maskwise.policy.tree_drawing import MOST_CHILDREN, draw_values, text_of_line  # noqa: PLC0415 - start-up
    from maskwise.report.taxonomy_drawing import taxonomy_svg  # noqa: PLC0415 - start-up

    asked = TreeAsked(file, rule, grow, policy, class_name, data, column, engine, memory)
    if depth is not None and depth < 0:
        msg = f"`--depth` is {depth}. Levels below the root are counted from 0."
        raise InputError(msg)
    if svg is not None:
        inputs = [path for path in (file, policy) if path is not None]
        require_distinct_names(svg, inputs=[*inputs, *_files(data, engine)])
    tree, values = asked.read(attribute, format_)
    counts = None if values is None else records_below(tree, values.n_records)
    lines = draw_values(tree, counts, depth=depth, most=None if all_ else MOST_CHILDREN)
    terminal = Terminal(quiet=False)
    if svg is not None:
        _write(svg, taxonomy_svg(lines, f"{asked.title}: {tree.root}"))
        terminal.say(f"picture: {svg}")
        return 0
    for line in lines:
        terminal.say(text_of_line(line))
    return 0


@taxonomy.command
def check(
    file: TreeFile | None = None,
    /,
    *,
    rule: Rule = None,
    grow: Grow = None,
    class_name: ClassName = None,
    policy: PolicyFile = None,
    data: Data = None,
    column: Column = None,
    attribute: Attribute = None,
    format_: Form = None,
    engine: Engine = None,
    memory: Memory = None,
    quiet: Quiet = False,
    json_: AsJson = False,
) -> int:
    """Check a taxonomy or a rule, also against a column; exit 1 if it does not cover the column."""
    from maskwise.cli.terminal import Terminal  # noqa: PLC0415 - start-up
    from maskwise.policy.taxonomy_check import check_taxonomy  # noqa: PLC0415 - start-up

    asked = TreeAsked(file, rule, grow, policy, class_name, data, column, engine, memory)
    tree, values = asked.read(attribute, format_)
    if values is None:
        found = check_taxonomy(tree, dict.fromkeys(tree.leaves(), 0))
    else:
        # What is made of a rule or of the table has cells as leaves, in a policy also where they are listed.
        found = check_taxonomy(tree, values.n_records, values.n_missing, is_listed=file is not None)
    if json_:
        print_json(found.to_data())
    else:
        terminal = Terminal(quiet=quiet)
        terminal.say(_shape(tree))
        for line in _coverage(found, column) if column is not None else []:
            terminal.say(line)
        for line in _slips(found):
            terminal.say(line)
    return 0 if found.is_covered else 1


@taxonomy.command
def build(
    data: Annotated[str, Parameter(help="The table.")],
    /,
    *,
    from_columns: Annotated[
        str | None, Parameter(help="Columns of the table, the finest first, separated by commas: city,county,state.")
    ] = None,
    rule: Rule = None,
    grow: Grow = None,
    class_name: ClassName = None,
    column: Column = None,
    output: Target,
    root: Annotated[str, Parameter(help="With --from-columns, the label above the last column.")] = "ANY",
    format_: Form = None,
    engine: Engine = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> int:
    """Build a taxonomy: from columns of a table that form a hierarchy, or of one column by a rule or by growing."""
    from maskwise.policy.column_tree import tree_from_columns  # noqa: PLC0415 - start-up
    from maskwise.table.column_values import count_rows  # noqa: PLC0415 - start-up

    require_distinct_names(output, inputs=_files(data, engine))
    _check_format(output, format_)
    if from_columns is None:
        asked = TreeAsked(None, rule, grow, None, class_name, data, column, engine, memory)
        return _convert(asked.read_covering(), output, format_, quiet=quiet)
    if rule is not None or grow is not None or column is not None:
        msg = "`--from-columns` says all: the values and what stands above them. Take out --rule, --grow and --column."
        raise InputError(msg)
    names = [name.strip() for name in from_columns.split(",") if name.strip()]
    if len(set(names)) < len(names):
        msg = f"`--from-columns` names a column twice: {quote(names)}. Name each once, the finest first."
        raise InputError(msg)
    rows = count_rows(data, names, engine=engine, memory=memory)
    return _convert(tree_from_columns(rows, names, root, takes_only_value=True), output, format_, quiet=quiet)


@taxonomy.command(name="import")
def import_(
    file: Annotated[Path, Parameter(help="A taxonomy in any format, or a project of ARX (.deid).")],
    /,
    *,
    output: Target,
    attribute: Attribute = None,
    root: Root = None,
    format_: Form = None,
    quiet: Quiet = False,
) -> int:
    """Read a taxonomy of another tool and write it as YAML; of an ARX project, a draft of a policy."""
    from maskwise.formats.taxonomies.registry import read_taxonomy  # noqa: PLC0415 - start-up

    require_distinct_names(output, inputs=[file])
    if file.suffix.lower() == ".deid":
        return _import_project(file, output, quiet=quiet)
    _check_format(output, None)
    return _convert(read_taxonomy(file, attribute, form=format_, root=root), output, None, quiet=quiet)


@taxonomy.command
def export(
    file: TreeFile,
    /,
    *,
    output: Target,
    attribute: Attribute = None,
    format_: Form = None,
    quiet: Quiet = False,
) -> int:
    """Write a taxonomy for another tool: .csv as ARX reads it, .tsv an edge list, .txt indented."""
    from maskwise.formats.taxonomies.registry import read_taxonomy  # noqa: PLC0415 - start-up

    require_distinct_names(output, inputs=[file])
    _check_format(output, format_)
    return _convert(read_taxonomy(file, attribute), output, format_, quiet=quiet)


def _import_project(file: Path, output: Path, *, quiet: bool) -> int:
    from maskwise.cli.terminal import Terminal  # noqa: PLC0415 - start-up
    from maskwise.formats.arx_project.draft import draft_policy  # noqa: PLC0415 - start-up
    from maskwise.release.file_set import FileSet, Sidecar  # noqa: PLC0415 - start-up

    if output.suffix.lower() not in {".yaml", ".yml"}:
        msg = f"`{output}` is no YAML file. The draft of a policy is written to .yaml."
        raise InputError(msg)
    draft = draft_policy(file, output.stem)
    paths = [output, *(output.with_name(name) for name in draft.trees)]
    require_distinct_names(*paths, inputs=[file])
    if taken := [path for path in paths if path.exists() or path.is_symlink()]:
        # Somebody may have edited the draft of an earlier import, or written a policy of their own.
        are = f"{quote(map(str, taken))} {'is' if len(taken) == 1 else 'are'}"
        msg = f"{are} there already, and a draft overwrites nothing. Choose another name with -o."
        raise InputError(msg)
    with FileSet() as files:
        for name, text in {output.name: draft.text, **draft.trees}.items():
            files.write(Sidecar(output.with_name(name), text.encode()))
    terminal = Terminal(quiet=quiet)
    terminal.say(f"policy draft: {output}")
    for name in draft.trees:
        terminal.say(f"taxonomy: {output.with_name(name)}")
    for note in draft.notes:
        terminal.note(note)
    return 0


def _convert(tree: Taxonomy, output: Path, form: str | None, *, quiet: bool) -> int:
    from maskwise.cli.terminal import Terminal  # noqa: PLC0415 - start-up
    from maskwise.formats.taxonomies.registry import write_taxonomy  # noqa: PLC0415 - start-up

    _write(output, write_taxonomy(tree, output, form=form))
    terminal = Terminal(quiet=quiet)
    terminal.say(_shape(tree))
    terminal.say(f"taxonomy: {output}")
    return 0


def _check_format(output: Path, form: str | None) -> None:
    """Refuse a name that tells no format before anything is read."""
    from maskwise.formats.taxonomies.registry import writing_format  # noqa: PLC0415 - start-up

    writing_format(output, form)


def _write(path: Path, text: str) -> None:
    from maskwise.release.file_set import FileSet, Sidecar  # noqa: PLC0415 - start-up

    with FileSet() as files:
        files.write(Sidecar(path, text.encode()))


def _files(data: str | None, engine: str | None) -> list[Path]:
    from maskwise.table.endpoints import source_files  # noqa: PLC0415 - start-up

    return [] if data is None else source_files(data, engine)


def _shape(tree: Taxonomy) -> str:
    levels = plural(tree.height, "level")
    return f"{plural(len(tree.leaves()), 'leaf').replace('leafs', 'leaves')}, {levels} below {_names([tree.root])}"


def _coverage(found: TaxonomyCheck, column: str) -> list[str]:
    """Whether every value is a leaf, and which are not."""
    missing = f", {found.n_missing:,} missing" if found.n_missing else ""
    lines = [f"`{column}`: {plural(found.n_records, 'record')}{missing}"]
    if found.is_covered:
        lines.append("covered: every value is a leaf")
    else:
        share = f"{100 * found.n_uncovered / found.n_records:.2f} %"
        values = plural(len(found.uncovered), "value")
        lines.append(f"not covered: {values} in {plural(found.n_uncovered, 'record')} ({share})")
        said = [
            f"  {_names([value])} {found.uncovered[value]:,}{_hint(found, value)}"
            for value in found.uncovered
            if value in set(found.showable) or value in found.respelled or value in set(found.inner)
        ]
        lines += said[:_LISTED]
        if len(found.uncovered) > len(said[:_LISTED]):
            lines.append(f"  {len(found.uncovered) - len(said[:_LISTED]):,} more; rare values are not named")
    if found.unused:
        lines.append(f"leaves that no record has: {len(found.unused):,}{_some(found.unused)}")
    return lines


def _hint(found: TaxonomyCheck, value: str) -> str:
    if value in found.respelled:
        return f" (the leaf is spelled {_names([found.respelled[value]])})"
    return " (an inner value of the tree cannot stand in the data)" if value in set(found.inner) else ""


def _slips(found: TaxonomyCheck) -> list[str]:
    """What in the tree itself looks like a slip."""
    lines = []
    if found.lone:
        pairs = [f"{above} > {below}" for above, below in found.lone]
        lines.append(f"values with a single child: {len(found.lone):,}{_some(pairs) if found.is_listed else ''}")
    if found.alike:
        pairs = [f"{one} = {other}" for one, other in found.alike]
        named = _some(pairs) if found.is_listed else ""
        lines.append(f"leaves that differ in case, blanks or zeros alone: {len(found.alike):,}{named}")
    return lines


def _some(values: Sequence[str]) -> str:
    return f" ({_names(values[:_LISTED])}{', …' if len(values) > _LISTED else ''})"


def _names(values: Sequence[str]) -> str:
    from maskwise.values.printable import printable  # noqa: PLC0415 - start-up

    return quote(printable(value) for value in values)
