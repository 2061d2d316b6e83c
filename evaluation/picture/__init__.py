"""One picture of what models do: their answers, read from anyone's logs, as figures and words."""
