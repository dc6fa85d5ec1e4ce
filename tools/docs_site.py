"""What mkdocs needs beyond the files in docs/: pages that live at the root, and links that leave docs/.

On GitHub every document is read where it lies. On the site README.md is the
first page, CONTRIBUTING.md and others have pages of their own, and a link to a
file that has no page goes to the repository.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).parents[1]
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
"""Documents at the root, and the page that each becomes."""
LINK = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)(?P<path>[^)#\s]+)(?P<anchor>#[^)\s]*)?(?=\))")
"""The target of a relative link."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that live at the root of the repository."""
    for name, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: MkDocsConfig, **_: Any) -> str:
    """Let each relative link name a page of the site, or else a file of the repository."""
    at_root = {target: source for source, target in PAGES.items()}
    source = at_root.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    return LINK.sub(lambda link: site_link(source, link["path"], link["anchor"] or "", config.repo_url), markdown)


def site_link(source: str, path: str, anchor: str, repository: str) -> str:
    """Where a link leads on the site.

    Args:
        source: The document that has the link, as seen from the root of the repository.
        path: The link's path, as seen from the document.
        anchor: Its anchor, with `#`; empty for none.
        repository: Where files without a page are.
    """
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    if target in PAGES:
        return PAGES[target] + anchor
    if target.startswith("docs/"):
        return target.removeprefix("docs/") + anchor
    kind = "tree" if (ROOT / target).is_dir() else "blob"
    return f"{repository}/{kind}/main/{target}{anchor}"
