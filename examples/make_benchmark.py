"""Make a benchmark: train on short stories, test on long ones, every row checked.

`python examples/make_benchmark.py [ROWS] [FOLDER]`
"""

import sys
from collections import Counter

import relsmith

rows = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
folder = sys.argv[2] if len(sys.argv) > 2 else "data/benchmark"

stories = relsmith.make(
    "clutrr", train_k="2,3", k="2..10", noise="supporting", hold_out="templates,clauses"
)
relsmith.write(stories, folder, {"train": rows, "test": rows // 10}, seed=7)
for problem in relsmith.verify(folder):
    sys.exit(f"this should not happen: {problem}")

dataset = relsmith.Dataset(folder)
print(dataset)
print("test rows by k:", sorted(Counter(row.metadata["k"] for row in dataset["test"]).items()))
print(f"\n{dataset['test'][0].input}\n-> {dataset['test'][0].target}")
