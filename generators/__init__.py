"""The generators that ship with relsmith, one package each."""
