"""Files, folders, object stores, and text files of users."""
