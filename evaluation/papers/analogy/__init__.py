"""Evaluation on word analogies: true or false of one, or the better of several."""
