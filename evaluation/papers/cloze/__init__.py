"""Cloze tests: models that fill the blanks of a concrete text, given its abstract."""
