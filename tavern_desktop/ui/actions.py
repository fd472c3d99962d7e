"""Every action of the program, declared once: what it is called, its keys, its icon, and what it needs.

Menus, context menus, the key map and the command palette are lists of these members; nobody else makes a
QAction for them. An action does nothing itself: it says on `ActionSet.requested` that it is wanted.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, Flag, auto

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QObject, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from tavern_desktop.ui.icons import icon


class Need(Flag):
    """What must be there for an action to make sense."""

    NOTHING = 0
    FILE = auto()
    """A chat file is in view, readable or not."""
    CHAT = auto()
    """A chat is open and may be edited."""
    READ = auto()
    """A chat is there to be read, whether or not it may be edited."""
    WRITABLE = auto()
    """The data folder may be changed: no other process has it."""
    CURRENT = auto()
    """A message is current."""
    SWIPES = auto()
    """The current message has several swipes."""
    REASONING = auto()
    """The current message has reasoning of the model."""
    VISIBLE = auto()
    """The current message is part of the prompt."""
    HIDDEN = auto()
    """The current message is hidden from the prompt, and may be shown again."""
    CHARACTER = auto()
    """The chat in view, or the row chosen in the library, belongs to a character."""
    BOOKMARKED = auto()
    """The current message has a bookmark."""
    BRANCHED = auto()
    """The chat in view is a branch or a checkpoint of another."""
    OWNER = auto()
    """The chat in view, or the row chosen in the library, is a character's or a group's."""
    UNDO = auto()
    REDO = auto()
    REPLY = auto()
    """A reply is being written in the chat in view."""
    SPECIAL = auto()
    """The current message is a special one."""
    COPIES = auto()
    """The chat in view has conflict copies."""
    SEARCH = auto()
    """Something is being searched for."""
    CARD = auto()
    """There is something to inspect."""


@dataclass(frozen=True, eq=False)
class Spec:
    """The declaration of one action. The first key is the one shown."""

    text: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    needs: Need = Need.NOTHING
    checkable: bool = False
    shared_key: str = ""
    """The key of an action that shares it with others, so that the window decides which is meant: it is only shown."""

    @property
    def shown_keys(self) -> tuple[str, ...]:
        """The keys that a person is told of."""
        return self.keys or tuple(self.shared_key.split())


def _a(
    text: object,
    keys: str = "",
    icon: str = "",
    needs: Need = Need.NOTHING,
    *,
    checkable: bool = False,
    shared_key: str = "",
) -> Spec:
    return Spec(str(text), tuple(keys.split()), icon, needs, checkable, shared_key)


_MESSAGE = Need.CHAT | Need.CURRENT
_READ = Need.READ | Need.CURRENT
_CHARACTER = Need.CHARACTER | Need.WRITABLE
_CHAT_FILE = Need.FILE | Need.WRITABLE


class Act(Enum):
    """All actions. The value is the declaration."""

    NEW_CHAT = _a(QT_TRANSLATE_NOOP("Act", "New Chat with This Character"), "Ctrl+N", "chat-plus", _CHARACTER)
    NEW_WINDOW = _a(QT_TRANSLATE_NOOP("Act", "New Window"), "Ctrl+Shift+N", "window")
    OPEN_FILE = _a(QT_TRANSLATE_NOOP("Act", "Open Chat File…"), "Ctrl+O", "file")
    OPEN_FOLDER = _a(QT_TRANSLATE_NOOP("Act", "Choose Data Folder…"), "", "folder")
    WELCOME = _a(QT_TRANSLATE_NOOP("Act", "Welcome Page"), "", "star")
    SAVE = _a(QT_TRANSLATE_NOOP("Act", "Save Now"), "Ctrl+S", "save", Need.CHAT)
    SHOW_FILE = _a(QT_TRANSLATE_NOOP("Act", "Show File in Folder"), "", "folder", Need.FILE)
    RENAME_CHAT = _a(QT_TRANSLATE_NOOP("Act", "Rename Chat…"), "Ctrl+Shift+R", "pencil", _CHAT_FILE)
    DUPLICATE_CHAT = _a(QT_TRANSLATE_NOOP("Act", "Duplicate Chat"), "", "duplicate", _CHAT_FILE)
    BRANCH_CHAT = _a(QT_TRANSLATE_NOOP("Act", "Branch from the End"), "", "branch", _CHAT_FILE)
    MANAGE_CHATS = _a(QT_TRANSLATE_NOOP("Act", "Manage Chats…"), "Ctrl+Shift+M", "chat", Need.OWNER)
    RENAME_CHARACTER = _a(QT_TRANSLATE_NOOP("Act", "Rename Character…"), "", "pencil", _CHARACTER)
    REMOVE_CHARACTER = _a(QT_TRANSLATE_NOOP("Act", "Move Character to the Bin…"), "", "trash", _CHARACTER)
    DUPLICATE_CHARACTER = _a(QT_TRANSLATE_NOOP("Act", "Duplicate Character"), "", "duplicate", _CHARACTER)
    EXPORT_CHARACTER = _a(QT_TRANSLATE_NOOP("Act", "Export Character…"), "", "file", Need.CHARACTER)
    NEW_CHARACTER = _a(QT_TRANSLATE_NOOP("Act", "New Character…"), "", "plus", Need.WRITABLE)
    IMPORT_CHARACTER = _a(QT_TRANSLATE_NOOP("Act", "Import Character…"), "", "import", Need.WRITABLE)
    IMPORT_CHATS = _a(QT_TRANSLATE_NOOP("Act", "Import Chats…"), "", "import", Need.WRITABLE)
    EXPORT = _a(QT_TRANSLATE_NOOP("Act", "Export Chat…"), "Ctrl+Shift+E", "file", Need.FILE)
    BACKUPS = _a(QT_TRANSLATE_NOOP("Act", "Show Backups…"), "", "save", Need.FILE)
    CONTINUE_LINKED = _a(QT_TRANSLATE_NOOP("Act", "Continue in a New Linked Chat…"), "", "chat-plus", Need.CHAT)
    CONFLICT_COPIES = _a(QT_TRANSLATE_NOOP("Act", "Conflict Copies…"), "", "swipes", Need.COPIES)
    REMOVE_CHAT = _a(QT_TRANSLATE_NOOP("Act", "Move Chat to the Bin"), "Ctrl+Shift+Del", "trash", _CHAT_FILE)
    SETTINGS = _a(QT_TRANSLATE_NOOP("Act", "Settings…"), "Ctrl+,", "settings")
    CLOSE_WINDOW = _a(QT_TRANSLATE_NOOP("Act", "Close Window"), "Ctrl+W", "close")
    QUIT = _a(QT_TRANSLATE_NOOP("Act", "Quit"), "Ctrl+Q", "quit")

    UNDO = _a(QT_TRANSLATE_NOOP("Act", "Undo"), "Ctrl+Z", "undo", Need.UNDO)
    REDO = _a(QT_TRANSLATE_NOOP("Act", "Redo"), "Ctrl+Shift+Z Ctrl+Y", "redo", Need.REDO)
    COPY = _a(QT_TRANSLATE_NOOP("Act", "Copy"), "Ctrl+C", "copy", Need.FILE)
    COPY_MARKDOWN = _a(QT_TRANSLATE_NOOP("Act", "Copy as Markdown"), "Ctrl+Shift+C", "copy", Need.FILE)
    FIND = _a(QT_TRANSLATE_NOOP("Act", "Find in This Chat"), "Ctrl+F", "search", Need.READ)
    FIND_NEXT = _a(QT_TRANSLATE_NOOP("Act", "Find Next"), "F3", "chevron-down", Need.READ | Need.SEARCH)
    FIND_PREVIOUS = _a(QT_TRANSLATE_NOOP("Act", "Find Previous"), "Shift+F3", "chevron-up", Need.READ | Need.SEARCH)
    FIND_ALL = _a(QT_TRANSLATE_NOOP("Act", "Find in All Chats"), "Ctrl+Shift+F", "search")

    SELECT_PREVIOUS = _a(QT_TRANSLATE_NOOP("Act", "Previous Message"), "Ctrl+Up", "chevron-up", Need.READ)
    SELECT_NEXT = _a(QT_TRANSLATE_NOOP("Act", "Next Message"), "Ctrl+Down", "chevron-down", Need.READ)
    EDIT = _a(QT_TRANSLATE_NOOP("Act", "Edit Message"), "F2", "pencil", _MESSAGE)
    COPY_MESSAGE = _a(QT_TRANSLATE_NOOP("Act", "Copy Message Text"), "", "copy", _READ)
    COPY_REASONING = _a(QT_TRANSLATE_NOOP("Act", "Copy Reasoning"), "", "copy", _READ | Need.REASONING)
    SWIPE_LEFT = _a(QT_TRANSLATE_NOOP("Act", "Previous Swipe"), "Alt+Left", "chevron-left", _MESSAGE | Need.SWIPES)
    SWIPE_RIGHT = _a(QT_TRANSLATE_NOOP("Act", "Next Swipe"), "Alt+Right", "chevron-right", _MESSAGE | Need.SWIPES)
    REGENERATE = _a(QT_TRANSLATE_NOOP("Act", "Write Another Swipe"), "Ctrl+R", "refresh", _MESSAGE)
    MORE_SWIPES = _a(QT_TRANSLATE_NOOP("Act", "Write Three More Swipes"), "", "swipes", _MESSAGE)
    REPLY = _a(QT_TRANSLATE_NOOP("Act", "Have the Character Speak"), "Ctrl+Return", "chat", Need.CHAT)
    CONTINUE = _a(QT_TRANSLATE_NOOP("Act", "Continue the Newest Message"), "Ctrl+Shift+Return", "end", Need.CHAT)
    IMPERSONATE = _a(QT_TRANSLATE_NOOP("Act", "Write My Part"), "", "pencil", Need.CHAT)
    STOP = _a(QT_TRANSLATE_NOOP("Act", "Stop the Reply"), "", "close", Need.REPLY, shared_key="Esc")
    CONNECT = _a(QT_TRANSLATE_NOOP("Act", "Connect a Model…"), "Ctrl+Shift+L", "link")
    TOOLS = _a(QT_TRANSLATE_NOOP("Act", "Tools…"), "", "settings")
    PROMPTS = _a(QT_TRANSLATE_NOOP("Act", "Prompts…"), "", "form", Need.CHAT)
    GENERATION = _a(QT_TRANSLATE_NOOP("Act", "Generation Settings of This Chat…"), "", "settings", Need.CHAT)
    DELETE_SWIPE = _a(QT_TRANSLATE_NOOP("Act", "Delete This Swipe"), "", "swipes", _MESSAGE | Need.SWIPES)
    HIDE = _a(QT_TRANSLATE_NOOP("Act", "Hide from Prompt"), "", "eye-off", _MESSAGE | Need.VISIBLE)
    UNHIDE = _a(QT_TRANSLATE_NOOP("Act", "Show in Prompt"), "", "eye", _MESSAGE | Need.HIDDEN)
    MOVE_UP = _a(QT_TRANSLATE_NOOP("Act", "Move Up"), "Ctrl+Shift+Up", "arrow-up", _MESSAGE)
    MOVE_DOWN = _a(QT_TRANSLATE_NOOP("Act", "Move Down"), "Ctrl+Shift+Down", "arrow-down", _MESSAGE)
    INSERT_BEFORE = _a(QT_TRANSLATE_NOOP("Act", "Insert Message Before"), "", "insert-above", _MESSAGE)
    INSERT_AFTER = _a(QT_TRANSLATE_NOOP("Act", "Insert Message After"), "", "insert-below", _MESSAGE)
    INSERT_SPECIAL = _a(QT_TRANSLATE_NOOP("Act", "Insert Special Message…"), "Ctrl+Shift+Ins", "form", Need.CHAT)
    TELL_SPECIAL = _a(
        QT_TRANSLATE_NOOP("Act", "Tell the Model of Special Messages"), "", "form", Need.CHAT, checkable=True
    )
    USE_SPECIAL = _a(QT_TRANSLATE_NOOP("Act", "Use Special Message"), "F4", "form", _MESSAGE | Need.SPECIAL)
    SPECIAL_SOURCE = _a(QT_TRANSLATE_NOOP("Act", "Source of Special Message…"), "", "file", _MESSAGE | Need.SPECIAL)
    MESSAGE_HISTORY = _a(QT_TRANSLATE_NOOP("Act", "History of This Message…"), "", "history", _MESSAGE)
    DUPLICATE = _a(QT_TRANSLATE_NOOP("Act", "Duplicate Message"), "", "duplicate", _MESSAGE)
    BRANCH = _a(QT_TRANSLATE_NOOP("Act", "Branch from Here"), "", "branch", _MESSAGE)
    BOOKMARK = _a(QT_TRANSLATE_NOOP("Act", "Bookmark This Message…"), "", "bookmark", _MESSAGE)
    OPEN_BOOKMARK = _a(QT_TRANSLATE_NOOP("Act", "Open Checkpoint"), "", "bookmark", _MESSAGE | Need.BOOKMARKED)
    REMOVE_BOOKMARK = _a(QT_TRANSLATE_NOOP("Act", "Remove Bookmark"), "", "close", _MESSAGE | Need.BOOKMARKED)
    DELETE = _a(QT_TRANSLATE_NOOP("Act", "Delete Message"), "Ctrl+Del", "trash", _MESSAGE)
    DELETE_FROM_HERE = _a(QT_TRANSLATE_NOOP("Act", "Delete This and All After"), "", "trash", _MESSAGE)

    JUMP = _a(QT_TRANSLATE_NOOP("Act", "Jump to Chat or Character…"), "Ctrl+P", "jump")
    GO_TO = _a(QT_TRANSLATE_NOOP("Act", "Go to Message…"), "Ctrl+G", "hash", Need.CHAT)
    GO_TO_END = _a(QT_TRANSLATE_NOOP("Act", "Go to the Newest Message"), "Ctrl+End", "end", Need.CHAT)
    SHOW_MORE = _a(QT_TRANSLATE_NOOP("Act", "Show More Messages"), "", "chevron-up", Need.CHAT)
    BOOKMARKS = _a(QT_TRANSLATE_NOOP("Act", "Bookmarks…"), "Ctrl+Shift+B", "bookmark", Need.CHAT)
    BRANCHES = _a(QT_TRANSLATE_NOOP("Act", "Branches…"), "", "tree", Need.FILE)
    MAIN_CHAT = _a(QT_TRANSLATE_NOOP("Act", "Back to the Main Chat"), "", "jump", Need.FILE | Need.BRANCHED)
    PREVIOUS_CHAT = _a(QT_TRANSLATE_NOOP("Act", "Previous Chat"), "Alt+Up Ctrl+Shift+Tab", "arrow-up")
    NEXT_CHAT = _a(QT_TRANSLATE_NOOP("Act", "Next Chat"), "Alt+Down Ctrl+Tab", "arrow-down")
    RELOAD = _a(QT_TRANSLATE_NOOP("Act", "Reload from Disk"), "F5", "refresh", Need.FILE)

    LIBRARY = _a(QT_TRANSLATE_NOOP("Act", "Library"), "Ctrl+B", "panel-left", checkable=True)
    INSPECTOR = _a(QT_TRANSLATE_NOOP("Act", "Inspector"), "Ctrl+I", "panel-right", checkable=True)
    HISTORY = _a(QT_TRANSLATE_NOOP("Act", "History of This Chat"), "Ctrl+H", "history", Need.FILE)
    ZOOM_IN = _a(QT_TRANSLATE_NOOP("Act", "Larger Text"), "Ctrl++ Ctrl+=", "zoom-in")
    ZOOM_OUT = _a(QT_TRANSLATE_NOOP("Act", "Smaller Text"), "Ctrl+-", "zoom-out")
    ZOOM_RESET = _a(QT_TRANSLATE_NOOP("Act", "Normal Text Size"), "Ctrl+0", "zoom-reset")
    THEME_SYSTEM = _a(QT_TRANSLATE_NOOP("Act", "Colours as the System"), "", "half", checkable=True)
    THEME_LIGHT = _a(QT_TRANSLATE_NOOP("Act", "Light Colours"), "", "half", checkable=True)
    THEME_DARK = _a(QT_TRANSLATE_NOOP("Act", "Dark Colours"), "", "half", checkable=True)
    SEARCH_LIBRARY = _a(QT_TRANSLATE_NOOP("Act", "Search the Library"), "Ctrl+L", "search")

    COMMAND_PALETTE = _a(QT_TRANSLATE_NOOP("Act", "Command Palette…"), "Ctrl+Shift+P", "command")
    RECOVERED = _a(QT_TRANSLATE_NOOP("Act", "Recovered Copies…"), "", "undo")
    SAVE_LOG = _a(QT_TRANSLATE_NOOP("Act", "Save Log…"), "", "file")
    KEY_MAP = _a(QT_TRANSLATE_NOOP("Act", "Map of Keys"), "Ctrl+/", "keyboard")
    ABOUT = _a(QT_TRANSLATE_NOOP("Act", "About Tavern Desktop"), "", "info")

    @property
    def text(self) -> str:
        """The action's name in the person's language."""
        return QCoreApplication.translate("Act", self.value.text)

    @property
    def keys_text(self) -> str:
        """The key as the system writes it, "" for none."""
        if not self.value.shown_keys:
            return ""
        return QKeySequence(self.value.shown_keys[0]).toString(QKeySequence.SequenceFormat.NativeText)

    @property
    def tip(self) -> str:
        """The name with its key, for tooltips."""
        return f"{self.text} ({self.keys_text})" if self.keys_text else self.text


class ActionSet(QObject):
    """The QActions of one window, enabled by what is there."""

    requested = Signal(object)
    """An Act is wanted. Owner: the main window."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._actions = {act: self._make(act, window) for act in Act}
        window.addActions(list(self._actions.values()))
        self.set_available(Need.NOTHING)

    def __getitem__(self, act: Act) -> QAction:
        return self._actions[act]

    def set_available(self, there: Need) -> None:
        """Enable exactly the actions whose needs are met."""
        for act, action in self._actions.items():
            action.setEnabled(act.value.needs in there)

    def _make(self, act: Act, window: QWidget) -> QAction:
        spec = act.value
        action = QAction(f"{act.text}\t{act.keys_text}" if spec.shared_key else act.text, window)
        action.setObjectName(act.name.lower())
        action.setToolTip(act.tip)
        action.setCheckable(spec.checkable)
        action.setMenuRole(_MENU_ROLES.get(act.name, QAction.MenuRole.NoRole))
        if spec.icon:
            action.setIcon(icon(spec.icon))
        action.setShortcuts([QKeySequence(key) for key in spec.keys])
        action.triggered.connect(lambda: self.requested.emit(act))
        return action


_MENU_ROLES = {
    "QUIT": QAction.MenuRole.QuitRole,
    "ABOUT": QAction.MenuRole.AboutRole,
    "SETTINGS": QAction.MenuRole.PreferencesRole,
}
