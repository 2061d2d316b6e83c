"""The evaluation harness: models, metrics and tables over datasets."""
