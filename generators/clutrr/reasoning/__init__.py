"""Reading and judging the reasoning of a model about a story."""
