"""Train a small language model by GRPO with rewards for the answer, or for answer and steps.

    python bench/grpo.py warm START                 # supervised: explanations of k = 2, 3
    python bench/grpo.py train START RESULT.json --steps 0.5 --seed 1
    python bench/grpo.py report RESULT.json[.gz]...

`warm` saves the start of all runs: smollm2 after supervised training on `metadata.explanation`.
`train` samples a group of replies per prompt (k = 2..4), scores them with `relsmith.rl.reward`, and
takes one step of policy gradient with rewards normalised within the group (GRPO with one update
per sample, without a KL term). It tests on other rows, k = 2..6, before and after, greedily.
`report` prints accuracy and the share of answers that are right by sound steps, with intervals over
clauses and seeds.

Reference: Shao et al., DeepSeekMath: pushing the limits of mathematical reasoning, 2024.
"""

import argparse
import gzip
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy

import relsmith
from relsmith import Example
from relsmith.evaluation import pretrained
from relsmith.evaluation.statistics import Sample, difference
from relsmith.prompting.prompt import Prompter
from relsmith.rl import reward
from relsmith.scoring.steps import SOUND

SPLITS = ("train", "test")
OPTIONS = {"noise": "supporting", "explain": True}
TEST_K = range(2, 7)
MICRO = 16
"""Sequences of a forward pass with gradients."""


def rows(split: str, seed: int, k: str) -> Iterator[Example]:
    """Yield stories with their proofs in words."""
    stories = relsmith.make("clutrr", k=k, **OPTIONS)
    return iter(stories.split(split, splits=SPLITS, seed=seed))


def gold(row: Example) -> str:
    """Return the reply for supervised training."""
    return " ".join(row.metadata["explanation"]) + f"\nAnswer: {row.target}"


