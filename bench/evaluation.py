"""Training stories per second for each model, in mixed precision on a GPU if there is one.

    python bench/evaluation.py [DATASET] [--rows 10000] [--batch 1000] [--models gat,mac]

Without a dataset, stories of k = 2 and 3 are made. Every model runs one epoch to warm
up, then is timed for two epochs; the last column compares it with bilstm-mean in the same run.
Targets on an H100-class GPU: 50,000 for gat and 20,000 for bilstm-mean.
"""

import argparse
import tempfile
import time
from pathlib import Path

import torch

from relsmith.evaluation.device import device_name, find_device
from relsmith.evaluation.model import MODELS, RunContext
from relsmith.evaluation.papers.stories.encoding import EncodedStories, Sizes, StoryVocabulary
from relsmith.evaluation.papers.stories.model import StoryNetwork, StoryObjective
from relsmith.evaluation.papers.stories.task import StoryTask
from relsmith.evaluation.trainer import train
from relsmith.evaluation.training import Training

MODELS_TO_TIME = "bilstm-mean,bilstm-attention,rn,mac,gat,edge-transformer"


def rows_per_second(
    network: StoryNetwork, sizes: Sizes, data: EncodedStories, training: Training
) -> float:
    """Return stories per second of the second and third epoch, synchronized with the device."""
    times: list[float] = []

    def tick(share: float) -> None:
        if data.words.is_cuda:
            torch.cuda.synchronize()
        times.append(time.perf_counter())

    job = RunContext(device=str(data.words.device), training=training, advance=tick)
    train(StoryObjective(network.build(sizes), data, network.learning_rate), job)
    return 2 * len(data) / (times[2] - times[0])


def make(folder: Path, rows: int) -> Path:
    """Return stories of two and three facts."""
    from relsmith import write
    from relsmith.generators.clutrr import Clutrr

    write(Clutrr.configure({"k": "2,3"}), folder / "stories", {"train": rows})
    return folder / "stories"


def main() -> None:
    """Print a line per model."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("dataset", type=Path, nargs="?")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--models", default=MODELS_TO_TIME)
    parser.add_argument("--device", default="auto")
    arguments = parser.parse_args()
    device = find_device(arguments.device)
    with tempfile.TemporaryDirectory() as folder:
        dataset = arguments.dataset or make(Path(folder), arguments.rows)
        stories = StoryTask().read(dataset, "train").rows[: arguments.rows]
    vocabulary = StoryVocabulary.of(stories)
    data = EncodedStories.of(stories, vocabulary, device)
    training = Training(epochs=3, batch=arguments.batch, validation=0, precision="auto")
    training = training.on(device.type)
    print(
        f"{len(data)} stories, batches of {training.batch}, on {device_name(str(device))} "
        f"in {training.precision}"
    )
    first = 0.0
    for model in arguments.models.split(","):
        network = MODELS.get(model).configure({})
        assert isinstance(network, StoryNetwork)
        speed = rows_per_second(network, Sizes.of(vocabulary), data, training)
        first = first or speed
        print(f"{model:20} {speed:10,.0f} stories per second {speed / first:8.2f}", flush=True)


if __name__ == "__main__":
    main()
