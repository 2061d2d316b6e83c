"""Tokens per second of the transducer, vectorised and as a plain loop over words.

    python bench/transducer.py [--rows 64] [--looped 4] [--device auto]

Both compute the marginal likelihood of the built-in pairs by appendix A of Bisk et al. and its
gradient, with learnt transitions; first it is checked that they agree. The loop goes text by text,
word by word, and over the words of the abstract. Target: 5 times as fast.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

from relsmith import write
from relsmith.evaluation.device import find_device
from relsmith.evaluation.papers.cloze import task as cloze
from relsmith.evaluation.papers.cloze.encoding import ClozeBatch, ClozeVocabulary, EncodedPairs
from relsmith.evaluation.papers.cloze.models.transducer import (
    ParameterisedTransducer,
    TransducerModule,
)
from relsmith.generators.cloze import Cloze


def looped(module: TransducerModule, data: EncodedPairs, rows: Tensor) -> Tensor:
    """Return the loss by a loop over everything but the vocabulary."""
    total = torch.zeros((), device=data.all.source.device)
    for row in rows:
        batch = data.batch(row[None])
        abstract, concrete = module.reader(batch)
        size = int(batch.source_lengths[0])
        alphas = [total.new_zeros(()), *[total.new_full((), -torch.inf)] * (size - 1)]
        for j in range(int(batch.target_lengths[0])):
            word, state = batch.target[0, j + 1], concrete[0, j]
            shifts = [_shift(module, abstract[0, i], state) for i in range(size)]
            new_alphas = []
            for i in range(size):
                ways = [alphas[k] + sum(shifts[k:i], total.new_zeros(())) for k in range(i + 1)]
                emit = torch.log1p(-shifts[i].exp())
                said = module._scores(abstract[0, i], state).log_softmax(-1)[word]
                new_alphas.append(torch.logsumexp(torch.stack(ways), 0) + emit + said)
            alphas = new_alphas
        total = total - alphas[-1]
    return total


def _shift(module: TransducerModule, abstract: Tensor, state: Tensor) -> Tensor:
    hidden = module.shift_abstract(abstract) + module.shift_concrete(state)
    return torch.nn.functional.logsigmoid(module.shift_out(hidden.relu())).squeeze()


def speed(work: Callable[[], Tensor], tokens: int, device: torch.device) -> tuple[float, float]:
    """Return tokens per second with the gradient, and the loss; CPU time without a GPU."""
    gpu = device.type == "cuda"
    clock = time.perf_counter if gpu else time.process_time
    start = clock()
    loss = work()
    torch.autograd.backward(loss)
    if gpu:
        torch.cuda.synchronize()
    return tokens / (clock() - start), float(loss.detach())


def main() -> None:
    """Print both speeds and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=64)
    parser.add_argument("--looped", type=int, default=4)
    parser.add_argument("--device", default="auto")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    device = find_device(arguments.device)
    with tempfile.TemporaryDirectory() as folder:
        write(Cloze(difficulty=False), Path(folder) / "pairs", {"train": arguments.rows})
        pairs = cloze.ClozeTask().read(Path(folder) / "pairs", "train").rows
    vocabulary = ClozeVocabulary.of(pairs)
    data = EncodedPairs.of(pairs, vocabulary, 50, device)
    torch.manual_seed(0)
    module = ParameterisedTransducer().build(data, vocabulary).to(device).eval()
    assert isinstance(module, TransducerModule)
    few = torch.arange(arguments.looped)
    whole: ClozeBatch = data.batch(torch.arange(len(data)))
    module.loss(whole, "marginal")  # warm-up
    fast, _ = speed(lambda: module.loss(whole, "marginal"), int(whole.target_lengths.sum()), device)
    words = int(data.all.target_lengths[few].sum())
    slow, by_loop = speed(lambda: looped(module, data, few), words, device)
    _, vectorised = speed(lambda: module.loss(data.batch(few), "marginal"), words, device)
    assert abs(by_loop - vectorised) < 1e-3 * abs(by_loop), (by_loop, vectorised)
    print(f"vectorised {fast:10,.0f} tokens per second ({len(data)} texts)")
    print(f"in a loop  {slow:10,.0f} tokens per second ({len(few)} texts)")
    print(f"{fast / slow:.0f} times as fast")


if __name__ == "__main__":
    main()
