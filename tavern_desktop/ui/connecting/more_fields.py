"""What few connections need: own headers, a proxy, how long to wait."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QFormLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from tavern_desktop.backends.connection import KEY_MARK, Connection, Timeouts
from tavern_desktop.session.refusals import Refused
from tavern_desktop.ui.widgets import TextField, inset, label, never_scroll_sideways

LONGEST = 86_400.0


class MoreFields(QWidget):
    """Shows and returns these parts of a connection."""

    def __init__(self) -> None:
        super().__init__()
        self.headers = QPlainTextEdit()
        self.headers.setPlaceholderText(f"X-Api-Key: {KEY_MARK}")
        self.headers.setTabChangesFocus(True)
        never_scroll_sideways(self.headers)
        self.headers.setFixedHeight(self.headers.fontMetrics().lineSpacing() * 2 + 18)
        self.proxy = TextField("http://host:port", self.tr("Proxy"))
        self.proxy_password = TextField("", self.tr("Password of the proxy"))
        self.proxy_password.setEchoMode(QLineEdit.EchoMode.Password)
        self.connect_seconds = _seconds(self.tr("As usual"))
        self.first_seconds = _seconds(self.tr("As long as it takes"))
        self.idle_seconds = _seconds(self.tr("As long as it takes"))
        self.check_certificate = QCheckBox(self.tr("Check the server’s certificate"))
        self._lay_out()

    def show_connection(self, connection: Connection) -> None:
        """Show what a connection has."""
        self.headers.setPlainText("\n".join(f"{name}: {value}" for name, value in connection.headers.items()))
        self.proxy.setText(connection.proxy)
        times = connection.timeouts
        self.connect_seconds.setValue(0 if times.connect == Timeouts().connect else times.connect)
        self.first_seconds.setValue(times.first_byte or 0)
        self.idle_seconds.setValue(times.idle or 0)
        self.check_certificate.setChecked(connection.check_certificate)

    def read(self) -> dict[str, object]:
        """Return the fields of a connection as they are typed. Raises Refused for a header that is none."""
        return {
            "headers": _headers(self.headers.toPlainText()),
            "proxy": self.proxy.text().strip(),
            "timeouts": Timeouts(
                connect=self.connect_seconds.value() or Timeouts().connect,
                first_byte=self.first_seconds.value() or None,
                idle=self.idle_seconds.value() or None,
            ),
            "check_certificate": self.check_certificate.isChecked(),
        }

    @property
    def is_plain(self) -> bool:
        """Whether nothing unusual is set, so that nobody misses it."""
        usual = {"headers": {}, "proxy": "", "timeouts": Timeouts(), "check_certificate": True}
        return self.read() == usual

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(18)
        form.setVerticalSpacing(10)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        rows: tuple[tuple[str, QWidget], ...] = (
            (self.tr("Headers"), self.headers),
            (self.tr("Proxy"), self.proxy),
            (self.tr("Proxy password"), self.proxy_password),
            (self.tr("Wait to connect"), self.connect_seconds),
            (self.tr("Wait for the first word"), self.first_seconds),
            (self.tr("Silence in a reply"), self.idle_seconds),
        )
        for text, field in rows:
            form.addRow(label(text), field)
            field.setAccessibleName(text)
        form.addRow("", self.check_certificate)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(form)
        note = self.tr("One header a line, as “Name: value”. {mark} stands for the key, which is kept apart.")
        column.addWidget(label(note.format(mark=KEY_MARK), "muted", wrap=True))


def _seconds(usual: str) -> QDoubleSpinBox:
    box = inset(QDoubleSpinBox())
    box.setRange(0, LONGEST)
    box.setDecimals(0)
    box.setSuffix(" s")
    box.setSpecialValueText(usual)
    return box


def _headers(text: str) -> dict[str, str]:
    headers = {}
    for line in filter(str.strip, text.splitlines()):
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            raise Refused(f"This is no header: {line.strip()}. Write it as “Name: value”.")
        headers[name.strip()] = value.strip()
    return headers
