"""Logs of Inspect and lm-eval, results of ours, plain answers: what they have in common.

A log answers rows by their ids. Where the dataset is given, rows are looked up there and every text
is scored anew, so that logs of different programs are held to the same measure; where it is not,
the log's own scores and metadata count.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from ...errors import InvalidInput, InvalidOption, MissingExtra, NotFound, install_command, reason
from ...example import Example
from ...scoring.predictions import read_predictions
from ...scoring.scorer import score
from ...storage import text
from .. import result as results
from .record import Answer, Answered, Answers, numbered

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample
    from inspect_ai.scorer import Score

_OURS = re.compile(r"(?P<generator>[\w-]+)-v\d+-s-?\d+-[^\s]+-\d+")
"""What the id of a row is like."""
_REMEDY = (
    "name a log of Inspect (.eval, .json), lm-eval's samples_*.jsonl, a result of gen score, or a "
    "file of ids and answers"
)


Variant = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Log:
    """What a file holds: whose answers, to what, and who scored them."""

    path: Path
    model: str
    variant: Variant
    """What tells apart several logs of one model: the task and what it was told."""
    entries: list[Answer]
    """What it says of each row, as it says it."""
    scorer: str
    baseline: bool = False
    chosen: bool = False
    """Whether the last word was taken from a list, so that there is no text to score anew."""
    notes: tuple[str, ...] = ()
    digest: str = ""
    """Of the dataset that is answered, where the log says so."""


def read(
    places: Sequence[str], data: Path | None = None, split: str | None = None
) -> list[Answers]:
    """The answers in these files and folders, one for each model; `NAME=FILE` names a model."""
    if split and not data:
        raise InvalidOption("--split: it has no effect without --data; name the dataset")
    logs = [log for place in places for log in _logs(place)]
    merged = _merged(logs)
    if not any(log.baseline is False for log in merged):
        raise NotFound(f"{places[0]} holds baselines only; name the log of a model too")
    if not data:
        _check_datasets(merged)
    ids = {entry.id for log in merged for entry in log.entries}
    dataset = Answered(data, ids, split) if data else None
    every = [_answers(log, dataset) for log in merged]
    _check_rows(every)
    generators = sorted({answers.generator for answers in every if answers.generator})
    if len(generators) > 1:
        raise InvalidOption(f"the logs are on {' and '.join(generators)}; make a page for each")
    return [replace(answers, generator=(generators or [""])[0]) for answers in every]


def _check_datasets(logs: Sequence[Log]) -> None:
    """Results know rows by their number only: what stands beside them must be of the same data."""
    numbers = [log for log in logs if any(" " in entry.id for entry in log.entries[:1])]
    if not numbers:
        return
    for log in logs:
        if log.digest != numbers[0].digest:
            raise InvalidInput(
                f"{numbers[0].path} and {log.path} are not known to answer the same rows; give "
                f"--data, or make a page for each"
            )


def _check_rows(every: Sequence[Answers]) -> None:
    """Rows of one id must be one row: the id does not say with which options it was made."""
    seen: dict[str, tuple[Answer, str]] = {}
    for answers in every:
        for answer in answers.answers:
            other, model = seen.setdefault(answer.id, (answer, answers.model))
            same = not (answer.input and other.input) or answer.input == other.input
            if answer.target != other.target or not same:
                raise InvalidInput(
                    f"{model} and {answers.model} answer other rows of the id {answer.id}; make a "
                    f"page for each dataset"
                )


def _logs(place: str) -> list[Log]:
    """The logs in a file or folder, named as is asked for."""
    path, name = Path(place), ""
    if "=" in place and not path.exists():
        name, _, rest = place.partition("=")
        path = Path(rest)
    logs = [log for file in _files(path) for log in _opened(file)]
    # Whoever names logs alike wants them to be one.
    return [replace(log, model=name, variant=()) for log in logs] if name else logs


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    listed = [*path.rglob("*.eval"), *path.rglob("samples_*.jsonl")] or [*path.glob("*.json")]
    if not listed:
        raise NotFound(f"{path} holds no logs; {_REMEDY}")
    return sorted(listed)


def _opened(path: Path) -> list[Log]:
    if path.suffix == ".eval":
        return [_inspect(path)]
    if path.suffix == ".jsonl":
        return _lines(path)
    if path.suffix != ".json":
        raise InvalidInput(f"{path} is no log that is known here; {_REMEDY}")
    try:
        content = text.parse_json(text.read(path, _REMEDY))
    except ValueError as error:
        raise InvalidInput(f"{path} {error}; {_REMEDY}") from None
    keys = content.keys() if isinstance(content, dict) else set()
    if {"eval", "version"} <= keys:
        return [_inspect(path)]
    if {"setup", "runs"} <= keys:
        return _results(path)
    if {"results", "configs"} <= keys:
        raise InvalidInput(
            f"{path} is lm-eval's summary; run it with --log_samples, and name its samples_*.jsonl"
        )
    raise InvalidInput(f"{path} is no log that is known here; {_REMEDY}")


def _inspect(path: Path) -> Log:
    """A log of Inspect, zipped or as JSON."""
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
            f"{path} is no log of Inspect, or a damaged one ({type(error).__name__}: {first}); "
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
            f"{path}: all of its {len(failed)} samples ended in an error, the first in {first!r}; "
            f"mend that and run it again"
        )
    scorer = _scorer(path, used)
    entries = [_sample(sample, scorer, number) for sample in used]
    if any(entry.read is not None for entry in entries):
        # A scorer that says what it read has read nothing elsewhere.
        entries = [replace(entry, read=entry.read or "") for entry in entries]
    notes = []
    if failed:
        notes.append(f"{len(failed)} of {len(samples)} samples ended in an error and do not count")
    if log.status != "success":
        notes.append(f"the run did not finish (Inspect says {log.status})")
    given = {**log.eval.task_args, "task": log.eval.task.rpartition("/")[2]}
    return Log(
        path,
        log.eval.model,
        tuple((key, str(value)) for key, value in sorted(given.items()) if value is not None),
        entries,
        f"Inspect's scorer {scorer}" if scorer else "",
        notes=tuple(notes),
        digest=str((log.eval.metadata or {}).get("digest", "")),
    )


def _scorer(path: Path, samples: "Sequence[EvalSample]") -> str:
    """Which of a log's scores counts: ours, or the only one."""
    names = sorted({name for sample in samples for name in sample.scores or {}})
    ours = [name for name in names if "relsmith" in name]
    if len(ours or names) > 1:
        raise InvalidInput(
            f"{path} has the scores {', '.join(names)}; keep one of them in the log "
            f"(inspect score), or write answers to a file and give --data"
        )
    return (ours or names or [""])[0]


