"""Another program writes the file of a chat that is being edited: nothing of either is lost."""

from __future__ import annotations

import json

from PySide6.QtCore import Qt

from tests.flows.conftest import MakeChat
from tests.flows.person import Person


def test_what_another_program_wrote_is_merged(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(60)
    person.start()
    person.open_newest()
    count = person.view.model().total()

    # SillyTavern appends to the same file while the person writes here.
    theirs = {"name": "Wanderer", "is_user": True, "is_system": False, "mes": "Written elsewhere.", "extra": {}}
    path.write_bytes(path.read_bytes() + b"\n" + json.dumps(theirs).encode())
    person.edit(count - 3, "Written here.")
    person.press(Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)

    # The save merges both by itself, and the banner tells of it.
    person.wait(lambda: person.window.pane.banner.text == "Changes made elsewhere were merged (1).")
    assert person.text_of(count) == "Written elsewhere."
    assert person.text_of(count - 3) == "Written here."
    records = [json.loads(line) for line in path.read_bytes().split(b"\n")[1:]]
    assert (records[count - 3]["mes"], records[count]["mes"]) == ("Written here.", "Written elsewhere.")

    # The version that was on disk is among the backups.
    backups = list((person.window.services.root.user_folder / "backups").glob("chat_*.jsonl"))
    assert any(b"Written elsewhere." in backup.read_bytes() for backup in backups)
    person.quit()
