"""`gen view`: datasets in a browser."""
