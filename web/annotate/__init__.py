"""Annotation by people: projects, assignment of items, answers, and pages."""
