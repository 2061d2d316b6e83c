"""Train on unlimited rows: no file is written, and no row is repeated.

`python examples/train_forever.py [STEPS]`

Needs torch: pip install '.[eval]'. Each worker of a DataLoader makes different blocks, so that
together they see every row once, whatever their number.
"""

import sys
from collections.abc import Iterator
from itertools import count

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

import relsmith

ROWS = 256
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 300
stories = relsmith.make("clutrr", k=2, choices="all", style="facts")
LABELS = stories[0].choices


class Stories(IterableDataset[tuple[list[int], int]]):
    """Stories as word numbers, with the number of the answer."""

    def __iter__(self) -> Iterator[tuple[list[int], int]]:
        worker = get_worker_info()
        first, workers = (worker.id, worker.num_workers) if worker else (0, 1)
        for block in count(first, workers):
            for row in stories[block * ROWS : (block + 1) * ROWS]:
                yield [_number(word) for word in row.input.split()], LABELS.index(row.target)


def _number(word: str) -> int:
    """Return a word's number, the same in every process."""
    return int.from_bytes(word.encode()[:6]) % 4099


def _batch(rows: list[tuple[list[int], int]]) -> tuple[torch.Tensor, ...]:
    words = [number for numbers, _ in rows for number in numbers]
    starts = torch.tensor([0, *(len(numbers) for numbers, _ in rows[:-1])]).cumsum(0)
    return torch.tensor(words), starts, torch.tensor([label for _, label in rows])


torch.manual_seed(0)
bag, head = nn.EmbeddingBag(4099, 64), nn.Linear(64, len(LABELS))
optimiser = torch.optim.Adam([*bag.parameters(), *head.parameters()], 0.01)
loader = DataLoader(Stories(), 64, num_workers=2, collate_fn=_batch)
for step, (words, starts, labels) in zip(range(1, steps + 1), loader, strict=False):
    scores = head(bag(words, starts))
    loss = nn.functional.cross_entropy(scores, labels)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    if step % max(steps // 5, 1) == 0:
        right = (scores.argmax(1) == labels).float().mean()
        print(f"step {step}: loss {loss:.2f}, {right:.0%} right")
