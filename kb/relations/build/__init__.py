"""Relation sets compiled from packages that people have: words, countries, WordNet."""

from .compile import compile_relations, write_relations

__all__ = ["compile_relations", "write_relations"]