class Policy:
    """A causal language model that replies to rows."""

    def __init__(self, where: str, longest: int = 256) -> None:
        self.longest = longest
        self.tokenizer, model = pretrained.load(where, "AutoModelForCausalLM")
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device).train()
        self.end = self.tokenizer.eos_token_id
        self.prompter = Prompter("cot")

    def half(self) -> torch.autocast:
        """Return a context in which a GPU computes with half precision."""
        return torch.autocast(self.device.type, torch.bfloat16, self.device.type == "cuda")

    def pieces(self, row: Example) -> list[int]:
        """Return the pieces of a row's prompt, in the chat template of SmolLM2."""
        text = self.prompter(row).text
        chat = f"<|im_start|>user\n{text}<|im_end|>\n<|im_start|>assistant\n"
        return list(self.tokenizer(chat, add_special_tokens=False)["input_ids"])

    def padded(self, sequences: Sequence[Sequence[int]], *, left: bool) -> torch.Tensor:
        """Return sequences of equal length, padded with the end."""
        longest = max(map(len, sequences))
        rows = []
        for sequence in sequences:
            pad = [self.end] * (longest - len(sequence))
            rows.append([*pad, *sequence] if left else [*sequence, *pad])
        return torch.tensor(rows, device=self.device)

    @torch.no_grad()
    def sample(self, prompts: list[list[int]], *, greedy: bool) -> list[list[int]]:
        """Return a reply to each prompt, up to the end or the longest reply."""
        ids = self.padded(prompts, left=True)
        lengths = torch.tensor([len(prompt) for prompt in prompts], device=self.device)
        mask = torch.arange(ids.shape[1], device=self.device) >= ids.shape[1] - lengths[:, None]
        self.model.eval()
        with self.half():
            out = self.model.generate(
                input_ids=ids,
                attention_mask=mask.long(),
                max_new_tokens=self.longest,
                do_sample=not greedy,
                temperature=None if greedy else 1.0,
                top_p=None,
                top_k=None if greedy else 0,
                pad_token_id=self.end,
                eos_token_id=self.end,
            )
        self.model.train()
        replies = []
        for reply in out[:, ids.shape[1] :].tolist():
            stop = reply.index(self.end) + 1 if self.end in reply else len(reply)
            replies.append(reply[:stop])
        return replies

    def loss(
        self, prompts: Sequence[list[int]], replies: Sequence[list[int]], weights: Sequence[float]
    ) -> torch.Tensor:
        """Return the weighted sum of the negative log-likelihoods of the pieces of replies."""
        pairs = [[*prompt, *reply] for prompt, reply in zip(prompts, replies, strict=True)]
        ids = self.padded(pairs, left=False)
        targets = torch.full_like(ids, -100)
        for n, (prompt, reply) in enumerate(zip(prompts, replies, strict=True)):
            place = slice(len(prompt), len(prompt) + len(reply))
            targets[n, place] = ids[n, place]
        first = min(map(len, prompts)) - 1
        with self.half():
            states = self.model.base_model(input_ids=ids).last_hidden_state[:, first:-1]
            logits = self.model.get_output_embeddings()(states)
        losses = cross_entropy(
            logits.float().flatten(0, 1), targets[:, first + 1 :].flatten(), reduction="none"
        )
        return losses.view(len(ids), -1).sum(1) @ torch.tensor(weights, device=self.device)

    def text(self, reply: list[int]) -> str:
        """Return a reply as text."""
        return str(self.tokenizer.decode(reply, skip_special_tokens=True))

    def save(self, folder: str) -> None:
        """Save the model as a transformers folder."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def warm(arguments: argparse.Namespace) -> None:
    """Train on explanations, and save the model."""
    torch.manual_seed(arguments.seed)
    policy = Policy(arguments.model, arguments.longest)
    optimizer = torch.optim.AdamW(policy.model.parameters(), lr=arguments.rate, weight_decay=0.0)
    source = rows("train", 1000 + arguments.seed, "2,3")
    for step in range(arguments.updates):
        for group in optimizer.param_groups:
            group["lr"] = arguments.rate * min(1, (step + 1) / 20) * (1 - step / arguments.updates)
        batch = list(islice(source, arguments.batch))
        replies = [
            [*policy.tokenizer(gold(row), add_special_tokens=False)["input_ids"], policy.end]
            for row in batch
        ]
        size = sum(map(len, replies))
        total = 0.0
        for at in range(0, len(batch), MICRO):
            prompts = [policy.pieces(row) for row in batch[at : at + MICRO]]
            some = replies[at : at + MICRO]
            loss = policy.loss(prompts, some, [1 / size] * len(some))
            loss.backward()
            total += float(loss.detach())
        torch.nn.utils.clip_grad_norm_(policy.model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if step % 20 == 0:
            print(f"warm {step}: loss {total:.3f}", flush=True)
    policy.save(arguments.start)
    accuracy = np.mean([record["right"] for record in test(policy, arguments.test_rows)])
    print(f"warm: {accuracy:.3f} right", flush=True)


def judged(task: tuple[str, str, float]) -> tuple[float, float, str]:
    """Return the reward of a reply, its score, and the class of its steps."""
    line, text, steps = task
    row = Example.parse(line)
    result = relsmith.steps(row, text)
    return reward(row, text, answer=1.0, steps=steps), result.score.value, result.kind


def test(policy: Policy, count: int) -> list[dict[str, Any]]:
    """Return for each test row its clause, whether the answer is right, and the class of steps."""
    some = [row for k in TEST_K for row in islice(rows("test", 0, str(k)), count)]
    replies: list[str] = []
    for at in range(0, len(some), 256):
        prompts = [policy.pieces(row) for row in some[at : at + 256]]
        replies += [policy.text(reply) for reply in policy.sample(prompts, greedy=True)]
    results = [judged((row.encoded(), text, 0.0)) for row, text in zip(some, replies, strict=True)]
    return [
        {
            "id": f"{row.metadata['k']}/{row.id}",
            "k": row.metadata["k"],
            "clause": " ".join(row.metadata["clause"]),
            "right": right,
            "class": kind,
        }
        for row, (_, right, kind) in zip(some, results, strict=True)
    ]


def train(arguments: argparse.Namespace) -> None:
    """Run GRPO, and write the result."""
    torch.manual_seed(arguments.seed)
    policy = Policy(arguments.start, arguments.longest)
    optimizer = torch.optim.AdamW(policy.model.parameters(), lr=arguments.rate, weight_decay=0.0)
    source = rows("train", arguments.seed, "2..4")
    before = test(policy, arguments.test_rows)
    start, curve = time.monotonic(), []
    with ProcessPoolExecutor(arguments.workers) as pool:
        for step in range(arguments.updates):
            if time.monotonic() - start > arguments.seconds:
                break
            batch = list(islice(source, arguments.prompts))
            prompts = [policy.pieces(row) for row in batch for _ in range(arguments.group)]
            replies = policy.sample(prompts, greedy=False)
            lines = [row.encoded() for row in batch for _ in range(arguments.group)]
            tasks = [
                (line, policy.text(reply), arguments.steps)
                for line, reply in zip(lines, replies, strict=True)
            ]
            results = list(pool.map(judged, tasks, chunksize=16))
            earned = np.array([result[0] for result in results]).reshape(-1, arguments.group)
            spread = earned.std(1, keepdims=True)
            gains = ((earned - earned.mean(1, keepdims=True)) / (spread + 1e-4)).ravel()
            useful = np.flatnonzero(np.abs(gains) > 1e-6)
            size = sum(len(replies[n]) for n in useful)
            for at in range(0, len(useful), MICRO):
                chosen = useful[at : at + MICRO]
                loss = policy.loss(
                    [prompts[n] for n in chosen],
                    [replies[n] for n in chosen],
                    [float(gains[n]) / size for n in chosen],
                )
                loss.backward()
            torch.nn.utils.clip_grad_norm_(policy.model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            curve.append(
                {
                    "reward": float(earned.mean()),
                    "right": float(np.mean([result[1] for result in results])),
                    "sound": float(np.mean([result[2] == SOUND for result in results])),
                    "pieces": float(np.mean([len(reply) for reply in replies])),
                }
            )
            print(f"{arguments.result} {step}: {curve[-1]}", flush=True)
    after = test(policy, arguments.test_rows)
    settings = {name: value for name, value in vars(arguments).items() if name != "run"}
    result = {"settings": settings, "options": OPTIONS, "before": before, "after": after}
    Path(arguments.result).write_text(json.dumps({**result, "curve": curve}), encoding="utf-8")


def report(arguments: argparse.Namespace) -> None:
    """Print tables of accuracy and of sound steps, by k and reward."""
    results = [result for file in arguments.results for result in _read(Path(file))]
    results.sort(key=lambda result: (result["settings"]["rate"], result["settings"]["steps"]))
    runs = {"start": [next(result["before"] for result in results if result["before"])]}
    pairs: dict[str, list[str]] = {}
    for result in results:
        weight, rate = result["settings"]["steps"], f"rate {result['settings']['rate']:g}"
        name = f"{rate}, answer + {weight:g} steps" if weight else f"{rate}, answer"
        runs.setdefault(name, []).append(result["after"])
        pairs[rate] = [*dict.fromkeys([*pairs.get(rate, []), name])]
    for title, value in (("right", _is_right), (SOUND, _is_sound)):
        print(f"| {title} | seeds |" + "".join(f" k = {k} |" for k in TEST_K) + " all |")
        print("|---|---|" + "---|" * (len(TEST_K) + 1))
        parts = [*({k} for k in TEST_K), {*TEST_K}]
        samples = {
            name: [_sample(seeds, part, value) for part in parts] for name, seeds in runs.items()
        }
        for name, line in samples.items():
            figures = [sample.estimate() for sample in line]
            cells = [f" {figure.mean:.3f} \u00b1 {figure.half:.3f} |" for figure in figures]
            print(f"| {name} | {len(runs[name])} |" + "".join(cells))
        for rate, (first, *others) in pairs.items():
            for other in others:
                both = zip(samples[first], samples[other], strict=True)
                found = [difference(*pair) for pair in both]
                cells = [
                    f" {each.difference:+.3f} ({each.low:+.3f} to {each.high:+.3f}) |"
                    for each in found
                ]
                print(f"| {rate}, difference | |" + "".join(cells))
        print()


def _read(file: Path) -> list[dict[str, Any]]:
    """Return the results in a file, which may be compressed and hold a list of them."""
    content = file.read_bytes()
    found: Any = json.loads(gzip.decompress(content) if file.suffix == ".gz" else content)
    return found if isinstance(found, list) else [found]


def _is_right(record: dict[str, Any]) -> float:
    return float(record["right"])


def _is_sound(record: dict[str, Any]) -> float:
    return float(record["class"] == SOUND)


def _sample(
    seeds: Sequence[list[dict[str, Any]]], part: set[int], value: Callable[[dict[str, Any]], float]
) -> Sample:
    kept = [[record for record in records if record["k"] in part] for records in seeds]
    values = np.array([[value(record) for record in records] for records in kept])
    clauses = [record["clause"] for record in kept[0]]
    sample = Sample.of_means(values, np.unique(clauses, return_inverse=True)[1])
    assert sample
    return sample


def main() -> None:
    """Parse the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parsers = parser.add_subparsers(required=True)
    first = parsers.add_parser("warm")
    first.add_argument("start")
    first.add_argument("--model", default="smollm2")
    first.add_argument("--batch", type=int, default=64)
    first.set_defaults(run=warm, updates=400, rate=2e-4)
    second = parsers.add_parser("train")
    second.add_argument("start")
    second.add_argument("result")
    second.add_argument("--steps", type=float, default=0.0, help="weight of the steps; answers: 1")
    second.add_argument("--prompts", type=int, default=32)
    second.add_argument("--group", type=int, default=8)
    second.add_argument("--seconds", type=float, default=1e9, help="time limit of the training")
    second.add_argument("--workers", type=int, default=os.cpu_count())
    second.set_defaults(run=train, updates=100, rate=1e-5)
    for each in (first, second):
        each.add_argument("--seed", type=int, default=0)
        each.add_argument("--updates", type=int)
        each.add_argument("--longest", type=int, default=256, help="most pieces of a reply")
        each.add_argument("--rate", type=float, help="learning rate of AdamW")
        each.add_argument("--test-rows", type=int, default=200, help="test rows for each k")
    third = parsers.add_parser("report")
    third.add_argument("results", nargs="+")
    third.set_defaults(run=report)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
