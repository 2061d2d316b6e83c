"""A dataset to look at in a browser."""
