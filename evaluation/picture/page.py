"""The page: findings, figures and sample answers in one HTML file that loads nothing."""

from collections.abc import Sequence
from importlib import resources

from .figures import Figures
from .findings import ReportFinding
from .panels import MODELS, panels
from .record import Answer, ModelAnswers

_MAX_REPLY = 4000
"""Characters of a reply that are shown."""


def page(
    models: Sequence[ModelAnswers],
    figures: Figures,
    findings: Sequence[ReportFinding],
    title: str,
    answers: int,
) -> str:
    """Return the page; `answers` is the number of right and of wrong answers to show per model."""
    from jinja2 import Environment, StrictUndefined

    frame, style = (
        resources.files(__package__).joinpath(name).read_text("utf-8")
        for name in ("page.html", "page.css")
    )
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printable,
    )
    by_model = [
        (number, some.model, [each.text for each in findings if each.model == some.model])
        for number, some in enumerate(models)
    ]
    return environment.from_string(frame).render(
        title=title,
        style=style,
        figures=figures,
        models=models,
        colours=MODELS,
        rows=len({answer.id for some in models for answer in some.answers}),
        findings=by_model,
        compared=[each.text for each in findings if not each.model],
        panels=panels(figures),
        samples=[_sample(name, models) for name in sample_rows(models, answers)],
        max_reply=_MAX_REPLY,
    )


def _printable(value: object) -> object:
    """Return a value for the page; unprintable characters become escapes."""
    if not isinstance(value, str) or value.replace("\n", "").replace("\t", "").isprintable():
        return value
    return type(value)(
        "".join(
            letter if letter.isprintable() or letter in "\n\t" else f"\\u{ord(letter):04x}"
            for letter in value
        )
    )


def sample_rows(models: Sequence[ModelAnswers], most: int) -> list[str]:
    """Return the ids of rows to show: right and wrong ones of each model, over all k."""
    chosen: dict[str, None] = {}
    for model in models:
        for wanted in (False, True):
            answered = [answer for answer in model.answers if answer.reply or answer.extracted]
            some = sorted(
                (answer for answer in answered if answer.right == wanted),
                key=lambda answer: (str(answer.label("k") or "").rjust(9), answer.id),
            )
            step = max(1.0, len(some) / most) if most else 1.0
            for number in range(min(most, len(some))):
                chosen[some[int(number * step)].id] = None
    return list(chosen)


def _sample(
    name: str, models: Sequence[ModelAnswers]
) -> tuple[Answer, list[str], list[tuple[int, str, Answer]]]:
    """Return a row, its labels, and the answers to it with number and name of the model."""
    given = [
        (number, model.model, model.by_id[name])
        for number, model in enumerate(models)
        if name in model.by_id
    ]
    row = max((answer for _, _, answer in given), key=lambda answer: len(answer.input))
    labels = [f"k = {row.label('k')}"] if row.label("k") is not None else []
    labels += [f"noise: {noise}"] if (noise := row.label("noise")) not in (None, "clean") else []
    labels += [f"changed: {change}"] if (change := row.metadata.get("perturbation")) else []
    return row, labels, given
