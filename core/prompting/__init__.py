"""What language models are shown: prompts, and rows for reinforcement learning."""
