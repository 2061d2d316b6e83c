"""Export datasets to other formats."""
