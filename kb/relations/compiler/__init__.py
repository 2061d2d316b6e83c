"""Relation sets compiled from packages that people have: words, countries, WordNet."""

from .sets import compile_relations, write_relations

__all__ = ["compile_relations", "write_relations"]
