"""All formats of taxonomy files, and which of them a file has.

The suffix says which formats a file may have, its content which of these it is.
A new format is a module beside this one and an entry in `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from maskwise.errors import InputError, PolicyError, did_you_mean, quote
from maskwise.formats.taxonomies.amnesia import is_amnesia, read_amnesia, write_amnesia
from maskwise.formats.taxonomies.arx_csv import read_arx, write_arx
from maskwise.formats.taxonomies.braces import is_braced, read_braces, write_braces
from maskwise.formats.taxonomies.edge_list import is_edge_list, read_edges, write_edges
from maskwise.formats.taxonomies.forest import Forest
from maskwise.formats.taxonomies.indented_text import is_indented, read_indented, write_indented
from maskwise.formats.taxonomies.nested_json import read_json, write_json
from maskwise.formats.taxonomies.nested_yaml import read_yaml, write_yaml
from maskwise.formats.taxonomies.skos_csv import is_skos, read_skos, write_skos
from maskwise.formats.taxonomies.source import read_source
from maskwise.policy.taxonomy import Taxonomy  # noqa: TC001 - a doctest makes one

Trees: TypeAlias = Mapping[str, Forest]
"""What a file says, by attribute; a file of one tree has it under the empty name."""


@dataclass(frozen=True, slots=True)
class TaxonomyFormat:
    """A form in which taxonomies are kept."""

    name: str
    """What `--format` calls it."""
    title: str
    """What messages call it."""
    suffixes: tuple[str, ...]
    """How names of such files end, the usual ending first."""
    read: Callable[[str, str], Trees]
    """Reads a text; also gets what messages call the file."""
    write: Callable[[Taxonomy], str]
    """Writes a tree; refuses labels that the format cannot hold."""
    recognizes: Callable[[str], bool] = bool
    """Says of a text whether it has this form, where the suffix leaves several."""


FORMATS = (
    TaxonomyFormat("yaml", "nested YAML", (".yaml", ".yml"), read_yaml, write_yaml),
    TaxonomyFormat("json", "nested JSON", (".json",), read_json, write_json),
    TaxonomyFormat("amnesia", "Amnesia's hierarchy", (".txt",), read_amnesia, write_amnesia, is_amnesia),
    TaxonomyFormat("braces", "nested braces", (".hchy", ".txt"), read_braces, write_braces, is_braced),
    TaxonomyFormat("indented", "indented text", (".txt",), read_indented, write_indented, is_indented),
    TaxonomyFormat("skos", "SKOS table", (".csv", ".tsv", ".txt"), read_skos, write_skos, is_skos),
    TaxonomyFormat("edges", "edge list", (".csv", ".tsv", ".txt"), read_edges, write_edges, is_edge_list),
    TaxonomyFormat("arx", "ARX hierarchy", (".csv", ".tsv", ".txt"), read_arx, write_arx),
)
"""In the order in which a text is looked at: what has no other form is taken for rows of ARX."""
_WRITTEN = {".csv": "arx", ".tsv": "edges", ".txt": "indented"}
"""What is written where a suffix leaves several."""


def read_taxonomy(
    path: str | Path,
    attribute: str | None = None,
    *,
    form: str | None = None,
    root: str | None = None,
) -> Taxonomy:
    r"""Read a taxonomy from a file of any of the known formats.

    Args:
        path: The file. Its suffix and its content say what format it has.
        attribute: Whose tree is meant, where the file holds several.
        form: The name of the format, where suffix and content should not decide.
        root: The label to put several trees under; without it a file has one root.

    Example:
        >>> import tempfile
        >>> file = Path(tempfile.mkdtemp()) / "sex.txt"
        >>> _ = file.write_text("Any\n  F\n  M\n")
        >>> read_taxonomy(file).leaves()
        ('F', 'M')
    """
    path = Path(path)
    chosen = recognize_file(path) if form is None else named_format(form)
    return choose_tree(chosen.read(read_source(path), path.name), attribute, path.name).tree(root)


def recognize_file(path: Path) -> TaxonomyFormat:
    """The format of a file, by its suffix and, where that leaves several, its content."""
    among = _formats_of(path.suffix)
    if not among:
        msg = (
            f"`{path}` is no taxonomy file: its suffix is `{path.suffix}`. Taxonomies are kept in {_known_suffixes()}; "
            f"`maskwise taxonomy import --format` reads one of another name."
        )
        raise InputError(msg)
    return among[0] if len(among) == 1 else recognize(read_source(path), among, path.name)


def write_taxonomy(tree: Taxonomy, path: str | Path, *, form: str | None = None) -> str:
    r"""The text of a taxonomy file.

    Args:
        tree: What is written.
        path: The name of the file, whose suffix says the format.
        form: The name of the format, where the suffix should not decide.

    Example:
        >>> write_taxonomy(Taxonomy.from_nested({"*": ["F", "M"]}), "sex.csv")
        'F;*\nM;*\n'
    """
    if "" in tree.labels:
        raise InputError("A value is an empty text, which no taxonomy file can hold. Leave such cells out.")
    return writing_format(path, form).write(tree)


def writing_format(path: str | Path, form: str | None = None) -> TaxonomyFormat:
    """The format that a file of this name is written in."""
    suffix = Path(path).suffix.lower()
    among = _formats_of(suffix)
    if form is None and not among:
        msg = f"`{path}` has the suffix `{suffix}`. A taxonomy is written to {_known_suffixes()}, or name its --format."
        raise InputError(msg)
    return named_format(form or _WRITTEN.get(suffix, among[0].name))


def named_format(name: str) -> TaxonomyFormat:
    """The format of a name."""
    found = next((one for one in FORMATS if one.name == name), None)
    if found is None:
        names = [one.name for one in FORMATS]
        msg = f"There is no taxonomy format `{name}`. There are {quote(names)}.{did_you_mean(name, names)}"
        raise InputError(msg)
    return found


def recognize(text: str, among: tuple[TaxonomyFormat, ...], name: str) -> TaxonomyFormat:
    """The first format whose form a text has."""
    if not text.strip():
        raise PolicyError([f"{name}: the file holds no value."])
    return next(one for one in among if one.recognizes(text))


def choose_tree(trees: Trees, attribute: str | None, name: str) -> Forest:
    """The tree of an attribute, or the only one there is."""
    if attribute is not None and attribute in trees:
        return trees[attribute]
    if len(trees) == 1:
        return next(iter(trees.values()))
    named = quote(trees)
    lacks = f"none of them is called `{attribute}`" if attribute else "name one with --attribute"
    msg = f"{name} holds {len(trees)} trees and {lacks}: {named}.{did_you_mean(attribute or '', trees)}"
    raise InputError(msg)


def _formats_of(suffix: str) -> tuple[TaxonomyFormat, ...]:
    return tuple(one for one in FORMATS if suffix.lower() in one.suffixes)


def _known_suffixes() -> str:
    return ", ".join(dict.fromkeys(suffix for one in FORMATS for suffix in one.suffixes))
