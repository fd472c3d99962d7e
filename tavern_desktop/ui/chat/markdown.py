"""From a message's text to blocks: markdown-it's tokens, read as SillyTavern users mean them.

CommonMark with tables, strikethrough, task lists and bare links; a line break is a line break; `__x__` underlines;
emphasis works beside Chinese; loose asterisks are narration (roleplay.py); HTML passes the allow-list
(html_allow.py, decision D21). Nothing is fetched and nothing runs. Free of Qt.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from tavern_desktop.ui.chat.block_builder import BlockBuilder
from tavern_desktop.ui.chat.blocks import Block, Parsed, Run
from tavern_desktop.ui.chat.html_allow import HtmlFeed
from tavern_desktop.ui.chat.roleplay import is_loose_narration, loose_pairs

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

MAX_NESTING = 60
"""Levels of nesting the parser follows; what stands deeper is cut to MAX_MARKERS beforehand."""
MAX_BRACKETS = 2_000
"""Opening brackets in one text; the parser looks for the end of a link from each of them."""
MAX_MARKERS = 12
"""Quote and list markers at the start of one line; 5,000 of them are somebody's joke (known failure B-62)."""

_MARKER = r"(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])"
_MARKERS = re.compile(rf"^((?:[ \t]*{_MARKER}){{{MAX_MARKERS}}})(?:[ \t]*{_MARKER})+(?=.*\w)", re.MULTILINE)
_SIZE_WISH = re.compile(r"(!\[[^\]\n]*\]\([^\s()]+)[ \t]+=(\d{1,5})?(?:x(\d{1,5})?)?\)")
_TASK = re.compile(r"\[([ xX])\][ \u00a0]")
_DATA_URL = re.compile(r"data:image/[a-zA-Z0-9.+-]+;base64,[A-Za-z0-9+/=]{400,}")


def parse(text: str) -> Parsed:
    """Return the blocks of `text`. Any text is acceptable; the worst that happens is that it is shown as it stands."""
    text = text.replace("\r\n", "\n").replace("\0", "\ufffd")
    text, data_urls = _set_data_urls_aside(text)
    text = _MARKERS.sub(r"\1", text)
    text = _SIZE_WISH.sub(_size_as_title, text)
    builder = BlockBuilder(data_urls)
    if text.count("[") > MAX_BRACKETS:
        return _as_it_stands(text)
    tokens = _parser().parse(text)
    if any(token.level >= MAX_NESTING - 1 for token in tokens):  # the parser drops what stands deeper
        return _as_it_stands(text)
    _Walk(builder).walk(tokens)
    return builder.finish()


def begin_of_last(text: str) -> int:
    """Return where the last of the outermost blocks of `text` begins: what stands before it can only stay as it is.

    0 where that cannot be told: HTML and definitions of links reach across blocks.
    """
    if "<" in text or "]:" in text or "\r" in text or "\0" in text or "data:" in text:
        return 0
    lines = [token.map[0] for token in _parser().parse(text) if token.level == 0 and token.map and token.nesting >= 0]
    if len(lines) < 2:
        return 0
    return _offset_of_line(text, lines[-1])


def _offset_of_line(text: str, line: int) -> int:
    at = 0
    for _ in range(line):
        at = text.index("\n", at) + 1
    return at


def _as_it_stands(text: str) -> Parsed:
    return Parsed([Block("text", (Run(text),))])


