"""Merging as people meet it: the scenarios of the contract, and what is told about each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tavern_desktop.chat import edits
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.merge import (
    Conflict,
    MergeLossError,
    MergeResult,
    is_collapse,
    merge_copies,
    merge_messages,
    merge_three_way,
)
from tavern_desktop.chat.merge_metadata import merge_headers
from tavern_desktop.chat.merge_two_way import merge_two_way
from tavern_desktop.chat.message import Message
from tests.unit.chat.merge_sides import Record, Writer, encoded, texts_in, with_text


class Scene:
    """A chat of five messages, as loaded, and both sides to change: `disk` in another program, `memory` here."""

    def __init__(self, count: int = 5) -> None:
        self.writer = Writer(1)
        self.disk: list[Record] = [self.writer.record() for _ in range(count)]
        self.base = Message.read(encoded(self.disk))
        self.memory = list(self.base)
        self.deleted: set[int] = set()

    def edit(self, index: int, text: str) -> None:
        self.memory[index] = edits.rewritten(self.memory[index], with_text(self.memory[index].data(), text))

    def delete(self, index: int) -> None:
        self.deleted.add(self.memory.pop(index).key)

    def merge(self) -> MergeResult:
        return merge_three_way(self.base, encoded(self.disk), self.memory, self.deleted)

    def texts(self, result: MergeResult) -> list[str]:
        """Say the result as 1 … 5 for the base's messages, else their texts."""
        names = {message.data()["mes"]: str(number) for number, message in enumerate(self.base, 1)}
        return [names.get(text := message.data()["mes"], text) for message in result.messages]


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_a_deletion_here_and_an_addition_there_both_hold(scene: Scene) -> None:
    scene.delete(2)
    scene.disk.append(scene.writer.record(mes="6"))
    result = scene.merge()
    assert scene.texts(result) == ["1", "2", "4", "5", "6"]
    assert result.added_by_disk == (result.messages[-1].key,)
    assert result.change_count == 1
    assert not result.conflicts


def test_a_deletion_there_and_an_addition_here_both_hold(scene: Scene) -> None:
    del scene.disk[4]
    scene.memory.append(edits.created(scene.writer.record(mes="6")))
    result = scene.merge()
    assert scene.texts(result) == ["1", "2", "3", "4", "6"]
    assert result.deleted_by_disk == (scene.base[4].key,)


def test_both_answers_to_one_message_stay_and_the_file_s_comes_first(scene: Scene) -> None:
    scene.disk.append(scene.writer.record(mes="theirs"))
    scene.memory.append(edits.created(scene.writer.record(mes="ours")))
    assert scene.texts(scene.merge()) == ["1", "2", "3", "4", "5", "theirs", "ours"]


def test_what_the_file_changed_keeps_its_bytes_and_our_key(scene: Scene) -> None:
    scene.disk[1] = with_text(scene.disk[1], "theirs")
    scene.edit(0, "ours")
    result = scene.merge()
    assert result.messages[0] == scene.memory[0]
    assert result.messages[1] == Message(scene.base[1].key, encoded(scene.disk)[1])
    assert result.changed_by_disk == (scene.base[1].key,)


def test_of_two_texts_ours_stays_and_the_other_is_a_swipe(scene: Scene) -> None:
    scene.disk[1] = with_text(scene.disk[1], "theirs")
    scene.edit(1, "ours")
    result = scene.merge()
    merged = result.messages[1].data()
    assert (merged["mes"], merged["swipes"], merged["swipe_id"]) == ("ours", ["ours", "theirs"], 0)
    assert result.conflicts == (Conflict("field", scene.base[1].key, field="content"),)
    assert merged["message_id"].startswith("msg_")


def test_a_deletion_here_gives_way_to_an_edit_there(scene: Scene) -> None:
    scene.delete(4)
    scene.disk[4] = with_text(scene.disk[4], "theirs")
    result = scene.merge()
    assert scene.texts(result) == ["1", "2", "3", "4", "theirs"]
    assert result.conflicts == (Conflict("delete_vs_edit", scene.base[4].key, side="memory"),)


def test_a_deletion_there_gives_way_to_an_edit_here(scene: Scene) -> None:
    scene.edit(4, "ours")
    del scene.disk[4]
    result = scene.merge()
    assert scene.texts(result) == ["1", "2", "3", "4", "ours"]
    assert result.conflicts == (Conflict("delete_vs_edit", scene.base[4].key, side="disk"),)


def test_what_we_lost_without_deleting_it_comes_back_and_is_reported(scene: Scene) -> None:
    """Known failure B-04: a view with a dead, empty copy acts and would empty the chat."""
    scene.memory.clear()
    result = scene.merge()
    assert scene.texts(result) == ["1", "2", "3", "4", "5"]
    assert [conflict.kind for conflict in result.conflicts] == ["lost_in_memory"] * 5


def test_two_windows_that_write_the_same_chat_lose_nothing() -> None:
    """Known failure B-16: both loaded ten messages; one sends, the other sends, the first edits an old one."""
    scene = Scene(10)
    scene.disk.append(scene.writer.record(mes="from window 1"))
    scene.disk[3] = with_text(scene.disk[3], "edited in window 1")
    scene.memory.append(edits.created(scene.writer.record(mes="from window 2")))
    texts = scene.texts(scene.merge())
    assert texts == ["1", "2", "3", "edited in window 1", *"56789", "10", "from window 1", "from window 2"]


