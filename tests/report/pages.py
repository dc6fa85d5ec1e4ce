"""Looks at a page as a browser's parser and a strict reader would."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

VOID = {"meta", "br", "hr"}
SHAPES = {"rect", "line", "circle", "path", "polyline"}


class Outline(HTMLParser):
    """The tags, attributes and texts of a page; a tag that is closed out of turn is an error."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in SHAPES, tag
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.texts.append(data)

    @property
    def text(self) -> str:
        """What can be read, on one line."""
        return re.sub(r"\s+", " ", " ".join(self.texts).replace("\N{NO-BREAK SPACE}", " "))

    def of(self, name: str) -> list[dict[str, str | None]]:
        """The attributes of every tag of a name."""
        return [attributes for tag, attributes in self.tags if tag == name]


def pictures(page: str) -> list[ET.Element]:
    """The pictures of a page, read as XML."""
    return [ET.fromstring(text) for text in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]  # noqa: S314 - our own


def check_page(page: str) -> Outline:
    """Refuse a page that is not well formed, or that would load or run anything."""
    outline = Outline(page)
    tags = {tag for tag, _ in outline.tags}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "form", "base", "audio", "video", "image"}
    for tag, attributes in outline.tags:
        assert not {"src", "srcset", "style", "xlink:href", "action", "data"} & set(attributes), tag
        assert not [name for name in attributes if name.startswith("on")], tag
        assert (attributes.get("href") or "#").startswith("#"), tag
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert not re.search(r"url\(|@import|@font-face|https?:", style)
    assert not re.search(r"(https?:)?//[\w.]", page.replace(style, ""))
    assert outline.of("html") == [{"lang": "en"}]
    for picture in pictures(page):
        assert picture.get("role") == "img"
        assert [child.tag for child in picture][:2] == ["title", "desc"]
        assert all((child.text or "").strip() for child in picture if child.tag in {"title", "desc"})
    return outline
