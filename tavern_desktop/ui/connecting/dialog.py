"""Connections to models: what is found on this computer, what there is, and how to add one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from tavern_desktop.backends.connection import Connection, is_near
from tavern_desktop.session.local_model import why_not
from tavern_desktop.ui.connecting import words
from tavern_desktop.ui.connecting.data import ConnectData
from tavern_desktop.ui.connecting.model_file import choose_model_file
from tavern_desktop.ui.connecting.row import ConnectionRow
from tavern_desktop.ui.connecting.rows_dialog import RowsDialog
from tavern_desktop.ui.widgets import clear_layout, label, push_button

FIRST_HEIGHT = 560


class ConnectDialog(RowsDialog):
    """Shows `ConnectData` as it changes; everything it does goes on if it is closed."""

    def __init__(self, parent: QWidget, data: ConnectData) -> None:
        super().__init__(parent, "connectDialog", self.tr("Connect a Model"), FIRST_HEIGHT)
        self._data = data
        self._rows: dict[str, ConnectionRow] = {}
        self._shown: tuple[object, ...] = ()
        self.found_heading = label(self.tr("Found on this computer"), "section")
        self.found_note = label("", "muted", wrap=True)
        self.found = QVBoxLayout()
        self.kept_heading = label(self.tr("Connections"), "section")
        self.kept_note = label("", "muted", wrap=True)
        self.kept = QVBoxLayout()
        self.add_button = push_button(self.tr("Add a Connection…"), "plain", self.add)
        self.file_button = push_button(self.tr("Run a Model File…"), "plain", self.ask_for_file)
        self.take_over_button = push_button(self.tr("Take Over from SillyTavern"), "plain", self.take_over)
        self.look_button = push_button(self.tr("Look Again"), "quiet", data.look_around)
        self._lay_out()
        data.changed.connect(self._show)
        data.refused.connect(self.say_problem)
        data.taken_over.connect(self._taken_over)
        self._show()
        data.refresh(self._ask_all)
        data.look_around()

    # -- what is done -----------------------------------------------------------------------------------------

    def add(self) -> None:
        """Have the person describe a new connection."""
        from tavern_desktop.ui.connecting.edit_dialog import EditConnection

        EditConnection(self, self._data).open()

    def edit(self, connection: Connection) -> None:
        """Have the person change a connection."""
        from tavern_desktop.ui.connecting.edit_dialog import EditConnection

        EditConnection(self, self._data, connection, is_kept=True).open()

    def show_generation(self, connection: Connection) -> None:
        """Have the person change how its model is to write."""
        from tavern_desktop.ui.connecting.generation_dialog import ConnectionGeneration

        ConnectionGeneration(self, self._data, connection).open()

    def ask_for_file(self) -> None:
        """Have the person choose a model file, and run it."""
        choose_model_file(self, lambda path: self.use_file(Path(path)))

    def use_file(self, path: Path) -> None:
        """Run a model file from now on."""
        self.say("")
        self._data.use_file(path)

    def take_over(self) -> None:
        """Add the connections that SillyTavern has."""
        self.say("")
        self._data.take_over()

    def _taken_over(self, names: list[str]) -> None:
        if names:
            self.say(self.tr("Taken over: {names}.").format(names=", ".join(names)), "ok")
        else:
            self.say(self.tr("SillyTavern’s settings hold no connection that is not here already."))

    def _use(self, connection: Connection) -> None:
        self.say("")
        self._data.use(connection)

    def _use_offer(self, offer: Connection) -> None:
        if self._data.lacks(offer):
            from tavern_desktop.ui.connecting.edit_dialog import EditConnection

            EditConnection(self, self._data, offer).open()
        else:
            self._use(offer)

    def _remove(self, connection: Connection) -> None:
        question = self.tr("Remove the connection “{name}” and its key?").format(name=connection.name)
        remove = partial(self._data.remove, connection)
        self.ask_to_remove("removeConnection", self.tr("Remove Connection"), question, remove)

    def _ask_all(self) -> None:
        """See which connections answer; of those elsewhere only the one in use is asked."""
        for connection in self._data.known.connections:
            state = self._data.reach_of(connection).state
            if state == "unknown" and connection.protocol != "local" and is_near(connection):
                self._data.test(connection)

    # -- what is shown ----------------------------------------------------------------------------------------

    def _show(self) -> None:
        offers, known = self._data.new_offers(), self._data.known
        shown = (tuple(offers), known, self._data.is_known)
        if shown != self._shown:
            self._shown = shown
            self.refill(partial(self._fill, offers), self.add_button)
        for connection in known.connections:
            row = self._rows[connection.id]
            reach = self._data.reach_of(connection)
            row.show_details(words.details(connection, reach, known.places.get(connection.id)))
            row.show_state(*words.state_words(reach))
        self.look_button.setEnabled(not self._data.is_looking)
        self.found_note.setText(self._about_found(bool(offers)))
        self.found_note.setVisible(bool(self.found_note.text()))

    def _fill(self, offers: list[Connection]) -> Iterable[ConnectionRow]:
        for layout in (self.found, self.kept):
            clear_layout(layout)
        self._rows = {}
        for offer in offers:
            self.found.addWidget(self._offer_row(offer))
        known = self._data.known
        for connection in known.connections:
            self._rows[connection.id] = row = self._kept_row(connection)
            self.kept.addWidget(row)
        self.kept_heading.setVisible(bool(known.connections))
        problems = " ".join(known.problems)
        self.kept_note.setText(problems)
        self.kept_note.setVisible(bool(problems))
        return self._rows.values()

    def _offer_row(self, offer: Connection) -> ConnectionRow:
        row = ConnectionRow(offer.name, "star")
        row.show_details(words.details(offer, self._data.reach_of(offer), None))
        row.add_button(self.tr("Use"), partial(self._use_offer, offer), primary=True)
        return row

    def _kept_row(self, connection: Connection) -> ConnectionRow:
        row = ConnectionRow(connection.name, "link")
        chosen = self._data.known.chosen
        is_chosen = chosen is not None and chosen.id == connection.id
        row.show_in_use(self.tr("in use") if is_chosen else "")
        if not is_chosen:
            row.add_button(self.tr("Use"), partial(self._use, connection))
        if connection.protocol == "local":
            row.add_button(self.tr("Load"), partial(self._data.test, connection))
            row.add_button(self.tr("Unload"), partial(self._data.unload, connection))
        else:
            row.add_button(self.tr("Test"), partial(self._data.test, connection))
        row.add_deeds(
            (
                ("settings", self.tr("Generation settings"), partial(self.show_generation, connection)),
                ("pencil", self.tr("Edit"), partial(self.edit, connection)),
                ("trash", self.tr("Remove"), partial(self._remove, connection)),
            )
        )
        return row

    def _about_found(self, has_offers: bool) -> str:
        if self._data.is_looking:
            return self.tr("Looking for model servers…")
        if has_offers:
            return ""
        if self._data.known.connections:
            return self.tr("Nothing else answers on the usual ports.")
        return self.tr(
            "No model server answers on the usual ports. Start one (llama.cpp, KoboldCpp, Ollama, LM Studio …), "
            "run a model file here, or add a connection with a key."
        )

    # -- layout -----------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        refusal = why_not()
        self.file_button.setEnabled(not refusal)
        self.file_button.setToolTip(refusal or self.tr("A GGUF file, run by the program itself on this computer"))
        self.take_over_button.setToolTip(
            self.tr("Reads SillyTavern’s settings and keys from the data folder; nothing is changed there")
        )
        column = self.column
        head = QHBoxLayout()
        head.addWidget(self.found_heading, 1)
        head.addWidget(self.look_button)
        column.addLayout(head)
        for part in (self.found, self.kept):
            part.setSpacing(8)
        column.addWidget(self.found_note)
        column.addLayout(self.found)
        column.addSpacing(12)
        column.addWidget(self.kept_heading)
        column.addWidget(self.kept_note)
        column.addLayout(self.kept)
        column.addStretch(1)
        self.lay_foot((self.add_button, self.file_button, self.take_over_button))
