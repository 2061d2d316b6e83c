"""Word analogies: judge one pair, or choose the best of several."""
