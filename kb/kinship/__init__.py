"""The kinship world."""
