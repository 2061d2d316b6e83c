"""Prompts for language models, and rows for reinforcement learning."""
