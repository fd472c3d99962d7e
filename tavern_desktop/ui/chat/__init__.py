"""The chat surface: list models, the view with its own geometry, rows, text, selection and the in-place editor."""
