"""What is asked for at special messages becomes commands on their chat; and where new ones come from."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QMessageBox

from tavern_desktop.chat import facts
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.facts import OWN_FIELD
from tavern_desktop.chat.message import Message
from tavern_desktop.session.card_ids import CardIds
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.commands import Command
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.banner import Notice
from tavern_desktop.ui.message_commands import MessageCommands
from tavern_desktop.ui.replying import Replying
from tavern_desktop.ui.services import Services
from tavern_desktop.ui.writing import Writing

if TYPE_CHECKING:
    from tavern_desktop.cards.csv_table import CsvTable
    from tavern_desktop.cards.envelope import Card
    from tavern_desktop.cards.registry import FormDefinition
    from tavern_desktop.ui.chat_pane import ChatPane

NOTICE = "special"
LONGEST_TURN = 200
"""Messages behind a workflow beyond which nothing works on it any more."""
LOOKED_AT = 50
"""Newest messages among which an open form that asks for columns is looked for."""


class SpecialDeeds(QObject):
    """Owner: the desk. What YAML needs is loaded with the first special message."""

    def __init__(
        self,
        services: Services,
        pane: ChatPane,
        session: Callable[[], ChatSession | None],
        commands: MessageCommands,
        writing: Writing,
        replying: Replying,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._services, self._pane, self._session = services, pane, session
        self._commands, self._writing, self._replying = commands, writing, replying
        self._ids: CardIds | None = None
        self._forms_are_watched = False
        view = pane.view
        writing.message_sent.connect(self.expire_forms)
        replying.changed.connect(self._reply_changed)
        view.special_filled.connect(self._fill)
        view.special_submitted.connect(self._submit)
        view.special_requested.connect(self._do)

    # -- for the surface --------------------------------------------------------------------------------

    def watch(self, chat: Chat | None) -> None:
        """Follow the chat in view, or none."""
        if self._ids is not None:
            self._ids.close()
        self._ids = CardIds(self._services.runner, chat, self._pane.view.use.look_again) if chat is not None else None

    def is_copy(self, key: int, card_id: str) -> bool:
        """Say whether a special message is a copy of an earlier one."""
        return self._ids is not None and self._ids.is_copy(key, card_id)

    def is_working(self, key: int) -> bool:
        """Say whether what a special message shows is under way: a reply is being written in the turn it stands in."""
        task = self._replying.task
        chat = task.session.chat if task is not None else None
        index = chat.find(key) if chat is not None else None
        if chat is None or index is None or len(chat) - index > LONGEST_TURN:
            return False
        return not any(facts.role(message.seen_data()) == "user" for message in chat.messages[index + 1 :])

    def _reply_changed(self) -> None:
        """A reply began or ended: workflows that say they run are under way, or interrupted."""
        self._pane.view.look_again_at("WorkflowStatus")

    def form_of(self, payload: dict[str, Any]) -> FormDefinition | None:
        """Return the form that a payload shows, as this program knows it."""
        if not self._forms_are_watched:
            self._forms_are_watched = True
            self._services.forms.changed.connect(self._pane.view.use.look_again)
        return self._services.forms.of(payload)

    # -- new ones ---------------------------------------------------------------------------------------

    def insert(self) -> None:
        """Let the person write one, beginning with a form or an example."""
        from tavern_desktop.ui.special.source_dialog import SourceDialog
        from tavern_desktop.ui.special.templates import templates

        forms = self._services.forms
        forms.read_again()
        dialog = SourceDialog(self._pane.window(), self.form_of, templates=templates(forms.all()))
        forms.changed.connect(lambda: dialog.offer(templates(forms.all())), Qt.ConnectionType.SingleShotConnection)
        dialog.accepted_source.connect(self._insert)
        dialog.open()

    def take_csv(self, path: Path) -> None:
        """Put the table of a CSV file into the chat in view; match its columns where an open form asks for some."""
        from tavern_desktop.cards.csv_table import NoTable, read_csv
        from tavern_desktop.storage.errors import from_os

        session = self._session()
        if session is None or session.chat is None or not session.can_change:
            self._say(self.tr("Open a chat first: a table goes into the chat in view."))
            return

        def work() -> CsvTable:
            try:
                return read_csv(path.read_bytes())
            except OSError as error:
                raise from_os(error, "read", path) from None
            except NoTable as error:
                raise StorageError("validation", "argument", str(error)) from None

        def read(outcome: Outcome[CsvTable]) -> None:
            try:
                table = outcome.result()
            except StorageError as error:
                self._say(error.message or sentence(error))
            else:
                if self._session() is session:
                    self._insert_table(session, table, path.stem)

        self._services.runner.submit(work, read)

    def _insert_table(self, session: ChatSession, table: CsvTable, title: str) -> None:
        from tavern_desktop.cards.csv_table import match_payload, table_payload
        from tavern_desktop.cards.envelope import new_id
        from tavern_desktop.cards.yaml_writing import write_payload

        form = self._asking_form(session.chat)
        if form is not None:
            payload = match_payload(table, form.columns, title, new_id())
        else:
            payload = table_payload(table, title, new_id())
        self._insert(write_payload(payload))

    def _asking_form(self, chat: Chat | None) -> FormDefinition | None:
        """Return the newest open form of the chat that asks for columns."""
        from tavern_desktop.cards.envelope import read_card

        for message in reversed(chat.messages[-LOOKED_AT:] if chat is not None else ()):
            card = read_card(message.seen_data())
            if card is not None and card.type == "Form" and card.status == "draft":
                form = self.form_of(card.payload)
                if form is not None and form.columns:
                    return form
        return None

    def expire_forms(self) -> None:
        """The person said something: forms that wait only until then can be filled in no longer."""
        from tavern_desktop.cards.envelope import read_card
        from tavern_desktop.session.card_commands import ExpireForm

        session = self._session()
        chat = session.chat if session is not None else None
        for message in chat.messages[-LOOKED_AT:-1] if chat is not None else ():
            card = read_card(message.seen_data()) if b'"card"' in message.seen else None
            if card is not None and card.type == "Form" and card.status == "draft" and card.state == "full":
                form = self.form_of(card.payload)
                if form is not None and form.expires:
                    self._run(lambda key=message.key: ExpireForm(key))  # type: ignore[misc]

    def _insert(self, yaml: str) -> None:
        from tavern_desktop.session.card_commands import InsertCard

        if self._run(lambda: InsertCard(yaml)):
            self._pane.view.go_to_end()

    @property
    def tells_model(self) -> bool:
        """Whether the model is told by a phrase that there was a special message, in the chat in view."""
        session = self._session()
        own = (
            session.chat.header.metadata().get(OWN_FIELD) if session is not None and session.chat is not None else None
        )
        return not isinstance(own, dict) or own.get("tells_cards") is not False

    def toggle_telling(self) -> None:
        """Have the model told of special messages, or no longer; the chat remembers it."""
        from tavern_desktop.session.generating.scenes import chat_choices, with_choices
        from tavern_desktop.session.header_commands import SetMetadata

        session = self._session()
        if session is None or session.chat is None:
            return
        metadata = session.chat.header.metadata()
        choices = msgspec.structs.replace(chat_choices(metadata), tells_cards=not self.tells_model)
        self._commands.run(SetMetadata(with_choices(metadata, choices)))

    # -- those that are there ---------------------------------------------------------------------------

    def use_current(self) -> None:
        """Put the keyboard into the current special message."""
        key = self._pane.view.current_key
        if key is not None and not self._pane.view.use.begin(key):
            card = self._card(key)
            if card is not None and card.status != "draft":
                self._say(self.tr("This special message was answered already."))

    def show_source(self, key: int | None = None) -> None:
        """Show the source of a special message, the current one by default, for editing where that can be."""
        from tavern_desktop.session.card_commands import EditSource
        from tavern_desktop.ui.special.source_dialog import SourceDialog

        key = self._pane.view.current_key if key is None else key
        card = self._card(key) if key is not None else None
        session = self._session()
        if key is None or card is None:
            return
        writable = session is not None and session.can_change and not _is_newer(card)
        dialog = SourceDialog(self._pane.window(), self.form_of, source=card.yaml, writable=writable)
        dialog.accepted_source.connect(lambda yaml: self._run(lambda: EditSource(key, yaml)))
        dialog.open()

    def _do(self, what: str, key: int) -> None:
        from tavern_desktop.session.card_commands import CancelForm, SeparateCaption, UseParameters

        card = self._card(key)
        if card is None:
            return
        is_copy, persona = self.is_copy(key, card.id), self._writing.persona
        name, _, rest = what.partition(":")
        if name == "comments":
            self._ask_about_comments(key, rest)
        elif name == "source":
            self.show_source(key)
        elif name == "csv":
            from tavern_desktop.ui.chat.cards.table_frame import copy_as_csv

            copy_as_csv(card)
        elif name == "cancel":
            self._run(lambda: CancelForm(key, is_copy=is_copy))
        elif name == "values":
            self._run(lambda: UseParameters(key, persona, is_copy=is_copy))
        elif name == "caption":
            self._run(lambda: SeparateCaption(key, self._pane.view.context.char_name))

    def _fill(self, key: int, payload: dict[str, Any]) -> None:
        from tavern_desktop.session.card_commands import UpdateCard

        labels = {"Form": "Fill in form", "ParameterSet": "Change parameters", "ColumnMatch": "Choose columns"}
        card = self._card(key)
        if card is not None and card.status == "draft":
            self._run(lambda: UpdateCard(key, payload, labels.get(card.type, "Edit special message"),
                                         is_copy=self.is_copy(key, card.id)))  # fmt: skip

    def _submit(self, key: int, values: dict[str, Any]) -> None:
        from tavern_desktop.session.submission import Submission

        session, card = self._session(), self._card(key)
        if session is None or card is None:
            return
        form = self.form_of(card.payload) if card.type == "Form" else None
        try:
            Submission(session, self._answer(key, card, values, form), partial(self._ended, form, values)).start()
        except CommandRefused as refusal:
            self._commands.refused.emit(refusal.sentence)
        else:
            self._pane.view.go_to_end()

    def _answer(self, key: int, card: Card, values: dict[str, Any], form: FormDefinition | None) -> Command:
        from tavern_desktop.cards.forms import allowed_fields, check_all
        from tavern_desktop.session.card_commands import ConfirmMapping, SubmitForm

        persona, is_copy = self._writing.persona, self.is_copy(key, card.id)
        if card.type == "ColumnMatch":
            return ConfirmMapping(key, values, persona, is_copy=is_copy)
        fields = allowed_fields(card.payload, form.fields) if form is not None else ()
        kept = {field.name for field in fields if field.kind == "secret" and field.filled}
        if form is None or set(check_all(fields, values)) - kept:
            raise CommandRefused("What is filled in cannot be submitted as it is.")
        return SubmitForm(key, fields, values, persona, is_copy=is_copy)

    def _ended(self, form: FormDefinition | None, values: dict[str, Any], error: StorageError | None) -> None:
        if error is not None:
            text = self.tr("It could not be saved, so nothing was submitted. {reason}")
            notice = Notice(text.format(reason=sentence(error)), tone="danger", key=NOTICE)
            # In front of what is said of the save itself.
            QTimer.singleShot(0, self, lambda: self._pane.banner.show_notice(notice))
            return
        if form is not None and form.handler is not None:
            form.handler(values)
        if form is not None and form.wants_reply:
            self._replying.answer_when_durable()

    def _ask_about_comments(self, key: int, name: str) -> None:
        view = self._pane.view
        box = QMessageBox(view.window())
        box.setObjectName("commentsBox")
        box.setWindowTitle(self.tr("Special Message"))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(self.tr("The source of this special message has comments."))
        box.setInformativeText(
            self.tr("What is filled in is written into its source: comments and layout are then lost.")
        )
        go = box.addButton(self.tr("Go On"), QMessageBox.ButtonRole.AcceptRole)
        box.addButton(self.tr("Leave It"), QMessageBox.ButtonRole.RejectRole)

        def agreed() -> None:
            view.use.agree(key)
            view.use.begin(key, name)

        go.clicked.connect(agreed)
        box.finished.connect(box.deleteLater)
        box.open()

    def _card(self, key: int) -> Card | None:
        from tavern_desktop.cards.envelope import read_card

        session = self._session()
        chat = session.chat if session is not None else None
        index = chat.find(key) if chat is not None else None
        if chat is None or index is None:
            return None
        message: Message = chat.messages[index]
        return read_card(message.seen_data())

    def _run(self, make: Callable[[], Command]) -> bool:
        try:
            return self._commands.run(make())
        except CommandRefused as refusal:
            self._commands.refused.emit(refusal.sentence)
            return False

    def _say(self, text: str) -> None:
        self._pane.banner.show_notice(Notice(text, key=NOTICE))


def _is_newer(card: Card) -> bool:
    """Say whether a newer version made it, whose source nobody here can judge."""
    return card.state == "placeholder" and (card.outcome is None or card.outcome.reason == "newer_schema")
