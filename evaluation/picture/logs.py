"""Read logs of Inspect and lm-eval, and plain answers.

A log answers rows by id. Rows are looked up in the dataset, and every reply is scored again, so
that logs of different programs are comparable.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...clusters import clusters
from ...errors import InvalidInput, MissingExtra, NotFound, install_command, reason
from ...example import Example
from ...scoring.predictions import read_predictions
from ...scoring.scorer import score
from ...storage import text
from .record import Answer, AnsweredDataset, ModelAnswers

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample
    from inspect_ai.scorer import Score

_REMEDY = (
    "name a log of Inspect (.eval, .json), lm-eval's samples_*.jsonl, or a file of ids and answers"
)


@dataclass(frozen=True)
class Log:
    """The content of a log file: a model's answers and their scorer."""

    path: Path
    model: str
    entries: list[Answer]
    """The answers as logged."""
    scorer: str
    chosen: bool = False
    """Whether answers were chosen from a list, so there is no reply to score again."""
    notes: tuple[str, ...] = ()
    digest: str = ""
    """Digest of the answered dataset, if the log has it."""


def read(places: Sequence[str], data: Path, split: str | None = None) -> list[ModelAnswers]:
    """Return the answers in these files and folders by model; `NAME=FILE` names a model."""
    merged = _merged([log for place in places for log in _logs(place)])
    dataset = AnsweredDataset(data, {entry.id for log in merged for entry in log.entries}, split)
    return [_answers(log, dataset) for log in merged]


def program_log(path: Path) -> Log | None:
    """Return the log of Inspect or lm-eval in a file or folder; None for a file of predictions."""
    if not (path.is_dir() or path.suffix == ".eval" or _is_log(path)):
        return None
    logs = _merged(list(map(_opened, _files(path))))
    if len(logs) > 1:
        names = ", ".join(log.model for log in logs)
        raise InvalidInput(f"{path} holds logs of several models ({names}); name one file")
    return logs[0]


def _is_log(path: Path) -> bool:
    """Return whether a file of JSON is a log of Inspect or lm-eval."""
    if path.suffix not in (".json", ".jsonl"):
        return False
    lines = [line for _, line in text.numbered_lines(path, _REMEDY)]
    with suppress(ValueError):
        content = text.parse_json("\n".join(lines if path.suffix == ".json" else lines[:1]))
        keys = content.keys() if isinstance(content, dict) else set()
        return {"eval", "version"} <= keys or {"doc", "resps"} <= keys
    return False


def _logs(place: str) -> list[Log]:
    """Return the logs in a file or folder, with the given model name if there is one."""
    path, name = Path(place), ""
    if "=" in place and not path.exists():
        name, _, rest = place.partition("=")
        path = Path(rest)
    logs = list(map(_opened, _files(path)))
    return [replace(log, model=name) for log in logs] if name else logs


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    listed = [*path.rglob("*.eval"), *path.rglob("samples_*.jsonl")] or [*path.glob("*.json")]
    if not listed:
        raise NotFound(f"{path} holds no logs; {_REMEDY}")
    return sorted(listed)


def _opened(path: Path) -> Log:
    if path.suffix == ".eval":
        return _inspect(path)
    if path.suffix == ".jsonl":
        return _lines(path)
    if path.suffix != ".json":
        raise InvalidInput(f"{path} is not a known type of log; {_REMEDY}")
    try:
        content = text.parse_json(text.read(path, _REMEDY))
    except ValueError as error:
        raise InvalidInput(f"{path} {error}; {_REMEDY}") from None
    keys = content.keys() if isinstance(content, dict) else set()
    if {"eval", "version"} <= keys:
        return _inspect(path)
    if {"results", "labels"} <= keys:
        raise InvalidInput(
            f"{path} is a result without replies; give the file of answers, or use gen report by"
        )
    if {"results", "configs"} <= keys:
        raise InvalidInput(
            f"{path} is lm-eval's summary; run it with --log_samples, and name its samples_*.jsonl"
        )
    raise InvalidInput(f"{path} is not a known type of log; {_REMEDY}")


