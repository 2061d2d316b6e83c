"""Scores of a causal language model on datasets, decoded greedily.

    python bench/language_model.py DATA [--model smollm2] [--rows 500] [--out REPLIES]

DATA has datasets. Prompts are zero-shot and few-shot, for stories with lettered choices
as well; prompts are those of `gen prompt`, answers are scored by `relsmith.score`. OUT gets the
replies, a line of JSON each.
"""

import argparse
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import torch

from relsmith import Dataset, Example, score
from relsmith.evaluation import pretrained
from relsmith.evaluation.device import find_device
from relsmith.evaluation.statistics import wilson
from relsmith.prompting.prompt import prompts

BATCH = 100
LONGEST = 40


def prompts_by_style(folder: Path, rows: int) -> Iterator[tuple[str, list[tuple[Example, str]]]]:
    """Yield the prompts of a dataset, by style."""
    dataset = Dataset(folder)
    for style in ("zero-shot", "few-shot"):
        for letters in (False, True) if dataset.manifest.generator == "clutrr" else (False,):
            some = islice(prompts(dataset, "test", style=style, letters=letters), rows)
            name = f"{folder.name}, {style}{', letters' if letters else ''}"
            yield name, [(prompt.row, prompt.text) for prompt in some]


@torch.no_grad()
def replies(model: str, texts: list[str]) -> Iterator[str]:
    """Yield the model's reply to each prompt, in its chat template."""
    tokenizer, network = pretrained.load(model, "AutoModelForCausalLM")
    device = find_device("auto")
    network = network.to(device, torch.bfloat16 if device.type == "cuda" else torch.float32).eval()
    tokenizer.padding_side = "left"
    for at in range(0, len(texts), BATCH):
        chats = [
            tokenizer.apply_chat_template(
                [{"role": "user", "content": text}], tokenize=False, add_generation_prompt=True
            )
            for text in texts[at : at + BATCH]
        ]
        read = tokenizer(chats, return_tensors="pt", padding=True, add_special_tokens=False)
        said = network.generate(**read.to(device), max_new_tokens=LONGEST, do_sample=False)
        yield from tokenizer.batch_decode(
            said[:, read["input_ids"].shape[1] :], skip_special_tokens=True
        )


def main() -> None:
    """Query the model, and print the shares of right answers."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--model", default="smollm2")
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    for folder in sorted(arguments.data.iterdir()):
        for name, some in prompts_by_style(folder, arguments.rows):
            said = list(replies(arguments.model, [text for _, text in some]))
            scores = [score(row, reply) for (row, _), reply in zip(some, said, strict=True)]
            right = [result.value for result in scores]
            none = sum(not result.answer for result in scores) / len(scores)
            share = wilson(sum(right) / len(right), len(right))
            print(
                f"{name:32} {share.mean:.3f} ({share.low:.3f} to {share.high:.3f}), none {none:.2f}"
            )
            if arguments.out:
                with arguments.out.open("a") as lines:
                    for (row, _), reply in zip(some, said, strict=True):
                        lines.write(json.dumps({"asked": name, "id": row.id, "answer": reply}))
                        lines.write("\n")


if __name__ == "__main__":
    main()
