"""Which actions stand in which menu, in which order. None is a separator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from tavern_desktop.ui.actions import Act, ActionSet
from tavern_desktop.ui.icons import icon

Items = Sequence[Act | None]

FILE: Items = (
    Act.NEW_CHAT, Act.NEW_CHARACTER, Act.IMPORT_CHARACTER, None, Act.NEW_WINDOW, Act.OPEN_FILE, Act.OPEN_FOLDER,
    None, Act.SAVE, Act.IMPORT_CHATS, Act.EXPORT, Act.BACKUPS, Act.SHOW_FILE, None, Act.SETTINGS, None,
    Act.CLOSE_WINDOW, Act.QUIT,
)  # fmt: skip
EDIT: Items = (
    Act.UNDO, Act.REDO, None, Act.COPY, Act.COPY_MARKDOWN, None, Act.FIND, Act.FIND_NEXT, Act.FIND_PREVIOUS,
    Act.FIND_ALL,
)  # fmt: skip
MESSAGE: Items = (
    Act.EDIT, Act.COPY_MESSAGE, Act.COPY_REASONING, Act.MESSAGE_HISTORY, Act.USE_SPECIAL, Act.SPECIAL_SOURCE, None,
    Act.SWIPE_LEFT, Act.SWIPE_RIGHT, Act.DELETE_SWIPE, None,
    Act.HIDE, Act.UNHIDE, None, Act.MOVE_UP, Act.MOVE_DOWN, Act.INSERT_BEFORE, Act.INSERT_AFTER, Act.DUPLICATE,
    None, Act.BRANCH, Act.BOOKMARK, Act.OPEN_BOOKMARK, Act.REMOVE_BOOKMARK, None, Act.DELETE, Act.DELETE_FROM_HERE,
    None, Act.SELECT_PREVIOUS, Act.SELECT_NEXT,
)  # fmt: skip
REPLY: Items = (
    Act.REPLY, Act.REGENERATE, Act.MORE_SWIPES, Act.CONTINUE, Act.IMPERSONATE, None, Act.STOP, None,
    Act.GENERATION, Act.PROMPTS, Act.TOOLS, Act.CONNECT,
)  # fmt: skip
CHAT: Items = (
    Act.JUMP, Act.GO_TO, Act.GO_TO_END, Act.SHOW_MORE, Act.BOOKMARKS, Act.BRANCHES, Act.MAIN_CHAT,
    Act.CONTINUE_LINKED, None, Act.INSERT_SPECIAL, Act.TELL_SPECIAL, None, Act.PREVIOUS_CHAT, Act.NEXT_CHAT, None,
    Act.RELOAD,
    Act.CONFLICT_COPIES, None, Act.RENAME_CHAT, Act.DUPLICATE_CHAT, Act.BRANCH_CHAT,
    Act.REMOVE_CHAT, None, Act.MANAGE_CHATS, Act.RENAME_CHARACTER, Act.DUPLICATE_CHARACTER,
    Act.EXPORT_CHARACTER, Act.REMOVE_CHARACTER,
)  # fmt: skip
VIEW: Items = (
    Act.LIBRARY, Act.INSPECTOR, Act.HISTORY, Act.SEARCH_LIBRARY, None, Act.ZOOM_IN, Act.ZOOM_OUT, Act.ZOOM_RESET, None,
    Act.THEME_SYSTEM, Act.THEME_LIGHT, Act.THEME_DARK,
)  # fmt: skip
HELP: Items = (
    Act.COMMAND_PALETTE, Act.KEY_MAP, Act.WELCOME, None, Act.RECOVERED, Act.SAVE_LOG, None, Act.ABOUT,
)  # fmt: skip

MENU_BAR: Sequence[tuple[object, Items]] = (
    (QT_TRANSLATE_NOOP("Menu", "&File"), FILE),
    (QT_TRANSLATE_NOOP("Menu", "&Edit"), EDIT),
    (QT_TRANSLATE_NOOP("Menu", "&Message"), MESSAGE),
    (QT_TRANSLATE_NOOP("Menu", "&Reply"), REPLY),
    (QT_TRANSLATE_NOOP("Menu", "&Chat"), CHAT),
    (QT_TRANSLATE_NOOP("Menu", "&View"), VIEW),
    (QT_TRANSLATE_NOOP("Menu", "&Help"), HELP),
)

MESSAGE_CONTEXT: Items = (
    Act.USE_SPECIAL, Act.SPECIAL_SOURCE, Act.EDIT, Act.COPY_MESSAGE, Act.COPY_REASONING, Act.COPY, Act.MESSAGE_HISTORY,
    None,
    Act.SWIPE_LEFT, Act.SWIPE_RIGHT,
    Act.REGENERATE, Act.MORE_SWIPES, Act.DELETE_SWIPE, None, Act.HIDE, Act.UNHIDE, Act.MOVE_UP, Act.MOVE_DOWN,
    Act.INSERT_BEFORE, Act.INSERT_AFTER, Act.DUPLICATE, None, Act.BRANCH, Act.BOOKMARK, Act.OPEN_BOOKMARK,
    Act.REMOVE_BOOKMARK, None, Act.DELETE, Act.DELETE_FROM_HERE,
)  # fmt: skip
HEADER_MENU: Items = (
    Act.NEW_CHAT, None, Act.FIND, Act.GO_TO, Act.GO_TO_END, None, Act.BOOKMARKS, Act.BRANCHES,
    Act.MAIN_CHAT, None, Act.RENAME_CHAT, Act.DUPLICATE_CHAT, Act.EXPORT,
    Act.BACKUPS, Act.CONFLICT_COPIES, Act.SHOW_FILE, Act.RELOAD, None, Act.REMOVE_CHAT, None,
    Act.MANAGE_CHATS, None, Act.HISTORY, Act.INSPECTOR,
)  # fmt: skip
LIBRARY_CONTEXT: Items = (
    Act.RENAME_CHAT, Act.DUPLICATE_CHAT, Act.EXPORT, Act.BACKUPS, None, Act.REMOVE_CHAT, None, Act.MANAGE_CHATS,
)  # fmt: skip
"""What can be done to a chat in the library, in view or not."""
GROUP_CONTEXT: Items = (Act.NEW_CHAT, None, Act.MANAGE_CHATS, Act.IMPORT_CHATS)
"""What can be done for a group in the library."""
CHARACTER_CONTEXT: Items = (
    *GROUP_CONTEXT, None, Act.RENAME_CHARACTER, Act.DUPLICATE_CHARACTER, Act.EXPORT_CHARACTER, None,
    Act.REMOVE_CHARACTER,
)  # fmt: skip
"""What can be done for a character in the library."""
LIBRARY_CONTEXT_WITH_COPIES: Items = (Act.CONFLICT_COPIES, None, *LIBRARY_CONTEXT)


def title(text: str) -> str:
    """Return a menu's title in the person's language."""
    return QCoreApplication.translate("Menu", text)


def fill_menu(menu: QMenu, items: Items, actions: ActionSet) -> QMenu:
    """Add `items` to `menu` and return it."""
    for act in items:
        if act is None:
            menu.addSeparator()
        else:
            menu.addAction(actions[act])
    return menu


def menu_for(parent: QWidget, items: Items, run: Callable[[Act], object]) -> QMenu:
    """Return a context menu, which disposes of itself, for something else than what is in view."""
    menu = QMenu(parent)
    menu.aboutToHide.connect(menu.deleteLater)
    for act in items:
        if act is None:
            menu.addSeparator()
        else:
            menu.addAction(icon(act.value.icon), act.text, partial(run, act))
    return menu


def build_menu_bar(bar: QMenuBar, actions: ActionSet) -> None:
    """Put all menus on the bar."""
    for text, items in MENU_BAR:
        fill_menu(bar.addMenu(title(str(text))), items, actions)


def pop_up_menu(parent: QWidget, items: Items, actions: ActionSet) -> QMenu:
    """Return a context menu that disposes of itself; actions that make no sense here are left out."""
    menu = QMenu(parent)
    menu.aboutToHide.connect(menu.deleteLater)
    for act in items:
        if act is None:
            menu.addSeparator()
        elif actions[act].isEnabled():
            menu.addAction(actions[act])
    return menu
