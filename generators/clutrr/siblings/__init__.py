"""Sibling rows: stories that differ in one controlled way, and checks of them."""
