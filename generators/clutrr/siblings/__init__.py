"""Sibling rows: stories that differ in one controlled way, and what compares them."""
