"""Training loops of TRL, transformers and verifiers, with a model of a few thousand weights."""

import asyncio
import json
import os
import re
import runpy
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from relsmith import Example, export, make, score, write
from relsmith.prompting.rl import Curriculum, near, trl_dataset, trl_reward

pytestmark = [pytest.mark.slow, pytest.mark.torch, pytest.mark.filterwarnings("ignore")]

CELLS = [{"k": 2, "answer": "yes-no"}, {"k": 3, "answer": "yes-no"}, {"k": 2}]
CHAT = "{% for message in messages %}{{ message['content'] }}\\n{% endfor %}"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a model with random weights, and a tokenizer for its words."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    texts = [row.input for row in make("clutrr", task="verify-steps", style="plain")[:40]]
    words = sorted({word for text in texts for word in re.findall(r"\w+|[^\w\s]+", text)})
    words = ["<pad>", "<eos>", "<unk>", "yes", "no", *words]
    own = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, "<unk>"))
    own.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=own,
        **{"pad_token": "<pad>", "eos_token": "<eos>", "unk_token": "<unk>"},
        chat_template=CHAT.replace("\\\\", "\\"),
    )
    config = LlamaConfig(
        vocab_size=len(words),
        **{"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1},
        **{"num_attention_heads": 2, "num_key_value_heads": 2, "max_position_embeddings": 1024},
        **{"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": None},
    )
    folder = tmp_path_factory.mktemp("tiny")
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_grpo_learns_from_a_curriculum(tiny: Path, tmp_path: Path) -> None:
    """Each score of the trainer reaches the cell of its row."""
    pytest.importorskip("trl")
    from transformers import AutoTokenizer
    from trl import GRPOConfig, GRPOTrainer

    options = {"cells": CELLS, "options": {"style": "plain", "conventions": "none"}}
    curriculum = Curriculum(**options)
    rewarded: list[tuple[int, float]] = []
    give = trl_reward(curriculum, answer=1.0, format=0.1)

    def reward(completions: list[Any], row: list[str], cell: list[int], **more: Any) -> list[float]:
        """Give a yes to every second completion, since the model answers nothing."""
        said = [f"Answer: {Example.parse(line).target}" for line in row]
        texts = [text if n % 2 else "?" for n, text in enumerate(said)]
        rewarded.extend((number, float(n % 2)) for n, number in enumerate(cell))
        assert len(completions) == len(row)
        return give(texts, row=row, cell=cell, **more)

    args = GRPOConfig(
        output_dir=str(tmp_path),
        **{"max_steps": 3, "use_cpu": True, "report_to": [], "shuffle_dataset": False},
        **{"per_device_train_batch_size": 4, "num_generations": 2, "max_completion_length": 4},
        save_strategy="no",
    )
    trainer = GRPOTrainer(
        model=str(tiny),
        reward_funcs=reward,
        train_dataset=trl_dataset(curriculum),
        processing_class=AutoTokenizer.from_pretrained(tiny),
        args=args,
    )
    trainer.train()
    assert len(rewarded) == 3 * 4
    again = Curriculum(**options)
    for number, value in rewarded:
        again.update(value, number)
    assert curriculum.estimates() == again.estimates()
    assert sum(cell.scores for cell in curriculum.estimates()) > 11


DISTRIBUTED = """
import json, os, sys
import torch.distributed as distributed
from relsmith.prompting.rl import Curriculum, trl_reward

rank = int(sys.argv[1])
os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": sys.argv[2]}
distributed.init_process_group("gloo", rank=rank, world_size=2)
curriculum = Curriculum(cells=[{"k": 2}, {"k": 3}, {"k": 4}], options={"style": "plain"})
give, drawn = trl_reward(curriculum), []
for _ in range(6):
    rows = [next(curriculum) for _ in range(4)]
    drawn += [[row.id, curriculum.cell_of(row)] for row in rows]
    own = rows[2 * rank : 2 * rank + 2]
    texts = [f"Answer: {row.target}" if row.metadata["k"] == 2 else "?" for row in own]
    give(texts, row=[row.encoded() for row in own], cell=[curriculum.cell_of(row) for row in own])
print(json.dumps([drawn, curriculum.estimates()]))
"""


def test_processes_of_a_training_share_their_scores() -> None:
    """Both draw the same rows, although each has scored only its half of them."""
    pytest.importorskip("torch")
    port = str(20_000 + os.getpid() % 10_000)
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", DISTRIBUTED, str(rank), port], stdout=subprocess.PIPE, text=True
        )
        for rank in range(2)
    ]
    first, second = (json.loads(run.communicate(timeout=120)[0]) for run in runs)
    assert first == second
    assert sum(scores for _, _, scores in first[1]) > 20


