"""Every command with its key, found by a few letters."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QWidget

from tavern_desktop.ui.actions import Act, ActionSet
from tavern_desktop.ui.quick_pick import Pick, QuickPick


def command_palette(parent: QWidget, actions: ActionSet) -> QuickPick:
    """Return the palette; what can be done now comes first."""
    acts = [act for act in Act if act is not Act.COMMAND_PALETTE]
    acts.sort(key=lambda act: not actions[act].isEnabled())
    picks = [
        Pick(
            act.text, "", act.keys_text, partial(_trigger, actions, act), act.value.icon or "command",
            enabled=actions[act].isEnabled(),
        )
        for act in acts
    ]  # fmt: skip
    title = parent.tr("Command palette")
    palette = QuickPick(parent, "commandPalette", title, parent.tr("Type a command"), picks)
    palette.show_pictures(None)
    return palette


def _trigger(actions: ActionSet, act: Act) -> None:
    actions[act].trigger()
