"""From what people and models write to what is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.ui.chat.blocks import Block, ListPlace, Style
from tavern_desktop.ui.chat.markdown import MAX_MARKERS, parse

MARKS = {Style.BOLD: "b", Style.ITALIC: "i", Style.UNDERLINE: "u", Style.STRIKE: "s", Style.CODE: "c"}
MARKS |= {Style.SPEECH: "q", Style.SUB: "v", Style.SUP: "^"}


def spans(block: Block) -> str:
    """Write runs as `{marks:text}`, plain ones bare, so that a table of examples can be read."""
    parts = []
    for run in block.runs:
        marks = "".join(mark for bit, mark in MARKS.items() if run.style & bit) + ("@" if run.href else "")
        parts.append(f"{{{marks}:{run.text}}}" if marks else run.text)
    return "".join(parts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*She waits.*", "{i:She waits.}"),
        ("_she_ snake_case_name", "{i:she} snake_case_name"),
        ("**bold** ***both***", "{b:bold} {bi:both}"),
        ("__under__", "{u:under}"),
        ("~~gone~~ ~not~", "{s:gone} ~not~"),
        ('"Hm." she said “so” and «da» then', '{q:"Hm."} she said {q:“so”} and {q:«da»} then'),
        ("「今日」と『夜』＂x＂", "{q:「今日」}と{q:『夜』}{q:＂x＂}"),
        ('*He says "no" softly*', '{i:He says }{iq:"no"}{i: softly}'),
        ('"A **word** here"', '{q:"A }{bq:word}{q: here"}'),
        ('`"no"` and "a `c` b"', '{c:"no"} and {q:"a }{c:c}{q: b"}'),
        ('6" tall and 5" wide', '6" tall and 5" wide'),
        ('"open to\nthe next" line', '"open to\nthe next" line'),
        ("one\ntwo", "one\ntwo"),
        ("**「你好」**世界", "{bq:「你好」}世界"),
        ("她*笑*了", "她{i:笑}了"),
        ("H<sub>2</sub>O x<sup>2</sup>", "H{v:2}O x{^:2}"),
        ("<b>a</b> <em>b</em> <u>c</u> <s>d</s>", "{b:a} {i:b} {u:c} {s:d}"),
        ("see https://example.com/a_b. or me.It", "see {@:https://example.com/a_b}. or me.It"),
        ("[t](https://x.org) [bad](javascript:alert(1))", "{@:t} [bad](javascript:alert(1))"),
        (r"\*not\* &amp; &lt;b&gt;", "*not* & <b>"),
        ("a <!-- hidden --> b", "a  b"),
        ("<unknown>kept</unknown>", "kept"),
        ("x <script>alert(1)</script> y", "x  y"),
        ('<a href="file:///etc/passwd">click</a>', "click"),
        ("text\n---", "text"),
        # Known failure B-50.
        (
            '*She waits.* "Hm." * He nods * and *goes.* 2 * 3 = 6. *open to the end',
            '{i:She waits.} {q:"Hm."} {i:He nods} and {i:goes.} 2 * 3 = 6. *open to the end',
        ),
        ("* He nods *", "{i:He nods}"),
        ("* He nods * and waits", "{i:He nods} and waits"),
        ("*He nods * and *goes*", "{i:He nods} and {i:goes}"),
        ("* He nods* then", "{i:He nods} then"),
        ("2 * 3 * 4 = 24", "2 * 3 * 4 = 24"),
        ("width * height * depth", "width * height * depth"),
        ("a * b", "a * b"),
        ("*a 2 * 3 b*", "{i:a 2 * 3 b}"),
        ("`* x *` stays", "{c:* x *} stays"),
    ],
)
def test_runs(text: str, expected: str) -> None:
    assert spans(parse(text).blocks[0]) == expected


def kinds(text: str) -> list[str]:
    return [block.kind for block in parse(text).blocks]


def test_blocks() -> None:
    assert kinds("# One\ntext\n\n```py\nx\n```\n\n---\n\n| a |\n|---|\n| b |") == [
        "heading", "text", "code", "rule", "table",
    ]  # fmt: skip


def test_a_line_of_dashes_under_a_sentence_is_a_rule() -> None:
    assert kinds("She left.\n---\nHe stayed.") == ["text", "rule", "text"]


def test_lists_and_tasks() -> None:
    places = [block.place for block in parse("- [ ] a\n- [x] b\n  1. c\n- d").blocks]
    assert places == [ListPlace(1, "☐"), ListPlace(1, "☑"), ListPlace(2, "1."), ListPlace(1, "•")]


def test_further_paragraphs_of_an_item_have_no_marker() -> None:
    places = [block.place for block in parse("- a\n\n  b").blocks]
    assert places == [ListPlace(1, "•"), ListPlace(1, "")]


def test_a_list_item_that_holds_emphasis_stays_one() -> None:
    (block,) = parse("* item *emph* x").blocks
    assert block.place == ListPlace(1, "•")


def test_code_keeps_its_text_and_language() -> None:
    (block,) = parse('```python title="x"\na = "1" * 2\n\n  b\n```').blocks
    assert (block.language, block.code) == ("python", 'a = "1" * 2\n\n  b')


def test_table_cells_know_their_alignment() -> None:
    (block,) = parse("| a | b |\n|:-:|--:|\n| “x” | 2 |").blocks
    assert [[cell.align for cell in row] for row in block.rows] == [["center", "right"]] * 2
    assert [cell.header for cell in block.rows[0]] == [True, True]
    assert block.rows[1][0].runs[0].style == Style.SPEECH


def test_details_fold() -> None:
    parsed = parse("<details><summary>More</summary>\n\nInside\n\n</details>\n\nafter")
    assert [(b.kind, b.text(), b.folds) for b in parsed.blocks] == [
        ("summary", "More", (0,)),
        ("text", "Inside", (0,)),
        ("text", "after", ()),
    ]
    assert not parsed.open_folds


def test_details_without_a_summary_are_open() -> None:
    assert parse("<details>\n\nInside\n\n</details>").open_folds == {0}


def test_html_colours_and_alignment() -> None:
    (block,) = parse('<div style="text-align:center; color: #f00">A <font color="blue">b</font></div>').blocks
    assert block.align == "center"
    assert [run.colour for run in block.runs] == ["#f00", "blue"]


def test_html_table() -> None:
    (block,) = parse("<table><tr><th>x</th><td>y</td></tr></table>").blocks
    assert [cell.header for cell in block.rows[0]] == [True, False]


def test_pictures_with_sizes() -> None:
    first, second, third = parse("![a](x.png =100x200)\n\n![b](y.png =50x)\n\n<img src='z.png' width=7>").blocks
    assert first.picture is not None
    assert second.picture is not None
    assert third.picture is not None
    assert (first.picture.url, first.picture.alt, first.picture.width, first.picture.height) == ("x.png", "a", 100, 200)
    assert (second.picture.width, second.picture.height) == (50, 0)
    assert (third.picture.url, third.picture.width) == ("z.png", 7)


def test_a_picture_of_megabytes_does_not_pass_through_the_parser() -> None:
    url = "data:image/png;base64," + "A" * 3_000_000
    first, second = parse(f"![big]({url}) and *more*").blocks
    assert first.picture is not None
    assert first.picture.url == url
    assert spans(second) == "and {i:more}"


def test_thousands_of_nested_quotes_are_cut(  # known failure B-62
) -> None:
    (block,) = parse("> " * 5_000 + "deep").blocks
    assert (block.quote, block.text()) == (MAX_MARKERS, "deep")


def test_what_nests_too_deep_is_shown_as_it_stands() -> None:
    text = "\n".join("  " * level + "- x" for level in range(200))
    assert parse(text).blocks[0].text() == text


@pytest.mark.parametrize("piece", ["[", "*a ", "<b>", "<div>", "“", "`a``", "_a_", "![", "<details>", "- "])
def test_piles_of_marks_end_soon(piece: str) -> None:
    assert parse(piece * 3_000 + "x").blocks


@given(st.text(alphabet=st.sampled_from('ab 1.*_`~>-#|[]()<>!"“”「」\n:&;/=xdivsum月'), max_size=200))
def test_any_text_is_shown(text: str) -> None:
    parsed = parse(text)
    assert all(block.kind for block in parsed.blocks)


@given(st.text(alphabet=st.characters(categories=["L", "N", "Zs"]), min_size=1, max_size=80))
def test_plain_words_come_out_as_they_went_in(text: str) -> None:
    assert " ".join(b.text() for b in parse(text).blocks).split() == text.split()
