"""Rule worlds, relation sets and word lists: what the generators know."""
