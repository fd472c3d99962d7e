"""Story strings: the part of Handlebars that templates use, and nothing that could run."""

from __future__ import annotations

import pytest

from tavern_desktop.prompt.story_string import Piece, rendered, trimmed

FIELDS = {"system": "Rules.", "description": "Keeper.", "persona": "", "wiBefore": "<b>&"}


def text(template: str) -> str:
    return "".join(piece.text for piece in trimmed(rendered(template, FIELDS)))


@pytest.mark.parametrize(
    ("template", "wanted"),
    [
        ("", ""),
        ("plain", "plain"),
        ("{{system}}", "Rules."),
        ("{{{ system }}}", "Rules."),
        ("{{SYSTEM}} {{WIBEFORE}}", "Rules. <b>&"),
        ("{{#if system}}a{{/if}}{{#if persona}}b{{/if}}", "a"),
        ("{{#if persona}}a{{else}}b{{/if}}", "b"),
        ("{{#unless persona}}a{{else}}b{{/unless}}", "a"),
        ("{{#if system}}{{#if persona}}x{{else}}y{{/if}}z{{/if}}", "yz"),
        ("{{#if persona}}{{#if system}}x{{/if}}{{else}}y{{/if}}!", "y!"),
        ("{{#if system}}never closed", "never closed"),
        ("{{#if system}}\nline\n{{/if}}\nnext", "line\nnext"),
        ("{{#if persona}}\nline\n{{/if}}\nnext", "next"),
        ("a  {{~system~}}  b", "aRules.b"),
        ("a{{! a note }}b{{!-- another --}}c", "abc"),
        ("x\n\n{{trim}}\n\ny", "xy"),
        ("\n\n{{system}}", "Rules."),
        ("{{unknown}} {{random::a::b}}", "{{unknown}} {{random::a::b}}"),
        ("{{#each system}}x{{/each}}", "{{#each system}}x{{/each}}"),
        ("{{lookup this 'constructor'}}", "{{lookup this 'constructor'}}"),
        ("{{", "{{"),
        ("}} {{ {{", "}} {{ {{"),
    ],
)
def test_a_template_is_filled_in(template: str, wanted: str) -> None:
    assert text(template) == wanted


def test_each_piece_tells_what_it_comes_from() -> None:
    assert rendered("Be: {{system}}{{#if description}} He: {{description}}{{/if}}", FIELDS) == [
        Piece("", "Be: "),
        Piece("system", "Rules."),
        Piece("", " He: "),
        Piece("description", "Keeper."),
    ]


def test_what_a_field_says_is_not_read_as_a_template() -> None:
    assert rendered("{{a}}", {"a": "{{b}}{{#if a}}", "b": "x"}) == [Piece("a", "{{b}}{{#if a}}")]


def test_deep_nesting_ends_somewhere() -> None:
    assert text("{{#if system}}" * 5000 + "x").endswith("x")
