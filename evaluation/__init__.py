"""The evaluation harness: models, baselines, metrics and tables over datasets."""
