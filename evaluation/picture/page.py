"""The page: findings and figures in one HTML file that loads nothing."""

from collections.abc import Sequence
from importlib import resources

from .figures import Figures
from .findings import ReportFinding
from .panels import MODELS, panels
from .record import ModelAnswers


def page(
    models: Sequence[ModelAnswers],
    figures: Figures,
    findings: Sequence[ReportFinding],
    title: str,
) -> str:
    """Return the page."""
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
