"""Knowledge used by generators: rule worlds, relation sets, triples and word lists."""
