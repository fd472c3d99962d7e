"""What a text that begins with a slash means, and that no other one is ever taken for a message."""

from __future__ import annotations

import pytest

from tavern_desktop.ui.slash import SlashCommand, SlashError, is_slash, parse_slash


def test_what_is_a_command() -> None:
    assert is_slash("/hide")
    assert is_slash("  /hide 3")
    assert not is_slash("and/or")
    assert not is_slash("")


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/hide", SlashCommand("hide")),
        ("/hide 12", SlashCommand("hide", messages=(12, 12))),
        ("/unhide 12-15", SlashCommand("unhide", messages=(12, 15))),
        ("/hide 15 - 12", SlashCommand("hide", messages=(12, 15))),
        ("/sys The lights go out.", SlashCommand("sys", "The lights go out.")),
        ("/comment a note\nof two lines", SlashCommand("comment", "a note\nof two lines")),
        ('/sendas name="Captain Ilse" Aye.', SlashCommand("sendas", "Aye.", "Captain Ilse")),
        ("/sendas name=Mira Come in.", SlashCommand("sendas", "Come in.", "Mira")),
        ("/SYS loud", SlashCommand("sys", "loud")),
        ("/continue", SlashCommand("continue")),
        ("/persona Captain Ilse", SlashCommand("persona", "Captain Ilse")),
    ],
)
def test_what_commands_say(text: str, command: SlashCommand) -> None:
    assert parse_slash(text) == command


@pytest.mark.parametrize(
    "text",
    [
        "/",
        "//",
        "/sysm hello",
        "/gen write",
        "/hide tomorrow",
        "/hide 1-2-3",
        "/sys",
        '/sendas name="Mira text',
        "/sendas Mira hi",
        "/continue please",
        "/persona",
    ],
)
def test_what_is_none_is_explained(text: str) -> None:
    with pytest.raises(SlashError) as error:
        parse_slash(text)
    assert str(error.value).endswith(".")
