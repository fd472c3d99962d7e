"""What all windows of the program share: the data root, its lists, open chats, settings, pictures, messages."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import QObject, Qt, QTimer, Signal

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.personas import NOBODY, Persona, persona_for
from tavern_desktop.library.settings_file import chat_truncation, read_settings
from tavern_desktop.session.preferences import Position, Preferences, RootState, Settings, WindowState
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.session.startup import remember_root
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.index import Index
from tavern_desktop.storage.own_folders import OwnFolders
from tavern_desktop.ui.avatars import Avatars
from tavern_desktop.ui.library.data import LibraryData
from tavern_desktop.ui.messages import MessageService
from tavern_desktop.ui.theme import themes

if TYPE_CHECKING:
    from tavern_desktop.session.drafts import Drafts
    from tavern_desktop.session.file_acts import FileActs
    from tavern_desktop.session.generating.generations import Generations
    from tavern_desktop.session.generating.model_servers import ModelServers
    from tavern_desktop.session.open_chats import OpenChats
    from tavern_desktop.ui.connecting.data import ConnectData
    from tavern_desktop.ui.forms import Forms
    from tavern_desktop.ui.interrupted_notice import InterruptedReplies
    from tavern_desktop.ui.reply_marks import ReplyMarks
    from tavern_desktop.ui.spelling import Spelling
    from tavern_desktop.ui.tools.data import ToolsData

log = logging.getLogger(__name__)

LANE = "preferences"
MOUNTED = 100
WRITE_SECONDS = 5.0
"""How long the end of the program waits for settings to be written."""
SMALLEST_TEXT, LARGEST_TEXT = 50, 300


class Services(QObject):
    """Owner: the application. Lives on the window's thread."""

    settings_changed = Signal()
    root_changed = Signal()
    root_leaving = Signal()
    """Another data root is about to be taken: views let go of their chats."""
    window_activated = Signal()
    """Somebody turned to a window of the program."""
    typed_text_kept = Signal()
    """Typed text can no longer be kept on disk, or can again (`drafts.problem`)."""
    ending = Signal()
    """The program ends: what goes on by itself stops."""
    ended = Signal()
    """Everything is written; nothing of this program touches the data folder any more."""
    files_changed = Signal(object)
    """Files of the data folder were written by some program: a frozenset of paths, None for any of them."""
    window_requested = Signal(object)
    """One more window is wanted, on the chat at a Path or on none (None)."""
    chat_wanted = Signal(object)
    """The chat at a Path is to be brought forward, in the window that shows it or else the newest."""

    def __init__(
        self,
        runner: Runner,
        folders: OwnFolders,
        preferences: Preferences,
        root: DataRoot,
        make_open_chats: Callable[[DataRoot], OpenChats],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.runner = runner
        self.folders = folders
        self.preferences = preferences
        self.messages = MessageService(self)
        self.avatars = Avatars(runner, self)
        self.settings: Settings = preferences.settings.value
        self.persona = Persona(NOBODY)
        """Who the person was last known to be, until a chat says."""
        self._truncation: int | None = None
        self._writes = 0
        self._unwritten: dict[str, Any] = {}
        """Settings that are not on disk, for want of room perhaps: they go with the next that are changed."""
        self._is_write_told = False
        self._make_open_chats = make_open_chats
        self.root = root
        self.library = self._make_library()
        self._open_chats: OpenChats | None = None
        self._file_acts: FileActs | None = None
        self._drafts: Drafts | None = None
        self.in_front: Callable[[], Path | None] = lambda: None
        """Returns the chat in view in the window in front; whoever has the windows says it."""
        self._generations: Generations | None = None
        self._reply_marks: ReplyMarks | None = None
        self._model_servers: ModelServers | None = None
        self._interrupted: InterruptedReplies | None = None
        self._spelling: Spelling | None = None
        self._connecting: ConnectData | None = None
        self._forms: Forms | None = None
        self._tools: ToolsData | None = None

    @property
    def generations(self) -> Generations:
        """The replies that are being written in chats of the data root in use."""
        if self._generations is None:
            from tavern_desktop.session.generating.generations import Generations
            from tavern_desktop.ui.reply_marks import ReplyMarks

            self._generations = Generations(self.open_chats, lambda: self.model_servers)
            self._reply_marks = ReplyMarks(self, self._generations)
        return self._generations

    @property
    def model_servers(self) -> ModelServers:
        """The part that talks to model servers; made with the first reply."""
        if self._model_servers is None:
            from tavern_desktop.session.generating.model_servers import ModelServers

            self._model_servers = ModelServers(self.runner, self.folders, self.own_data)
        return self._model_servers

    @property
    def interrupted(self) -> InterruptedReplies:
        """The parts of replies that an earlier run of the program left."""
        if self._interrupted is None:
            from tavern_desktop.ui.interrupted_notice import InterruptedReplies

            self._interrupted = InterruptedReplies(self)
        return self._interrupted

    def note_seen(self) -> None:
        """Another chat has come into view: it has nothing new any more."""
        if self._reply_marks is not None:
            self._reply_marks.see()

    @property
    def forms(self) -> Forms:
        """The forms that can be filled in here; made when first asked for."""
        if self._forms is None:
            from tavern_desktop.ui.forms import Forms

            self._forms = Forms(self.runner, self.folders.config, self)
        return self._forms

    @property
    def connecting(self) -> ConnectData:
        """What is known of model servers, for all windows; made when first asked for."""
        if self._connecting is None:
            from tavern_desktop.ui.connecting.data import ConnectData

            self._connecting = ConnectData(self)
        return self._connecting

    @property
    def tools(self) -> ToolsData:
        """What is known of tool servers, for all windows; made when first asked for."""
        if self._tools is None:
            from tavern_desktop.ui.tools.data import ToolsData

            self._tools = ToolsData(self)
        return self._tools

    def stop_replies(self) -> None:
        """Stop the replies that are being written, and keep what has come of them."""
        if self._generations is not None:
            self._generations.stop_all(WRITE_SECONDS)

    def _end_replies(self) -> None:
        """Talk to no model server any more, for this data root or for good."""
        self.stop_replies()
        if self._model_servers is not None:
            self._model_servers.close()
        self._generations = self._model_servers = None

    @property
    def spelling(self) -> Spelling:
        """The dictionaries for what is being written; made when first asked for, read when somebody types."""
        if self._spelling is None:
            from tavern_desktop.ui.spelling import Spelling

            self._spelling = Spelling(self, self)
        return self._spelling

    @property
    def own_data(self) -> Path:
        """Our folder for what must not be lost of the data root in use."""
        return self.folders.for_root(self.root.path).data

    @property
    def drafts(self) -> Drafts:
        """What is typed and not sent or saved in the chats of the data root in use; read when first asked for."""
        if self._drafts is None:
            from tavern_desktop.session.drafts import Drafts

            self._drafts = Drafts(self.runner, self.folders, self.root)
            self._drafts.damaged.connect(self._tell_damaged_draft)
            self._drafts.problem_changed.connect(self._tell_of_drafts)
            self._drafts.changed.connect(self._mark_drafts)
            self._drafts.begin()
        return self._drafts

    @property
    def open_chats(self) -> OpenChats:
        """The open chats of the data root in use; the first to ask has them made."""
        if self._open_chats is None:
            self._open_chats = self._make_open_chats(self.root)
        return self._open_chats

    @property
    def may_write(self) -> bool:
        """Say whether nothing is known of another process that has the data folder."""
        return self._open_chats is None or not self._open_chats.is_read_only

    def look_at_chats(self) -> None:
        """See whether other programs wrote the open chats."""
        if self._open_chats is not None:
            self._open_chats.look_at_files()

    @property
    def file_acts(self) -> FileActs:
        """What is done to whole chat files of the data root in use."""
        if self._file_acts is None:
            from tavern_desktop.session.file_acts import FileActs

            own = self.folders.for_root(self.root.path).data
            self._file_acts = FileActs(self.runner, self.open_chats, own)
        return self._file_acts

    # -- settings ---------------------------------------------------------------------------------------

    def change_setting(self, name: str, value: Any) -> None:
        """Take a setting at once and write it in the background."""
        if getattr(self.settings, name) == value:
            return
        self.settings = msgspec.structs.replace(self.settings, **{name: value})
        if name == "theme":
            themes().choose(value)
        self.settings_changed.emit()
        self._unwritten[name] = value
        self._write_settings()

    def zoom(self, step: int) -> None:
        """Make the text larger or smaller by steps of ten percent; 0 makes it normal."""
        size = 100 if step == 0 else self.settings.text_size + 10 * step
        self.change_setting("text_size", max(SMALLEST_TEXT, min(LARGEST_TEXT, size)))

    @property
    def window_state(self) -> WindowState:
        return self.preferences.window.value

    def keep_window_state(self, **changes: Any) -> None:
        """Remember how a window is left."""
        self._write(lambda: self.preferences.window.update(**changes))

    @property
    def mounted_count(self) -> int:
        """How many messages a chat shows at first: as set here, else as SillyTavern has it; 0 means all."""
        chosen = self.settings.mounted_count if self.settings.mounted_count is not None else self._truncation
        return chosen if chosen is not None else MOUNTED

    def read_sillytavern_settings(self) -> None:
        """Read, off the window's thread, what SillyTavern's own settings say that matters here."""
        root = self.root

        def read() -> tuple[int | None, Persona]:
            return chat_truncation(read_settings(root)), persona_for(root, {})

        self.runner.submit(read, self._take_sillytavern_settings)

    def _take_sillytavern_settings(self, outcome: Outcome[tuple[int | None, Persona]]) -> None:
        self._truncation, persona = outcome.result()
        if self.persona.name == NOBODY:
            self.persona = persona
        self.settings_changed.emit()

    # -- what is remembered of the data root ------------------------------------------------------------

    @property
    def root_state(self) -> RootState:
        return self.preferences.root(self.root.path).value

    def keep_root_state(self, **changes: Any) -> None:
        """Remember something about the data root in use."""
        section = self.preferences.root(self.root.path)
        self._write(lambda: section.update(**changes))

    def keep_position(self, path: Path, position: Position) -> None:
        """Remember where a chat was left."""
        root, chat = self.root, self.root.relative(path)
        self._write(lambda: self.preferences.keep_position(root.path, chat, position))

    def position(self, path: Path) -> Position | None:
        """Return where a chat was left, None for the end."""
        return self.root_state.positions.get(self.root.relative(path))

    # -- the data root ----------------------------------------------------------------------------------

    def change_root(self, root: DataRoot) -> None:
        """Work on another data folder, and do so at the next start too."""
        if root != self.root:
            self._take_root(root)
            self.remember_root()

    def claim_again(self) -> None:
        """Try once more to be the program that may change the chats of the data folder: all of them are let go of."""
        self._take_root(self.root)

    def _take_root(self, root: DataRoot) -> None:
        self.root_leaving.emit()
        self._end_replies()
        self.library.stop()
        self.root = root
        self.library = self._make_library()
        self._open_chats = None
        self._file_acts = None
        self.drafts.flush()
        self._drafts = None
        self.avatars.forget()
        self.persona = Persona(NOBODY)
        self.root_changed.emit()
        self.begin()

    def begin(self) -> None:
        """Start reading what the data root holds."""
        self.read_sillytavern_settings()
        self.library.first_shown.connect(self._mark_drafts_soon, Qt.ConnectionType.SingleShotConnection)
        self.library.refresh()

    def remember_root(self) -> None:
        """Work on this data root at the next start too."""
        root = self.root
        self.settings = msgspec.structs.replace(self.settings, data_root=str(root.path), user=root.user)
        self._write(lambda: remember_root(self.preferences, root))

    def shut_down(self) -> None:
        """Let everything that is being written finish; the program ends."""
        self._end_replies()
        self.library.stop()
        self.ending.emit()
        if self._unwritten:
            self._write_settings()
        self.drafts.flush()
        self.runner.run_until(lambda: self._writes == 0 and not self.drafts.is_busy, WRITE_SECONDS)
        self.ended.emit()

    def _tell_damaged_draft(self, file: Path) -> None:
        text = self.tr("A file with unsent text could not be read; it is kept as {file}.")
        self.messages.warning(text.format(file=file))

    def _tell_of_drafts(self) -> None:
        """Say why typed text cannot be kept on disk; of a full disk the windows speak themselves."""
        problem = self.drafts.problem
        if problem is not None and problem.detail != "space":
            text = self.tr("What you type cannot be kept on disk for now, only here in the window. {reason}")
            self.messages.warning(text.format(reason=sentence(problem)))
        self.typed_text_kept.emit()

    def _mark_drafts_soon(self) -> None:
        """Have drafts read once the lists are painted, whether or not a chat is opened."""
        QTimer.singleShot(0, self, lambda: self.drafts)

    def _mark_drafts(self) -> None:
        self.library.show_marks(drafts=frozenset(self.drafts.files()))

    def _write_settings(self) -> None:
        changes = dict(self._unwritten)

        def write() -> None:
            self.preferences.settings.update(**changes)
            self.runner.post(lambda: self._forget_written(changes))

        self._write(write)

    def _forget_written(self, changes: dict[str, Any]) -> None:
        for name, value in changes.items():
            if self._unwritten.get(name, changes) == value:
                del self._unwritten[name]

    def _make_library(self) -> LibraryData:
        root = self.root

        def open_index() -> Index:
            return Index(self.folders.for_root(root.path).cache, root.path)

        return LibraryData(self.runner, root, open_index, self)

    def _write(self, write: Callable[[], object]) -> None:
        self._writes += 1
        self.runner.submit(write, self._written, lane=LANE)

    def _written(self, outcome: Outcome[object]) -> None:
        self._writes -= 1
        if not isinstance(outcome.error, StorageError):
            outcome.result()
            self._is_write_told = False
        elif not self._is_write_told:
            self._is_write_told = True
            reason = outcome.error.message
            self.messages.warning(self.tr("The settings could not be written: {reason}.").format(reason=reason))
