"""Special messages and turns with tools in SillyTavern: loaded and saved there, they come back to the letter."""

from __future__ import annotations

from pathlib import Path

from tavern_desktop.cards.envelope import new_record, read_card
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.tool_pairs import tool_pairs
from tavern_desktop.prompt.messages import ToolCall
from tavern_desktop.session.card_commands import CancelForm, InsertCard
from tavern_desktop.session.commands import AppendMessage, Command
from tavern_desktop.session.generating.reply import Reply, Speaker
from tavern_desktop.session.generating.tool_round import AddToolRound
from tavern_desktop.tools.definition import ToolResult
from tests.interop.chats import Record, change, let_it_save, records, theirs
from tests.interop.page import Page
from tests.interop.sillytavern import Server
from tests.unit.cards.payloads import BROKEN_FIELD, TABLE, UNKNOWN, UNREADABLE, VALID

ODD = (BROKEN_FIELD, UNKNOWN, UNREADABLE, 'type: "quotes \\u2028 月"\nid: x\n', TABLE + "# 1.50 stays 1.50\r\n\ttab\n")


def payloads(chat: list[Record]) -> list[str]:
    cards = (read_card(record) for record in chat)
    return [card.yaml for card in cards if card is not None]


def test_every_payload_comes_back_from_it_to_the_letter(server: Server, chats_folder: Path, tmp_path: Path) -> None:
    path = chats_folder / "Ilka Marsh" / "A lantern in the rain.jsonl"
    odd = []
    for yaml in ODD:
        odd.append(new_record(TABLE))
        odd[-1]["extra"]["tavern_desktop"]["card"] |= {"yaml": yaml, "more": {"n": 1}}
    inserts = [lambda chat, yaml=yaml: InsertCard(yaml) for yaml in VALID.values()]
    appends = [lambda chat, record=record: AppendMessage(record) for record in odd]
    mine = change(path, tmp_path, *inserts, *appends)
    wanted = [*VALID.values(), *ODD]
    assert payloads(mine) == wanted

    # It is given the same, and what its page shows of them are the phrases.
    given = theirs(server, path)
    assert payloads(given) == wanted
    assert [record["mes"] for record in given if read_card(record) is not None][:5] == [
        "[Form shown: Load scatter]",
        "[Parameters shown: Fit]",
        "[Table shown: Cargo list, 3 rows]",
        "[Column matching shown: Columns]",
        "[Workflow: Crossing]",
    ]
    assert all(record["is_system"] for record in given if read_card(record) is not None)

    let_it_save(server, path, given)
    assert payloads(records(path)) == wanted
    page = Page(server, path)
    page.say("and on it goes")
    page.edit(0, "edited there")
    assert payloads(records(path)) == wanted
    envelopes = [record["extra"]["tavern_desktop"]["card"] for record in records(path) if read_card(record) is not None]
    assert [envelope.get("more") for envelope in envelopes] == [None] * 5 + [{"n": 1}] * 5


def test_what_it_adds_to_one_stays_beside_it(server: Server, chats_folder: Path, tmp_path: Path) -> None:
    """*Continue* there appends to the last message, special or not: the text is a caption, which nothing eats."""
    path = chats_folder / "Tock" / "The tide table.jsonl"
    change(path, tmp_path, lambda chat: InsertCard(VALID["Form"]))
    chat = theirs(server, path)
    chat[-1]["mes"] += " And the tide turned."
    let_it_save(server, path, chat)
    mine = change(path, tmp_path, lambda chat: CancelForm(chat.messages[-1].key))
    card = read_card(mine[-1])
    assert card is not None
    assert (card.status, card.caption) == ("cancelled", "And the tide turned.")
    assert mine[-1]["mes"] == "[Form cancelled: Load scatter] And the tide turned."
    assert theirs(server, path) == mine


def test_a_turn_with_tools_comes_back_from_it_to_the_letter(server: Server, chats_folder: Path, tmp_path: Path) -> None:
    path = chats_folder / "Tock" / "The tide table.jsonl"
    answers = [
        (ToolCall("call_1", "show_table", '{"columns": ["月", "1.50"], "rows": [[1.50, 12345678901234567890]]}'),
         ToolResult("The user sees the table now.", card=VALID["Table"])),
        (ToolCall("call_2", "depth", "{}", "sealed+/="), ToolResult("x" * 5_000 + "\n{{user}} <b>", is_error=True)),
    ]  # fmt: skip
    turn = Reply("Let me see.", extra={"api": "openai"})
    key = Message.new({}).key

    def after_the_last(chat: Chat) -> Command:
        return AddToolRound(chat.messages[-1].key, turn, Speaker("Tock"), key, answers)

    before = len(records(path))
    mine = change(path, tmp_path, after_the_last)[before:]
    assert [(record.get("role"), record["mes"][:12]) for record in mine] == [
        (None, "Let me see."),
        ("tool", "The user see"),
        ("tool", "x" * 12),
        (None, "[Table shown"),
    ]
    given = theirs(server, path)
    assert given[before:] == mine
    let_it_save(server, path, given)
    page = Page(server, path)
    page.say("and on it goes")
    page.edit(0, "edited there")
    page.answer("And so it does.")
    saved = records(path)
    assert saved[before : before + 4] == mine
    assert payloads(saved)[-1] == VALID["Table"]
    assert tool_pairs(saved) == [(before, before + 1), (before, before + 2)]
