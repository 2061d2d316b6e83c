"""The tasks that come with relsmith, each registered as a plugin's would be."""
