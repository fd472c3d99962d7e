"""Adding a connection, or changing one: what kind of server, where it is, its key, its model."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from tavern_desktop.backends.connection import Connection, Secrets, check
from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.protocol import Model, Status
from tavern_desktop.session.connections import new_id
from tavern_desktop.session.refusals import Refused
from tavern_desktop.ui.connecting import words
from tavern_desktop.ui.connecting.data import ConnectData
from tavern_desktop.ui.connecting.model_file import choose_model_file
from tavern_desktop.ui.connecting.more_fields import MoreFields
from tavern_desktop.ui.widgets import TextField, label, push_button, set_tone


class EditConnection(QDialog):
    """`connection`: what to begin with, None for nothing. Nothing is kept before the person says so."""

    def __init__(
        self, parent: QWidget, data: ConnectData, connection: Connection | None = None, *, is_kept: bool = False
    ) -> None:
        """`is_kept`: it is there already, and is changed."""
        super().__init__(parent)
        self.setObjectName("editConnection")
        self.setWindowTitle(self.tr("Edit Connection") if is_kept else self.tr("Add a Connection"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._data = data
        self._is_new = not is_kept
        self._kinds = words.server_kinds()
        first = self._kinds[0]
        self._connection = connection or Connection(
            id=new_id(), name="", protocol=first.protocol, provider=first.provider
        )
        self._asking: Future[Any] | None = None
        self._is_closed = False
        self._named = ""
        """The name we proposed: it follows the kind until the person types one."""
        self.kind = QComboBox()
        self.kind.addItems([kind.name for kind in self._kinds])
        self.name = TextField("", self.tr("Name"))
        self.url = TextField("http://host:port/v1", self.tr("Address"))
        self.key = TextField("", self.tr("Key"))
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.about_key = label(data.known.about_keys, "muted", wrap=True)
        self.model = QComboBox()
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.model.setMinimumContentsLength(24)
        self.fetch_button = push_button(self.tr("Fetch Models"), "plain", self.fetch_models)
        self.file = TextField("", self.tr("Model file"))
        self.file_button = push_button(self.tr("Choose…"), "plain", self._choose_file)
        self.tools = QCheckBox(self.tr("Offer its model tools, where chats use them"))
        self.more_button = push_button(self.tr("More…"), "quiet", self._show_more)
        self.more = MoreFields()
        self.said = label("", "muted", wrap=True)
        self.test_button = push_button(self.tr("Test"), "plain", self.test)
        self.save_button = push_button(
            self.tr("Add and Use") if self._is_new else self.tr("Save"), "primary", self.save
        )
        self._lay_out()
        self._show_connection()
        self.kind.currentIndexChanged.connect(self._kind_chosen)
        self.finished.connect(self._close)

    @property
    def _is_local(self) -> bool:
        return self._connection.protocol == "local"

    # -- what is done -----------------------------------------------------------------------------------------

    def save(self) -> None:
        """Keep the connection and close; where it cannot be kept, say why and stay."""
        connection = self._read()
        if connection is None:
            return

        def kept() -> None:
            if self._is_new:
                self._data.use(connection)
            else:
                self._data.test(connection)
            if not self._is_closed:
                self.accept()

        self._data.keep(connection, self._secrets(), kept, self._say_problem)

    def test(self) -> None:
        """Try out what is typed, without keeping it."""
        connection = self._read()
        if connection is not None:
            self._say(self.tr("Asking…"))
            self._ask(self._data.try_unkept(connection, self._typed_secrets(), self._tested))

    def fetch_models(self) -> None:
        """Ask the server for its models."""
        connection = self._read()
        if connection is not None:
            self._say(self.tr("Asking for the models…"))
            self._ask(self._data.models_of(connection, self._typed_secrets(), self._take_models))

    def _choose_file(self) -> None:
        choose_model_file(self, self.file.setText)

    def _tested(self, status: Status | None, problem: str) -> None:
        if self._is_closed:
            return
        if status is None:
            self._say_problem(problem)
        else:
            self._say(words.answered(status.model, status.context), "ok")

    def _take_models(self, models: list[Model] | None, problem: str) -> None:
        if self._is_closed:
            return
        if models is None:
            self._say_problem(problem)
            return
        wanted = self.model.currentText()
        self.model.clear()
        self.model.addItems([model.id for model in models])
        self.model.setCurrentText(wanted)
        count = len(models)
        if not wanted and count == 1:
            self.model.setCurrentIndex(0)
        self._say(self.tr("1 model.") if count == 1 else self.tr("{count} models.").format(count=count), "ok")
        if count > 1:
            self.model.showPopup()

    def _ask(self, future: Future[Any]) -> None:
        self._stop_asking()
        self._asking = future

    def _close(self) -> None:
        self._is_closed = True
        self._stop_asking()

    def _stop_asking(self) -> None:
        if self._asking is not None:
            self._asking.cancel()

    # -- between the fields and a connection ------------------------------------------------------------------

    def _read(self) -> Connection | None:
        """Return the connection as it is typed, None after saying what is wrong with it."""
        name = self.name.text().strip()
        model = (self.file.text() if self._is_local else self.model.currentText()).strip()
        try:
            if not name:
                raise Refused(self.tr("A connection needs a name."))
            changes: dict[str, object] = {"name": name, "model": model, "off": self._off()}
            if not self._is_local:
                if self._is_new or self.kind.currentIndex() != self._first_kind:
                    kind = self._kinds[self.kind.currentIndex()]
                    changes |= {"protocol": kind.protocol, "provider": kind.provider}
                changes["url"] = self.url.text().strip()
                changes |= self.more.read()
            connection = msgspec.structs.replace(self._connection, **changes)
            check(connection)
        except (Refused, BackendError) as error:
            self._say_problem(error.sentence)
            return None
        return connection

    def _off(self) -> tuple[str, ...]:
        """Return what is not sent to the server."""
        kept = tuple(setting for setting in self._connection.off if setting != "tools")
        return kept if self.tools.isChecked() else (*kept, "tools")

    def _secrets(self) -> Secrets:
        return Secrets(self.key.text().strip(), self.more.proxy_password.text())

    def _typed_secrets(self) -> Secrets | None:
        """Return what a trial is made with: what is typed, None for what is kept."""
        typed = self._secrets()
        return typed if self._is_new or typed.all() else None

    def _show_connection(self) -> None:
        connection = self._connection
        place = self._data.known.places.get(connection.id)
        self._first_kind = words.kind_of(connection, self._kinds)
        self.kind.setCurrentIndex(self._first_kind)
        self.name.setText(connection.name)
        self.url.setText(connection.url)
        self.model.setCurrentText(connection.model)
        self.file.setText(connection.model)
        self.tools.setChecked("tools" not in connection.off)
        self.more.show_connection(connection)
        kept = self.tr("A key is kept; leave this empty to go on with it") if place else self.tr("None")
        self.key.setPlaceholderText(kept)
        self.more.setVisible(not self._is_local and not self.more.is_plain)
        self.more_button.setVisible(not self._is_local and self.more.is_plain)
        if not connection.url and not self._is_local:
            self._kind_chosen()
        elif self._is_new and not self._is_local:
            self.fetch_models()
            self.key.setFocus(Qt.FocusReason.OtherFocusReason)

    def _kind_chosen(self) -> None:
        """Propose name and address of a kind, where the person has not typed others."""
        kind = self._kinds[self.kind.currentIndex()]
        if self.name.text() in ("", self._named):
            self._named = self._data.servers.connections.free_name(kind.name) if kind.url else ""
            self.name.setText(self._named)
        if self.url.text() in ("", *(other.url for other in self._kinds)):
            self.url.setText(kind.url)

    def _show_more(self) -> None:
        self.more_button.hide()
        self.more.show()
        layout = self.layout()
        if layout is not None:
            layout.activate()
            self.resize(self.width(), layout.totalHeightForWidth(self.width()))
        self.more.headers.setFocus(Qt.FocusReason.OtherFocusReason)

    def _say(self, text: str, tone: str = "muted") -> None:
        self.said.setText(text)
        set_tone(self.said, tone)

    def _say_problem(self, text: str) -> None:
        if not self._is_closed:
            self._say(text, "danger")

    # -- layout -----------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(18)
        form.setVerticalSpacing(10)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        model = QHBoxLayout()
        model.addWidget(self.model, 1)
        model.addWidget(self.fetch_button)
        if self._is_local:
            file = QHBoxLayout()
            file.addWidget(self.file, 1)
            file.addWidget(self.file_button)
            rows: list[tuple[str, QWidget]] = [(self.tr("Name"), self.name), (self.tr("Model file"), _holder(file))]
        else:
            key = QVBoxLayout()
            key.setSpacing(3)
            key.addWidget(self.key)
            key.addWidget(self.about_key)
            rows = [
                (self.tr("Kind of server"), self.kind),
                (self.tr("Name"), self.name),
                (self.tr("Address"), self.url),
                (self.tr("Key"), _holder(key)),
                (self.tr("Model"), _holder(model)),
            ]
        for text, field in rows:
            form.addRow(label(text), field)
        form.addRow("", self.tools)
        self.kind.setAccessibleName(self.tr("Kind of server"))
        self.model.setAccessibleName(self.tr("Model"))
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self.fetch_button, self.file_button, self.more_button, self.test_button):
            button.setAutoDefault(False)
        buttons.addWidget(self.test_button)
        buttons.addStretch(1)
        cancel = push_button(self.tr("Cancel"), "plain", self.reject)
        cancel.setAutoDefault(False)
        buttons.addWidget(cancel)
        self.save_button.setDefault(True)
        buttons.addWidget(self.save_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 20, 22, 16)
        column.setSpacing(12)
        column.addLayout(form)
        column.addWidget(self.more_button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.more)
        column.addWidget(self.said)
        column.addStretch(1)
        column.addLayout(buttons)
        self.setMinimumWidth(580)


def _holder(layout: QLayout) -> QWidget:
    layout.setContentsMargins(0, 0, 0, 0)
    holder = QWidget()
    holder.setLayout(layout)
    return holder
