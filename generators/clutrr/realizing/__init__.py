"""From a story plan to text: names, sentences, filler, explanations."""
