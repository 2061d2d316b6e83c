"""The judge of a row: it shares no code with what makes rows."""