def _inspect(path: Path) -> Log:
    """Read a log of Inspect, zipped or as JSON."""
    try:
        from inspect_ai.log import read_eval_log
        from inspect_ai.scorer import value_to_float
    except ImportError as error:
        raise MissingExtra(
            f"logs of Inspect need {error.name}: {install_command('inspect')}"
        ) from None
    with text.explain_read_errors(path, _REMEDY), path.open("rb"):
        pass
    try:
        log: EvalLog = read_eval_log(
            path, resolve_attachments="core", exclude_fields={"events", "store", "timelines"}
        )
    except Exception as error:  # its readers raise whatever zip, JSON and pydantic do
        first = reason(error).partition(". ")[0][:200]
        raise InvalidInput(
            f"{path} is not a log of Inspect, or damaged ({type(error).__name__}: {first}); "
            f"{_REMEDY}"
        ) from None
    samples = log.samples or []
    if not samples:
        raise InvalidInput(f"{path} holds no samples; name a log of a run that answered some rows")
    number = value_to_float()
    failed = [sample for sample in samples if sample.error is not None]
    used = [sample for sample in samples if sample.error is None]
    if not used:
        first = str(getattr(failed[0].error, "message", "")).partition("\n")[0][:200]
        raise InvalidInput(
            f"{path}: all {len(failed)} samples ended in an error, the first in {first!r}; "
            f"fix that and run it again"
        )
    scorer = _scorer(path, used)
    entries = [_sample(sample, scorer, number) for sample in used]
    if any(entry.extracted is not None for entry in entries):
        # If the scorer reports answers, a missing one means that it found none.
        entries = [replace(entry, extracted=entry.extracted or "") for entry in entries]
    notes = []
    if failed:
        notes.append(f"{len(failed)} of {len(samples)} samples ended in an error and do not count")
    if log.status != "success":
        notes.append(f"the run did not finish (Inspect says {log.status})")
    return Log(
        path,
        log.eval.model,
        entries,
        f"Inspect's scorer {scorer}" if scorer else "",
        notes=tuple(notes),
        digest=str((log.eval.metadata or {}).get("digest", "")),
    )


def _scorer(path: Path, samples: "Sequence[EvalSample]") -> str:
    """Return the name of our scorer, or of the only one."""
    names = sorted({name for sample in samples for name in sample.scores or {}})
    ours = [name for name in names if "relsmith" in name]
    if len(ours or names) > 1:
        raise InvalidInput(
            f"{path} has several scores ({', '.join(names)}); keep one in the log "
            f"(inspect score), or write answers to a file and give --data"
        )
    return (ours or names or [""])[0]


def _sample(sample: "EvalSample", scorer: str, number: Any) -> Answer:
    score: Score | None = (sample.scores or {}).get(scorer)
    metadata = sample.metadata or {}
    target = sample.target if isinstance(sample.target, str) else "; ".join(sample.target)
    return Answer(
        str(sample.id),
        str(metadata.get("target", target)),
        number(score.value) if score else nan,
        sample.output.completion,
        score.answer if score else None,
        metadata,
    )


def _lines(path: Path) -> Log:
    """Read samples of lm-eval, or lines of ids and answers."""
    lines: list[tuple[int, dict[str, Any]]] = []
    for number, line in text.numbered_lines(path, _REMEDY):
        if not line.strip():
            continue
        try:
            content = text.parse_json(line)
        except ValueError as error:
            raise InvalidInput(f"{path}:{number} {error}; {_REMEDY}") from None
        if not isinstance(content, dict):
            raise InvalidInput(f"{path}:{number}: not a sample; {_REMEDY}")
        lines.append((number, content))
    if lines and {"doc", "resps"} <= lines[0][1].keys():
        return _lm_eval(path, lines)
    answers = read_predictions(path, lambda name: True, path)
    entries = [
        Answer(name, "", nan, given.reply)
        for name, given in answers.items()
        if given.reply is not None
    ]
    if not entries:
        raise InvalidInput(f"{path} holds no answers; {_REMEDY}")
    failed = len(lines) - len(entries)
    notes = (f"{failed} of {len(lines)} lines have no reply and do not count",) if failed else ()
    return Log(path, path.stem, entries, "", notes=notes)


def _lm_eval(path: Path, lines: Sequence[tuple[int, dict[str, Any]]]) -> Log:
    """Read the lines of lm-eval's --log_samples; its filters only change its own scores."""
    entries: dict[str, Answer] = {}
    chosen, metric = False, ""
    for number, line in lines:
        if line.get("filter") != lines[0][1].get("filter"):
            continue
        entry, chosen, metric = _lm_entry(line, f"{path}:{number}")
        if entry.id in entries:
            raise InvalidInput(f"{path}:{number}: {entry.id!r} is answered twice; keep one answer")
        entries[entry.id] = entry
    return Log(path, path.parent.name, [*entries.values()], f"lm-eval's {metric}", chosen=chosen)


