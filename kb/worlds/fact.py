"""What is said of two people or things."""

Fact = tuple[str, str, str]
"""(x, r, y): y is the r of x; r is a predicate, or where a text is meant its word."""
