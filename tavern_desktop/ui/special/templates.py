"""What an empty special message of each type looks like, for who writes one by hand."""

from __future__ import annotations

from collections.abc import Sequence

from tavern_desktop.cards.envelope import new_id
from tavern_desktop.cards.registry import FormDefinition
from tavern_desktop.cards.yaml_writing import write_payload
from tavern_desktop.ui.chat.cards.words import tr, type_name

_TABLE = """\
type: Table
id: {id}
title: {title}
columnNames: [Name, Amount]
rows:
  - [Salt, 12]
  - [Lamp oil, 3]
"""
_PARAMETERS = """\
type: ParameterSet
id: {id}
title: {title}
items:
  - name: Pace
    valueText: "4"
    unit: miles an hour
  - name: Weather
    valueText: calm
    fieldType: select
    options: [calm, rough, storm]
"""
_WORKFLOW = """\
type: WorkflowStatus
id: {id}
title: {title}
steps:
  - title: Find the ferry
    status: done
  - title: Cross the bay
  - title: Reach the inn
"""
_MATCH = """\
type: ColumnMatch
id: {id}
title: {title}
requiredColumns:
  - name: Goods
    description: What is carried
  - name: Price
    required: false
previewColumns:
  - name: item
    samples: [salt, lamp oil]
  - name: cost
    samples: [12, 3]
"""


def templates(forms: Sequence[FormDefinition]) -> list[tuple[str, str]]:
    """Return (what it is, payload) of everything that can be begun with."""
    made = [(f"{type_name('Form')}: {form.title}", write_payload(form.payload(new_id()))) for form in forms]
    title = tr("Untitled")
    for kind, text in (
        ("Table", _TABLE),
        ("ParameterSet", _PARAMETERS),
        ("WorkflowStatus", _WORKFLOW),
        ("ColumnMatch", _MATCH),
    ):
        made.append((type_name(kind), text.format(id=new_id(), title=title)))
    return made
