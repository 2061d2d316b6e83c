"""Rule worlds: their schema, loader and linter, and one folder for each of ours."""
