"""Stories about who is what to whom: models that read them or their facts, results and reports."""
