"""Blocks back to Markdown, clean HTML and plain text: what copying puts on the clipboard. Free of Qt.

Cut anywhere, the Markdown is well formed: half an emphasis is an emphasis, half a code block a code block.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby

from tavern_desktop.ui.chat.blocks import Block, Cell, Run, Style

_MARKS = ((Style.STRIKE, "~~"), (Style.UNDERLINE, "__"), (Style.BOLD, "**"), (Style.ITALIC, "*"))
_TAGS = (
    (Style.CODE, "code"),
    (Style.STRIKE, "s"),
    (Style.UNDERLINE, "u"),
    (Style.BOLD, "strong"),
    (Style.ITALIC, "em"),
    (Style.SUB, "sub"),
    (Style.SUP, "sup"),
)
_MARKERS = {"•": "-", "☐": "- [ ]", "☑": "- [x]"}


def to_markdown(blocks: Sequence[Block]) -> str:
    """Return the blocks as Markdown source."""
    parts: list[str] = []
    previous: Block | None = None
    for block in blocks:
        if previous is not None:
            close = block.tight and previous.place is not None and block.place is not None
            parts.append("\n" if close else "\n\n")
        parts.append(_prefixed(block, _markdown_of(block)))
        previous = block
    return "".join(parts)


def to_plain(blocks: Sequence[Block]) -> str:
    """Return the blocks as they read, without marks."""
    return "\n\n".join(_plain_of(block) for block in blocks)


def to_html(blocks: Sequence[Block]) -> str:
    """Return the blocks as HTML of a few plain tags, without styles and colours."""
    return "".join(_html_of(block) for block in blocks)


def _plain_of(block: Block) -> str:
    marker = f"{block.place.marker} " if block.place and block.place.marker else ""
    if block.kind == "table":
        return "\n".join("\t".join("".join(run.text for run in cell.runs) for cell in row) for row in block.rows)
    if block.kind == "rule":
        return "―――"
    if block.picture is not None:
        return block.picture.alt
    return marker + block.text()


def _markdown_of(block: Block) -> str:
    match block.kind:
        case "code":
            fence = "```"
            while fence in block.code:
                fence += "`"
            return f"{fence}{block.language}\n{block.code}\n{fence}"
        case "rule":
            return "---"
        case "heading":
            return "#" * block.level + " " + _inline(block.runs)
        case "picture" if block.picture is not None:
            return f"![{block.picture.alt}]({block.picture.url})"
        case "table":
            return _markdown_table(block.rows)
        case _:
            return _inline(block.runs)


def _prefixed(block: Block, text: str) -> str:
    """Put quote and list marks before the lines of a block."""
    first = rest = ""
    if block.place is not None:
        marker = _MARKERS.get(block.place.marker, block.place.marker)
        outer = "  " * (block.place.depth - 1)
        rest = outer + " " * (len(marker.split(" ")[0]) + 1 if marker else 2)
        first = f"{outer}{marker} " if marker else rest
    quote = "> " * block.quote
    lines = text.split("\n")
    return "\n".join(quote + (first if number == 0 else rest) + line for number, line in enumerate(lines))


def _inline(runs: Iterable[Run]) -> str:
    """Join runs, neighbours of one look under one pair of marks; speech is only a colour."""

    def look(run: Run) -> tuple[int, str]:
        return run.style & ~Style.SPEECH, run.href

    return "".join(_marked("".join(run.text for run in group), *key) for key, group in groupby(runs, look))


def _marked(text: str, style: int, href: str) -> str:
    inner = text.strip()
    if not inner or not (style or href):
        return text
    lead, trail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    if style & Style.CODE:
        ticks = "``" if "`" in inner else "`"
        inner = f"{ticks}{inner}{ticks}"
    for bit, mark in _MARKS:
        if style & bit:
            inner = f"{mark}{inner}{mark}"
    if href and not href.startswith("fold:"):
        inner = inner if inner == href else f"[{inner}]({href})"
    return lead + inner + trail


def _markdown_table(rows: Sequence[Sequence[Cell]]) -> str:
    width = max(len(row) for row in rows)
    rules = {"left": ":---", "center": ":---:", "right": "---:", "": "---"}
    head, *body = rows
    lines = [_table_line((_inline(cell.runs) for cell in head), width)]
    lines.append(_table_line((rules[cell.align] for cell in head), width, "---"))
    lines += [_table_line((_inline(cell.runs) for cell in row), width) for row in body]
    return "\n".join(lines)


def _table_line(cells: Iterable[str], width: int, filling: str = "") -> str:
    filled = [cell.replace("|", "\\|").replace("\n", " ") for cell in cells]
    return "| " + " | ".join(filled + [filling] * (width - len(filled))) + " |"


def _html_of(block: Block) -> str:
    quotes = block.quote
    return "<blockquote>" * quotes + _html_inside(block) + "</blockquote>" * quotes


def _html_inside(block: Block) -> str:
    match block.kind:
        case "code":
            return f"<pre><code>{escape(block.code)}</code></pre>"
        case "rule":
            return "<hr>"
        case "heading":
            return f"<h{block.level}>{_html_runs(block.runs)}</h{block.level}>"
        case "picture" if block.picture is not None:
            return f"<p>{escape(block.picture.alt)}</p>"
        case "table":
            return _html_table(block.rows)
    if block.place is not None:
        return _html_item(block)
    return f"<p>{_html_runs(block.runs)}</p>"


def _html_item(block: Block) -> str:
    assert block.place is not None
    marker, runs = block.place.marker, _html_runs(block.runs)
    if marker[:-1].isdigit():
        return f'<ol start="{marker[:-1]}"><li>{runs}</li></ol>'
    if marker in ("☐", "☑"):
        return f"<ul><li>{marker} {runs}</li></ul>"
    return f"<ul><li>{runs}</li></ul>" if marker else f"<p>{runs}</p>"


def _html_table(rows: Sequence[Sequence[Cell]]) -> str:
    def cell(it: Cell) -> str:
        tag = "th" if it.header else "td"
        return f"<{tag}>{_html_runs(it.runs)}</{tag}>"

    return "<table>" + "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows) + "</table>"


def _html_runs(runs: Iterable[Run]) -> str:
    return "".join(map(_html_run, runs))


def _html_run(run: Run) -> str:
    text = escape(run.text).replace("\n", "<br>")
    for bit, tag in _TAGS:
        if run.style & bit:
            text = f"<{tag}>{text}</{tag}>"
    if run.href.startswith(("http://", "https://", "mailto:")):
        text = f'<a href="{escape(run.href, quote=True)}">{text}</a>'
    return text
