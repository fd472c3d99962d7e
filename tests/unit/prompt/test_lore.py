"""Lorebooks: which entries go into a prompt, why, and where."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.chat.message import Message
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.prompt.build import build_prompt
from tavern_desktop.prompt.injections import Injection, Note, note_of
from tavern_desktop.prompt.js_regex import compiled, split_regex
from tavern_desktop.prompt.lore import AND_ALL, NOT_ALL, NOT_ANY, LoreEntry, entries_of_book, entries_of_world
from tavern_desktop.prompt.lore_activation import LoreSettings, Occasion, activate
from tavern_desktop.prompt.lore_sources import lore_candidates, lore_settings
from tavern_desktop.prompt.macros import Macros
from tavern_desktop.prompt.scene import Character, Lore, Scene, Wording
from tavern_desktop.prompt.tokens import Estimate

MACROS = Macros("Ana", "Mira")


def entry(uid: int = 0, **fields: Any) -> LoreEntry:
    data = {"key": ["kettle"], "content": f"lore {uid}", "comment": f"e{uid}"} | fields
    return LoreEntry.of_world("world", uid, "global", data)


def active(
    entries: list[LoreEntry], *texts: str, settings: LoreSettings | None = None, **more: Any
) -> tuple[list[str], dict[str, str]]:
    """Return the titles of what goes into a prompt (messages newest first), and what does not, with reasons."""
    occasion = Occasion(texts, MACROS, **({"room": 4000, "numbers": range(100, 0, -1)} | more))
    went, passed = activate(entries, occasion, settings or LoreSettings(), Estimate(), random.Random(1))
    return [each.entry.title for each in went], {each.entry.title: each.reason for each in passed}


@pytest.mark.parametrize(
    ("fields", "text", "found"),
    [
        ({}, "The Kettle sings", True),
        ({"caseSensitive": True}, "The Kettle sings", False),
        ({"matchWholeWords": True}, "kettles", False),
        ({"matchWholeWords": True}, "a kettle.", True),
        ({"matchWholeWords": True, "key": ["old kettle"]}, "the old kettles", True),
        ({"matchWholeWords": True, "key": ["茶"]}, "喝茶吧", True),
        ({"key": ["/k[e3]ttles?/i"]}, "K3TTLES", True),
        ({"key": ["/^\\x01Mira/"]}, "Mira: hello", True),
        ({"key": ["/(?<n>a)\\k<n>/"]}, "aa", True),
        ({"key": ["/[/"]}, "[", False),
        ({"key": ["{{char}}"]}, "Mira said", True),
        ({"key": [""]}, "anything", False),
        ({"key": "dragon, kettle"}, "a kettle", True),
        ({"disable": True}, "kettle", False),
        ({"constant": True, "key": []}, "nothing", True),
        ({"triggers": ["swipe"]}, "kettle", False),
        ({"content": "@@dont_activate\ntext"}, "kettle", False),
        ({"content": "@@activate\ntext", "key": []}, "nothing", True),
        ({"delay": 3}, "kettle", False),
        ({"characterFilter": {"names": ["Tomas"]}}, "kettle", False),
        ({"characterFilter": {"names": ["Tomas"], "isExclude": True}}, "kettle", True),
    ],
)
def test_what_an_entry_asks_for(fields: dict[str, Any], text: str, found: bool) -> None:
    assert active([entry(**fields)], text)[0] == (["e0"] if found else [])


@pytest.mark.parametrize(
    ("logic", "text", "found"),
    [
        (0, "kettle tea", True),
        (0, "kettle", False),
        (AND_ALL, "kettle tea", False),
        (AND_ALL, "kettle tea cup", True),
        (NOT_ANY, "kettle", True),
        (NOT_ANY, "kettle tea", False),
        (NOT_ALL, "kettle tea", True),
        (NOT_ALL, "kettle tea cup", False),
    ],
)
def test_secondary_keys(logic: int, text: str, found: bool) -> None:
    asked = entry(keysecondary=["tea", "cup"], selectiveLogic=logic)
    assert active([asked], text)[0] == (["e0"] if found else [])


def test_only_the_newest_messages_are_searched() -> None:
    assert active([entry()], "new", "newer", "kettle")[0] == []
    assert active([entry(scanDepth=3)], "new", "newer", "kettle")[0] == ["e0"]
    assert active([entry(scanDepth=0)], "kettle")[0] == []


def test_the_reason_names_the_key_and_the_message() -> None:
    occasion = Occasion(["nothing", "a kettle"], MACROS, 4000, numbers=[12, 11])
    went, _ = activate([entry()], occasion, LoreSettings(), Estimate(), random.Random(1))
    assert went[0].reason == "“kettle” stands in #11"


def test_entries_find_others() -> None:
    chain = [entry(0, content="a lantern"), entry(1, key=["lantern"], content="a wick"), entry(2, key=["wick"])]
    assert active(chain, "kettle")[0] == ["e0"]
    recursive = LoreSettings(is_recursive=True)
    assert active(chain, "kettle", settings=recursive)[0] == ["e0", "e1", "e2"]
    assert active(chain, "kettle", settings=LoreSettings(is_recursive=True, most_passes=2))[0] == ["e0", "e1"]
    silent = [entry(0, content="a lantern", preventRecursion=True), entry(1, key=["lantern"])]
    assert active(silent, "kettle", settings=recursive)[0] == ["e0"]
    closed = [entry(0, content="a lantern"), entry(1, key=["lantern"], excludeRecursion=True)]
    assert active(closed, "kettle", settings=recursive)[0] == ["e0"]
    late = [entry(0, content="a lantern"), entry(1, key=["kettle"], delayUntilRecursion=True)]
    assert active(late, "kettle", settings=recursive)[0] == ["e0", "e1"]


def test_the_budget_is_kept_and_said() -> None:
    entries = [entry(uid, content="x" * 300) for uid in range(10)]
    went, passed = active(entries, "kettle", room=1000)
    assert went == ["e0", "e1"]
    assert passed["e5"] == "the budget for lore is used up"
    assert active([*entries, entry(99, ignoreBudget=True)], "kettle", room=1000)[0] == ["e0", "e1", "e99"]
    assert active(entries, "kettle", settings=LoreSettings(budget_cap=50))[0] == []


def test_too_few_are_looked_for_further_back() -> None:
    settings = LoreSettings(depth=1, min_activations=1)
    assert active([entry()], "new", "newer", "kettle", settings=settings)[0] == ["e0"]
    assert (
        active([entry()], "new", "newer", "kettle", settings=LoreSettings(depth=1, min_activations=1, widest=2))[0]
        == []
    )


def test_one_of_a_group_goes() -> None:
    rivals = [entry(uid, group="tea", groupWeight=100 * (uid == 1)) for uid in range(3)]
    went, passed = active(rivals, "kettle")
    assert went == ["e1"]
    assert set(passed) == {"e0", "e2"}
    chosen = [entry(0, group="tea"), entry(1, group="tea", groupOverride=True)]
    assert active(chosen, "kettle")[0] == ["e1"]
    scored = [entry(0, group="tea", key=["kettle"]), entry(1, group="tea", key=["kettle", "sings"])]
    assert active(scored, "the kettle sings", settings=LoreSettings(uses_scoring=True))[0] == ["e1"]


def test_chance_is_repeatable() -> None:
    rolls = [entry(uid, probability=50) for uid in range(20)]
    first = active(rolls, "kettle")[0]
    assert first == active(rolls, "kettle")[0]
    assert 0 < len(first) < 20


def test_the_book_of_a_card_is_read_as_a_world() -> None:
    book = {
        "entries": [
            {
                "keys": ["a"],
                "content": "x",
                "enabled": "true",
                "insertion_order": "10",
                "position": "after_char",
                "id": 7,
            },
            {
                "keys": ["b"],
                "content": "y",
                "enabled": False,
                "extensions": {"position": 4, "depth": 2, "scan_depth": 5},
            },
        ]
    }
    first, second = entries_of_book("Mira", "character", book)
    assert (first.uid, first.order, first.position, first.is_disabled) == (7, 10, 1, False)
    assert (second.position, second.depth, second.scan_depth, second.is_disabled) == (4, 2, 5, True)


@pytest.mark.parametrize("data", [{}, {"entries": None}, {"entries": [None, 3]}, {"entries": {"x": {"uid": "y"}}}])
def test_odd_worlds_are_read_as_far_as_they_go(data: dict[str, Any]) -> None:
    assert all(each.content == "" for each in entries_of_world("w", "global", data))


def test_the_books_in_force_and_their_order(tmp_path: Path) -> None:
    root = DataRoot(tmp_path, "default-user")
    worlds = root.user_folder / "worlds"
    worlds.mkdir(parents=True)
    for name in ("G", "C", "Chat", "P"):
        entries = {str(n): {"uid": n, "key": ["x"], "content": f"{name}{n}", "order": n} for n in (1, 2)}
        (worlds / f"{name}.json").write_text(json.dumps({"entries": entries}))
    settings = {
        "world_info_settings": {
            "world_info": {"globalSelect": ["G"]},
            "world_info_recursive": True,
            "world_info_budget": 300,
        },
        "power_user": {"persona_descriptions": {"me.png": {"lorebook": "P"}}},
    }
    card = {"extensions": {"world": "C"}, "character_book": {"entries": [{"keys": ["x"], "content": "embedded"}]}}
    found = lore_candidates(root, settings, {"world_info": "Chat"}, card, "Mira", "me.png")
    assert [each.content for each in found] == ["Chat2", "Chat1", "P2", "P1", "C2", "C1", "G2", "G1"]
    unlinked = lore_candidates(root, settings, {}, {"character_book": card["character_book"]}, "Mira", "")
    assert "embedded" in [each.content for each in unlinked]
    assert lore_candidates(root, {}, {"world_info": "../../etc"}, {}, "Mira", "") == []
    read = lore_settings(settings)
    assert (read.is_recursive, read.budget_percent) == (True, 25)


def scene(entries: list[LoreEntry], **more: Any) -> Scene:
    talk = [("Ana", "Hello."), ("Mira", "The kettle sings."), ("Ana", "Tea?")]
    records = [{"name": name, "is_user": name == "Ana", "mes": text, "extra": {}} for name, text in talk]
    messages = [Message.new(record) for record in records]
    values: dict[str, Any] = {
        "character": Character("Mira", "calm"),
        "user": "Ana",
        "messages": messages,
        "end": 3,
        "lore": Lore(entries),
        "wording": Wording(main="Main.", chat_heading="", reply_nudge=""),
    }
    return Scene(**(values | more))


def test_each_entry_stands_in_its_place() -> None:
    entries = [entry(n, position=n, content=f"at {n}", depth=1) for n in range(7)]
    prompt = build_prompt(scene(entries, note=Note("the note", depth=0)), Estimate())
    assert [part.message.text for part in prompt.parts] == [
        "Main.",
        "at 0",
        "calm",
        "at 1",
        "[Example conversation]",
        "at 5",
        "[Example conversation]",
        "at 6",
        "Hello.",
        "The kettle sings.",
        "at 4",
        "Tea?",
        "at 2\nthe note\nat 3",
    ]
    assert prompt.parts[1].source == "lore: e0"
    assert prompt.parts[1].reason == "“kettle” stands in #1"


def test_lore_of_an_outlet_stands_where_a_text_asks_for_it() -> None:
    entries = [
        entry(1, position=7, outletName="tea", order=1),
        entry(2, position=7, outletName="tea", order=2),
        entry(3, position=7, outletName="other"),
    ]
    wording = Wording(main="Main. {{outlet::tea}}{{outlet::none}}", chat_heading="", reply_nudge="")
    prompt = build_prompt(scene(entries, wording=wording), Estimate())
    assert prompt.parts[0].message.text == "Main. lore 2\nlore 1"
    assert not any("lore 3" in part.message.text for part in prompt.parts)


def test_what_stands_at_one_depth_reads_assistant_user_system() -> None:
    injections = [Injection(1, role, role, "x", "y") for role in ("system", "user", "assistant")]
    prompt = build_prompt(scene([], injections=injections), Estimate())
    assert [part.message.text for part in prompt.parts][-4:] == ["assistant", "user", "system", "Tea?"]
    deep = build_prompt(scene([], injections=[Injection(99, "system", "deep", "x", "y")]), Estimate())
    assert [part.message.text for part in deep.parts][2] == "deep"


def test_what_is_continued_stays_last() -> None:
    prompt = build_prompt(
        scene([], action="continue", can_prefill=True, injections=[Injection(0, "system", "deep", "x", "y")]),
        Estimate(),
    )
    assert prompt.messages[-1].text == "Tea?"


@pytest.mark.parametrize(
    ("metadata", "count", "text"),
    [
        ({"note_prompt": "{{char}} is tired"}, 5, "Mira is tired"),
        ({"note_prompt": "x", "note_interval": 0}, 5, None),
        ({"note_prompt": "x", "note_interval": 3}, 5, None),
        ({"note_prompt": "x", "note_interval": 3}, 6, "x"),
        ({"note_prompt": "  "}, 5, None),
        ({}, 5, None),
    ],
)
def test_the_author_s_note_has_its_turn(metadata: dict[str, Any], count: int, text: str | None) -> None:
    note = note_of(metadata, count, MACROS)
    assert (note.text if note is not None else None) == text


def test_patterns_in_another_spelling() -> None:
    assert split_regex("/a\\/b/gi") == ("a\\/b", "gi")
    assert split_regex("a/b") is None
    assert split_regex("/a/b/") is None
    found = compiled("\\u{1F600}", "u")
    assert found is not None
    assert found.search("😀")
    assert compiled("(?<", "") is None
