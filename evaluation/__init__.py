"""The evaluation harness: models, yardsticks, metrics and tables over datasets."""
