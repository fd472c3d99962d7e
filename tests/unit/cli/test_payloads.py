"""Commands about special messages."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.unit.cards.payloads import BROKEN_FIELD, TABLE, UNKNOWN, UNREADABLE, VALID
from tests.unit.cli.conftest import Run, lines, message


@pytest.mark.parametrize("kind", VALID)
def test_a_valid_payload_is_done(run: Run, tmp_path: Path, kind: str) -> None:
    file = tmp_path / "payload.yaml"
    file.write_text(VALID[kind])
    assert run("cards", "check", file).code == 0
    (said,) = run("cards", "check", file, "--json").objects()
    assert (said["state"], said["type"], said["reason"], said["path"]) == ("full", kind, None, None)


@pytest.mark.parametrize(
    ("yaml", "facts", "sentence"),
    [
        (UNKNOWN, ("placeholder", "Chart", "unknown_type", None), "There is no type Chart."),
        (BROKEN_FIELD, ("degraded", "Table", "field", "rows[0]"), "The payload has an error at rows[0]."),
        (UNREADABLE, ("error", None, "yaml", None), "This is not valid YAML (line 3, column 1)."),
        ("x" * 300_000, ("error", None, "too_large", None), "The payload is too large: show fewer rows."),
    ],
)
def test_what_is_not_valid_is_told_with_its_place(
    run: Run, tmp_path: Path, yaml: str, facts: tuple[str | None, ...], sentence: str
) -> None:
    file = tmp_path / "payload.yaml"
    file.write_text(yaml)
    result = run("cards", "check", file)
    assert (result.code, result.out) == (1, f"{file}: {sentence}\n")
    (said,) = run("cards", "check", file, "--json").objects()
    assert (said["state"], said["type"], said["reason"], said["path"]) == facts


def test_a_payload_goes_to_the_end_of_a_chat_to_the_letter(run: Run, tmp_path: Path, chat: Path) -> None:
    file = tmp_path / "payload.yaml"
    file.write_text(TABLE + "# kept\n")
    before = lines(chat)
    result = run("cards", "insert", chat, file, "--json")
    assert result.objects() == [{"file": str(chat), "changed": True, "messages": 9}]
    assert lines(chat)[1:9] == before[1:]
    added = message(chat, 8)
    assert added["mes"] == "[Table shown: Cargo list, 3 rows]"
    assert added["extra"]["tavern_desktop"]["card"]["yaml"] == TABLE + "# kept\n"
    again = run("cards", "insert", chat, file, "--json")
    assert again.code == 1
    assert "c_table" in again.error()["message"]
    assert len(lines(chat)) == 10


def test_a_payload_that_is_not_valid_changes_nothing(run: Run, tmp_path: Path, chat: Path) -> None:
    file = tmp_path / "payload.yaml"
    file.write_text(BROKEN_FIELD)
    before = chat.read_bytes()
    assert run("cards", "insert", chat, file).code == 1
    assert run("cards", "insert", chat, tmp_path / "missing.yaml").code == 1
    file.write_bytes(b"\xff")
    assert "no UTF-8 text" in run("cards", "insert", chat, file).err
    assert chat.read_bytes() == before


def test_a_payload_may_come_from_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TABLE.encode())))
    assert run("cards", "check", "-").code == 0
