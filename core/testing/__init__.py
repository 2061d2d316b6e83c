"""Tests for authors of generators: the conformance suite and the golden digest."""

from .conformance import check_generator, check_golden, check_judge, golden_digest

__all__ = ["check_generator", "check_golden", "check_judge", "golden_digest"]
