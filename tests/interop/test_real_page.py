"""SillyTavern's own page and our program on one chat; skipped, with the reason, where there is no Chromium."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tavern_desktop.cards.envelope import read_card
from tavern_desktop.chat.message import Message
from tavern_desktop.prompt.messages import ToolCall
from tavern_desktop.session.card_commands import InsertCard
from tavern_desktop.session.generating.reply import Reply, Speaker
from tavern_desktop.session.generating.tool_round import AddToolRound
from tavern_desktop.tools.definition import ToolResult
from tests.interop.browser import Browser
from tests.interop.chats import records
from tests.interop.here import Here
from tests.interop.page import Page, said
from tests.interop.real_page import RealPage
from tests.interop.sillytavern import Server, Unavailable
from tests.unit.cards.payloads import VALID


def new_key() -> int:
    return Message.new({}).key


TOO_MANY = 126_500


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    try:
        browser = Browser(tmp_path_factory.mktemp("profile"))
    except Unavailable as reason:
        pytest.skip(f"SillyTavern's page cannot be looked at: {reason}")
    with browser:
        yield browser


@pytest.fixture
def path(server: Server) -> Path:
    path = server.create_chat("Neighbour", "both")
    page = Page(server, path)
    for number in range(3):
        page.answer(f"answer {number}")
        page.say(f"question {number}")
    return path


def test_in_turn_and_over_each_other(server: Server, browser: Browser, here: Here, path: Path) -> None:
    page = RealPage(browser, server, path)
    assert page.texts() == here.texts()

    # In turn: what it writes we follow, what we write it has after it opened the chat again.
    page.say("written in the page")
    here.look()
    assert here.texts()[-1] == "written in the page"
    here.say("written here")
    here.edit(0, "edited here")
    here.save()
    page.reload()
    assert page.texts() == here.texts()

    # At once: its old copy goes over ours, and ours come back.
    here.say("ours, which it does not know of")
    here.save()
    page.answer("said over it")
    assert "ours, which it does not know of" not in said(records(path))
    here.look()
    assert here.restored == 1
    assert said(records(path)) >= {"ours, which it does not know of", "said over it", "edited here"}

    # Once more, with another message changed on either side and an alternative made there.
    here.edit(1, "edited here again")
    here.save()
    page.edit(2, "edited in the page")
    page.swipe_last("said otherwise")
    here.look()
    expected = {"edited here again", "edited in the page", "said over it", "said otherwise"}
    assert said(records(path)) >= expected | {"ours, which it does not know of"}
    page.reload()
    assert page.texts() == here.texts()

    # What is deleted there, from a copy that is not old, is gone here.
    page.delete(0)
    here.look()
    assert "edited here" not in here.texts()
    assert page.texts() == here.texts()


def test_cards_and_turns_with_tools_come_back_from_its_page(
    server: Server, browser: Browser, path: Path, tmp_path: Path
) -> None:
    answers = [
        (ToolCall("call_1", "show_table", '{"rows": [[1.50]]}'), ToolResult("Shown.", card=VALID["Table"])),
        (ToolCall("call_2", "depth", "{}"), ToolResult("4 feet <b>{{user}}</b>", is_error=True)),
    ]
    here = Here(path, tmp_path)
    turn = AddToolRound(here.chat.messages[-1].key, Reply("Let me see."), Speaker("Neighbour"), new_key(), answers)
    here.session.do(turn)
    for yaml in VALID.values():
        here.session.do(InsertCard(yaml.replace("id: c_", "id: d_")))
    here.save()
    here.close()
    before = records(path)
    page = RealPage(browser, server, path)
    assert page.texts() == [record["mes"] for record in before[1:]]
    page.say("and on it goes")
    page.edit(0, "edited in the page")
    page.answer("And so it does.")
    after = records(path)
    mine = [record for record in before if read_card(record) is not None or "tool" in json.dumps(record)]
    assert [record for record in after if record in mine] == mine
    assert len(mine) == 4 + len(VALID)


def test_a_very_long_chat_that_it_makes_a_greeting_of_is_still_here(
    server: Server, browser: Browser, path: Path, tmp_path: Path
) -> None:
    """Its page does not survive more than about 125,000 messages, and saves what it has instead."""
    header, first = path.read_bytes().split(b"\n")[:2]
    path.write_bytes(b"\n".join([header, *[first] * TOO_MANY]))
    here = Here(path, tmp_path)
    page = RealPage(browser, server, path)
    page.wait_until_saved(fewer_than=10)
    assert len(records(path)) < 10

    here.look()
    trouble = here.session.trouble
    assert trouble is not None
    assert (trouble.kind, trouble.messages < 10, len(here.chat)) == ("shrunk", True, TOO_MANY)
    here.keep_mine()
    assert here.session.trouble is None
    assert len(records(path)) == 1 + TOO_MANY
    here.close()
