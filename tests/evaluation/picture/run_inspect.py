"""Run our task in Inspect with its mock model, in a separate process because streams stay open.

Input in JSON: the dataset, the folder for the log, the number of rows, and the replies to each row,
one per attempt.
"""

import json
import sys
from typing import Any

from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from relsmith.exporting.inspect_tasks import TASKS

given = json.load(sys.stdin)
task = TASKS["clutrr"](dataset=given["data"], rows=given["rows"])
ids = {str(sample.input): str(sample.id) for sample in task.dataset}


def answer(messages: Any, *_: Any) -> ModelOutput:
    output = ModelOutput.from_content("speaker", given["said"][ids[messages[-1].text]].pop(0))
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


(log,) = eval(
    task,
    model=get_model("mockllm/speaker", custom_outputs=answer),
    log_dir=given["folder"],
    display="none",
    epochs=given["tries"],
)
assert log.status == "success", log.error
sys.stdout.write(f"{log.location}\n")
