"""The models of the thesis, and two of today."""