def _sample(sample: "EvalSample", scorer: str, number: Any) -> Answer:
    score: Score | None = (sample.scores or {}).get(scorer)
    metadata = sample.metadata or {}
    target = sample.target if isinstance(sample.target, str) else "; ".join(sample.target)
    shown = sample.input if isinstance(sample.input, str) else _last_text(sample.input)
    return Answer(
        str(sample.id),
        str(metadata.get("target", target)),
        number(score.value) if score else nan,
        sample.output.completion,
        score.answer if score else None,
        (score.explanation or "") if score else "",
        metadata,
        str(metadata.get("input", shown)),
        list(metadata.get("choices") or sample.choices or ()),
    )


def _last_text(messages: Sequence[Any]) -> str:
    """What the user said last."""
    texts = [message.text for message in messages if message.role == "user"]
    return str(texts[-1]) if texts else ""


def _lines(path: Path) -> list[Log]:
    """Samples of lm-eval, or ids and answers of anyone."""
    lines: list[tuple[int, dict[str, Any]]] = []
    for number, line in text.numbered_lines(path, _REMEDY):
        if not line.strip():
            continue
        try:
            content = text.parse_json(line)
        except ValueError as error:
            raise InvalidInput(f"{path}:{number}: it {error}; {_REMEDY}") from None
        if not isinstance(content, dict):
            raise InvalidInput(f"{path}:{number}: there is no sample in it; {_REMEDY}")
        lines.append((number, content))
    if lines and {"doc", "resps"} <= lines[0][1].keys():
        return _lm_eval(path, lines)
    answers = read_predictions(path, lambda name: True, path)
    if not answers:
        raise InvalidInput(f"{path} holds no answers; {_REMEDY}")
    entries = [Answer(name, "", nan, said) for name, said in answers.items()]
    failed = len(lines) - len(answers)
    notes = (f"{failed} of {len(lines)} lines have no reply and do not count",) if failed else ()
    return [Log(path, path.stem, (), entries, "", notes=notes)]


_TASK = re.compile(r"samples_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d.:-]+)?")


