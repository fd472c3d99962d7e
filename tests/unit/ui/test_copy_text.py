"""Blocks go back to Markdown that says the same, and to clean HTML."""

from __future__ import annotations

import pytest

from tavern_desktop.ui.chat.copy_text import to_html, to_markdown, to_plain
from tavern_desktop.ui.chat.markdown import parse


@pytest.mark.parametrize(
    "source",
    [
        "*She waits.* “Hm.” **bold**",
        "# Title\n\ntext",
        "- a\n- b\n  - c",
        "1. a\n2. b",
        "- [ ] todo\n- [x] done",
        "> quoted\n> again",
        "> > twice",
        "```python\nx = 1\n```",
        "| a | b |\n| --- | ---: |\n| c | d |",
        "[text](https://x.org) and `code`",
        "one\ntwo",
        "__under__ ~~gone~~",
        "---",
        "![alt](user/a.png)",
    ],
)
def test_markdown_round_trip(source: str) -> None:
    assert to_markdown(parse(source).blocks) == source


def test_a_fence_inside_code_gets_a_longer_fence() -> None:
    blocks = parse("````\n```\ninner\n```\n````").blocks
    assert parse(to_markdown(blocks)).blocks[0].code == blocks[0].code


def test_html_is_clean() -> None:
    html = to_html(parse('*a* "&lt;b>" [t](https://x.org) [j](http://h/"x) `c<d`').blocks)
    assert "<em>a</em>" in html
    assert "style" not in html
    assert '<a href="https://x.org">t</a>' in html
    assert "<code>c&lt;d</code>" in html


def test_html_never_carries_code() -> None:
    html = to_html(parse("<script>alert(1)</script> <b onclick='x()'>b</b>").blocks)
    assert "script" not in html
    assert "onclick" not in html


def test_plain_text_reads_as_it_is_shown() -> None:
    assert to_plain(parse("# T\n\n- *a*\n\n| x | y |\n|---|---|\n| 1 | 2 |").blocks) == "T\n\n• a\n\nx\ty\n1\t2"