class _Walk:
    """Feeds the builder from the token stream."""

    def __init__(self, builder: BlockBuilder) -> None:
        self._to = builder
        self._html = HtmlFeed(builder)

    def walk(self, tokens: list[Token]) -> None:
        for token in tokens:
            if token.type == "inline":
                self._walk_inline(token.children or [])
            else:
                self._block_token(token)

    def _block_token(self, token: Token) -> None:
        to = self._to
        match token.type:
            case "paragraph_open":
                to.begin_text(tight=token.hidden)
            case "heading_open":
                to.begin_heading(int(token.tag[1]))
            case "paragraph_close" | "heading_close":
                to.end_block()
                self._html.end_of_paragraph()
            case "fence" | "code_block":
                to.code(token.content.removesuffix("\n"), token.info.strip().split(" ")[0])
            case "hr":
                to.rule()
            case "blockquote_open":
                to.quote += 1
            case "blockquote_close":
                to.quote -= 1
            case "bullet_list_open" | "ordered_list_open":
                to.open_list()
            case "bullet_list_close" | "ordered_list_close":
                to.close_list()
            case "list_item_open":
                to.begin_item(f"{token.info}." if token.info else "•")
            case "table_open":
                to.open_table()
            case "table_close":
                to.close_table()
            case "tr_open":
                to.begin_row()
            case "th_open" | "td_open":
                to.begin_cell(header=token.type == "th_open", align=_cell_align(token))
            case "html_block":
                to.end_block()
                self._html.feed_block(token.content)

    def _walk_inline(self, tokens: list[Token]) -> None:
        to = self._to
        if tokens and tokens[0].type == "text" and (task := _TASK.match(tokens[0].content)) and to.at_item_start:
            to.set_task(done=task.group(1) != " ")
            tokens[0].content = tokens[0].content[task.end() :]
        for token in tokens:
            match token.type:
                case "text" | "text_special":
                    self._html.text(token.content)
                case "softbreak" | "hardbreak":
                    to.line_break()
                case "code_inline":
                    to.add_code(token.content)
                case "em_open" | "strong_open" | "s_open" | "link_open":
                    to.open_style(_style_name(token), href=str(token.attrs.get("href", "")))
                case "em_close" | "strong_close" | "s_close" | "link_close":
                    to.close_style(_style_name(token))
                case "image":
                    to.add_picture(str(token.attrs.get("src", "")), token.content, str(token.attrs.get("title", "")))
                case "html_inline":
                    self._html.feed(token.content)


def _style_name(token: Token) -> str:
    if token.tag == "strong":
        return "u" if token.markup == "__" else "b"
    return {"em": "i", "s": "s", "a": "a"}[token.tag]


def _cell_align(token: Token) -> Any:
    return str(token.attrs.get("style", "")).removeprefix("text-align:")


def _size_as_title(match: re.Match[str]) -> str:
    """`![alt](url =100x200)` is no Markdown; a title carries the size through the parser."""
    return f'{match.group(1)} "={match.group(2) or 0}x{match.group(3) or 0}")'


def _set_data_urls_aside(text: str) -> tuple[str, list[str]]:
    """Put a short name for each long data: URL, so that a picture of megabytes does not pass through the parser."""
    if "data:image/" not in text:
        return text, []
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match.group())
        return f"attached:{len(kept) - 1}"

    return _DATA_URL.sub(keep, text), kept


@cache
def _parser() -> MarkdownIt:
    """Make the parser at its first use: its import has no place before the window."""
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import list_block

    from tavern_desktop.ui.chat.cjk_emphasis import CjkInlineParser

    parser = MarkdownIt("js-default", {"breaks": True, "html": True, "linkify": True, "maxNesting": MAX_NESTING})
    parser.inline = CjkInlineParser()
    # A line of dashes under a sentence is a rule in every chat; nobody means a heading.
    parser.disable("lheading")
    assert parser.linkify is not None
    parser.linkify.set({"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
    parser.block.ruler.at("list", _list_unless_narration(list_block), {"alt": ["paragraph", "reference", "blockquote"]})
    parser.inline.ruler.before("emphasis", "narration", _narration)
    return parser


def _list_unless_narration(list_block: Any) -> Any:
    def rule(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
        begin = state.bMarks[start_line] + state.tShift[start_line]
        if state.src.startswith("* ", begin) and is_loose_narration(state.src[begin : state.eMarks[start_line]]):
            return False
        return bool(list_block(state, start_line, end_line, silent))

    return rule


def _narration(state: StateInline, silent: bool) -> bool:
    """Make a pair of loose asterisks an emphasis, without the blanks just inside."""
    if silent or state.src[state.pos] != "*":
        return False
    pairs = state.env.get("loose")
    if pairs is None or state.env.get("loose_of") is not state.src:
        pairs = state.env["loose"] = loose_pairs(state.src)
        state.env["loose_of"] = state.src
    closing = pairs.get(state.pos)
    if closing is None or closing >= state.posMax:
        return False
    end_of_range = state.posMax
    inside = state.src[state.pos + 1 : closing]
    state.push("em_open", "em", 1).markup = "*"
    state.pos += 1 + len(inside) - len(inside.lstrip())
    state.posMax = closing - (len(inside) - len(inside.rstrip()))
    state.md.inline.tokenize(state)
    if state.tokens[-1].type == "text":  # the text rule runs on to the asterisk, whatever posMax says
        state.tokens[-1].content = state.tokens[-1].content.rstrip()
    state.push("em_close", "em", -1).markup = "*"
    state.pos, state.posMax = closing + 1, end_of_range
    return True
