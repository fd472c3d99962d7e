"""A chat while it is open: read, changed, saved, read again, and never lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.session import commands, loading, reading
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.refusals import CommandRefused, UndoRefused
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.stages import Stage
from tests.unit.session.chats import HEADER, ByHand, lines, raw, recorded, reply, texts, user, write

RECORDS = [user("u0"), reply("a1", "b1"), user("u2"), reply("a3")]


class Desk:
    """Opens sessions on a runner that the test turns by hand."""

    def __init__(self, folder: Path) -> None:
        self.runner = ByHand()
        self.recovery = folder / "own" / "recovery"
        self.metadata: tuple[dict[str, Any], bool] = ({}, False)
        self.path = folder / "chats" / "Mira" / "talk.jsonl"
        self.notices: list[str] = []

    def start(self, path: Path | None = None, kind: loading.ChatKind = "character", **options: Any) -> ChatSession:
        setup = loading.Setup(self.runner, self.recovery, lambda _path: self.metadata, **options)
        session = ChatSession(path or self.path, kind, setup)
        self.notices = recorded(session.notice)
        session.load()
        return session

    def open(self, *arguments: Any, **options: Any) -> ChatSession:
        session = self.start(*arguments, **options)
        self.runner.run_until_idle()
        return session


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    write(desk.path, RECORDS)
    return desk


def key(session: ChatSession, index: int) -> int:
    assert session.chat is not None
    return session.chat.messages[index].key


def edit(session: ChatSession, index: int, text: str) -> None:
    session.do(commands.EditText(key(session, index), text))


def shown(session: ChatSession) -> list[str]:
    assert session.chat is not None
    return texts(session.chat)


# -- loading ------------------------------------------------------------------------------------------------


def test_opening_shows_a_preview_then_the_chat_and_writes_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "PREVIEWED", 0)
    before = desk.path.stat()
    session = desk.start()
    ready = recorded(session.preview_ready)
    assert (session.state, session.chat, session.title) == ("loading", None, "talk")
    desk.runner.run_one()
    assert ready == [()]
    assert session.preview is not None
    assert session.preview.records[-1] == raw(RECORDS[-1])
    desk.runner.run_until_idle()
    assert session.chat is None
    desk.runner.advance(reading.PAINTING)
    assert (session.state, session.preview, session.save_state.kind) == ("ready", None, "saved")
    assert shown(session) == ["u0", "a1", "u2", "a3"]
    session.save_now()
    desk.runner.advance(60)
    assert desk.path.stat() == before


def test_an_identity_is_made_in_memory_and_comes_with_the_first_change(desk: Desk) -> None:
    write(desk.path, RECORDS, b'{"chat_metadata":{}}')
    session = desk.open()
    assert session.chat is not None
    identity = session.chat.header.integrity()
    assert identity
    assert not session.is_dirty
    edit(session, 0, "edited")
    desk.runner.advance(1)
    assert identity.encode() in lines(desk.path)[0]


@pytest.mark.parametrize(
    ("content", "kind", "readable"),
    [
        (b'{"chat_metadata":{}}\n' + raw(RECORDS[0]) + b"\n{half", "bad_record", 1),
        (b"\x00\x00\x00", "bad_header", 0),
        (HEADER + b"\n" + b'{"mes":"\xff"}', "bad_encoding", 0),
    ],
)
def test_a_damaged_chat_is_no_chat_and_its_rest_can_be_looked_at(
    desk: Desk, content: bytes, kind: str, readable: int
) -> None:
    desk.path.write_bytes(content)
    session = desk.start()
    rest = recorded(session.rest_ready)
    desk.runner.run_until_idle()
    assert (session.state, session.chat, session.preview) == ("failed", None, None)
    assert session.error is not None
    assert session.error.kind == kind
    assert rest == [()]
    assert session.rest is not None
    assert session.rest.readable == readable
    with pytest.raises(CommandRefused):
        session.do(commands.AppendMessage(user("x")))
    with pytest.raises(StorageError):
        session.save_as_new("other")
    session.save_now()
    desk.runner.advance(60)
    assert desk.path.read_bytes() == content


def test_after_a_failure_it_can_be_tried_again(desk: Desk) -> None:
    aside = desk.path.rename(desk.path.with_suffix(".aside"))
    session = desk.open()
    assert session.error is not None
    assert (session.state, session.error.kind, session.rest) == ("failed", "not_found", None)
    aside.rename(desk.path)
    session.reload()
    desk.runner.run_until_idle()
    assert (session.state, session.error) == ("ready", None)
    assert shown(session) == ["u0", "a1", "u2", "a3"]


def test_a_file_that_shrinks_while_being_read_is_tried_once_more(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    attempts = []
    real = loading.load

    def load(*arguments: Any, **options: Any) -> Any:
        attempts.append(arguments)
        if len(attempts) == 1:
            raise StorageError("truncated", "early_eof")
        return real(*arguments, **options)

    monkeypatch.setattr(loading, "load", load)
    assert desk.open().state == "ready"
    assert len(attempts) == 2


def test_a_fault_of_ours_while_loading_is_for_all_to_see_and_can_be_tried_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_memory(*_arguments: Any, **_options: Any) -> None:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(loading, "load", out_of_memory)
        session = desk.start(preview_limit=0)
        with pytest.raises(MemoryError):
            desk.runner.run_until_idle()
    assert session.error is not None
    assert (session.state, session.error.kind) == ("failed", "io")
    session.load()
    desk.runner.run_until_idle()
    assert (session.state, session.error) == ("ready", None)


def test_a_preview_is_followed_by_nothing_once_the_chat_is_closed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "PREVIEWED", 0)
    session = desk.start()
    desk.runner.run_one()
    session.close()
    desk.runner.advance(60)
    assert session.chat is None


def test_loading_can_be_stopped(desk: Desk) -> None:
    session = desk.start(preview_limit=0)
    session.cancel_load()
    desk.runner.run_until_idle()
    assert session.error is not None
    assert (session.state, session.chat, session.error.kind) == ("failed", None, "cancelled")


def test_what_comes_after_closing_counts_for_nothing(desk: Desk) -> None:
    session = desk.start()
    session.close()
    desk.runner.run_until_idle()
    assert (session.chat, session.preview) == (None, None)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'{"level":"info"}\n{"level":"warn"}', "not_a_chat"),
        (b'{"level":"info"}', "not_a_chat"),
        (b'{"chat_metadata":{}}', None),
        (b'{"user_name":"a","character_name":"b"}', None),
        (b'{"chat_metadata":{}}\n{"name":"no text"}', None),
        (b'{"x":1}\n{"mes":"a"}', None),
        (b"", None),
    ],
)
def test_json_lines_without_messages_are_no_chat_and_stay_as_they_are(
    desk: Desk, content: bytes, reason: str | None
) -> None:
    desk.path.write_bytes(content)
    session = desk.open()
    assert (session.state, session.read_only) == ("ready", reason)
    if reason is not None:
        with pytest.raises(CommandRefused, match="not a chat"):
            session.do(commands.AppendMessage(user("x")))


# -- changing and saving ------------------------------------------------------------------------------------


def test_changes_are_saved_and_everything_else_keeps_its_bytes(desk: Desk) -> None:
    session = desk.open()
    before = lines(desk.path)
    edit(session, 2, "edited")
    assert session.save_state.kind == "unsaved"
    desk.runner.advance(1)
    after = lines(desk.path)
    assert session.save_state.kind == "saved"
    assert [before[n] == after[n] for n in (1, 2, 4)] == [True] * 3
    assert b'"edited"' in after[3]
    assert desk.open().chat is not None


def test_undoing_everything_before_the_save_is_no_save(desk: Desk) -> None:
    before = desk.path.stat()
    session = desk.open()
    heard = recorded(session.undo_changed)
    edit(session, 0, "edited")
    session.do(commands.DeleteMessages([key(session, 1)]))
    assert session.undo_label == "Delete message"
    session.undo()
    session.undo()
    assert (session.undo_label, session.redo_label, session.save_state.kind) == (None, "Edit message", "saved")
    assert len(heard) == 4
    session.undo()
    desk.runner.advance(60)
    assert desk.path.stat() == before
    session.redo()
    assert shown(session)[0] == "edited"


def test_undo_after_a_save_restores_the_bytes_on_disk(desk: Desk) -> None:
    before = desk.path.read_bytes()
    session = desk.open()
    session.do(commands.SelectSwipe(key(session, 1), 1))
    session.do(commands.DeleteMessages([key(session, 0), key(session, 3)]))
    desk.runner.advance(1)
    assert len(lines(desk.path)) == 3
    session.undo()
    session.undo()
    desk.runner.advance(1)
    assert desk.path.read_bytes() == before


def test_an_undo_that_is_refused_is_forgotten(desk: Desk) -> None:
    session = desk.open()
    edit(session, 0, "edited")
    edit(session, 1, "edited too")
    assert session.chat is not None
    message = session.chat.messages[1]
    session.chat.replace(1, [message.with_data(message.data() | {"mes": "from elsewhere"})])
    with pytest.raises(UndoRefused):
        session.undo()
    session.undo()
    assert shown(session)[:2] == ["u0", "from elsewhere"]


def test_a_view_that_fails_does_not_keep_a_change_from_being_saved(desk: Desk) -> None:
    session = desk.open()
    assert session.chat is not None

    def fail(*_range: int) -> None:
        raise RuntimeError("a fault of a view")

    session.chat.changed.connect(fail)
    with pytest.raises(RuntimeError):
        edit(session, 0, "mine")
    assert session.save_state.kind == "unsaved"
    desk.runner.advance(1)
    assert b'"mine"' in lines(desk.path)[1]


def test_a_save_holds_what_the_chat_is_when_it_starts(desk: Desk) -> None:
    session = desk.open()
    edit(session, 0, "first")
    session.save_now()
    edit(session, 0, "second")
    desk.runner.run_one()
    assert b'"first"' in lines(desk.path)[1]
    assert session.is_dirty
    desk.runner.run_until_idle()
    desk.runner.advance(1)
    assert b'"second"' in lines(desk.path)[1]


def test_a_save_that_fails_leaves_the_file_and_is_tried_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    before = desk.path.read_bytes()
    session = desk.open()
    edit(session, 0, "edited")

    def full(*_arguments: Any, **_options: Any) -> None:
        raise StorageError("io", "space")

    with monkeypatch.context() as patched:
        patched.setattr(Stage, "sync", full)
        desk.runner.advance(1)
        assert (session.save_state.kind, session.is_dirty) == ("failed", True)
        assert desk.path.read_bytes() == before
    desk.runner.advance(2)
    assert (session.save_state.kind, session.is_dirty) == ("saved", False)


# -- other programs -----------------------------------------------------------------------------------------


def foreign_write(desk: Desk) -> list[bytes]:
    write(desk.path, [user("u0"), reply("a1", "b1"), user("foreign"), user("u2"), reply("a3")])
    return lines(desk.path)


def test_another_chat_in_the_place_of_this_one_is_never_saved_over(desk: Desk) -> None:
    session = desk.open()
    edit(session, 3, "mine")
    write(desk.path, RECORDS, b'{"chat_metadata":{"integrity":"another"}}')
    foreign = lines(desk.path)
    desk.runner.advance(1)
    assert session.trouble is not None
    assert (session.trouble.kind, session.save_state.kind) == ("other", "changed_on_disk")
    edit(session, 0, "mine too")
    session.save_now()
    desk.runner.advance(600)
    assert lines(desk.path) == foreign
    assert shown(session) == ["mine too", "a1", "u2", "mine"]


def test_reloading_puts_unsaved_changes_aside_and_takes_what_is_on_disk(desk: Desk) -> None:
    session = desk.open()
    assert session.chat is not None
    keys, chat = [message.key for message in session.chat.messages], session.chat
    edit(session, 3, "mine")
    foreign = foreign_write(desk)
    session.reload()
    assert session.state == "loading"
    with pytest.raises(CommandRefused):
        edit(session, 0, "slipped in")
    desk.runner.run_until_idle()
    assert session.chat is chat
    assert shown(session) == ["u0", "a1", "foreign", "u2", "a3"]
    assert (session.state, session.save_state.kind, session.undo_label) == ("ready", "saved", None)
    assert [message.key for message in chat.messages][:2] == keys[:2]
    [copy] = desk.recovery.iterdir()
    assert b'"mine"' in lines(copy)[4]
    assert str(copy) in desk.notices[0]
    edit(session, 2, "foreign, edited")
    desk.runner.advance(1)
    assert [a == b for a, b in zip(lines(desk.path)[1:], foreign[1:], strict=True)] == [True, True, False, True, True]


def test_reloading_without_changes_puts_nothing_aside(desk: Desk) -> None:
    session = desk.open()
    foreign_write(desk)
    session.reload()
    desk.runner.run_until_idle()
    assert len(shown(session)) == 5
    assert not desk.recovery.exists()


def test_a_reload_waits_for_the_save_that_is_running(desk: Desk) -> None:
    session = desk.open()
    edit(session, 0, "edited")
    session.save_now()
    session.reload()
    desk.runner.run_until_idle()
    assert shown(session)[0] == "edited"
    assert (session.save_state.kind, session.is_dirty) == ("saved", False)
    desk.runner.advance(60)
    assert b'"edited"' in lines(desk.path)[1]


def test_a_reload_that_fails_loses_nothing(desk: Desk) -> None:
    session = desk.open()
    edit(session, 0, "mine")
    desk.path.write_bytes(b"damaged")
    session.reload()
    desk.runner.run_until_idle()
    assert (session.state, shown(session)[0]) == ("ready", "mine")
    assert "not reloaded" in desk.notices[0]
    for _ in range(5):
        desk.runner.advance(60)
    assert desk.path.read_bytes() == b"damaged"
    assert session.trouble is not None
    assert (session.trouble.kind, session.save_state.kind) == ("unreadable", "changed_on_disk")


@pytest.mark.parametrize("harm", ["damaged", "gone"])
def test_what_only_memory_holds_since_counts_as_unsaved(desk: Desk, harm: str) -> None:
    session = desk.open()
    assert not session.is_dirty
    if harm == "gone":
        desk.path.unlink()
    else:
        desk.path.write_bytes(HEADER + b'\n{"mes":"cut he')
    session.reload()
    desk.runner.run_until_idle()
    assert (session.state, session.is_dirty, shown(session)) == ("ready", True, ["u0", "a1", "u2", "a3"])
    for _ in range(6):
        desk.runner.advance(5)
    assert session.trouble is not None
    path = session.save_as_new("rescued")
    desk.runner.run_until_idle()
    assert (session.is_dirty, lines(path)[1:]) == (False, [raw(record) for record in RECORDS])


def test_nothing_can_be_changed_between_putting_aside_and_reading(desk: Desk) -> None:
    session = desk.open()
    edit(session, 0, "mine")
    session.reload()
    with pytest.raises(CommandRefused):
        edit(session, 0, "too late")
    session.reload()
    desk.runner.run_until_idle()
    assert len(list(desk.recovery.iterdir())) == 1


def test_a_long_name_does_not_keep_changes_from_being_put_aside(desk: Desk) -> None:
    path = write(desk.path.with_name("\U0001d54f" * 60 + ".jsonl"), RECORDS)
    session = desk.open(path)
    edit(session, 0, "mine")
    session.reload()
    desk.runner.run_until_idle()
    assert (session.is_dirty, len(list(desk.recovery.iterdir()))) == (False, 1)


def test_a_reload_that_cannot_put_changes_aside_is_none(desk: Desk) -> None:
    session = desk.open()
    edit(session, 0, "mine")
    desk.recovery.parent.write_bytes(b"in the way")
    session.reload()
    desk.runner.run_until_idle()
    assert (session.state, shown(session)[0], session.is_dirty) == ("ready", "mine", True)


def test_a_reload_can_be_stopped(desk: Desk) -> None:
    session = desk.open()
    edit(session, 0, "mine")
    session.reload()
    session.cancel_load()
    desk.runner.run_until_idle()
    assert (session.state, shown(session)[0], desk.notices) == ("ready", "mine", [])


def test_a_file_that_is_gone_can_be_saved_again_under_its_name(desk: Desk) -> None:
    session = desk.open()
    edit(session, 0, "mine")
    desk.path.unlink()
    for _ in range(2):
        desk.runner.advance(5)
    assert session.save_state.kind == "gone"
    assert not desk.path.exists()
    session.save_as_new("talk")
    desk.runner.run_until_idle()
    assert (session.save_state.kind, b'"mine"' in lines(desk.path)[1]) == ("saved", True)


# -- saving as a new chat -----------------------------------------------------------------------------------


def test_saving_as_a_new_chat_leaves_the_old_file_and_goes_on_in_the_new(desk: Desk) -> None:
    session = desk.open()
    edit(session, 3, "mine")
    foreign = foreign_write(desk)
    former = recorded(session.path_changed)
    path = session.save_as_new("mine: my words?")
    assert path.name == "mine my words.jsonl"
    desk.runner.run_until_idle()
    assert (former, session.path, session.title) == ([desk.path], path, "mine my words")
    assert lines(desk.path) == foreign
    assert session.chat is not None
    assert session.chat.header.integrity() not in (None, "11111111-1111-4111-8111-111111111111")
    assert (session.save_state.kind, session.is_dirty) == ("saved", False)
    edit(session, 0, "later")
    desk.runner.advance(1)
    assert [b'"later"' in lines(path)[1], b'"mine"' in lines(path)[4]] == [True, True]
    assert lines(desk.path) == foreign


def test_what_is_changed_while_saving_as_new_is_saved_there_next(desk: Desk) -> None:
    session = desk.open()
    path = session.save_as_new("new")
    edit(session, 0, "meanwhile")
    desk.runner.run_until_idle()
    assert session.is_dirty
    desk.runner.advance(1)
    assert b'"meanwhile"' in lines(path)[1]
    assert b'"tainted":true' in lines(path)[0]
    assert lines(desk.path)[1] == raw(RECORDS[0])


@pytest.mark.parametrize(("name", "kind"), [("talk", "already_exists"), ("?", "validation")])
def test_a_name_that_cannot_be_used_is_said_at_once(desk: Desk, name: str, kind: str) -> None:
    session = desk.open()
    with pytest.raises(StorageError) as caught:
        session.save_as_new(name)
    assert caught.value.kind == kind
    assert session.path == desk.path


def test_saving_as_new_that_fails_stays_with_the_file(desk: Desk) -> None:
    session = desk.open()
    edit(session, 0, "mine")
    path = session.save_as_new("new")
    path.write_bytes(b"somebody was quicker")
    desk.runner.run_until_idle()
    assert (session.path, path.read_bytes()) == (desk.path, b"somebody was quicker")
    assert "new chat" in desk.notices[0]
    desk.runner.advance(1)
    assert b'"mine"' in lines(desk.path)[1]


# -- group chats without a header ---------------------------------------------------------------------------


@pytest.fixture
def group(desk: Desk) -> Path:
    return write(desk.path.parents[2] / "group chats" / "1719400000000.jsonl", RECORDS, None)


def test_a_group_chat_without_a_header_gets_one_from_the_group_with_the_first_change(desk: Desk, group: Path) -> None:
    desk.metadata = ({"note_prompt": "n"}, False)
    session = desk.open(group, "group")
    assert shown(session) == ["u0", "a1", "u2", "a3"]
    assert (session.needs_header_consent, session.is_dirty) == (False, False)
    session.save_now()
    desk.runner.advance(60)
    assert len(lines(group)) == 4
    edit(session, 3, "edited")
    desk.runner.advance(1)
    after = lines(group)
    assert b'"note_prompt":"n"' in after[0]
    assert b'"integrity"' in after[0]
    assert after[1:4] == [raw(record) for record in RECORDS[:3]]


def test_where_an_older_sillytavern_reads_it_saving_waits_for_consent(desk: Desk, group: Path) -> None:
    desk.metadata = ({}, True)
    session = desk.open(group, "group")
    assert (session.needs_header_consent, session.save_state.kind) == (True, "saved")
    edit(session, 0, "edited")
    session.save_now()
    desk.runner.advance(60)
    assert (session.save_state.kind, len(lines(group))) == ("needs_header_consent", 4)
    session.allow_header()
    desk.runner.advance(1)
    assert (session.save_state.kind, len(lines(group))) == ("saved", 5)


def test_keeping_the_old_form_is_reading_only_and_puts_changes_aside(desk: Desk, group: Path) -> None:
    desk.metadata = ({}, True)
    before = group.read_bytes()
    session = desk.open(group, "group")
    edit(session, 0, "edited")
    session.keep_old_form()
    desk.runner.run_until_idle()
    assert (session.read_only, session.needs_header_consent, session.is_dirty) == ("old_form", False, False)
    assert shown(session)[0] == "u0"
    assert len(list(desk.recovery.iterdir())) == 1
    with pytest.raises(CommandRefused, match="old form"):
        edit(session, 0, "again")
    desk.runner.advance(60)
    assert group.read_bytes() == before


def test_where_changes_cannot_be_put_aside_the_old_form_is_kept_all_the_same(desk: Desk, group: Path) -> None:
    desk.metadata = ({}, True)
    before = group.read_bytes()
    session = desk.open(group, "group")
    edit(session, 0, "mine")
    desk.recovery.parent.write_bytes(b"in the way")
    session.keep_old_form()
    desk.runner.run_until_idle()
    session.save_now()
    desk.runner.advance(60)
    assert group.read_bytes() == before
    assert (session.is_dirty, shown(session)[0]) == (True, "mine")


def test_where_another_process_owns_the_folder_nothing_is_changed(desk: Desk, group: Path) -> None:
    desk.metadata = ({}, True)
    for path, kind in ((desk.path, "character"), (group, "group")):
        session = desk.open(path, kind, read_only=True)
        assert (session.read_only, session.can_change, session.needs_header_consent) == (
            "owned_elsewhere",
            False,
            False,
        )
        with pytest.raises(CommandRefused):
            edit(session, 0, "x")
