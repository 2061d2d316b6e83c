"""Rows in other forms: exports, pages, graphs."""
