"""Models of cloze tests, one kind a file."""
