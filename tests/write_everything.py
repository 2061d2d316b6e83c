"""Write small datasets with many options, to compare their bytes between two builds.

python tests/write_everything.py FOLDER
"""

import sys
from pathlib import Path

import relsmith
import relsmith.seed
from relsmith.capabilities import Groups

CLUTRR: list[dict[str, object]] = [
    {},
    {"k": "2..10", "noise": "supporting"},
    {"k": "5,9", "noise": "all", "noise_paths": 2, "order": "shuffled"},
    {"noise": "supporting,irrelevant", "k": "3..5", "choices": "all"},
    {"noise": "disconnected", "noise_length": "2..4", "style": "plain", "choices": "3"},
    {"style": "facts", "noise": "irrelevant", "anonymize": True},
    {"style": "plain", "rules": "thesis", "people": 20, "children": 8, "marriage": 1},
    {"task": "memory", "noise": "all"},
    {"task": "mixed", "answer": "yes-no"},
    {"unknown_share": 0.2, "k": "3..6"},
    {"explain": True, "k": "2..6", "noise": "supporting"},
    {"words": 2000, "noise": "all"},
    {"words": 2500, "noise": "all", "depth": 0.5, "style": "plain"},
    {"gender": "given"},
    {"gender": "names"},
    {"siblings": "words,names,order,noise,inverse,gender", "noise": "supporting"},
    {"siblings": "names,gender,order", "style": "plain", "conventions": "brief"},
    {"world": "spatial", "siblings": "words,inverse,names", "conventions": "full"},
    {"hold_out": "templates"},
    {"hold_out": "clauses", "noise": "supporting"},
    {"hold_out": "names"},
    {"hold_out": "templates,clauses,names", "train_k": "2..3", "k": "2..7", "unknown_share": 0.2},
    {"world": "spatial", "hold_out": "templates"},
    {"world": "time", "noise": "all", "k": "2..6", "task": "mixed", "explain": True},
    {"world": "time", "style": "plain", "unknown_share": 0.3},
    {"world": "time-dates", "noise": "all", "k": "2..5"},
    {"world": "time-dates", "style": "plain", "siblings": "words,names"},
    {"world": "time-points", "noise": "all", "k": "2..5", "choices": "4", "explain": True},
    {"world": "kinship-extended", "same_gender": 0.5, "questions": 3},
    {"world": "kinship-extended", "noise": "all", "gender": "given"},
    {"world": "kinship-extended", "siblings": "words,names,inverse,gender", "style": "plain"},
    {"world": "spatial", "noise": "all", "k": "2..8", "task": "mixed", "answer": "yes-no"},
    {"world": "spatial", "style": "plain", "unknown_share": 0.2, "hold_out": "clauses"},
    {"world": "spatial", "style": "facts", "task": "memory", "hold_out": "names"},
    {"world": "space", "noise": "all", "k": "2..8", "hold_out": "templates,names"},
    {"world": "space", "unknown_share": 0.2, "explain": True},
    {"world": "work", "noise": "all", "k": "2..6", "answer": "yes-no", "unknown_share": 0.2},
    {"task": "verify-steps", "noise": "all", "k": "2..5"},
    {"world": "work", "task": "verify-steps", "siblings": "error", "choices": "all"},
    {"world": "ordering", "noise": "all", "k": "2..6", "answer": "who", "unknown_share": 0.2},
]
CLOZE: list[dict[str, object]] = [
    {},
    {"profile": "kidscook"},
    {"form": "one", "novelty": "lookup", "phrases": "runs", "select": "longest"},
    {"form": "bank", "novelty": "surface", "phrases": "words", "select": "surprisal"},
    {"form": "choice", "select": "surprisal", "order": "file", "visible": True},
]
CASES: list[tuple[str, dict[str, object]]] = [
    ("comparatives", {}),
    *(("clutrr", options) for options in CLUTRR),
    *(("cloze", options) for options in CLOZE),
]


def main() -> None:
    """Print the suffix of a module, .py or that of a compiled one, and write the datasets."""
    sys.stdout.write(Path(relsmith.seed.__file__).suffix)
    for number, (name, options) in enumerate(CASES):
        generator = relsmith.GENERATORS.get(name).configure(options)
        size = Groups.of(generator).group_size
        splits = {"train": 100 // size * size, "test": 50 // size * size}
        relsmith.write(generator, Path(sys.argv[1], f"{number}-{name}"), splits)


if __name__ == "__main__":
    main()
