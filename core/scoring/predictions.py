"""Read predictions of other programs: JSON lines, or results of a batch API."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InvalidInput
from ..storage import text
from ..tables import load_tables

_WANTED = 'expected a line such as {"id": "clutrr-v4-s0-test-0", "answer": "aunt"}'
_FIELDS: dict[str, list[str]] = load_tables(__package__, "words.yaml")["predictions"]
_IDS, _ANSWERS = _FIELDS["ids"], _FIELDS["answers"]
_DATASET_SIGN = "@"
"""Separates a row id from the beginning of the digest of its dataset."""
_DIGEST_LENGTH = 12
"""Characters of a digest in an id."""


class Prediction(NamedTuple):
    """The reply to a row; None if there is none."""

    id: str
    reply: str | None
    where: str
    """The file and line, for messages."""
    digest: str = ""
    """The beginning of the digest of the answered dataset, if the id has it."""
    input: str = ""
    """The row's text, if the file repeats it."""

    def check(self, digest: str, row_input: str) -> None:
        """Raise InvalidInput if it answers a row of another dataset."""
        if self.digest and not digest.startswith(self.digest):
            raise InvalidInput(
                f"{self.where}: it answers the dataset {self.digest}..., not {digest[:12]}...; "
                f"give the dataset that was exported"
            )
        if self.input and " ".join(self.input.split()) != " ".join(row_input.split()):
            raise InvalidInput(
                f"{self.where}: its row {self.id} has another text than the dataset's; give the "
                f"dataset that was answered"
            )


def request_id(row_id: str, digest: str) -> str:
    """Return a row id that names the dataset, since rows of other options have the same ids."""
    return f"{row_id}{_DATASET_SIGN}{digest[:_DIGEST_LENGTH]}"


def read_predictions(
    path: Path, known: Callable[[str], bool], folder: Path
) -> dict[str, Prediction]:
    """Return the predictions of a file by row id; InvalidInput for unknown or repeated ids."""
    predictions: dict[str, Prediction] = {}
    for where, record in _records(path):
        prediction = parse_prediction(record, where)
        if not known(prediction.id):
            raise InvalidInput(f"{where}: {folder} has no row {prediction.id!r}")
        if prediction.id in predictions:
            raise InvalidInput(f"{where}: {prediction.id!r} is answered twice; leave one")
        predictions[prediction.id] = prediction
    if not predictions:
        raise InvalidInput(f"{path} holds no answers; {_WANTED}")
    return predictions


def _records(path: Path) -> Iterator[tuple[str, Any]]:
    for number, line in text.numbered_lines(path, _WANTED):
        if line.strip():
            where = f"{path}:{number}"
            try:
                yield where, text.parse_json(line)
            except ValueError as error:
                raise InvalidInput(f"{where}: it {error}; {_WANTED}") from None


def parse_prediction(record: Any, where: str) -> Prediction:
    """Return the prediction of a record; its reply is None for null and for a failed request."""
    record = record if isinstance(record, dict) else {}
    names = [record[key] for key in _IDS if isinstance(record.get(key), str)]
    if "custom_id" in record and not any(isinstance(record.get(key), str) for key in _ANSWERS):
        record = record | {"answer": _batch_reply(record)}
    replies = [record[key] for key in _ANSWERS if isinstance(record.get(key, 0), str | None)]
    if not (names and replies):
        raise InvalidInput(f"{where}: there is no id and answer in it; {_WANTED}")
    name, _, digest = names[0].partition(_DATASET_SIGN)
    shown = record.get("input")
    return Prediction(name, replies[0], where, digest, shown if isinstance(shown, str) else "")


def _batch_reply(record: Mapping[str, Any]) -> str | None:
    """Return the reply in a line of OpenAI's batch API; None if the request failed."""
    try:
        body = record["response"]["body"]
        if "choices" in body:
            reply = body["choices"][0]["message"]["content"]
        else:
            messages = [item for item in body["output"] if item.get("type") == "message"]
            reply = "".join(part["text"] for item in messages for part in item["content"])
    except (AttributeError, KeyError, TypeError, IndexError):
        return None
    return reply if isinstance(reply, str) else None
