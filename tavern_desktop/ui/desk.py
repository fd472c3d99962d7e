"""What is in view in one window: opens a chat, shows how far it is and what is wrong, lets go of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.signal import Signal as ChatSignal
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.generating.entering import ConversationView, Source
from tavern_desktop.session.loading import ChatKind
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.ui.actions import Need
from tavern_desktop.ui.availability import available
from tavern_desktop.ui.banner import Notice
from tavern_desktop.ui.chat.context import ChatContext
from tavern_desktop.ui.chat.preview_model import PreviewModel
from tavern_desktop.ui.chat.record import Names
from tavern_desktop.ui.chat_header import AVATAR
from tavern_desktop.ui.chat_pane import ChatPane
from tavern_desktop.ui.empty_chat import Emptiness
from tavern_desktop.ui.failure import Lines, summary, what_became_of_it, what_is_wrong
from tavern_desktop.ui.full_disk import FullDisk
from tavern_desktop.ui.interrupted_notice import InterruptedNotice
from tavern_desktop.ui.library.entries import useful_title
from tavern_desktop.ui.message_commands import MessageCommands
from tavern_desktop.ui.newest_backup import look_for_backup
from tavern_desktop.ui.next_speaker import NextSpeaker
from tavern_desktop.ui.persona_picker import PersonaPicker
from tavern_desktop.ui.reading_place import go_back_to, place_in
from tavern_desktop.ui.recovery_notice import RecoveryNotice
from tavern_desktop.ui.replying import Replying
from tavern_desktop.ui.save_notices import SaveNotices
from tavern_desktop.ui.services import Services
from tavern_desktop.ui.speakers import Speakers
from tavern_desktop.ui.special.deeds import SpecialDeeds
from tavern_desktop.ui.theme import themes
from tavern_desktop.ui.unfinished import UnfinishedEdits
from tavern_desktop.ui.writing import SEND_NOTICE, Writing

if TYPE_CHECKING:
    from tavern_desktop.session.generating.reply import Speaker
    from tavern_desktop.session.generating.scenes import Asked


class ChatDesk(QObject):
    """Owner: the main window. `session` is None while no chat is in view."""

    chat_changed = Signal()
    """Another chat, or none, is in view."""
    state_changed = Signal()
    """What can be done may have changed."""
    save_changed = Signal()
    comparison_requested = Signal()
    """What another program did to the chat shall be shown beside what was here before."""

    def __init__(self, services: Services, pane: ChatPane, parent: QObject) -> None:
        super().__init__(parent)
        self.session: ChatSession | None = None
        self._services = services
        self._pane = pane
        self._shown: Chat | None = None
        self._speakers: Speakers | None = None
        self.commands = MessageCommands(services.runner, pane.view, lambda: self.session, self)
        self.writing = Writing(services, pane.composer, lambda: self.session, self.commands, self)
        self.replying = Replying(services, pane, self.writing, self._speaker, self, self._ask_due)
        self.specials = SpecialDeeds(
            services, pane, lambda: self.session, self.commands, self.writing, self.replying, self
        )
        pane.composer.special_requested.connect(self.specials.insert)
        self._next_speaker = NextSpeaker(services, pane.composer, lambda: self.session, self)
        self.replying.changed.connect(self._next_speaker.take_up)
        self._next_speaker.refused.connect(lambda text: pane.banner.show_notice(Notice(text, key=SEND_NOTICE)))
        self.personas = PersonaPicker(services, pane.composer, lambda: self.session, self.commands, self.writing, self)
        self.personas.refused.connect(lambda text: pane.banner.show_notice(Notice(text, key=SEND_NOTICE)))
        self.writing.continue_requested.connect(self.replying.continue_last)
        self._conversation: ConversationView | None = None
        self._interrupted = InterruptedNotice(
            services, pane.banner, lambda: self.session, self.commands, self.writing.put_behind, self
        )
        self._unfinished = UnfinishedEdits(
            services, pane.view, pane.banner, lambda: self.session, self.commands, self.writing.put_behind, self
        )
        self.full_disk = FullDisk(services, pane.banner, lambda: self.session, self)
        self.save_changed.connect(self.full_disk.look)
        self._notices = SaveNotices(services, pane.banner, self)
        self._notices.show_requested.connect(self.show_message)
        self._notices.compare_requested.connect(self.comparison_requested)
        self._notices.undo_requested.connect(self.commands.undo)
        self._notices.open_requested.connect(self.open)
        self._notices.replacing.connect(self.keep_edit)
        self._recovery = RecoveryNotice(pane.banner, self)
        self._recovery.show_requested.connect(self.show_message)
        self._recovery.undo_requested.connect(self.commands.undo)
        self.commands.refused.connect(lambda text: pane.banner.show_notice(Notice(text, key="refused")))
        self.commands.preparing.connect(self._show_preparing)
        self.commands.undo_offered.connect(pane.undo_bar.offer)
        self.writing.noticed.connect(pane.banner.show_notice)
        self.writing.notice_withdrawn.connect(pane.banner.take_away)
        self.writing.sent.connect(pane.view.go_to_end)
        self.writing.message_sent.connect(self.replying.answer_when_durable)
        self.commands.regenerate_requested.connect(self.replying.regenerate)
        pane.view.continue_requested.connect(self.replying.continue_at)
        self.writing.persona_changed.connect(self._show_context)
        pane.undo_bar.undo_requested.connect(self.commands.undo)
        self.commands.undone.connect(pane.undo_bar.hide)
        pane.loading.cancel_requested.connect(self._cancel_load)
        pane.failed.retry_requested.connect(self._retry)
        pane.view.current_changed.connect(self.state_changed)
        pane.view.type_through.connect(self.writing.type_through)
        pane.view.editing_changed.connect(self._note_editor)
        services.avatars.loaded.connect(self._show_pictures)
        services.settings_changed.connect(self._apply_settings)
        services.root_leaving.connect(self._leave_root)
        themes().changed.connect(self._show_context)
        self._apply_settings()

    @property
    def path(self) -> Path | None:
        return self.session.path if self.session is not None else None

    @property
    def character(self) -> str:
        """The stem of the character whose chat is in view, "" where it is nobody's."""
        path = self.path
        if path is None or kind_of(path) == "group" or not self._services.root.holds(path):
            return ""
        return self._services.root.character_of(path)

    @property
    def heading(self) -> str:
        """Who the chat in view is with, and its title where that tells more; "" for none."""
        session = self.session
        if session is None:
            return ""
        name = self._name()
        return " · ".join(filter(None, (name, useful_title(name, session.title))))

    def available(self) -> Need:
        """Return what is there for actions to act on."""
        there = available(self.session, self._pane.view.current_key)
        if self.character:
            there |= Need.CHARACTER | Need.CARD
        return there

    # -- opening and leaving ----------------------------------------------------------------------------

    def open(self, path: Path, kind: ChatKind | None = None, source: Source = "sidebar") -> None:
        """Bring this chat into view; one that is in view already stays as it is."""
        conversation = self._conversing()
        if self.session is not None and self._services.open_chats.session_for(path) is self.session:
            conversation.enter(path, source, kind)
            return
        self.leave()
        session = conversation.enter(path, source, kind)
        self.session = session
        self._connect(session, True)
        self._pane.show_page("surface")
        self.writing.take_up(session)
        self._unfinished.take_up()
        self._notices.watch(session)
        self._recovery.watch(session)
        self._make_speakers()
        self._show_header()
        self._show_state()
        self._show_save()
        if session.preview is not None:
            self._show_preview()
        self.chat_changed.emit()

    def leave(self) -> None:
        """Let go of the chat in view: its draft and place are kept, and what is unsaved is saved."""
        session = self.session
        if session is None:
            return
        self.keep_edit()
        self.writing.lay_down(session)
        self.keep_place()
        self._pane.show_page("nothing")
        self._pane.banner.clear()
        self._connect(session, False)
        self._notices.watch(None)
        self._recovery.watch(None)
        self._show_chat(None)
        self.session = None
        self._conversing().leave()
        self.chat_changed.emit()
        self.state_changed.emit()
        self.save_changed.emit()

    def _conversing(self) -> ConversationView:
        if self._conversation is None:
            self._conversation = ConversationView(self._services.open_chats, self._services.generations)
            self.replying.follow(self._conversation)
        return self._conversation

    def _leave_root(self) -> None:
        self.leave()
        self._conversation = None

    def keep_edit(self) -> None:
        """Take what is being typed into a message as its text, as before leaving the chat."""
        self._pane.composer.text.finish_composing()
        self._pane.view.end_edit(save=True)
        self._pane.view.use.end()

    def keep_place(self) -> None:
        """Remember where the person is in the chat, as when it is left or the program ends."""
        session = self.session
        if session is not None and session.chat is not None and self._shown is session.chat:
            self._services.keep_position(session.path, place_in(self._pane.view, session.chat))

    def show_message(self, key: int) -> None:
        """Bring a message of the chat in view into sight; one that is gone stays gone."""
        index = self._shown.find(key) if self._shown is not None else None
        if index is not None:
            self._pane.view.scroll_to_index(index)

    # -- what a session says ----------------------------------------------------------------------------

    def _connect(self, session: ChatSession, on: bool) -> None:
        pairs: tuple[tuple[ChatSignal[Any], Callable[..., object]], ...] = (
            (session.state_changed, self._show_state),
            (session.progress_changed, self._show_progress),
            (session.preview_ready, self._show_preview),
            (session.rest_ready, self._show_rest),
            (session.save_changed, self._show_save),
            (session.undo_changed, self._say_state),
            (session.path_changed, self._path_changed),
            (session.removed, self.leave),
            (session.notice, self._show_notice),
        )
        for signal, slot in pairs:
            (signal.connect if on else signal.disconnect)(slot)

    def _show_state(self) -> None:
        session = self.session
        if session is None:
            return
        if session.state == "failed":
            self._show_failure(session)
        elif session.state == "loading":
            self._pane.show_page("surface")
            self._pane.loading.start()
        else:
            self._pane.loading.stop()
            self._pane.show_page("surface")
            self._show_chat(session.chat)
        self._show_header()
        self.state_changed.emit()

    def _show_failure(self, session: ChatSession) -> None:
        error = session.error
        if error is None:
            return
        self._show_chat(None)
        self._pane.show_page("failed")
        self._pane.failed.show_error(what_is_wrong(error), what_became_of_it(error))
        self._show_rest()
        self._offer_backup(session, self._pane.failed.show_backup)

    def _show_rest(self) -> None:
        if self.session is not None and self.session.rest is not None:
            if self.session.error is not None:
                error, rest = self.session.error, self.session.rest
                self._pane.failed.say(what_is_wrong(error, rest), what_became_of_it(error, rest))
            self._pane.failed.show_lines(Lines(self.session.rest), summary(self.session.rest))
            self.state_changed.emit()

    def _show_emptiness(self) -> None:
        """Say why the surface shows nothing, where it does."""
        session = self.session
        state: Emptiness = ""
        if session is not None and session.chat is not None and not len(session.chat):
            has_bytes = session.signature is None or session.signature.size > 0
            state = "new" if has_bytes else "lost"
        if self._pane.empty.show_state(state) and state == "lost" and session is not None:
            self._offer_backup(session, self._pane.empty.show_backup)

    def _offer_backup(self, session: ChatSession, show: Callable[[str], object]) -> None:
        def show_if_in_view(text: str) -> None:
            if self.session is session:
                show(text)

        look_for_backup(self._services.runner, session.path, show_if_in_view)

    def _show_preview(self) -> None:
        session = self.session
        if session is None or session.preview is None or session.chat is not None or session.state != "loading":
            return
        page, context = session.preview, self._context()
        names = Names(context.user_name, context.char_name)
        self._pane.view.set_preview(PreviewModel(page.records, page.start_index, names), context)

    def _show_chat(self, chat: Chat | None) -> None:
        """Give the surface the whole chat, once; it keeps the reading position of a preview by itself."""
        if chat is self._shown:
            return
        self._watch_chat(False)
        had_preview = self._pane.view.has_preview
        self._shown = chat
        self._watch_chat(True)
        self._pane.view.set_chat(chat, self._context())
        session = self.session
        if chat is None or session is None:
            return
        position = self._services.position(session.path)
        if position is not None and not (had_preview and self._pane.view.was_scrolled):
            go_back_to(self._pane.view, chat, position)
        self.writing.find_persona(session)
        self.replying.show_now()
        self._services.note_seen()
        self._next_speaker.take_up()
        self._interrupted.take_up()
        self.writing.forget_sent(session)
        self._unfinished.offer()

    def _watch_chat(self, on: bool) -> None:
        if self._shown is None:
            return
        for signal in (self._shown.inserted, self._shown.removed):
            (signal.connect if on else signal.disconnect)(self._count_changed)
        (self._shown.was_reset.connect if on else self._shown.was_reset.disconnect)(self._show_header)
        self.personas.watch(self._shown if on else None)
        self.specials.watch(self._shown if on else None)

    def _count_changed(self, first: int, last: int) -> None:
        self._show_header()
        self._unfinished.offer()

    def _show_progress(self, done: int, total: int) -> None:
        self._pane.loading.show_progress(done, total)

    def _show_save(self) -> None:
        session = self.session
        if session is not None and session.save_state.kind == "saved" and session.save_state.at is not None:
            self._services.library.refresh_chat(session.path)
        self.save_changed.emit()

    def _show_preparing(self, text: str) -> None:
        if text:
            self._pane.banner.show_notice(Notice(text, key="preparing"))
        else:
            self._pane.banner.take_away("preparing")

    def _show_notice(self, text: str) -> None:
        self._pane.banner.show_notice(Notice(text))

    def _say_state(self) -> None:
        self.state_changed.emit()

    def _path_changed(self, former: Path) -> None:
        if self.session is not None:
            self._services.drafts.moved(former, self.session.path)
        if self.session is not None and self.session.path.parent != former.parent:
            self._show_context()  # its character has another name now, and so has the file of the picture
        else:
            self._show_header()
        self._services.library.refresh_chat(self.session.path if self.session is not None else former)
        self.chat_changed.emit()

    def _note_editor(self, is_open: bool) -> None:
        if self.session is not None:
            self.session.note_editor(is_open)

    def _cancel_load(self) -> None:
        if self.session is not None:
            self.session.cancel_load()

    def _retry(self) -> None:
        if self.session is not None:
            self.session.load()

    # -- how it is shown --------------------------------------------------------------------------------

    def _make_speakers(self) -> None:
        row = self._services.library.row(self.path or "")
        picture = row.avatar if row is not None else ""
        character = self.character
        if not picture and character:
            picture = str(self._services.root.characters / f"{character}.png")
        view = self._pane.view
        self._speakers = Speakers(
            self._services.root, self._services.avatars, picture, self.writing.persona, view.devicePixelRatioF
        )

    def _context(self) -> ChatContext:
        speakers = self._speakers
        if speakers is None:
            return ChatContext(themes().current)
        return ChatContext(
            themes().current,
            self.writing.persona.name,
            self._name(),
            speakers.avatar,
            speakers.picture,
            self._pane.locale(),
            self.session is not None and self.session.kind == "group",
            self._decode,
            can_generate=True,
            writes_past_last=self._services.settings.writes_past_last,
            shows_speed=self._services.settings.shows_speed,
            form_of=self.specials.form_of,
            is_copy=self.specials.is_copy,
            is_working=self.specials.is_working,
            folder=self._services.root.user_folder,
        )

    def asked(self) -> Asked | None:
        """Return what a reply would be asked with now, None while there is no chat."""
        session = self.session
        if session is None or session.chat is None:
            return None
        from tavern_desktop.session.generating.scenes import Asked

        header, messages = session.chat.snapshot()
        speaker, persona = self._speaker(), self.writing.persona
        return Asked(session.path, header.metadata(), messages, len(messages), "reply", speaker, persona, may_call=True)

    def _ask_due(self, then: Callable[[Sequence[Speaker]], object]) -> None:
        """Tell who answers what was just sent in the chat in view."""
        if self._next_speaker.is_asked:
            self._next_speaker.ask_due(then)
        else:
            then((self._speaker(),))

    def _speaker(self) -> Speaker:
        """Return who replies in the chat in view."""
        from tavern_desktop.session.generating.reply import Speaker

        chosen = self._next_speaker.speaker
        if chosen is not None:
            return chosen
        character = self.character
        return Speaker(self._name(), f"{character}.png" if character else "")

    def _decode(self, work: Callable[[], QImage], done: Callable[[QImage], None]) -> None:
        """Decode a picture in a message away from the window's thread."""
        self._services.runner.submit(work, lambda outcome: done(outcome.result()))

    def _name(self) -> str:
        """Return who the chat in view is with."""
        path = self.path
        if path is None:
            return ""
        row = self._services.library.row(path)
        return row.name if row is not None and row.name else self.character or path.stem

    def _show_context(self) -> None:
        if self.session is not None:
            self._make_speakers()
            self._pane.view.set_context(self._context())
            self._show_header()

    def _show_pictures(self) -> None:
        self._pane.view.viewport().update()
        self._show_header()

    def _show_header(self) -> None:
        session = self.session
        if session is None:
            return
        self._show_emptiness()
        name = self._name()
        count = len(session.chat) if session.chat is not None else None
        self._pane.header.show_chat(name, useful_title(name, session.title), count)
        picture = self._speakers.portrait(AVATAR) if self._speakers is not None else None
        self._pane.header.avatar.show_avatar(name, picture)
        self._pane.composer.show_speaker(self.writing.persona.name, name)

    def _apply_settings(self) -> None:
        settings = self._services.settings
        self._pane.view.set_text_scale(settings.text_size)
        self._pane.composer.set_text_scale(settings.text_size)
        self._pane.composer.set_enter_sends(settings.enter_sends)
        self._pane.view.set_mounted_count(self._services.mounted_count)
        self.commands.writes_past_last = settings.writes_past_last
        self._show_context()
