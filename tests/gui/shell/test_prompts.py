"""The prompts of a preset in the window: switched, moved, changed, added, taken out, brought in and out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tavern_desktop.backends.settings import IN_USE
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.prompt.preset_editing import items_of
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.ui.name_dialog import NameDialog
from tavern_desktop.ui.prompts.dialog import PromptsDialog
from tavern_desktop.ui.prompts.list_model import PromptsModel
from tests.unit.prompt.scenarios import data, prompt_entry

OWN = prompt_entry("own-1", "Mind the tide.", extra_field=1)
Open = Callable[..., PromptsDialog]


@pytest.fixture
def root(tmp_path: Path) -> DataRoot:
    root = DataRoot(tmp_path)
    folder = root.user_folder / "OpenAI Settings"
    folder.mkdir(parents=True)
    content = data("main", "charDescription", "chatHistory", "own-1", more=(OWN,), other={"kept": True})
    (folder / "Mine.json").write_text(json.dumps(content, indent=4))
    return root


@pytest.fixture
def runner() -> PlainRunner:
    return PlainRunner()


@pytest.fixture
def opened_prompts(root: DataRoot, runner: PlainRunner, qtbot: QtBot) -> Open:
    parent = QWidget()
    qtbot.addWidget(parent)

    def make(name: str = "Mine", chosen: Callable[[str], object] = lambda name: None) -> PromptsDialog:
        dialog = PromptsDialog(parent, runner, root, name, chosen)
        dialog.show()
        settle(runner, lambda: dialog.model.rowCount() > 0)
        return dialog

    return make


def settle(runner: PlainRunner, condition: Callable[[], bool]) -> None:
    runner.run_until(condition, 10)
    assert condition()


def on_disk(root: DataRoot, name: str = "Mine") -> dict[str, Any]:
    read: dict[str, Any] = json.loads((root.user_folder / "OpenAI Settings" / f"{name}.json").read_text())
    return read


def order(content: dict[str, Any]) -> list[tuple[str, bool]]:
    return [(entry["identifier"], entry["enabled"]) for entry in content["prompt_order"][0]["order"]]


def choose(dialog: PromptsDialog, identifier: str) -> None:
    row = [item.identifier for item in dialog.model.items].index(identifier)
    dialog.list.setCurrentIndex(dialog.model.index(row))


def save(dialog: PromptsDialog, runner: PlainRunner) -> None:
    ended: list[int] = []
    dialog.finished.connect(ended.append)
    dialog.save_button.click()
    settle(runner, lambda: bool(ended) or dialog.said.text() != "")


def test_the_model_keeps_its_word(qtbot: QtBot) -> None:
    model = PromptsModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    model.show_items(items_of(data("main", "chatHistory", "own-1", more=(OWN,))))
    assert model.move(0, 2)
    assert model.move(2, 1)
    assert not model.move(0, -1)
    assert not model.moveRows(QModelIndex(), 0, 1, QModelIndex(), 1)
    assert [item.identifier for item in model.items[:3]] == ["chatHistory", "main", "own-1"]
    assert model.setData(model.index(1), Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    assert model.index(1).data(Qt.ItemDataRole.AccessibleTextRole) == "Main, off, "
    model.remove(0)
    tester.deleteLater()


def test_prompts_are_switched_and_moved_by_keys(
    opened_prompts: Open, root: DataRoot, runner: PlainRunner, qtbot: QtBot
) -> None:
    dialog = opened_prompts()
    assert not dialog.save_button.isEnabled()
    choose(dialog, "own-1")
    qtbot.keyClick(dialog.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    qtbot.keyClick(dialog.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    choose(dialog, "charDescription")
    qtbot.keyClick(dialog.list, Qt.Key.Key_Space)
    save(dialog, runner)
    after = on_disk(root)
    assert order(after) == [("main", True), ("own-1", True), ("charDescription", False), ("chatHistory", True)]
    assert after["other"] == {"kept": True}
    assert after["prompts"][-1] == OWN


def test_a_prompt_is_changed_in_its_fields(opened_prompts: Open, root: DataRoot, runner: PlainRunner) -> None:
    dialog = opened_prompts()
    choose(dialog, "own-1")
    editor = dialog.editor
    editor.text.setPlainText("Mind the ebb.")
    editor.role.setCurrentIndex(1)
    editor.role.activated.emit(1)
    assert not editor.depth_box.isVisible()
    editor.place.setCurrentIndex(1)
    editor.place.activated.emit(1)
    assert editor.depth_box.isVisible()
    editor.depth_box.setValue(2)
    editor.triggers["continue"].setChecked(True)
    save(dialog, runner)
    assert on_disk(root)["prompts"][-1] == {
        **OWN,
        "content": "Mind the ebb.",
        "role": "user",
        "injection_position": 1,
        "injection_depth": 2,
        "injection_trigger": ["continue"],
    }


def test_what_the_program_fills_in_has_no_text_to_change(opened_prompts: Open, qtbot: QtBot) -> None:
    dialog = opened_prompts()
    choose(dialog, "chatHistory")
    assert not dialog.editor.fields.isVisible()
    assert not dialog.remove_button.isEnabled()
    qtbot.keyClick(dialog.list, Qt.Key.Key_Delete)
    assert dialog.model.items[2].identifier == "chatHistory"
    choose(dialog, "main")
    assert dialog.editor.may_replace.isVisible()
    assert not dialog.remove_button.isEnabled()


def test_a_prompt_is_added_and_another_taken_out(opened_prompts: Open, root: DataRoot, runner: PlainRunner) -> None:
    dialog = opened_prompts()
    choose(dialog, "main")
    dialog.add_button.click()
    dialog.editor.name.setText("Weather")
    dialog.editor.name.textEdited.emit("Weather")
    dialog.editor.text.setPlainText("It rains.")
    choose(dialog, "own-1")
    dialog.remove_button.click()
    save(dialog, runner)
    after = on_disk(root)
    assert (after["prompts"][-1]["name"], after["prompts"][-1]["content"]) == ("Weather", "It rains.")
    assert [name for name, _ in order(after)][2:] == ["charDescription", "chatHistory"]
    assert order(after)[1] == (after["prompts"][-1]["identifier"], True)
    assert OWN not in after["prompts"]


def test_what_another_program_wrote_meanwhile_stays(opened_prompts: Open, root: DataRoot, runner: PlainRunner) -> None:
    dialog = opened_prompts()
    theirs = on_disk(root) | {"temperature": 0.3}
    (root.user_folder / "OpenAI Settings" / "Mine.json").write_text(json.dumps(theirs))
    choose(dialog, "own-1")
    dialog.editor.text.setPlainText("Ours.")
    save(dialog, runner)
    after = on_disk(root)
    assert (after["temperature"], after["prompts"][-1]["content"]) == (0.3, "Ours.")


def test_where_the_file_is_gone_it_is_said_and_nothing_typed_is_lost(
    opened_prompts: Open, root: DataRoot, runner: PlainRunner
) -> None:
    dialog = opened_prompts()
    (root.user_folder / "OpenAI Settings" / "Mine.json").unlink()
    choose(dialog, "own-1")
    dialog.editor.text.setPlainText("Ours.")
    save(dialog, runner)
    assert "is gone from the data folder" in dialog.said.text()
    assert dialog.isVisible()
    chosen: list[str] = []
    dialog._chosen = chosen.append
    dialog.save_as("Saved anyway")
    settle(runner, lambda: bool(chosen))
    assert on_disk(root, "Saved anyway")["prompts"][-1]["content"] == "Ours."


def test_a_new_preset_is_made_of_the_program_s_own_way(
    opened_prompts: Open, root: DataRoot, runner: PlainRunner
) -> None:
    chosen: list[str] = []
    dialog = opened_prompts("", chosen.append)
    assert not dialog.save_button.isVisible()
    dialog.new_button.click()
    (asking,) = [each for each in dialog.findChildren(NameDialog) if each.isVisible()]
    asking.field.setText("Mine?")
    assert asking.hint.text() == "It will be called “Mine”."
    asking.done_button.click()
    settle(runner, lambda: bool(chosen))
    assert chosen == ["Mine 2"]
    assert on_disk(root, "Mine 2")["prompts"][0]["identifier"] == "main"
    assert on_disk(root)["other"] == {"kept": True}


def test_what_sillytavern_has_in_use_is_shown_and_its_secrets_stay_there(
    opened_prompts: Open, root: DataRoot, runner: PlainRunner
) -> None:
    live = data("main", "own-1", more=(OWN,), proxy_password="secret", temp_openai=0.4)
    root.settings.write_text(json.dumps({"oai_settings": live}))
    chosen: list[str] = []
    dialog = opened_prompts(IN_USE, chosen.append)
    assert [item.identifier for item in dialog.model.items[:2]] == ["main", "own-1"]
    dialog.save_as("From there")
    settle(runner, lambda: bool(chosen))
    made = on_disk(root, "From there")
    assert made["temperature"] == 0.4
    assert "secret" not in json.dumps(made)


def test_prompts_go_out_and_come_in(opened_prompts: Open, root: DataRoot, runner: PlainRunner, tmp_path: Path) -> None:
    dialog = opened_prompts()
    file = tmp_path / "prompts.json"
    dialog.write_out(file)
    settle(runner, file.exists)
    told = json.loads(file.read_text())
    told["data"]["prompts"].append(prompt_entry("new-1", "From elsewhere."))
    file.write_text(json.dumps(told))
    dialog.take_in(file)
    settle(runner, lambda: any(item.identifier == "new-1" for item in dialog.model.items))
    assert dialog.said.text().startswith("1 new prompt;")
    file.write_text("{}")
    dialog.take_in(file)
    settle(runner, lambda: dialog.said.text() == "There are no prompts in it.")
