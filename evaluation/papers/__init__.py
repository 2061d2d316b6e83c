"""Replicated papers: the task, the models, and the tables and figures of each."""
