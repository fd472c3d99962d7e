"""A payload of every type, with values that must not be found anywhere else."""

from __future__ import annotations

FORM = """\
# a comment of the author's
type: Form
id: c_form
title: Load scatter
formId: scatter
fields:
  - name: source
    label: Source-label-8f1
    value: source-value-8f1
    help: help-8f1
  - {name: count, fieldType: integer, value: 71934, required: true}
  - {name: mode, fieldType: select, options: [{value: mode-8f1, label: Mode label 8f1}], value: mode-8f1}
  - {name: pass, fieldType: secret, filled: true}
glow: unknown-8f1
"""
PARAMETERS = """\
type: ParameterSet
id: c_parameters
title: Fit
items:
  - {name: alpha-8f1, valueText: "0.25-8f1", description: description-8f1, unit: unit-8f1}
"""
TABLE = """\
type: Table
id: c_table
title: Cargo list
columnNames: [column-a-8f1, column-b-8f1]
rows:
  - [cell-one-8f1, 81935]
  - [cell-two-8f1, 2]
  - [cell-three-8f1, 10]
"""
MATCH = """\
type: ColumnMatch
id: c_match
title: Columns
requiredColumns: [{name: required-8f1, description: describes-8f1}, {name: other-8f1, required: false}]
previewColumns: [{name: found-8f1, samples: [sample-8f1]}, {name: second-8f1}]
mappings: [{required: required-8f1, column: found-8f1, confidence: 0.9}]
"""
WORKFLOW = """\
type: WorkflowStatus
id: c_workflow
title: Crossing
steps:
  - {title: step-one-8f1, status: done, detail: detail-8f1}
  - {title: step-two-8f1, status: running}
  - {title: step-three-8f1}
"""
UNKNOWN = "type: Chart\nid: c_chart\ntitle: title-8f1\nseries: [series-8f1]\n"
BROKEN_FIELD = "type: Table\nid: c_degraded\ntitle: Half a table\ncolumnNames: [x-8f1]\nrows: [[1, extra-8f1]]\n"
UNREADABLE = "type: Table\nid: [unclosed-8f1\n"

VALID = {
    "Form": FORM,
    "ParameterSet": PARAMETERS,
    "Table": TABLE,
    "ColumnMatch": MATCH,
    "WorkflowStatus": WORKFLOW,
}
