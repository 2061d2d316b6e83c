"""Rule worlds: what a world is, how it is read and checked, and one folder for each of ours."""
