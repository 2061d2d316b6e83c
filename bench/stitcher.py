"""How many stories per second the stitcher tells, by number of facts."""

from time import process_time

from relsmith import Stream
from relsmith.templates.bank import find_bank
from relsmith.templates.sample import Sample, Sampler
from relsmith.templates.stitcher import Stitcher

ROWS = 3000


def main() -> None:
    """Print the rate for all lengths from 2 to 10 mixed, three times over, and for single ones."""
    bank = find_bank("kinship")
    sampler, stream = Sampler(bank), Stream("bench")
    samples: dict[int, list[Sample]] = {
        length: [sampler.sample(length, stream) for _ in range(ROWS // 3)]
        for length in range(2, 11)
    }
    stitcher = Stitcher(bank)
    mixed = [sample for some in zip(*samples.values(), strict=True) for sample in some]
    for state in ("cold", "lukewarm", "warm"):
        print(f"2..10 facts, {state}: {_rate(stitcher, mixed, stream):8.0f} stories per CPU second")
    for length in (2, 3, 5, 10):
        rate = _rate(stitcher, samples[length], stream)
        print(f"{length:5} facts, warm: {rate:8.0f} stories per CPU second")


def _rate(stitcher: Stitcher, samples: list[Sample], stream: Stream) -> float:
    start = process_time()
    for facts, genders in samples:
        stitcher.story(facts, genders, stream)
    return len(samples) / (process_time() - start)


if __name__ == "__main__":
    main()
