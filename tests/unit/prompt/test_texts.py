"""Macros, reasoning, templates, tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.prompt.macros import Macros
from tavern_desktop.prompt.messages import PromptMessage
from tavern_desktop.prompt.reasoning import ReasoningParser, split_reasoning
from tavern_desktop.prompt.templates import known_templates, read_template
from tavern_desktop.prompt.tokens import Estimate, usable

TALK = [
    PromptMessage("system", "Be Mira."),
    PromptMessage("assistant", "Hello."),
    PromptMessage("user", "Hi."),
]


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{{user}} and {{CHAR}}", "Ana and Mira"),
        ("<USER> <bot> <char> <b>", "Ana Mira Mira <b>"),
        ("{{persona}}", "Ana sails."),
        ("{{ user }}", "Ana"),
        ("{{unknown}} {{", "{{unknown}} {{"),
        ("{{original}}|{{original}}", "old|"),
    ],
)
def test_macros(text: str, filled: str) -> None:
    macros = Macros("Ana", "Mira", "{{user}} sails.")
    assert macros.fill(text, original="old") == filled


def test_a_macro_that_names_itself_ends() -> None:
    assert "{{persona}}" in Macros("Ana", "Mira", "x {{persona}}").fill("{{persona}}")


@pytest.mark.parametrize(
    ("reply", "text", "reasoning"),
    [
        ("<think>hm</think>\n\nHello", "Hello", "hm"),
        ("  <think>hm\n", "", "hm"),
        ("Hello <think>no</think>", "Hello <think>no</think>", ""),
        ("<thinking>a</thinking>b", "b", "a"),
        ("<thin air>", "<thin air>", ""),
        ("", "", ""),
    ],
)
def test_reasoning_is_told_apart_from_text(reply: str, text: str, reasoning: str) -> None:
    assert split_reasoning(reply) == (text, reasoning)


@given(st.sampled_from(["<think>hm < /x</think>\n\nHello <b>", "plain < text", "<think>open </th"]), st.data())
def test_reasoning_is_the_same_however_the_reply_is_cut(reply: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(reply)), max_size=8)))
    parser = ReasoningParser()
    pieces = [reply[start:end] for start, end in zip([0, *cuts], [*cuts, len(reply)], strict=True)]
    parts = [*(parser.feed(piece) for piece in pieces), parser.end()]
    whole = ReasoningParser()
    once = [whole.feed(reply), whole.end()]
    for side in (0, 1):
        assert "".join(part[side] for part in parts) == "".join(part[side] for part in once)


def test_chatml() -> None:
    template = known_templates()["chatml"]
    assert template.render(TALK, char="Mira", user="Ana") == (
        "<|im_start|>system\nBe Mira.<|im_end|>\n<|im_start|>assistant\nHello.<|im_end|>\n"
        "<|im_start|>user\nHi.<|im_end|>\n<|im_start|>assistant\n"
    )


def test_mistral_knows_no_system_turn() -> None:
    template = known_templates()["mistral"]
    assert template.render(TALK, char="Mira", user="Ana") == "[INST] Be Mira. [/INST] Hello.</s>[INST] Hi. [/INST] "


def test_plain_text_is_written_with_names() -> None:
    template = known_templates()["plain"]
    assert template.render(TALK, char="Mira", user="Ana") == "Be Mira.\n\nMira: Hello.\nAna: Hi.\nMira:"
    assert template.stop_texts("Ana") == ("\nAna:",)


@pytest.mark.parametrize("name", ["chatml", "llama3", "mistral", "alpaca", "plain"])
def test_a_message_that_is_continued_is_left_open(name: str) -> None:
    template = known_templates()[name]
    text = template.render([TALK[2], PromptMessage("assistant", "I was", is_prefill=True)], char="Mira", user="Ana")
    assert text.endswith("I was")


def test_words_of_one_s_own() -> None:
    template = read_template('name = "Mine"\n[system]\n[user]\nbefore = "U "\n[assistant]\nbefore = "{{name}} "\n')
    assert template.render(TALK, char="Mira", user="Ana") == "Be Mira.Mira Hello.U Hi.Mira "
    with pytest.raises(ValueError, match="no template"):
        read_template("name = 1")


def test_an_estimate_learns_from_what_the_server_counted() -> None:
    estimate = Estimate()
    before = estimate.count("word " * 100)
    assert estimate.calibrated(100, 50).count("word " * 100) < before
    assert estimate.calibrated(0, 50) is estimate
    assert usable(1000, 200, is_estimate=True) == 770
    assert estimate.count("\ud83d") > 0
