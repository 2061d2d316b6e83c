"""Scoring of answers in free text: answer keys, extraction, predictions, agreement."""
