"""When a chat is saved, and what happens when it cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.chat.header import Header
from tavern_desktop.session.save_queue import RETRY_WAITS, Save, SaveQueue
from tavern_desktop.session.versions import Version
from tavern_desktop.session.writing import Written
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError
from tavern_desktop.storage.signature import Signature
from tests.unit.session.chats import ByHand, recorded

PUBLISHED = Written(Version(Header.new(), []), Signature(1, 2, (3, 4)))


class Document:
    """What is saved: a text, and the one on disk."""

    def __init__(self) -> None:
        self.text = self.on_disk = ""
        self.failures: list[Exception] = []
        self.writes: list[str] = []
        self.refused: list[Exception] = []
        self.runner = ByHand()
        self.queue = SaveQueue(self.runner, "lane", lambda: self.text != self.on_disk, self._begin)
        self.kinds: list[str] = []
        self.queue.changed.connect(self._note)

    def _note(self) -> None:
        self.kinds.append(self.queue.state.kind)

    def type(self, text: str) -> None:
        self.text = text
        self.queue.note_change()

    def _begin(self) -> Save:
        text = self.text

        def write() -> Written:
            if self.failures:
                raise self.failures.pop(0)
            self.writes.append(text)
            return PUBLISHED

        def adopt(written: Written) -> None:
            assert written is PUBLISHED
            self.on_disk = text

        return Save(write, adopt, self.refused.append)


@pytest.fixture
def document() -> Document:
    return Document()


def io_error() -> StorageError:
    return StorageError("io", "space", "no room")


def test_a_change_is_saved_a_second_later_with_what_came_meanwhile(document: Document) -> None:
    document.type("a")
    document.runner.advance(0.6)
    document.type("ab")
    assert document.writes == []
    document.runner.advance(0.4)
    assert document.writes == ["ab"]
    assert document.kinds == ["unsaved", "saving", "saved"]
    assert document.queue.state.at is not None


def test_what_is_typed_while_saving_is_saved_after(document: Document) -> None:
    document.type("a")
    document.queue.save_now()
    document.type("ab")
    document.runner.run_until_idle()
    assert (document.writes, document.queue.state.kind) == (["a"], "unsaved")
    document.runner.advance(1)
    assert document.writes == ["a", "ab"]


def test_asking_to_save_during_a_save_saves_directly_after_it(document: Document) -> None:
    document.type("a")
    document.queue.save_now()
    document.type("ab")
    document.queue.save_now()
    document.runner.run_until_idle()
    assert document.writes == ["a", "ab"]


def test_nothing_changed_is_nothing_to_save(document: Document) -> None:
    document.queue.save_now()
    document.type("a")
    document.type("")
    document.runner.advance(60)
    assert document.writes == []
    assert document.queue.state.kind == "saved"


def test_a_failure_is_shown_and_tried_again_with_growing_waits(document: Document) -> None:
    document.failures = [io_error() for _ in range(len(RETRY_WAITS) + 2)]
    document.type("a")
    document.runner.advance(1)
    assert document.queue.state.kind == "failed"
    assert document.queue.state.error is not None
    assert document.queue.state.error.detail == "space"
    for wait in (*RETRY_WAITS, RETRY_WAITS[-1]):
        left = len(document.failures)
        document.runner.advance(wait - 0.1)
        assert len(document.failures) == left
        document.runner.advance(0.1)
        assert len(document.failures) == left - 1
    document.runner.advance(RETRY_WAITS[-1])
    assert (document.writes, document.queue.state.kind) == (["a"], "saved")
    document.failures = [io_error()]
    document.type("b")
    document.runner.advance(1)
    document.runner.advance(RETRY_WAITS[0])
    assert document.writes == ["a", "b"]


def test_after_a_failure_the_person_need_not_wait(document: Document) -> None:
    document.failures = [io_error()]
    document.type("a")
    document.runner.advance(1)
    document.queue.save_now()
    document.runner.run_until_idle()
    assert document.writes == ["a"]
    document.runner.advance(60)
    assert document.writes == ["a"]


def test_typing_after_a_failure_does_not_hide_it_and_taking_all_back_ends_it(document: Document) -> None:
    document.failures = [io_error()]
    document.type("a")
    document.runner.advance(1)
    document.type("ab")
    assert document.kinds[-1] == "failed"
    document.type("")
    assert document.kinds[-1] == "saved"
    document.runner.advance(60)
    assert document.writes == []


def test_what_trying_again_cannot_mend_waits_for_the_person(document: Document) -> None:
    document.failures = [StorageError("integrity", "mismatch")]
    document.type("a")
    document.runner.advance(1)
    document.runner.advance(600)
    assert (document.writes, document.queue.state.kind) == ([], "failed")


def test_a_file_changed_by_another_program_is_not_saved_over(document: Document) -> None:
    document.failures = [ChangedOnDisk(Path("x"), None)]
    document.type("a")
    document.runner.advance(1)
    document.type("ab")
    document.queue.save_now()
    document.runner.advance(600)
    assert (document.writes, document.queue.state.kind) == ([], "changed_on_disk")
    document.queue.restart("lane")
    assert document.queue.state.kind == "unsaved"
    document.runner.advance(1)
    assert document.writes == ["ab"]


def test_without_consent_nothing_is_written_and_only_changes_ask_for_it(document: Document) -> None:
    document.queue.wait_as("needs_header_consent")
    document.queue.note_change()
    assert document.queue.state.kind == "saved"
    document.type("a")
    document.queue.save_now()
    document.runner.advance(60)
    assert (document.writes, document.queue.state.kind) == ([], "needs_header_consent")
    document.queue.wait_as(None)
    document.queue.note_change()
    document.runner.advance(1)
    assert document.writes == ["a"]


def test_paused_it_saves_nothing_and_then_goes_on(document: Document) -> None:
    document.type("a")
    document.queue.pause()
    document.queue.save_now()
    document.runner.advance(60)
    assert document.writes == []
    document.queue.resume()
    document.runner.advance(1)
    assert document.writes == ["a"]


def test_a_change_during_a_pause_is_not_saved_and_is_said_not_to_be(document: Document) -> None:
    document.queue.pause()
    document.type("a")
    assert document.queue.state.kind == "unsaved"
    document.queue.resume()
    document.runner.advance(1)
    assert document.writes == ["a"]


def test_a_fault_of_ours_is_not_swallowed_and_the_change_counts_as_unsaved(document: Document) -> None:
    document.failures = [RuntimeError("a fault")]
    document.type("a")
    document.queue.save_now()
    with pytest.raises(RuntimeError):
        document.runner.run_until_idle()
    assert document.queue.state.kind == "unsaved"
    assert not document.queue.is_busy


def test_every_state_is_told_once(document: Document) -> None:
    told = recorded(document.queue.changed)
    document.type("a")
    document.type("ab")
    assert len(told) == 1


def test_it_never_says_saved_while_something_is_not(document: Document) -> None:
    """Whoever waits for "saved" waits for their own change: a save before it does not count."""
    document.type("a")
    document.queue.save_now()
    document.type("ab")
    document.queue.save_now()
    document.kinds.clear()
    document.runner.run_until_idle()
    assert document.kinds == ["saving", "saved"] or document.kinds == ["saved"]
    assert document.on_disk == "ab"


def test_after_a_pause_a_failed_save_is_tried_again_too(document: Document) -> None:
    document.failures = [io_error()]
    document.type("a")
    document.runner.advance(1)
    document.queue.pause()
    document.runner.advance(600)
    assert document.writes == []
    document.queue.resume()
    document.runner.advance(RETRY_WAITS[0])
    assert (document.writes, document.queue.state.kind) == (["a"], "saved")


def test_a_save_that_fails_during_a_pause_is_tried_again_after_it(document: Document) -> None:
    document.failures = [io_error()]
    document.type("a")
    document.queue.save_now()
    document.queue.pause()
    document.runner.run_until_idle()
    assert document.queue.state.kind == "failed"
    document.runner.advance(600)
    document.queue.resume()
    document.runner.advance(RETRY_WAITS[0])
    assert document.writes == ["a"]


@pytest.mark.parametrize("goes_on", ["resume", "restart"])
def test_what_was_to_be_saved_at_once_is_saved_when_a_pause_ends(document: Document, goes_on: str) -> None:
    """The end of a program waits for no timers."""
    document.type("a")
    document.queue.pause()
    document.queue.save_now()
    if goes_on == "resume":
        document.queue.resume()
    else:
        document.queue.restart("other", is_saved=True)
    document.runner.run_until_idle()
    assert document.writes == ["a"]


def test_a_save_that_ends_in_a_pause_plans_nothing_before_its_end(document: Document) -> None:
    document.type("a")
    document.queue.save_now()
    document.type("ab")
    document.queue.pause()
    document.runner.advance(600)
    assert (document.writes, document.queue.state.kind) == (["a"], "unsaved")
    document.queue.resume()
    document.runner.advance(1)
    assert document.writes == ["a", "ab"]


@pytest.mark.parametrize("error", [StorageError("io", "sync"), StorageError("not_found", "directory")])
def test_what_may_pass_is_tried_again(document: Document, error: StorageError) -> None:
    document.failures = [error]
    document.type("a")
    document.runner.advance(1)
    document.runner.advance(RETRY_WAITS[0])
    assert document.writes == ["a"]


@pytest.mark.parametrize(
    "error",
    [StorageError("integrity", "mismatch", side="existing"), StorageError("bad_header", "json", side="existing")],
)
def test_a_file_that_is_something_else_now_is_one_that_another_program_changed(
    document: Document, error: StorageError
) -> None:
    document.failures = [error]
    document.type("a")
    document.runner.advance(1)
    document.type("ab")
    document.queue.save_now()
    document.runner.advance(600)
    assert (document.writes, document.queue.state.kind, document.queue.state.error) == ([], "changed_on_disk", error)


def test_another_version_on_disk_ends_a_failure(document: Document) -> None:
    document.failures = [io_error()]
    document.type("a")
    document.runner.advance(1)
    document.queue.pause()
    document.queue.restart("lane")
    assert document.queue.state.kind == "unsaved"
    document.runner.advance(1)
    assert document.writes == ["a"]


def test_asking_again_during_a_save_that_fails_does_not_hurry_the_next_attempt(document: Document) -> None:
    document.failures = [io_error()]
    document.type("a")
    document.queue.save_now()
    document.queue.save_now()
    document.runner.run_until_idle()
    assert (document.writes, document.queue.state.kind) == ([], "failed")
    document.type("ab")
    document.runner.run_until_idle()
    assert document.writes == []
    document.runner.advance(RETRY_WAITS[0])
    assert document.writes == ["ab"]


def test_when_it_was_last_written_stays_known(document: Document) -> None:
    document.type("a")
    document.runner.advance(1)
    at = document.queue.state.at
    assert at is not None
    document.type("ab")
    assert document.queue.state.at == at
    document.failures = [io_error()]
    document.runner.advance(1)
    assert (document.queue.state.kind, document.queue.state.at) == ("failed", at)
