"""HTML in messages by an allow-list (decision D21): a few looks, and everything else is only its text.

Allowed: b i u s em strong br p div span font with colour and alignment, details and summary, hr, sub, sup, table, img.
Comments vanish, the contents of script, style and the like too; other tags are dropped and their text is kept. Nothing
runs and nothing is fetched: a picture is only named here.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

from typing_extensions import override

from tavern_desktop.ui.chat.block_builder import BlockBuilder
from tavern_desktop.ui.chat.blocks import Align

_STYLE_TAGS = {
    "b": "b", "strong": "b", "i": "i", "em": "i", "u": "u", "ins": "u", "s": "s", "del": "s", "strike": "s",
    "sub": "sub", "sup": "sup",
}  # fmt: skip
_SILENT = {"script", "style", "template", "iframe", "object", "head", "title", "noscript", "svg"}
_BREAKING = {
    "p", "center", "section", "article", "header", "footer", "ul", "ol", "li", "blockquote", "pre",
    "h1", "h2", "h3", "h4", "h5", "h6", "form", "fieldset", "body", "html",
}  # fmt: skip
_COLOUR = re.compile(r"(?:^|[;\s])color\s*:\s*([^;!]+)", re.IGNORECASE)
_ALIGN = re.compile(r"text-align\s*:\s*(left|center|right)", re.IGNORECASE)
_NUMBER = re.compile(r"\s*(\d{1,5})")
_BLANKS = re.compile(r"[ \t\n\r\f]+")

Attributes = list[tuple[str, str | None]]


class HtmlFeed(HTMLParser):
    """Feeds the builder from HTML, piece by piece as Markdown hands it over."""

    def __init__(self, builder: BlockBuilder) -> None:
        super().__init__(convert_charrefs=True)
        self._to = builder
        self._silent: list[str] = []
        self._in_block = False

    def feed_block(self, html: str) -> None:
        """Take a block of HTML, in which blanks and line breaks mean nothing."""
        self._in_block = True
        self.feed(html)
        self._in_block = False
        self._to.end_block()

    @override
    def feed(self, data: str) -> None:
        """Take whole tags; a piece that ends within one loses that tag only."""
        super().feed(data)
        self.close()
        self.reset()

    def text(self, text: str) -> None:
        """Take text that Markdown found between tags."""
        if not self._silent:
            self._to.add_text(text)

    def end_of_paragraph(self) -> None:
        """Contain what somebody left open within a paragraph: a script there hides no more than that."""
        self._silent.clear()

    @override
    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        if tag in _SILENT:
            self._silent.append(tag)
        if self._silent:
            return
        given = {name: value or "" for name, value in attrs}
        if tag in _STYLE_TAGS:
            self._to.open_style(_STYLE_TAGS[tag])
        elif tag in ("span", "font"):
            self._to.open_style("span", colour=_colour(given))
        elif tag == "div":
            self._to.open_align(_align(given))
            self._to.open_style("div", colour=_colour(given))
        else:
            self._open_other(tag, given)

    def _open_other(self, tag: str, given: dict[str, str]) -> None:
        to = self._to
        match tag:
            case "br":
                to.line_break()
            case "hr":
                to.rule()
            case "img":
                width, height = _number(given.get("width")), _number(given.get("height"))
                to.add_picture(given.get("src", ""), given.get("alt", ""), "", width, height)
            case "details":
                to.open_details(is_open="open" in given)
            case "summary":
                to.begin_summary()
            case "table":
                to.open_table()
            case "tr":
                to.begin_row()
            case "td" | "th":
                to.begin_cell(header=tag == "th", align=_align(given))
            case _ if tag in _BREAKING:
                to.end_block()
                if tag == "li":
                    to.add_text("• ")

    @override
    def handle_endtag(self, tag: str) -> None:
        if self._silent:
            if tag == self._silent[-1]:
                self._silent.pop()
            return
        if tag in _STYLE_TAGS:
            self._to.close_style(_STYLE_TAGS[tag])
        elif tag in ("span", "font"):
            self._to.close_style("span")
        elif tag == "div":
            self._to.close_align()
            self._to.close_style("div")
        elif tag == "details":
            self._to.close_details()
        elif tag == "table":
            self._to.close_table()
        elif tag == "summary" or tag in _BREAKING:
            self._to.end_block()

    @override
    def handle_data(self, data: str) -> None:
        self.text(_BLANKS.sub(" ", data) if self._in_block else data)


def _colour(given: dict[str, str]) -> str:
    found = _COLOUR.search(given.get("style", ""))
    return found.group(1).strip() if found else given.get("color", "").strip()


def _align(given: dict[str, str]) -> Align:
    found = _ALIGN.search(given.get("style", ""))
    align = (found.group(1) if found else given.get("align", "")).lower()
    return align if align in ("left", "center", "right") else ""  # type: ignore[return-value]


def _number(value: str | None) -> int:
    found = _NUMBER.match(value or "")
    return int(found.group(1)) if found else 0
