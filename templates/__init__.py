"""Sentence banks and the stitcher that turns facts into text."""
