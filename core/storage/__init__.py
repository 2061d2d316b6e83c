"""Files, folders, and text files of users."""
