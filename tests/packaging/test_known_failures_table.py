"""The table of what other programs lost names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
NAMED = {*range(1, 43), *range(44, 48), 49, *range(55, 59)}


def rows() -> list[tuple[str, str]]:
    text = (TESTS.parent / "docs" / "testing.md").read_text("utf-8")
    return re.findall(r"^\| (B-[^|]+?) \|[^|]*\|([^|]*)\|$", text, re.MULTILINE)


def test_every_case_is_in_it() -> None:
    told: set[int] = set()
    for case, _ in rows():
        first, *last = map(int, re.findall(r"B-(\d+)", case))
        told |= set(range(first, (last or [first])[0] + 1))
    assert told == NAMED


def test_every_test_it_names_exists() -> None:
    for case, tests in rows():
        found = re.findall(r"`([^`:]+\.py)(?:::(\w+))?`", tests)
        assert found, case
        for file, name in found:
            path = TESTS / file
            assert path.exists(), (case, file)
            assert not name or f"def {name}(" in path.read_text("utf-8"), (case, name)
