"""The same chat is open here and in SillyTavern, and both write it: in turn, at once, one with an old copy."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from tests.interop.chats import records
from tests.interop.here import Here
from tests.interop.page import Page, said
from tests.interop.sillytavern import Server

ROUNDS = 60


@pytest.fixture(params=["character", "group"])
def path(request: pytest.FixtureRequest, server: Server) -> Path:
    """A chat of SillyTavern's own, of a character and of a group."""
    if request.param == "group":
        original = next((server.user_folder / "group chats").glob("20*.jsonl"))
        return Path(shutil.copy(original, original.with_name(f"{request.node.name}.jsonl")))
    path = server.create_chat("Neighbour", "begun there")
    page = Page(server, path)
    for number in range(4):
        page.say(f"question {number}")
        page.answer(f"answer {number}")
    return path


@pytest.fixture
def page(server: Server, path: Path) -> Page:
    return Page(server, path)


def test_in_turn_each_sees_what_the_other_wrote(here: Here, page: Page) -> None:
    page.say("from there")
    here.look()
    assert here.texts()[-1] == "from there"
    here.say("from here")
    here.save()
    page.reload()
    assert page.texts()[-2:] == ["from there", "from here"]
    page.answer("an answer there")
    page.swipe(len(page.texts()) - 1, "another one")
    here.look()
    assert here.texts() == page.texts()
    assert here.texts()[-3:] == ["from there", "from here", "another one"]
    assert here.restored == 0


def test_its_old_copy_over_our_messages_takes_none_of_them(here: Here, page: Page, path: Path) -> None:
    here.say("ours one")
    here.say("ours two")
    here.save()
    page.say("theirs")  # the page does not know of ours, and writes its whole chat
    assert "ours one" not in said(records(path))
    here.look()
    assert said(records(path)) >= {"ours one", "ours two", "theirs"}
    assert here.restored == 2
    page.reload()
    assert page.texts() == here.texts()


def test_both_write_before_either_saves(here: Here, page: Page, path: Path) -> None:
    here.say("ours")
    page.say("theirs")
    here.save()
    assert here.texts()[-2:] == ["theirs", "ours"]
    page.reload()
    assert page.texts() == here.texts()


def test_different_messages_edited_on_both_sides_keep_both_edits(here: Here, page: Page, path: Path) -> None:
    here.edit(0, "edited here")
    page.edit(2, "edited there")
    here.save()
    assert said(records(path)) >= {"edited here", "edited there"}


def test_what_we_deleted_stays_deleted_though_its_old_copy_has_it(here: Here, page: Page, path: Path) -> None:
    gone = here.texts()[1]
    here.delete(1)
    here.save()
    page.say("from its old copy")
    here.look()
    assert "from its old copy" in said(records(path))
    assert gone not in here.texts()


def test_what_it_deletes_is_gone_here_too(here: Here, page: Page) -> None:
    count = len(here.texts())
    page.delete(1)
    here.look()
    assert len(here.texts()) == count - 1
    assert here.texts() == page.texts()


def test_what_it_saves_over_while_we_are_closed_is_back_when_we_open(path: Path, page: Page, tmp_path: Path) -> None:
    here = Here(path, tmp_path)
    here.say("ours one")
    here.say("ours two")
    here.save()
    here.close()
    page.say("theirs")  # from its old copy
    assert "ours one" not in said(records(path))
    again = Here(path, tmp_path)
    assert again.session.recovery is not None
    assert (again.session.recovery.kind, again.session.recovery.count) == ("saved_over", 2)
    again.save()
    assert said(records(path)) >= {"ours one", "ours two", "theirs"}
    again.close()


def test_what_it_says_and_takes_back_is_gone_here_too(here: Here, page: Page, path: Path) -> None:
    """Deleting and regenerating its newest answer: neither is mistaken for an old copy saved over us."""
    count = len(here.texts())
    page.answer("a first answer")
    here.look()
    assert here.texts()[count:] == ["a first answer"]
    page.delete(count)
    here.look()
    assert here.texts()[count:] == []
    page.answer("a second answer")
    here.look()
    page.delete(count)
    page.answer("a third answer")
    here.look()
    assert here.texts()[count:] == ["a third answer"]
    assert (here.texts(), here.restored) == (page.texts(), 0)
    here.close()
    page.delete(count)
    again = Here(path, here.own_folder)
    assert (again.session.recovery, again.texts()) == (None, page.texts())
    again.close()


def test_undo_takes_back_what_was_restored_or_followed(here: Here, page: Page, path: Path) -> None:
    here.say("ours")
    here.save()
    page.say("theirs")
    here.look()
    assert {"ours", "theirs"} <= set(here.texts())
    here.undo()
    assert "theirs" not in here.texts()
    page.reload()
    assert page.texts() == here.texts()


def test_what_it_drops_itself_stands_in_our_history(here: Here, page: Page, path: Path) -> None:
    """A line that it cannot parse is gone with its next save, without a question; ours was read before."""
    text = here.texts()[2]
    lines = path.read_bytes().split(b"\n")
    lines[3] = lines[3][:-1]
    path.write_bytes(b"\n".join(lines))
    page.reload()
    page.say("after that")
    assert text not in [record["mes"] for record in records(path)[1:]]
    here.look()
    assert "after that" in here.texts()
    assert text in here.texts() or any(text in version for version in here.earlier_versions())


@pytest.mark.parametrize("seed", range(3))
def test_whatever_the_order_no_message_of_either_is_missing(here: Here, page: Page, path: Path, seed: int) -> None:
    """Both add and add again, save when it suits them, and look or reload only now and then."""
    chance = random.Random(seed)
    written: set[str] = set()
    for number in range(ROUNDS):
        text = f"{seed}/{number} {chance.random()}"
        step = chance.choice(("here", "here", "there", "answer", "swipe", "save", "look", "reload"))
        if step == "here":
            here.say(text)
        elif step == "there":
            page.say(text)
        elif step == "answer":
            page.answer(text)
        elif step == "swipe" and "swipes" in page.chat[-1]:
            page.swipe(len(page.chat) - 2, text)
        elif step == "save":
            here.save()
        elif step == "look":
            here.look()
        elif step == "reload":
            page.reload()
        if step in ("here", "there", "answer") or (step == "swipe" and text in said(page.chat)):
            written.add(text)
    here.save()
    here.look()
    here.save()
    assert written - said(records(path)) == set()
    page.reload()
    assert page.texts() == here.texts()
    assert here.session.trouble is None