def test_a_rest_of_swipe_fields_from_elsewhere_is_no_conflict(scene: Scene) -> None:
    """SillyTavern adds them to whatever it shows, and forgets what a number looked like."""
    base = Message.read(encoded([{"name": "Mira", "mes": "old", "n": 1.0}]))
    disk = [{"name": "Mira", "mes": "old", "n": 1, "swipes": ["old"], "swipe_id": 0, "swipe_info": [{}]}]
    ours = [edits.rewritten(base[0], with_text(base[0].data(), "new"))]
    result = merge_three_way(base, encoded(disk), ours, ())
    assert result.messages[0].data()["mes"] == "new"
    assert not result.conflicts


def test_moves_on_one_side_hold_and_contrary_ones_are_told(scene: Scene) -> None:
    scene.disk.insert(0, scene.disk.pop())
    scene.edit(1, "ours")
    assert scene.texts(scene.merge()) == ["5", "1", "ours", "3", "4"]
    scene.memory.append(scene.memory.pop(0))
    result = scene.merge()
    assert scene.texts(result) == ["ours", "3", "4", "5", "1"]
    assert result.conflicts == (Conflict("order", None),)


def test_typing_on_during_a_save_is_merged_with_its_result(scene: Scene) -> None:
    snapshot = list(scene.memory)
    scene.disk.append(scene.writer.record(mes="theirs"))
    published = scene.merge().messages
    scene.edit(0, "typed")
    scene.memory.append(edits.created(scene.writer.record(mes="sent")))
    gone = scene.memory.pop(2)
    result = merge_messages(snapshot, published, scene.memory, {gone.key})
    assert scene.texts(result) == ["typed", "2", "4", "5", "theirs", "sent"]
    assert result.added_by_disk == (published[-1].key,)


def test_of_two_cards_the_submitted_one_stands() -> None:
    def record(status: str, text: str) -> Record:
        return {"mes": "", "extra": {"tavern_desktop": {"card": {"yaml": f"type: form\nstatus: {status}\nx: {text}"}}}}

    base = Message.read(encoded([record("draft", "0")]))
    for ours, theirs, winner in (("draft", "submitted", "2"), ("submitted", "draft", "1"), ("draft", "draft", "1")):
        memory = [base[0].with_data(record(ours, "1"))]
        result = merge_three_way(base, encoded([record(theirs, "2")]), memory, ())
        yaml = result.messages[0].data()["extra"]["tavern_desktop"]["card"]["yaml"]
        assert yaml.endswith(f"x: {winner}")
        assert result.conflicts == (Conflict("field", base[0].key, field="extra.tavern_desktop"),)


def test_the_collapse_of_a_chat_is_asked_about() -> None:
    assert is_collapse(300, 0)
    assert is_collapse(1, 0)
    assert is_collapse(20, 10)
    assert not is_collapse(0, 0)
    assert not is_collapse(9, 1)
    assert not is_collapse(100, 51)


def test_a_merge_that_would_lose_a_message_is_refused(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.memory.append(edits.created(scene.writer.record()))

    def forgetful(*_: object) -> tuple[list[int], bool]:
        return [message.key for message in scene.base], False

    monkeypatch.setattr("tavern_desktop.chat.merge.merge_order", forgetful)
    with pytest.raises(MergeLossError):
        scene.merge()


def test_a_conflict_copy_adds_what_it_has_and_removes_nothing(scene: Scene) -> None:
    copy = [*scene.disk[:3], scene.writer.record(mes="only there")]
    scene.edit(0, "ours")
    result = merge_copies(scene.memory, encoded(copy))
    assert [text for text in scene.texts(result) if text != "only there"] == ["ours", "2", "3", "4", "5"]
    assert texts_in(result.messages) >= {"only there", scene.disk[0]["mes"]}


def test_two_way_keeps_the_file_where_messages_have_no_ids() -> None:
    writer = Writer(2)
    disk = [writer.record(), edits.created(writer.record()).data()]
    ours = [*Message.read(encoded([writer.record(), with_text(disk[1], "ours")])), edits.created(writer.record())]
    result = merge_two_way(encoded(disk), ours)
    assert result.path == "slow"
    assert [message.raw for message in result.messages[:1]] == encoded(disk)[:1]
    assert result.messages[1:] == tuple(ours[1:])


def test_headers_merge_field_by_field_and_stay_untouched_without_need() -> None:
    base = Header(b'{"chat_metadata":{"integrity":"a","note_prompt":"x"},"user_name":"unused"}')
    theirs = base.with_metadata(base.metadata() | {"note_prompt": "y", "variables": {"a": 1}})
    ours = base.with_metadata(base.metadata() | {"tainted": True, "variables": {"b": 2}})
    assert merge_headers(base, base, ours) == (ours, [])
    assert merge_headers(base, theirs, base) == (theirs, [])
    merged, conflicts = merge_headers(base, theirs, ours)
    assert not conflicts
    assert merged.metadata() == {
        "integrity": "a",
        "note_prompt": "y",
        "tainted": True,
        "variables": {"a": 1, "b": 2},
    }
    other = ours.with_metadata(ours.metadata() | {"note_prompt": "z"})
    merged, conflicts = merge_headers(base, theirs, other)
    assert conflicts == ["note_prompt"]
    assert merged.metadata()["note_prompt"] == "z"
    assert merge_headers(base, replace(base, raw=base.raw.replace(b":{", b": {")), ours)[0] == ours
