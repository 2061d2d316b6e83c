"""Cost per word of long stories, made and judged: python bench/long.py [ROWS].

The ratio is to a story of 2,000 words: 1 if the cost is linear in the words. Targets: 1.3 at
most, and 0.25 s to make 32,000 words.
"""

import resource
import sys
import time

import relsmith
from relsmith.validation import findings

LENGTHS = (2000, 8000, 32000, 100000)


def main() -> None:
    """Print a line per length."""
    rows = int((*sys.argv, "4")[1])
    unit = {"make": 0.0, "judge": 0.0}
    for words in LENGTHS:
        generator = relsmith.make("clutrr", noise="all", words=words)
        list(generator.examples(rows))  # fills the caches
        start = time.process_time()
        made = list(generator.examples(rows))
        middle = time.process_time()
        assert not any(findings(generator, row) for row in made)
        spent = {"make": middle - start, "judge": time.process_time() - middle}
        costs = []
        for name, seconds in spent.items():
            a_word = seconds / rows / words
            unit[name] = unit[name] or a_word
            costs.append(f"{name} {seconds / rows:6.3f} s, {a_word / unit[name]:4.2f} a word")
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"{words:7,} words   {'   '.join(costs)}   at most {memory} MiB so far")


if __name__ == "__main__":
    main()
