"""Old versions become fewer, recent ones stay, and no chat pays for another (known failures B-20)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tavern_desktop.storage import journal as journal_module
from tavern_desktop.storage import journal_thinning
from tavern_desktop.storage.journal import Journal
from tavern_desktop.storage.journal_format import Meta
from tavern_desktop.storage.journal_state import digests_of, save_state, state_of
from tavern_desktop.storage.journal_thinning import groups, thin, thin_all
from tavern_desktop.storage.journal_versions import records_at
from tavern_desktop.storage.signature import Signature
from tests.unit.storage.journal_story import DAY, HOUR, Story

PLENTY = 1 << 40


@pytest.fixture(autouse=True)
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "FULL_ENTRIES", 50)


@pytest.fixture
def story(tmp_path: Path) -> Story:
    return Story(Journal(tmp_path / "journal" / "key"))


def reachable(story: Story) -> list[int]:
    """Return the states that can be gone back to, having seen that each is what it was."""
    journal = Journal(story.journal.folder)
    numbers = sorted({journal.number, *(meta.before for meta in journal.metas())})
    for number in numbers:
        assert records_at(journal, number, *story.state()) == story.states[number]
    return numbers


def test_recent_versions_stay_older_ones_become_fewer(story: Story) -> None:
    list(story.changes(600, every=HOUR // 4))
    begun = story.now - 600 * HOUR // 4
    before = story.journal.size
    assert thin(story.journal, 0, story.now) is False
    kept = reachable(story)
    recent = [number for number in kept if number > 600 - 2 * 24 * 4]
    assert recent == list(range(recent[0], 601))
    older = [number for number in kept if 0 < number < recent[0]]
    assert len(older) <= (story.now - begun) / HOUR - 40
    assert older
    assert story.journal.size < before
    assert story.journal.metas()[-1].joined > 1
    again = story.journal.size
    assert thin(story.journal, 0, story.now) is False
    assert story.journal.size == again


def test_a_chat_of_years(story: Story) -> None:
    """A story that is written a little every day for three years."""
    for number in story.changes(3 * 365, every=DAY):
        if number % 90 == 0:
            thin(story.journal, 0, story.now)
    thin(story.journal, 0, story.now)
    kept = reachable(story)
    assert 365 <= len(kept) <= 365 + 2 * 13 + 60
    assert kept[0] == 0


def test_the_chat_that_matters_keeps_its_versions(tmp_path: Path) -> None:
    """P is edited once a week for eight weeks, Q is saved 5,000 times in between."""
    p, q = Story(Journal(tmp_path / "journal" / "p")), Story(Journal(tmp_path / "journal" / "q"))
    for _ in range(8):
        p.change(every=7 * DAY)
        list(q.changes(625, every=7 * DAY // 625))
        for story in (p, q):
            thin(story.journal, 0, q.now)
    thin_all(tmp_path / "journal", None, q.now, busy=(), most=0)
    assert reachable(p) == list(range(9))
    versions = q.journal.metas()
    assert 14 * 24 // 3 < len(versions) < 1000
    assert sum(meta.joined for meta in versions) == 5000


def test_the_version_before_a_shrink_always_stays(story: Story) -> None:
    list(story.changes(60, every=HOUR // 60))
    story.chat.remove(5, 16)
    shrunk = story.write()
    story.now += HOUR // 60
    list(story.changes(100, every=HOUR // 60))
    story.now += 400 * DAY
    list(story.changes(100, every=HOUR // 60))
    thin(story.journal, 0, story.now + 30 * DAY)
    kept = reachable(story)
    assert shrunk - 1 in kept
    assert len(kept) < 60
    assert thin(story.journal, 0, story.now + 30 * DAY, limit=0) is False
    assert shrunk - 1 in reachable(story)


def test_a_limit_for_the_size(story: Story) -> None:
    list(story.changes(600, every=HOUR))
    half = story.journal.size // 2
    thin(story.journal, 0, story.now, limit=half)
    assert story.journal.size <= half
    recent = reachable(story)[-24:]
    assert recent == list(range(577, 601))
    thin(story.journal, 0, story.now, limit=0)
    assert Journal(story.journal.folder).number == 600
    assert len(story.journal.segments) == 1


def test_little_by_little(story: Story) -> None:
    list(story.changes(600, every=HOUR // 4))
    rounds = 1
    while thin(story.journal, 0, story.now + 500 * DAY, work=1):
        reachable(story)
        rounds += 1
        assert rounds < 50
    assert rounds > 1


def test_what_is_known_of_the_file_stays_known(story: Story) -> None:
    list(story.changes(150, every=HOUR))
    save_state(story.journal.folder, 73, digests_of(story.states[73][1]))
    story.journal.note_published(Signature(1, 2, (3, 4)), 131, len(story.states[131][1]))
    thin(story.journal, 0, story.now + 1000 * DAY)
    journal = Journal(story.journal.folder)
    assert {73, 131} <= set(reachable(story))
    assert journal.published is not None
    assert journal.published.number == 131
    assert state_of(journal, story.states[131][1]) == 131


def test_killed_while_files_are_joined(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new file is there and the old ones are not removed yet: nothing counts twice."""
    list(story.changes(200, every=HOUR))
    monkeypatch.setattr(Path, "unlink", lambda *_, **__: None)
    thin(story.journal, 0, story.now + 1000 * DAY)
    monkeypatch.undo()
    assert len(os.listdir(story.journal.folder)) == 4
    kept = reachable(story)
    assert len(kept) < 100
    story.change()
    assert len(os.listdir(story.journal.folder)) == 2
    assert reachable(story) == [*kept, 201]


