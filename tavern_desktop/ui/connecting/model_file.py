"""Choosing the file of a model."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QFileDialog, QWidget


def choose_model_file(parent: QWidget, take: Callable[[str], object]) -> None:
    """Let the person choose a GGUF file; `take` gets its path."""
    dialog = QFileDialog(parent, parent.tr("Choose a Model File"))
    dialog.setNameFilters([parent.tr("Models (*.gguf)"), parent.tr("All files (*)")])
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.fileSelected.connect(take)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