def _lm_eval(path: Path, lines: Sequence[tuple[int, dict[str, Any]]]) -> list[Log]:
    """What lm-eval logs with --log_samples: a line for each row and filter."""
    named = _TASK.fullmatch(path.stem)
    # Rows of each k are a task of their own, and all of them one test.
    task = re.sub(r"_(k\d+|other)$", "", named["task"] if named else path.stem)
    logs: dict[str, Log] = {}
    seen: set[tuple[str, str]] = set()
    for number, line in lines:
        filtered = str(line.get("filter", "none"))
        variant = (("filter", filtered), ("task", task))
        entry, chosen, metric = _lm_entry(line, f"{path}:{number}")
        log = logs.setdefault(
            filtered, Log(path, path.parent.name, variant, [], f"lm-eval's {metric}", chosen=chosen)
        )
        if (filtered, entry.id) in seen:
            raise InvalidInput(f"{path}:{number}: {entry.id!r} is answered twice; leave one answer")
        seen.add((filtered, entry.id))
        log.entries.append(entry)
    return list(logs.values())


def _lm_entry(line: dict[str, Any], where: str) -> tuple[Answer, bool, str]:
    """A line's entry, whether it is a choice, and the metric that its value is."""
    doc = line["doc"] if isinstance(line.get("doc"), dict) else {}
    try:
        metric = str(line["metrics"][0])
        value = float(line[metric])
        answers = line["resps"]
        chosen = len(answers) > 1 or not isinstance(answers[0][0], str)
        said = None if chosen else answers[0][0]
        if chosen:
            weights = [float(answer[0][0]) for answer in answers]
            best = weights.index(max(weights))
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InvalidInput(
            f"{where}: it is no sample of lm-eval as --log_samples writes it "
            f"({type(error).__name__}: {error})"
        ) from None
    inner = doc.get("metadata")
    metadata = {**inner, "generator": doc.get("generator", "")} if isinstance(inner, dict) else doc
    listed = doc.get("options" if chosen else "choices") or doc.get("choices")
    choices = listed if isinstance(listed, list) else []
    read = choices[best] if chosen and best < len(choices) else None
    entry = Answer(
        str(doc.get("id", line.get("doc_id", ""))),
        str(doc.get("target", line.get("target", ""))),
        value,
        said,
        read,
        "the likeliest of the choices" if chosen else "",
        metadata,
        str(doc.get("input", "")),
        choices,
        None if chosen else _whole_row(doc),
    )
    return entry, chosen, metric


def _whole_row(doc: dict[str, Any]) -> Example | None:
    """The row that a document is, if it is one."""
    try:
        return Example.parse(orjson.dumps({name: doc[name] for name in Example.__slots__}))
    except (KeyError, ValueError):
        return None


def _results(path: Path) -> list[Log]:
    """A result of gen score or gen eval: numbers of rows, without what was said."""
    (result,) = results.load([path])
    if "right" not in result.columns:
        raise InvalidInput(
            f"{path} is a result on {result.setup.task}, which is not of right and wrong rows; "
            f"gen report {result.setup.task} or gen report by reads it"
        )
    logs = []
    for test, data in enumerate(result.setup.tests):
        right = result.of_rows("right", test).mean(0).tolist()
        labels = {
            name: [column.values[place] for place in column.places.tolist()]
            for name, column in data.columns.items()
        }
        entries = [
            Answer(
                numbered(data.digest, data.split, number),
                str(labels["target"][number]) if "target" in labels else "",
                value,
                metadata={name: values[number] for name, values in labels.items()}
                | {"generator": data.generator or ""},
            )
            for number, value in enumerate(right)
            if not isnan(value)  # it was not answered
        ]
        if not entries:
            raise InvalidInput(f"{path} holds no answered rows; finish the run")
        kept = ("its answers are not kept; give their file and --data to read them",)
        seeds = (f"the mean of {len(result.runs)} seeds",) if len(result.runs) > 1 else ()
        logs.append(
            Log(
                path,
                result.setup.label,
                (
                    ("data", data.label),
                    ("trained on", result.setup.train.name if result.setup.train else ""),
                    *((name, str(told)) for name, told in result.setup.hyperparameters.items()),
                ),
                entries,
                f"gen {'score' if result.setup.task == 'answers' else 'eval'}",
                baseline=result.setup.baseline,
                notes=() if result.setup.baseline else (*kept, *seeds),
                digest=data.digest,
            )
        )
    return logs


def _merged(logs: Sequence[Log]) -> list[Log]:
    """One log for each model and variant; a model of several variants is called by them too."""
    together: dict[tuple[str, Variant], list[Log]] = {}
    for log in logs:
        together.setdefault((log.model, log.variant), []).append(log)
    common = {
        model: set.intersection(*(set(variant) for name, variant in together if name == model))
        for model, _ in together
    }
    merged = []
    for (model, variant), several in together.items():
        first = several[0]
        notes = [note for log in several for note in log.notes]
        merged.append(
            replace(
                first,
                model=_named(model, [pair for pair in variant if pair not in common[model]]),
                entries=_tries(several),
                chosen=any(log.chosen for log in several),
                scorer=" and ".join(sorted({log.scorer for log in several if log.scorer})),
                notes=tuple(dict.fromkeys(notes)),
            )
        )
    return merged


