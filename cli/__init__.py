"""The `gen` command line: options, progress and messages, no logic."""
