"""Run Inspect with its model for tests, in a process of its own: it leaves streams open.

Given in JSON: the folder for the log, the samples, what is said to each input, one try after the
other, and how many tries there are.
"""

import json
import sys
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import generate

from relsmith import Example, score


@scorer(metrics=[accuracy()], name="relsmith_score")
def ours() -> Any:
    async def judge(state: Any, target: Any) -> Score:
        found = score(rows[state.input_text], state.output.completion)
        return Score(value=found.value, answer=found.answer, explanation=found.why)

    return judge


def answer(messages: Any, *_: Any) -> ModelOutput:
    output = ModelOutput.from_content("speaker", given["said"][messages[-1].text].pop(0))
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


given = json.load(sys.stdin)
rows = {record["input"]: Example(**record) for record in given["rows"]}
samples = [
    Sample(id=row.id, input=row.input, target=row.target, metadata=given["kept"][row.id])
    for row in rows.values()
]
(log,) = eval(
    Task(MemoryDataset(samples), solver=generate(), scorer=ours(), name="clutrr"),
    model=get_model("mockllm/speaker", custom_outputs=answer),
    log_dir=given["folder"],
    display="none",
    epochs=given["tries"],
)
assert log.status == "success", log.error
sys.stdout.write(f"{log.location}\n")
