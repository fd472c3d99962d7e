"""H1, H2: the versions of a chat, listed and compared, as they are on the screen."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from PySide6.QtWidgets import QApplication, QWidget

from tavern_desktop.session.history import Snapshot, compare_change, list_versions
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.storage.journal import Journal
from tavern_desktop.ui.inspector.history_data import ChatHistory
from tavern_desktop.ui.inspector.history_tab import HistoryTab
from tavern_desktop.ui.inspector.history_window import HistoryWindow
from tavern_desktop.ui.theme import themes
from tests.bench.probe_journal import VERSIONS, edited_chat
from tests.bench.sample import Sample

LIST_SIZE = 300, 800


def versions_listed(root: Path) -> Sample:
    """H1: a thousand versions, from disk to the list painted."""
    _, written = edited_chat(root)
    _application()
    history = ChatHistory(PlainRunner())
    tab = HistoryTab(history)
    tab.resize(*LIST_SIZE)
    tab.show()
    QApplication.processEvents()
    began = perf_counter()
    history.take(list_versions(Journal(written.folder)))
    tab.list.viewport().repaint()
    taken = perf_counter() - began
    assert tab.model.rowCount() > VERSIONS
    return Sample(taken)


def version_compared(root: Path) -> Sample:
    """H2: what a version in the middle of a thousand changed, from disk to the comparison painted."""
    chat, written = edited_chat(root)
    _application()
    host = QWidget()
    host.resize(1360, 860)
    window = HistoryWindow(host)
    window.show()
    present = Snapshot(*chat.snapshot())
    QApplication.processEvents()
    began = perf_counter()
    journal = Journal(written.folder)
    past = list_versions(journal)[VERSIONS // 2]
    window.show_past(past, with_present=False)
    window.show_comparison(compare_change(journal, present, past))
    window.view.viewport().repaint()
    taken = perf_counter() - began
    assert window.model.rowCount() > 0
    return Sample(taken)


def _application() -> None:
    if QApplication.instance() is None:
        QApplication([])
    themes()
