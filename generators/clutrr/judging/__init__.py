"""The judge of a row; it shares no code with the modules that make rows."""
