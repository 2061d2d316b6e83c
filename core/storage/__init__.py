"""Files, folders, object stores, and text that others wrote."""
