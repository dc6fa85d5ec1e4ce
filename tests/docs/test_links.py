"""Every relative link in the documents leads somewhere, on GitHub as on the site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import maskwise

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in (".", "docs", "bench", "experiments", ".github", "src/maskwise/datasets/adult")
    for path in (ROOT / folder).glob("*.md")
)
LINK = re.compile(r"!?\[[^\]]*\]\((?P<path>[^)#\s]*)(?:#(?P<anchor>[^)\s]+))?\)")
FENCED = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)


def prose(path: Path) -> str:
    """A document without its blocks of code."""
    return FENCED.sub("", path.read_text(encoding="utf-8"))


def anchors(path: Path) -> set[str]:
    """The anchors of a document's headings, as GitHub and mkdocs make them."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", prose(path), flags=re.MULTILINE):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-"))
    return found


def test_documents_are_found() -> None:
    assert {"README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/glossary.md"} <= set(DOCUMENTS)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_relative_link_and_anchor_leads_somewhere(name: str) -> None:
    document = ROOT / name
    for link in LINK.finditer(prose(document)):
        if link["path"].startswith(("http:", "https:", "mailto:")):
            continue
        target = document.parent / link["path"] if link["path"] else document
        assert target.exists(), link[0]
        assert target.resolve().is_relative_to(ROOT.resolve()), link[0]
        assert link["anchor"] is None or link["anchor"] in anchors(target), link[0]


def test_no_example_of_an_export_reads_as_a_link() -> None:
    """The site takes `[a]` with `['b']` on the next line for a link to `'b'`, and stops."""
    texts = {name: getattr(maskwise, name).__doc__ or "" for name in maskwise.__all__}
    assert [name for name, text in texts.items() if re.search(r"\]\s*\[['\"]", text)] == []


def test_type_checkers_and_the_site_find_every_export() -> None:
    source = (ROOT / "src" / "maskwise" / "__init__.py").read_text()
    typed = source.partition("if TYPE_CHECKING:")[2].partition("\n\n")[0]
    assert [
        name for name in maskwise.__all__ if not name.startswith("_") and not re.search(rf"\b{name}\b", typed)
    ] == []
