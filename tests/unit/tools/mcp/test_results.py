"""What tools give back, whatever it is."""

from __future__ import annotations

import base64

import mcp_types as types
import pytest

from tavern_desktop.tools.mcp.results import MOST_PICTURES, answer_of


def text_of(*blocks: types.ContentBlock, structured: object = None) -> str:
    return answer_of(types.CallToolResult(content=list(blocks), structured_content=structured)).text


def picture(data: str = base64.b64encode(b"x").decode()) -> types.ImageContent:
    return types.ImageContent(data=data, mime_type="image/png")


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (types.TextContent(text="ahoy"), "ahoy"),
        (types.AudioContent(data="", mime_type="audio/wav"), "[A sound, audio/wav, was left out.]"),
        (types.ResourceLink(name="log", uri="file:///log"), "[log: file:///log]"),
        (types.EmbeddedResource(resource=types.TextResourceContents(uri="x:1", text="inside")), "inside"),
        (
            types.EmbeddedResource(resource=types.BlobResourceContents(uri="x:1", blob="")),
            "[A file, x:1, was left out.]",
        ),
        (picture("no base64!"), "[A picture, image/png, was damaged and left out.]"),
    ],
)
def test_each_kind_of_content_is_told(block: types.ContentBlock, text: str) -> None:
    assert text_of(block) == text


def test_what_is_structured_counts_where_nothing_is_said() -> None:
    assert text_of(structured={"größe": 1}) == '{"größe": 1}'
    assert text_of(types.TextContent(text="one"), structured={"a": 1}) == "one"


def test_pictures_have_a_limit() -> None:
    answer = answer_of(types.CallToolResult(content=[picture()] * (MOST_PICTURES + 1)))
    assert len(answer.pictures) == MOST_PICTURES
    assert answer.text.splitlines()[-1] == "[A picture, image/png, was left out: too large, or one too many.]"


def test_half_a_character_does_no_harm() -> None:
    assert text_of(types.TextContent(text="a\ud800b")) == "a?b"
