"""Our own pairs, one file a topic; brackets mark what may be blanked."""
