"""The page: words, figures and answers to read in one HTML file that fetches nothing."""

from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources

from .drawing import MODELS, Panel, as_svg, panels
from .figures import Figures
from .findings import MARGIN, Finding
from .record import Answer, Answers

_LONGEST = 4000
"""More of an answer is not shown."""


def page(
    every: Sequence[Answers],
    figures: Figures,
    findings: Sequence[Finding],
    title: str,
    answers: int,
) -> str:
    """The whole page; `answers` is how many right and wrong ones to show of each model."""
    models = [some for some in every if not some.baseline]
    body = [
        f"<header><h1>{_text(title)}</h1><p>{_lead(models, figures)}</p></header>",
        _said(findings, models),
        _figures(panels(figures)),
        _to_read(models, answers),
        _made(every),
    ]
    frame, style = (
        resources.files(__package__).joinpath(name).read_text("utf-8")
        for name in ("page.html", "page.css")
    )
    return frame.format(title=_text(title), style=style, body="\n".join(filter(None, body)))


def _text(text: str) -> str:
    """A text of whoever's, to stand in the page; what is no character of a page is written out."""
    shown = "".join(
        letter if letter.isprintable() or letter in "\n\t" else f"\\u{ord(letter):04x}"
        for letter in text
    )
    return escape(shown)


def _lead(models: Sequence[Answers], figures: Figures) -> str:
    rows = {answer.id for some in models for answer in some.answers}
    of = f" of <b>{_text(figures.generator)}</b>" if figures.generator else ""
    names = ", ".join(f"<b>{_text(some.model)}</b>" for some in models)
    return f"{len(rows)} rows{of}, answered by {names}."


def _said(findings: Sequence[Finding], models: Sequence[Answers]) -> str:
    parts = []
    for number, name in enumerate([*(some.model for some in models), ""]):
        said = [finding.text for finding in findings if finding.model == name]
        if said:
            head = f"{_mark(number)} {_text(name)}" if name else "Models compared"
            items = "".join(f"<li>{_text(text)}</li>" for text in said)
            parts.append(f"<div><h3>{head}</h3><ul>{items}</ul></div>")
    return (
        '<section id="findings"><h2>What the figures allow to be said</h2>'
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


def to_read(models: Sequence[Answers], most: int) -> list[str]:
    """The ids of rows to show: so many right and wrong ones of each model, over all k."""
    chosen: dict[str, None] = {}
    for model in models:
        for wanted in (False, True):
            told = [answer for answer in model.answers if answer.said or answer.read]
            some = sorted(
                (answer for answer in told if answer.right == wanted),
                key=lambda answer: (str(answer.label("k") or "").rjust(9), answer.id),
            )
            step = max(1.0, len(some) / most) if most else 1.0
            for number in range(min(most, len(some))):
                chosen[some[int(number * step)].id] = None
    return list(chosen)


def _to_read(models: Sequence[Answers], most: int) -> str:
    ids = to_read(models, most)
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
        '<section id="answers"><h2>Answers to read</h2>'
        "<p>Wrong and right ones of each model, spread evenly over k; not drawn by chance, and no "
        "figure rests on them.</p>"
        f'<div class="answers">{"".join(cards)}</div></section>'
    )


def _card(row: Answer, given: Sequence[tuple[int, str, Answer]]) -> str:
    told = [f"k = {row.label('k')}"] if row.label("k") is not None else []
    told += [f"noise: {noise}"] if (noise := row.label("noise")) not in (None, "clean") else []
    told += [f"changed: {change}"] if (change := row.metadata.get("change")) else []
    story = f'<p class="story">{_text(row.input)}</p>' if row.input else ""
    answers = "".join(_given(number, model, answer) for number, model, answer in given)
    return (
        f"<article><h3>{_text(row.id)} <small>{_text(', '.join(told))}</small></h3>{story}"
        f"<p>Right answer: <b>{_text(row.target)}</b></p>{answers}</article>"
    )


def _given(number: int, model: str, answer: Answer) -> str:
    verdict = "right" if answer.right else "wrong"
    read = f"<b>{_text(answer.read)}</b>" if answer.read else "<i>nothing</i>"
    why = f" ({_text(answer.why)})" if answer.why not in ("", verdict) else ""
    said = ""
    if answer.said is not None:
        shown = answer.said[:_LONGEST]
        more = len(answer.said) - len(shown)
        rest = f"\n[{more} more characters]" if more else ""
        said = f"<pre>{_text(shown + rest)}</pre>"
    return (
        f'<div class="given {verdict}"><p>{_mark(number)} {_text(model)} '
        f'<span class="verdict">{verdict}</span> read as {read}{why}</p>{said}</div>'
    )


def _made(every: Sequence[Answers]) -> str:
    lines = [["whose", "rows", "scored by", "to know"]]
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
        "<p>Intervals of shares are Wilson's at 95 %; rows about one story count as fewer where "
        "they are answered alike. A difference is claimed where its interval (Newcombe's) leaves "
        "out zero, and a model “falls to” a baseline where it was above it, has fallen since, and "
        f"is by its whole interval at most {100 * MARGIN:.0f} points above it. Models are compared "
        "by a paired permutation test, corrected for all comparisons made (Holm). Each other "
        "sentence is at 95 % by itself: of twenty such differences one may be chance. Chance is "
        "one of the choices, or of the right answers that occur where none are "
        "offered.</p></section>"
    )
