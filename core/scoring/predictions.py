"""Read predictions of other programs: JSON lines with an id and an answer."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from ..storage import text

_WANTED = 'expected a line such as {"id": "clutrr-v3-s0-test-0", "answer": "aunt"}'
KEYS = ("answer", "prediction", "output", "text")


def read_predictions(path: Path, known: Callable[[str], bool], folder: Path) -> dict[str, str]:
    """Return the answers of a file by row id; InvalidInput for unknown or repeated ids."""
    answers: dict[str, str] = {}
    for number, line in text.numbered_lines(path, _WANTED):
        if line.strip():
            name, answer = _answer(line, f"{path}:{number}")
            if answer is None:
                continue
            if not known(name):
                raise InvalidInput(f"{path}:{number}: {folder} has no row {name!r}")
            if name in answers:
                raise InvalidInput(f"{path}:{number}: {name!r} is answered twice; leave one")
            answers[name] = answer
    return answers


def _answer(line: str, where: str) -> tuple[str, str | None]:
    """Return the id and the answer of a line; the answer is None for a failed batch request."""
    try:
        record = text.parse_json(line)
    except ValueError as error:
        raise InvalidInput(f"{where}: it {error}; {_WANTED}") from None
    record = record if isinstance(record, dict) else {}
    if "custom_id" in record:
        record = {"id": record["custom_id"]} | _reply(record)
    texts = [record[key] for key in KEYS if isinstance(record.get(key), str)]
    if not (isinstance(record.get("id"), str) and texts):
        raise InvalidInput(f"{where}: there is no id and answer in it; {_WANTED}")
    return record["id"], texts[0] if "failed" not in record else None


def _reply(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reply in a line of OpenAI's batch API."""
    try:
        content = record["response"]["body"]["choices"][0]["message"]["content"]
    except (KeyError, TypeError, IndexError):
        return {"answer": "", "failed": True}
    return {"answer": content}
