"""Words of English: inflection by rule, word vectors, WordNet."""
