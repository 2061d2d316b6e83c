"""The programs that people use rows in: Inspect, lm-eval, the Hugging Face hub."""
