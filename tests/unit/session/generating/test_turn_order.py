"""Who speaks in a group: by its list, by chance, by name, or whom the person says."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat.message import Message
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.groups import read_group
from tavern_desktop.library.records import mute, set_order
from tavern_desktop.session.generating.speaking import Voices, voices_of
from tavern_desktop.session.generating.turn_order import STRATEGIES, Member, Moment, due

ADA, BO, CY = Member("Ada.png", "Ada Lane", 0.0), Member("Bo.png", "Bo", 0.0), Member("Cy.png", "Cy of the Reeds", 0.0)
ALL = (ADA, BO, CY)


def names(*arguments: Any, seed: int = 1, **more: Any) -> list[str]:
    return [member.name.split()[0] for member in due(*arguments, Random(seed), **more)]


def test_by_the_list_all_speak_but_the_muted() -> None:
    quiet = Member("Bo.png", "Bo", is_muted=True)
    assert names((ADA, quiet, CY), "list", Moment(by_user=True)) == ["Ada", "Cy"]


def test_by_hand_nobody_answers_the_user_and_one_speaks_where_it_is_asked_for() -> None:
    assert names(ALL, "manual", Moment("Hello", by_user=True)) == []
    assert {names(ALL, "manual", Moment(), seed=seed)[0] for seed in range(30)} == {"Ada", "Bo", "Cy"}


def test_from_the_pool_everybody_speaks_once_and_nobody_twice_in_a_row() -> None:
    assert names(ALL, "pooled", Moment(last="Ada.png", spoken=frozenset({"Ada.png", "Cy.png"}))) == ["Bo"]
    everybody = frozenset(member.card for member in ALL)
    again = {names(ALL, "pooled", Moment(last="Bo.png", spoken=everybody), seed=seed)[0] for seed in range(30)}
    assert again == {"Ada", "Cy"}


def test_who_is_spoken_of_answers_in_the_order_of_the_words() -> None:
    assert names(ALL, "natural", Moment("What do the REEDS say, ada?", by_user=True)) == ["Cy", "Ada"]
    assert names(ALL, "natural", Moment("Adalbert?", by_user=True)) != ["Ada", "Cy"]  # whole words only


def test_who_spoke_last_is_left_out_unless_it_may_answer_itself() -> None:
    moment = Moment("Bo says Bo", last="Bo.png", spoken=frozenset({"Bo.png"}))
    assert "Bo" not in names(ALL, "natural", moment)
    assert names(ALL, "natural", moment, answers_itself=True) == ["Bo"]


def test_who_talks_much_speaks_up_and_somebody_always_does() -> None:
    talker = Member("Di.png", "Di", 1.0)
    assert {tuple(names((ADA, talker), "natural", Moment("Hm", by_user=True), seed=seed)) for seed in range(20)} == {
        ("Di",)
    }
    assert len(names(ALL, "natural", Moment("Hm", by_user=True))) == 1


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=6),
    st.sampled_from(STRATEGIES),
    st.text(max_size=20),
    st.booleans(),
    st.integers(-1, 5),
    st.integers(0, 99),
)
def test_whatever_is_set_only_members_who_may_speak_each_once(
    given: list[tuple[float, bool]], strategy: Any, text: str, by_user: bool, last: int, seed: int
) -> None:
    members = [Member(f"{at}.png", f"m{at}", talk, muted) for at, (talk, muted) in enumerate(given)]
    moment = Moment(text, by_user, f"{last}.png", frozenset({f"{last}.png"}))
    found = due(members, strategy, moment, Random(seed))
    assert len(found) == len(set(found))
    assert all(member in members and not member.is_muted for member in found)
    if any(not member.is_muted for member in members):
        assert found or (strategy == "manual" and by_user)


@pytest.fixture
def group(root: DataRoot) -> Path:
    """A group of two with a chat, as SillyTavern writes it."""
    cards = sorted(path.name for path in root.characters.glob("*.png"))[:2]
    record = {"id": "7", "name": "Two", "members": cards, "chat_id": "tea", "chats": ["tea"], "activation_strategy": 1,
              "fav": True, "glow": 1.5}  # fmt: skip
    (root.groups / "7.json").write_text(json.dumps(record), "utf-8")
    return root.group_chats / "tea.jsonl"


def voices(chat: Path, *records: dict[str, Any]) -> Voices:
    return voices_of(chat, {}, [Message.new(record) for record in records], Random(1))


def test_a_group_s_record_says_who_speaks_and_keeps_what_else_is_in_it(root: DataRoot, group: Path) -> None:
    said = {"name": "Ana", "is_user": True, "mes": "Hello"}
    first, second = voices(group, said).due
    assert [first.card, second.card] == list(read_group(root, "7").members)
    assert first.in_group
    mute(root, "7", first.card, is_muted=True)
    assert voices(group, said).due == (second,)
    assert voices(group, said).speakers == (second, first)  # one may still be told to speak
    set_order(root, "7", 2)
    assert voices(group, said).due == ()
    mute(root, "7", first.card, is_muted=False)
    record = json.loads((root.groups / "7.json").read_text("utf-8"))
    assert (record["disabled_members"], record["activation_strategy"], record["glow"]) == ([], 2, 1.5)
