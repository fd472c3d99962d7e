"""The choice of a model from the chat's header: for all chats, or for this one alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from tavern_desktop.backends.connection import Connection, Secrets
from tavern_desktop.backends.protocol import Model
from tavern_desktop.ui.actions import Act, ActionSet
from tavern_desktop.ui.connecting import words
from tavern_desktop.ui.connecting.data import ConnectData

MOST_MODELS = 40
"""Models a menu shows; where there are more, the connection's own form has them all."""


def model_menu(
    parent: QWidget,
    data: ConnectData,
    used: Connection | None,
    of_chat: str,
    choose_for_chat: Callable[[str], object],
    actions: ActionSet,
) -> QMenu:
    """Return the menu, which disposes of itself. `used`: what answers here; `of_chat`: the id this chat has chosen."""
    menu = QMenu(parent)
    menu.aboutToHide.connect(menu.deleteLater)
    connections, chosen = data.known.connections, data.known.chosen
    if connections:
        menu.addAction(menu.tr("Answers in All Chats:")).setEnabled(False)
        group = QActionGroup(menu)
        for connection in connections:
            action = _choice(menu, group, _name(data, connection), chosen is not None and connection.id == chosen.id)
            action.triggered.connect(partial(data.use, connection))
        here = menu.addMenu(menu.tr("Answers in This Chat"))
        here.setEnabled(actions[Act.GENERATION].isEnabled())
        only = QActionGroup(here)
        _choice(here, only, menu.tr("As in All Chats"), not of_chat).triggered.connect(partial(choose_for_chat, ""))
        here.addSeparator()
        for connection in connections:
            action = _choice(here, only, _name(data, connection), connection.id == of_chat)
            action.triggered.connect(partial(choose_for_chat, connection.id))
    if used is not None and used.protocol != "local":
        _Models(menu, data, used)
    menu.addSeparator()
    menu.addAction(actions[Act.GENERATION])
    menu.addAction(actions[Act.CONNECT])
    return menu


def _name(data: ConnectData, connection: Connection) -> str:
    model = words.model_words(connection, data.reach_of(connection))
    return " · ".join(filter(None, (connection.name, model if model != connection.name else ""))).replace("&", "&&")


def _choice(menu: QMenu, group: QActionGroup, text: str, is_checked: bool) -> QAction:
    action = menu.addAction(text)
    action.setCheckable(True)
    action.setChecked(is_checked)
    group.addAction(action)
    return action


class _Models(QObject):
    """The models of the connection that answers, asked for when somebody looks."""

    def __init__(self, menu: QMenu, data: ConnectData, connection: Connection) -> None:
        super().__init__(menu)
        self._data = data
        self._connection = connection
        self._menu = menu.addMenu(menu.tr("Models of {name}").format(name=connection.name.replace("&", "&&")))
        self._menu.aboutToShow.connect(self._ask)
        self._is_alive = True
        menu.aboutToHide.connect(self._end)

    def _ask(self) -> None:
        if self._menu.isEmpty():
            self._note(self.tr("Asking…"))
            self._data.models_of(self._connection, None, self._take)

    def _take(self, models: list[Model] | None, problem: str) -> None:
        if not self._is_alive:
            return
        self._menu.clear()
        if not models:
            self._note(problem or self.tr("It has one model, and no list."))
            return
        group = QActionGroup(self._menu)
        for model in models[:MOST_MODELS]:
            action = _choice(self._menu, group, model.id.replace("&", "&&"), model.id == self._connection.model)
            action.triggered.connect(partial(self._choose, model.id))
        if len(models) > MOST_MODELS:
            self._note(self.tr("{count} more: see the connection").format(count=len(models) - MOST_MODELS))

    def _choose(self, model: str) -> None:
        changed = replace(self._connection, model=model)
        self._data.keep(changed, Secrets(), partial(self._data.test, changed))

    def _note(self, text: str) -> None:
        self._menu.addAction(text).setEnabled(False)

    def _end(self) -> None:
        self._is_alive = False
