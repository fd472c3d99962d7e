"""An empty window in a process of its own: what every program with a window has to pay. `python -m tests.bench.bare`

Prints "usable" when it is painted, and then the memory held at rest.
"""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QMainWindow


def main() -> None:
    application = QApplication([])
    window = QMainWindow()
    window.show()
    application.processEvents()
    window.repaint()
    print("usable", flush=True)

    from tests.bench.waiting import SETTLING, live, resident  # not part of what is timed

    live(SETTLING)
    print(resident(), flush=True)


if __name__ == "__main__":
    main()
