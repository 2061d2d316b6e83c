"""Our own pairs, cooking and household, one file a topic."""
