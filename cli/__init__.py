"""The `gen` command: options, progress and words, no logic."""
