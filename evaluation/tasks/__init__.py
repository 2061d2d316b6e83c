"""The four tasks: how rows are read, and how answers are scored and put into tables."""
