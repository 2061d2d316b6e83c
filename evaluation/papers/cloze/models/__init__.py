"""Cloze models, one type per file."""
