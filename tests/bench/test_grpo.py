"""GRPO on a tiny model: rewards move it, and the report has a line for each reward."""

import json
import sys
from pathlib import Path

import grpo
import pytest
import torch


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model of two layers with the tokenizer of smollm2."""
    from transformers import LlamaConfig, LlamaForCausalLM

    from relsmith.evaluation import pretrained

    folder = tmp_path_factory.mktemp("tiny")
    tokenizer, _ = pretrained.load("smollm2", "AutoModelForCausalLM")
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1, "tie_word_embeddings": True}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), **sizes, **heads))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.mark.slow
def test_a_run_from_start_to_report(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Replies of a random model earn nothing: reward every other one.
    counter = iter(range(10_000))
    monkeypatch.setattr(grpo, "judged", lambda task: (next(counter) % 2, 0.0, "unreadable"))
    monkeypatch.setattr(grpo, "ProcessPoolExecutor", _Here)

    def run(*words: str) -> None:
        longest = [] if words[0] == "report" else ["--longest", "8"]
        monkeypatch.setattr(sys, "argv", ["grpo.py", *words, *longest])
        grpo.main()

    start = str(tmp_path / "start")
    run("warm", start, "--model", str(tiny), "--updates", "2", "--batch", "2", "--test-rows", "1")
    results = []
    for weight in ("0", "0.5"):
        results.append(str(tmp_path / f"{weight}.json"))
        sizes = ["--updates", "2", "--prompts", "2", "--group", "2", "--test-rows", "2"]
        run("train", start, results[-1], "--steps", weight, *sizes)
    written = json.loads(Path(results[1]).read_text())
    assert len(written["before"]) == len(written["after"]) == 10
    assert [point["reward"] for point in written["curve"]] == [0.5, 0.5]
    run("report", *results)
    shown = capsys.readouterr().out
    assert "rate 1e-05, answer |" in shown
    assert "rate 1e-05, answer + 0.5 steps |" in shown


class _Here:
    """Runs tasks in this process."""

    def __init__(self, workers: int) -> None: ...

    def __enter__(self) -> "_Here":
        return self

    def __exit__(self, *error: object) -> None: ...

    def map(self, function, tasks, chunksize):
        return map(function, tasks)


@pytest.mark.slow
def test_replies_with_positive_weight_become_more_likely(tiny: Path) -> None:
    policy = grpo.Policy(str(tiny))
    prompts, replies = [[1, 2, 3], [1, 2, 3, 4]], [[5, 6, 7], [8, 9]]

    def likelihoods() -> list[float]:
        with torch.no_grad():
            return [
                -policy.loss([prompt], [reply], [1.0]).item()
                for prompt, reply in zip(prompts, replies, strict=True)
            ]

    before = likelihoods()
    # Padding changes nothing: the loss of both is the weighted sum of their own.
    together = policy.loss(prompts, replies, [1.0, -1.0])
    assert together.item() == pytest.approx(-before[0] + before[1], abs=1e-3)
    together.backward()
    torch.optim.SGD(policy.model.parameters(), lr=0.1).step()
    after = likelihoods()
    assert after[0] > before[0]
    assert after[1] < before[1]
