"""What ties chats to each other, read from whatever stands there."""

from __future__ import annotations

import pytest

from tavern_desktop.chat import links
from tavern_desktop.chat.links import Link


def test_links_of_a_message() -> None:
    data = {"mes": "x", "extra": {"bookmark_link": "cp", "branches": ["b1", 7, "", "b2"]}}
    assert links.links_of(3, data) == [Link(3, "checkpoint", "cp"), Link(3, "branch", "b1"), Link(3, "branch", "b2")]


@pytest.mark.parametrize("extra", [None, [], {}, {"bookmark_link": None, "branches": "x"}, {"bookmark_link": 7}])
def test_what_is_no_link(extra: object) -> None:
    assert links.links_of(0, {"extra": extra}) == []
    assert links.bookmark_of({"extra": extra}) == ""
    assert links.relinked({"extra": extra}, "x", "y") == {"extra": extra}


def test_the_parent_of_a_chat() -> None:
    assert links.parent_of({"main_chat": "Origin"}) == "Origin"
    assert links.parent_of({"main_chat": None}) == links.parent_of({}) == ""


def test_relinking_changes_only_what_points_there() -> None:
    data = {"mes": "x", "extra": {"bookmark_link": "old", "branches": ["a", "old", 7], "own": 1}}
    changed = links.relinked(data, "old", "new")
    assert changed["extra"] == {"bookmark_link": "new", "branches": ["a", "new", 7], "own": 1}
    assert data["extra"]["bookmark_link"] == "old"
    assert links.relinked(data, "other", "new") is data
