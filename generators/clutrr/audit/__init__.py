"""Audits of other people's data: whether their answers follow from their own facts."""
