"""XML as nested elements, without document types and entities: those can read files and grow without bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.parsers import expat

from maskwise.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEEPEST = 50


@dataclass(slots=True)
class Element:
    """An element, what stands in it, and the elements inside."""

    tag: str
    """Its name."""
    text: str = ""
    """The text directly in it."""
    children: list[Element] = field(default_factory=list)
    """The elements directly in it."""

    def find(self, tag: str) -> str | None:
        """The text of the first element of a name directly inside."""
        return next((child.text.strip() for child in self.children if child.tag == tag), None)

    def below(self, tag: str) -> Iterator[Element]:
        """All elements of a name inside, however deep."""
        for child in self.children:
            if child.tag == tag:
                yield child
            yield from child.below(tag)


def parse_xml(text: str, name: str) -> Element:
    """Read a document.

    Args:
        text: The document.
        name: What messages call it.

    >>> parse_xml("<a><b>1</b></a>", "x").find("b")
    '1'
    """
    top = Element("")
    stack = [top]

    def start(tag: str, attributes: dict[str, str]) -> None:
        del attributes
        if len(stack) > _DEEPEST:
            msg = f"{name}: the elements are nested too deeply. ARX writes no such project; do not use this file."
            raise InputError(msg)
        element = Element(tag)
        stack[-1].children.append(element)
        stack.append(element)

    def end(tag: str) -> None:
        del tag
        stack.pop()

    def say(said: str) -> None:
        stack[-1].text += said

    def refuse(*_: object) -> None:
        msg = f"{name}: there is a document type in it. ARX writes no such project; do not use this file."
        raise InputError(msg)

    parser = expat.ParserCreate(encoding="utf-8")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, say
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    try:
        parser.Parse(text.encode(), True)  # noqa: FBT003 - expat has no name for it
    except expat.ExpatError as error:
        msg = f"{name}, line {error.lineno}: this is not XML. Save the project again in ARX."
        raise InputError(msg) from None
    return top.children[0]