def test_a_damaged_change_stops_no_other(story: Story) -> None:
    list(story.changes(120, every=HOUR))
    segment = story.journal.segments[0]
    data = bytearray(segment.path.read_bytes())
    data[segment.payloads[30][0] + 2] ^= 1
    segment.path.write_bytes(data)
    thin(story.journal, 0, story.now + 1000 * DAY)
    journal = Journal(story.journal.folder)
    assert records_at(journal, 100, *story.state()) == story.states[100]
    assert journal.metas()[-1].before == 0


def test_all_journals_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_thinning, "LEAST_KEPT", 2000)
    stories = {}
    for name, count in (("gone", 120), ("large", 300), ("open", 300), ("small", 5)):
        chat = tmp_path / f"{name}.jsonl"
        chat.touch()
        stories[name] = Story(Journal(tmp_path / "journal" / name, chat.name))
        list(stories[name].changes(count, every=HOUR))
    (tmp_path / "gone.jsonl").unlink()
    sizes = {name: story.journal.size for name, story in stories.items()}
    now = stories["large"].now + 200 * DAY
    most = sizes["large"] // 2 + sizes["open"] + sizes["small"] + 100
    thin_all(tmp_path / "journal", tmp_path / "not there now", now, {"open", "large"}, most=0)
    assert Journal(stories["gone"].journal.folder).size > 0
    thin_all(tmp_path / "journal", tmp_path, now, {"open"}, most=most)
    found = {name: Journal(story.journal.folder).size for name, story in stories.items()}
    assert found["gone"] == 0
    assert 0 < found["large"] <= sizes["large"] // 2
    assert (found["open"], found["small"]) == (sizes["open"], sizes["small"])
    thin_all(tmp_path / "nothing", None, now, ())


def meta(number: int, age_ms: int, added: int = 0, removed: int = 0) -> Meta:
    return Meta(number, number - 1, -age_ms, 0, "", 100, added, removed, 0, 0, None, 1, removed - added >= 10, False, 0)


def test_which_changes_become_one() -> None:
    def numbers(*metas: Meta, kept: tuple[int, ...] = ()) -> list[list[int]]:
        return [[one.number for one in group] for group in groups(metas, 0, kept=kept)]

    week = 7 * DAY
    assert numbers(meta(1, DAY), meta(2, DAY)) == [[1], [2]]
    assert numbers(meta(1, week), meta(2, week), meta(3, week - HOUR)) == [[1, 2], [3]]
    assert numbers(meta(1, week), meta(2, week, removed=10), meta(3, week)) == [[1], [2, 3]]
    assert numbers(meta(1, week), meta(2, week), kept=(1,)) == [[1], [2]]
    assert numbers(meta(1, 20 * DAY), meta(2, 20 * DAY - 5 * HOUR), meta(3, DAY)) == [[1, 2], [3]]