def _lm_entry(line: dict[str, Any], where: str) -> tuple[Answer, bool, str]:
    """Return a line's answer, whether it is a choice, and the name of the metric."""
    doc = line["doc"] if isinstance(line.get("doc"), dict) else {}
    try:
        metric = str(line["metrics"][0])
        value = float(line[metric])
        answers = line["resps"]
        chosen = len(answers) > 1 or not isinstance(answers[0][0], str)
        reply = None if chosen else answers[0][0]
        if chosen:
            weights = [float(answer[0][0]) for answer in answers]
            best = weights.index(max(weights))
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InvalidInput(
            f"{where}: not a sample of lm-eval as --log_samples writes it "
            f"({type(error).__name__}: {error})"
        ) from None
    listed = doc.get("options" if chosen else "choices") or doc.get("choices")
    choices = listed if isinstance(listed, list) else []
    read = choices[best] if chosen and best < len(choices) else None
    entry = Answer(
        str(doc.get("id", line.get("doc_id", ""))),
        str(doc.get("target", line.get("target", ""))),
        value,
        reply,
        read,
        {"input": doc.get("input", "")},
    )
    return entry, chosen, metric


def _merged(logs: Sequence[Log]) -> list[Log]:
    """Merge logs of the same model."""
    together: dict[str, list[Log]] = {}
    for log in logs:
        together.setdefault(log.model, []).append(log)
    return [
        replace(
            several[0],
            entries=_joined_entries(several),
            chosen=any(log.chosen for log in several),
            scorer=" and ".join(sorted({log.scorer for log in several if log.scorer})),
            notes=tuple(dict.fromkeys(note for log in several for note in log.notes)),
        )
        for several in together.values()
    ]


def _joined_entries(logs: Sequence[Log]) -> list[Answer]:
    """Join the entries of logs; raise InvalidInput if two logs answer the same row."""
    places: dict[str, Path] = {}
    for log in logs:
        for name in {entry.id for entry in log.entries}:
            if name in places:
                raise InvalidInput(
                    f"{places[name]} and {log.path} both answer {name} as {log.model}; give them "
                    f"names: one={places[name].name} two={log.path.name}"
                )
            places[name] = log.path
    return [entry for log in logs for entry in log.entries]


def _answers(log: Log, dataset: AnsweredDataset) -> ModelAnswers:
    """Return the answers of a log, with the rows of the dataset."""
    foreign = [entry.id for entry in log.entries if entry.id not in dataset.found]
    if foreign:
        folder = dataset.dataset.folder
        raise InvalidInput(
            f"{log.path}: {folder} has no row {foreign[0]!r}; give the dataset of the log"
        )
    attempts: dict[str, list[Answer]] = {}
    changed, all_rescored = 0, True
    for entry in log.entries:
        rescore = entry.reply is not None and not log.chosen
        answer = _answer(log, entry, dataset.found[entry.id], rescore)
        all_rescored &= rescore
        changed += not isnan(entry.value) and entry.right != answer.right
        attempts.setdefault(answer.id, []).append(answer)
    notes = list(log.notes)
    most = max(map(len, attempts.values()))
    if most > 1:
        notes.append(f"up to {most} attempts per row count as their mean; the first is shown")
    if changed:
        notes.append(f"{changed} of {len(log.entries)} scores differ from those of the log")
    unit, keys = clusters((name, several[0].metadata) for name, several in attempts.items())
    return ModelAnswers(
        log.model,
        dataset.dataset.manifest.generator,
        [
            replace(several[0], value=sum(a.value for a in several) / len(several), cluster=key)
            for several, key in zip(attempts.values(), keys, strict=True)
        ],
        "relsmith.score" if all_rescored else log.scorer,
        notes,
        dataset,
        unit,
    )


def check_same(log: Log, entry: Answer, row: Example) -> None:
    """Raise InvalidInput if the log shows that it answers another row."""
    shown = str(entry.metadata.get("input", ""))
    letter = len(entry.target) == 1  # of the right choice
    if (shown and shown != row.input) or (entry.target not in ("", row.target) and not letter):
        raise InvalidInput(
            f"{log.path}: its row {row.id} differs from that of --data; give the answered dataset"
        )


def _answer(log: Log, entry: Answer, row: Example, rescore: bool) -> Answer:
    """Complete an answer with its row; `rescore`: score the reply again."""
    check_same(log, entry, row)
    if rescore and entry.reply is not None:
        found = score(row, entry.reply)
        entry = replace(entry, value=found.value, extracted=found.answer or "")
    if not 0 <= entry.value <= 1:  # or none at all
        raise InvalidInput(
            f"{log.path}: {entry.id} has no reply, and its score {entry.value:g} is not from 0 to 1"
        )
    return replace(
        entry,
        id=row.id,
        target=row.target,
        metadata=row.metadata,
        choices=row.choices,
    )
