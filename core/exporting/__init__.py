"""Other forms of a dataset: tables, and files for the programs that people use rows in."""
