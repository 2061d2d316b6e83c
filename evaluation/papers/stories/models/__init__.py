"""The models of the thesis, and two more recent ones."""
