"""Relation questions about stories: the task, its models, and the tables of the thesis."""
