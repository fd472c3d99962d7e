"""Presets and templates of the data folder: changed where they are, and written anew."""

from __future__ import annotations

import json

from tavern_desktop.library.presets import PresetError, change_preset, folder_of, new_preset, preset_names, read_preset
from tests.faults.writing.base import WritePath

MINE = {"temperature": 1, "prompts": [{"identifier": "main", "content": "Old words."}], "extensions": {"own": 1}}


class _Presets(WritePath):
    """A preset is there, and stays whole."""

    def make_ready(self) -> None:
        super().make_ready()
        folder = folder_of(self.root, "chat")
        folder.mkdir()
        (folder / "Mine.json").write_text(json.dumps(MINE, indent=4), encoding="utf-8")

    def act(self) -> None:
        try:
            self.write()
        except PresetError as error:
            self.tell(error.sentence)

    def write(self) -> None:
        """Write. Raises PresetError, StorageError."""
        raise NotImplementedError

    def check(self) -> None:
        super().check()
        for name in preset_names(self.root, "chat"):
            assert read_preset(self.root, "chat", name).data["extensions"] == {"own": 1}


class ChangePreset(_Presets):
    """A text in a preset is another one."""

    name = "change preset"

    def write(self) -> None:
        prompts = [{"identifier": "main", "content": "New words."}]
        change_preset(self.root, "chat", "Mine", lambda data: data | {"prompts": prompts})

    def is_done(self) -> bool:
        text = read_preset(self.root, "chat", "Mine").data["prompts"][0]["content"]
        assert text in ("Old words.", "New words.")
        return bool(text == "New words.")


class NewPreset(_Presets):
    """A preset that was not there."""

    name = "new preset"

    def write(self) -> None:
        if not self.is_done():
            new_preset(self.root, "chat", "Mine", MINE)

    def is_done(self) -> bool:
        return (folder_of(self.root, "chat") / "Mine 2.json").exists()
