"""Where the tree of a `maskwise taxonomy` command comes from: a file, an entry of `attributes`, or a policy."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from maskwise.errors import InputError, plural, quote

if TYPE_CHECKING:
    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.table.column_values import ColumnValues

Rule = Annotated[
    str | None,
    Parameter(name="--rule", help="An entry of `attributes` in YAML, such as '{prefix: [5, 3, 1]}', for a column."),
]
Grow = Annotated[
    str | None, Parameter(name="--grow", help="Grow a tree of a column: by frequency, similarity or classes.")
]
ClassName = Annotated[str | None, Parameter(name="--class", help="The class, for --grow classes.")]
PolicyFile = Annotated[
    Path | None, Parameter(name=["--policy", "-p"], help="A policy that says which tree the column has.")
]


@dataclass(frozen=True, slots=True)
class TreeAsked:
    """Which tree is meant, and the column that it is for."""

    file: Path | None = None
    """A taxonomy file."""
    rule: str | None = None
    """An entry of `attributes`."""
    grow: str | None = None
    """How a tree is grown."""
    policy: Path | None = None
    """A policy."""
    class_name: str | None = None
    """The class."""
    data: str | None = None
    """The table."""
    column: str | None = None
    """The column."""
    engine: str | None = None
    """Where the work is done."""
    memory: str | None = None
    """How much memory may be used."""

    def __post_init__(self) -> None:
        """Refuse none or several of them, and a table without a column."""
        given = [name for name in ("file", "rule", "grow", "policy") if getattr(self, name) is not None]
        if len(given) != 1:
            found = f"found {quote(given)}" if given else "found none"
            msg = f"A tree comes from a taxonomy file, --rule, --grow or --policy, one of them; {found}."
            raise InputError(msg)
        if (self.data is None) != (self.column is None):
            msg = "`--data` and `--column` go together: a table, and the column whose values the leaves are."
            raise InputError(msg)
        if self.file is None and self.column is None:
            msg = f"`--{given[0]}` makes a tree of a column. Name the table and the column, too."
            raise InputError(msg)
        if self.class_name is not None and self.grow is None and self.rule is None:
            msg = "`--class` goes with `--grow classes`. Take it out."
            raise InputError(msg)

    @property
    def title(self) -> str:
        """What the tree is called."""
        return self.file.name if self.file is not None else self.column or ""

    def read(self, attribute: str | None = None, form: str | None = None) -> tuple[Taxonomy, ColumnValues | None]:
        """The tree, and the values of the column if there is one.

        Args:
            attribute: Whose tree is meant, where a file holds several.
            form: The format of the file.
        """
        from maskwise.formats.taxonomies.registry import read_taxonomy  # noqa: PLC0415 - start-up
        from maskwise.table.column_values import count_values  # noqa: PLC0415 - start-up

        tree = self._made() if self.file is None else read_taxonomy(self.file, attribute, form=form)
        if self.data is None or self.column is None:
            return tree, None
        return tree, count_values(self.data, self.column, engine=self.engine, memory=self.memory)

    def read_covering(self) -> Taxonomy:
        """The tree of a column, which has all its values.

        Raises:
            InputError: A rule cannot read some of them, so that a file of the tree would lack them.
        """
        from maskwise.policy.taxonomy_check import check_taxonomy  # noqa: PLC0415 - start-up

        tree, values = self.read()
        assert values is not None  # noqa: S101 - without a file there is a column
        found = check_taxonomy(tree, values.n_records)
        if not found.is_covered:
            msg = (
                f"The rule does not cover {plural(len(found.uncovered), 'value')} in "
                f"{plural(found.n_uncovered, 'record')} of `{self.column}`, so no tree of it is written. "
                "`maskwise taxonomy check` says more; `other: under LABEL` gives them a place."
            )
            raise InputError(msg)
        return tree

    def _made(self) -> Taxonomy:
        from maskwise.pipeline.previewing import preview_entry, preview_tree  # noqa: PLC0415 - start-up

        assert self.column is not None  # noqa: S101 - checked when this was made
        where: dict[str, Any] = {"engine": self.engine, "memory": self.memory}
        if self.policy is not None:
            return preview_tree(self.data, self.column, self.policy, **where).taxonomy
        entry = {"grow": self.grow} if self.rule is None else _read_entry(self.rule)
        return preview_entry(self.data, self.column, entry, class_name=self.class_name, **where).taxonomy


def _read_entry(text: str) -> dict[str, Any]:
    from maskwise.formats.yaml_lines import parse  # noqa: PLC0415 - start-up

    entry = parse(text, "--rule").data
    if isinstance(entry, str):
        return {entry: None}
    if not isinstance(entry, dict):
        msg = f"`--rule` is an entry of `attributes`, such as '{{prefix: [5, 3, 1]}}'; found `{text[:60]}`."
        raise InputError(msg)
    return entry
