"""The page: findings, figures and sample answers in one HTML file that loads nothing."""

from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources

from .drawing import MODELS, Panel, as_svg, panels
from .figures import Figures
from .findings import MARGIN, ReportFinding
from .record import Answer, ModelAnswers

_MAX_REPLY = 4000
"""Characters of a reply that are shown."""


def page(
    every: Sequence[ModelAnswers],
    figures: Figures,
    findings: Sequence[ReportFinding],
    title: str,
    answers: int,
) -> str:
    """Return the page; `answers` is the number of right and of wrong answers to show per model."""
    models = [some for some in every if not some.baseline]
    body = [
        f"<header><h1>{_text(title)}</h1><p>{_lead(models, figures)}</p></header>",
        _findings(findings, models),
        _figures(panels(figures)),
        _samples(models, answers),
        _provenance(every, figures.notes),
    ]
    frame, style = (
        resources.files(__package__).joinpath(name).read_text("utf-8")
        for name in ("page.html", "page.css")
    )
    return frame.format(title=_text(title), style=style, body="\n".join(filter(None, body)))


def _text(text: str) -> str:
    """Escape any text for HTML; unprintable characters become escapes."""
    shown = "".join(
        letter if letter.isprintable() or letter in "\n\t" else f"\\u{ord(letter):04x}"
        for letter in text
    )
    return escape(shown)


def _lead(models: Sequence[ModelAnswers], figures: Figures) -> str:
    rows = {answer.id for some in models for answer in some.answers}
    of = f" of <b>{_text(figures.generator)}</b>" if figures.generator else ""
    names = ", ".join(f"<b>{_text(some.model)}</b>" for some in models)
    return f"{len(rows)} rows{of}, answered by {names}."


def _findings(findings: Sequence[ReportFinding], models: Sequence[ModelAnswers]) -> str:
    parts = []
    for number, name in enumerate([*(some.model for some in models), ""]):
        texts = [finding.text for finding in findings if finding.model == name]
        if texts:
            head = f"{_mark(number)} {_text(name)}" if name else "Models compared"
            items = "".join(f"<li>{_text(text)}</li>" for text in texts)
            parts.append(f"<div><h3>{head}</h3><ul>{items}</ul></div>")
    return (
        '<section id="findings"><h2>Findings</h2>'
        f'<div class="words">{"".join(parts)}</div></section>'
    )


def _mark(number: int) -> str:
    return f'<i class="mark" style="background:var(--model-{number % len(MODELS)})"></i>'


def _figures(shown: Iterable[Panel]) -> str:
    cards = [
        f'<figure id="{_text(panel.name)}"><h3>{_text(panel.title)}</h3>{as_svg(panel)}'
        f"<figcaption>{_text(panel.caption)}</figcaption>"
        f"<details><summary>The numbers</summary>{_table(panel.table)}</details></figure>"
        for panel in shown
    ]
    return (
        f'<section id="figures"><h2>Figures</h2><div class="cards">{"".join(cards)}</div></section>'
    )


def _table(lines: Sequence[Sequence[str]]) -> str:
    heads = "".join(f"<th>{_text(head)}</th>" for head in lines[0])
    rows = "".join(
        "<tr>" + "".join(f"<td>{_text(part)}</td>" for part in line) + "</tr>" for line in lines[1:]
    )
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div class="wide">{table}</div>'


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


def _samples(models: Sequence[ModelAnswers], most: int) -> str:
    ids = sample_rows(models, most)
    if not ids:
        return ""
    cards = []
    for name in ids:
        given = [
            (number, model.model, model.by_id[name])
            for number, model in enumerate(models)
            if name in model.by_id
        ]
        row = max((answer for _, _, answer in given), key=lambda answer: len(answer.input))
        cards.append(_card(row, given))
    return (
        '<section id="answers"><h2>Sample answers</h2>'
        "<p>Wrong and right ones of each model, spread evenly over k; not a random sample, and no "
        "figure is based on them.</p>"
        f'<div class="answers">{"".join(cards)}</div></section>'
    )


def _card(row: Answer, given: Sequence[tuple[int, str, Answer]]) -> str:
    labels = [f"k = {row.label('k')}"] if row.label("k") is not None else []
    labels += [f"noise: {noise}"] if (noise := row.label("noise")) not in (None, "clean") else []
    labels += [f"changed: {change}"] if (change := row.metadata.get("perturbation")) else []
    story = f'<p class="story">{_text(row.input)}</p>' if row.input else ""
    answers = "".join(_given(number, model, answer) for number, model, answer in given)
    return (
        f"<article><h3>{_text(row.id)} <small>{_text(', '.join(labels))}</small></h3>{story}"
        f"<p>Right answer: <b>{_text(row.target)}</b></p>{answers}</article>"
    )


def _given(number: int, model: str, answer: Answer) -> str:
    verdict = "right" if answer.right else "wrong"
    read = f"<b>{_text(answer.extracted)}</b>" if answer.extracted else "<i>nothing</i>"
    why = f" ({_text(answer.explanation)})" if answer.explanation not in ("", verdict) else ""
    steps = f"<p>Steps: {_text(_reasoning(answer))}</p>" if answer.steps else ""
    reply = ""
    if answer.reply is not None:
        shown = answer.reply[:_MAX_REPLY]
        more = len(answer.reply) - len(shown)
        rest = f"\n[{more} more characters]" if more else ""
        reply = f"<pre>{_text(shown + rest)}</pre>"
    return (
        f'<div class="given {verdict}"><p>{_mark(number)} {_text(model)} '
        f'<span class="verdict">{verdict}</span> extracted: {read}{why}</p>{steps}{reply}</div>'
    )


def _reasoning(answer: Answer) -> str:
    """Return the class of an answer's steps, and the first wrong one as the reply says it."""
    steps = answer.steps
    assert steps
    number = steps.first_wrong
    if number is None:
        return steps.kind
    claim, count = steps.claims[number - 1], len(steps.claims)
    said = (answer.reply or "")[claim.start : claim.end]
    return f"{steps.kind}; claim {number} of {count} is {claim.verdict}: \u201c{said}\u201d"


def _provenance(every: Sequence[ModelAnswers], notes: Sequence[str]) -> str:
    lines = [["model", "rows", "scored by", "notes"]]
    rows = {answer.id for some in every if not some.baseline for answer in some.answers}
    lines += [
        [
            f"{some.model}{' (baseline)' if some.baseline else ''}",
            f"{len(some.answers)} of {len(rows)}",
            some.scorer,
            "; ".join(some.notes),
        ]
        for some in every
    ]
    return (
        f'<section id="made"><h2>How it was made</h2>{_table(lines)}'
        "<p>Intervals of shares are at 95 %, over the clusters in which rows were drawn, such as "
        "the clauses of stories, and over seeds; of one seed they do not cover other trainings of "
        "a model. A difference is "
        "claimed if its interval excludes zero. A model “falls to” a baseline if it was above it, "
        f"has fallen since, and its whole interval is at most {100 * MARGIN:.0f} points above it. "
        "Models are compared by cluster with Holm's correction; those of one seed by a permutation "
        "test, as they were trained and asked, not as architectures. Each other sentence is at "
        "95 % by itself: one of twenty such differences may be due to chance. Chance means one of "
        "the choices, or of the right answers that occur if there are none. "
        f"{_text(' '.join(notes))}</p></section>"
    )
