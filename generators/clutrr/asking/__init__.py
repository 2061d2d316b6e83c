"""Questions about a story, and how answers to them are scored."""