def _named(model: str, told: Sequence[tuple[str, str]]) -> str:
    """A model, with what tells this log of it from others."""
    parts = (value if key == "task" else f"{key} {value}" for key, value in told if value)
    listed = ", ".join(parts)
    return f"{model} ({listed})" if listed else model


def _tries(logs: Sequence[Log]) -> list[Answer]:
    """Several tries of a row within one log are one entry; in two logs they are a mistake."""
    places: dict[str, Path] = {}
    for log in logs:
        for name in {entry.id for entry in log.entries}:
            if name in places:
                raise InvalidInput(
                    f"{places[name]} and {log.path} both answer {name} as {log.model}; name them "
                    f"apart: one={places[name].name} two={log.path.name}"
                )
            places[name] = log.path
    return [entry for log in logs for entry in log.entries]


def _answers(log: Log, dataset: Answered | None) -> Answers:
    """A log's answers, looked up in the dataset where there is one."""
    rows = dataset.found if dataset else {}
    if dataset:
        foreign = [entry.id for entry in log.entries if entry.id not in rows]
        if foreign:
            named = (
                f"such rows as {log.model} answers" if " " in foreign[0] else f"row {foreign[0]!r}"
            )
            folder = dataset.dataset.folder
            raise InvalidInput(f"{log.path}: {folder} has no {named}; give the dataset of the log")
    elif not all(_ours(entry) for entry in log.entries):
        foreign = [entry.id for entry in log.entries if not _ours(entry)]
        raise InvalidInput(
            f"{log.path}: {len(foreign)} of its {len(log.entries)} samples have no id of a row, as "
            f"clutrr-v3-s0-test-0 is one, but such as {foreign[0]!r}; log rows by their ids"
        )
    tried: dict[str, list[Answer]] = {}
    changed, anew = 0, True
    for entry in log.entries:
        row = rows.get(entry.id, entry.row)
        told = row is not None and entry.said is not None and not log.chosen
        answer = _answer(log, entry, row, told)
        anew &= told
        changed += not isnan(entry.value) and entry.right != answer.right
        tried.setdefault(answer.id, []).append(answer)
    notes = list(log.notes)
    tries = max(map(len, tried.values()))
    if tries > 1:
        notes.append(f"up to {tries} tries of each row count as their mean; the first is shown")
    if changed:
        notes.append(
            f"{changed} of {len(log.entries)} answers are scored otherwise than in the log"
        )
    first = next(iter(tried.values()))[0]
    matched = _OURS.fullmatch(first.id)
    return Answers(
        log.model,
        str(first.metadata.get("generator") or (matched["generator"] if matched else "")),
        [
            replace(several[0], value=sum(answer.value for answer in several) / len(several))
            for several in tried.values()
        ],
        "relsmith.score" if anew else log.scorer,
        log.baseline,
        notes,
        dataset,
    )


def _ours(entry: Answer) -> bool:
    return bool(entry.metadata.get("generator") or _OURS.fullmatch(entry.id))


def _check_same(log: Log, entry: Answer, row: Example) -> None:
    """Whether the row is the one that was answered, as far as the log tells."""
    shown = str(entry.metadata.get("input", ""))
    letter = len(entry.target) == 1  # of the right choice
    if (shown and shown != row.input) or (entry.target not in ("", row.target) and not letter):
        raise InvalidInput(
            f"{log.path}: the row {row.id} that it answers is another one; give the dataset that "
            f"was answered"
        )


def _answer(log: Log, entry: Answer, row: Example | None, anew: bool) -> Answer:
    """What a log says of a row, and of the row what is known; `anew` with its text scored again."""
    if not (anew or isnan(entry.value) or 0 <= entry.value <= 1):
        raise InvalidInput(
            f"{log.path}: {entry.id} is scored {entry.value:g}, which is no share from 0 to 1; "
            f"give --data, and answers are scored anew"
        )
    if row is None:
        if isnan(entry.value):
            raise InvalidInput(
                f"{log.path} has no scores; give --data, the dataset that it answers"
            )
        return entry
    _check_same(log, entry, row)
    if anew and entry.said is not None:
        found = score(row, entry.said)
        entry = replace(entry, value=found.value, read=found.answer or "", why=found.why)
    if isnan(entry.value):
        raise InvalidInput(f"{log.path}: row {row.id!r} has neither a text nor a score")
    return replace(
        entry,
        id=row.id,
        target=row.target,
        metadata={**row.metadata, "generator": entry.metadata.get("generator", "")},
        input=row.input,
        choices=row.choices or entry.choices,
    )
