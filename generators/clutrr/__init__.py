"""Kinship stories in the manner of CLUTRR."""