def test_the_readme_of_labelled_steps_trains_a_model(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(make("clutrr", task="verify-steps", style="plain"), tmp_path / "data", {"train": 12})
    export(tmp_path / "data", "trl-steps", tmp_path / "out")
    page = (tmp_path / "out" / "README.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    code = code.replace("Trainer(model, ", "trainer = Trainer(model, args=ARGS, ")
    code = code.replace(").train()", ")\nRESULT = trainer.train()")
    before = (
        f"from transformers import TrainingArguments\nMODEL = {str(tiny)!r}\n"
        "ARGS = TrainingArguments('o', max_steps=2, use_cpu=True, report_to=[])\n"
    )
    (tmp_path / "out" / "train.py").write_text(before + code)
    monkeypatch.chdir(tmp_path / "out")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    ran = runpy.run_path("train.py")
    assert ran["RESULT"].global_step == 2
    for row, encoded in zip(ran["rows"], ran["data"], strict=True):
        assert [bool(label) for label in encoded["labels"] if label >= 0] == row["right"]


def test_verifiers_learns_from_a_curriculum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiny: Path
) -> None:
    """Draw tasks, have the tiny model answer, score: cells learn, and no test row is drawn."""
    vf = pytest.importorskip("verifiers.v1")
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from verifiers.v1.graph import MessageNode
    from verifiers.v1.trace import AgentInfo, TraceTask
    from verifiers.v1.utils.loaders import load_environment, resolve_env_config

    write(make("clutrr", k="2..3", style="plain"), tmp_path / "drill", {"train": 6, "test": 30})
    export(tmp_path / "drill", "verifiers", tmp_path / "package")
    monkeypatch.syspath_prepend(str(tmp_path / "package"))
    settings = {"id": "relsmith-drill", "curriculum": True, "task": {"steps": 0.5}}
    environment = load_environment(resolve_env_config({"taskset": settings}))
    assert environment.taskset.INFINITE
    curriculum = sys.modules["relsmith_drill"].curriculum()
    tokenizer = AutoTokenizer.from_pretrained(tiny)
    model = AutoModelForCausalLM.from_pretrained(tiny)
    ids = set()
    for number, task in enumerate(islice(environment.taskset, 10)):
        row = Example.parse(task.data.row)
        ids.add(row.id)
        assert curriculum.cell_of(row) == task.data.cell
        asked = tokenizer(task.data.prompt_text, return_tensors="pt")["input_ids"]
        said = tokenizer.decode(model.generate(asked, max_new_tokens=4)[0][asked.shape[1] :])
        said += f"\nAnswer: {row.target}" * (number % 2)
        before = curriculum.estimates()[task.data.cell].rate
        trace = vf.Trace(
            task=TraceTask(type=type(task).__name__, data=task.data),
            agent=AgentInfo(config=vf.AgentConfig()),
            nodes=[MessageNode(message=vf.AssistantMessage(content=said), sampled=True)],
        )
        asyncio.run(task.score(trace))
        assert score(row, said).value == number % 2
        assert trace.reward == pytest.approx((number % 2) / 1.5)
        assert (curriculum.estimates()[task.data.cell].rate > before) == (number % 2 == 1)
    assert len(ids) == 10
    assert all("-train-" in name for name in ids)
    assert near()(curriculum.estimates())
