"""Any version of a chat, from its present and its journal; and a file known again by digests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.chat import deltas
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.journal import Journal
from tavern_desktop.storage.journal_state import closest_state, digests_at, digests_of, kept_state, save_state, state_of
from tavern_desktop.storage.journal_versions import net, records_at
from tests.unit.storage.journal_story import Story


@pytest.fixture
def story(tmp_path: Path) -> Story:
    story = Story(Journal(tmp_path / "journal"))
    list(story.changes(40))
    return story


def test_every_version_can_be_read(story: Story) -> None:
    present = story.state()
    for number, state in enumerate(story.states):
        assert records_at(story.journal, number, *present) == state
        assert records_at(story.journal, number, *story.states[20], at=20) == state
    assert story.state() == present


def test_the_difference_of_any_two_versions(story: Story) -> None:
    for older, newer in ((0, 40), (0, 1), (7, 31), (39, 40)):
        delta = net(story.journal, older, newer)
        assert delta is not None
        header, records = story.states[older]
        found = list(records)
        assert (deltas.apply(delta, header, found), found) == story.states[newer]
    assert net(story.journal, 12, 12) is None


def test_a_chat_that_is_not_the_present_one_is_noticed(story: Story) -> None:
    header, records = story.states[39]
    with pytest.raises(StorageError) as caught:
        records_at(story.journal, 0, header, records)
    assert (caught.value.kind, caught.value.detail) == ("io", "read")


@pytest.mark.parametrize(("older", "newer"), [(0, 41), (-1, 4), (41, 42)])
def test_versions_that_are_not_there(story: Story, older: int, newer: int) -> None:
    with pytest.raises(StorageError) as caught:
        net(story.journal, older, newer)
    assert caught.value.kind == "not_found"


def test_a_file_is_known_again(story: Story) -> None:
    journal = story.journal
    assert state_of(journal, story.states[30][1]) is None
    save_state(journal.folder, 10, digests_of(story.states[10][1]))
    for number in range(10, 41):
        found = state_of(journal, story.states[number][1])
        assert found is not None
        assert story.states[found][1] == story.states[number][1]
        assert digests_at(journal, number) == digests_of(story.states[number][1])
    assert state_of(journal, story.states[9][1]) is None
    assert digests_at(journal, 9) is None
    assert state_of(journal, [b"{}"]) is None


def test_where_a_file_comes_from(story: Story) -> None:
    journal = story.journal
    assert closest_state(journal, story.states[5][1]) is None
    save_state(journal.folder, 0, digests_of(story.states[0][1]))
    for number in range(41):
        found = closest_state(journal, story.states[number][1])
        assert found is not None
        assert sorted(story.states[found][1]) == sorted(story.states[number][1])
    by_another = [b'{"mes":"new"}', *story.states[17][1][:-1], b'{"mes":"newer"}']
    found = closest_state(journal, by_another)
    assert found is not None
    assert abs(found - 17) <= 1


def test_a_damaged_state_file_says_nothing(story: Story) -> None:
    folder = story.journal.folder
    save_state(folder, 40, digests_of(story.state()[1]))
    path = folder / "state"
    whole = path.read_bytes()
    for damaged in (b"", whole[:10], whole[:-1], whole[:-8], whole[:20] + b"?" + whole[21:], b"x" + whole):
        path.write_bytes(damaged)
        assert kept_state(folder) is None
    path.write_bytes(whole)
    assert kept_state(folder) == (40, digests_of(story.state()[1]))


def test_a_state_of_a_journal_that_is_gone_says_nothing(story: Story) -> None:
    save_state(story.journal.folder, 40, digests_of(story.state()[1]))
    for path in story.journal.folder.glob("*.journal"):
        path.unlink()
    journal = Journal(story.journal.folder)
    assert state_of(journal, story.state()[1]) is None
    assert closest_state(journal, story.state()[1]) is None
    assert digests_at(journal, 40) is None
