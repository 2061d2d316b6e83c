"""Compiler of relation sets from installable packages: words, countries, WordNet."""

from .sets import compile_relations, write_relations

__all__ = ["compile_relations", "write_relations"]
