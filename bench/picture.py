"""Draw a story and its siblings from real rows: python bench/picture.py > docs/siblings.svg.

On the left the family graph of the first row; on the right the rows of its group, and
the perturbation of each.
"""

import math
import re
from html import escape

import relsmith
from relsmith import Example
from relsmith.generators.clutrr.metadata import stated_facts

OPTIONS = {
    "k": "2",
    "side_facts": 1,
    "noise": "supporting",
    "siblings": "words,names,order,noise,inverse,gender",
    "style": "plain",
}
SAID = {
    "": "the story",
    "words": "other words",
    "names": "other names",
    "order": "other order",
    "noise": "noise added",
    "inverse": "asked the other way",
    "gender": "men for women",
}
BLUE, GREY, RED, INK = "#1f5fa8", "#8a8f98", "#b3261e", "#22262b"
LETTERS, LINE = 76, 17


def wrapped(text: str) -> list[str]:
    """Break the text into lines."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > LETTERS:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def label(x: float, y: float, text: str, style: str = "", anchor: str = "middle") -> str:
    """Return an SVG text element."""
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" {style}>{escape(text)}</text>'


def graph(row: Example) -> list[str]:
    """Draw the family graph: the chain from top to bottom, side facts next to it."""
    known, drawn = row.metadata, []
    x, y = known["query"]
    chain = [x]
    for a, _, b in known["facts"]:
        chain.append(b if a == chain[-1] else a)
    place = {name: (190.0, 150.0 + 150 * n) for n, name in enumerate(chain)}
    for number, (a, _, b) in enumerate(known["side_facts"]):
        near, new = (a, b) if a in place else (b, a)
        place[new] = (330.0, place[near][1] + 75 + 60 * number)
    for fact in stated_facts(known):
        a, word, b = fact
        (ax, ay), (bx, by) = place[a], place[b]
        far = math.hypot(bx - ax, by - ay)
        ux, uy = (bx - ax) / far, (by - ay) / far
        colour = BLUE if fact in known["facts"] else GREY
        start, end = (ax + 36 * ux, ay + 36 * uy), (bx - 40 * ux, by - 40 * uy)
        drawn.append(
            f'<path d="M{start[0]:.0f},{start[1]:.0f} L{end[0]:.0f},{end[1]:.0f}" '
            f'stroke="{colour}" stroke-width="2.5" marker-end="url(#{colour[1:]})" fill="none"/>'
        )
        drawn.append(
            label(
                (ax + bx) / 2 + 8,
                (ay + by) / 2 + 4 - 14 * abs(ux),
                word,
                f'fill="{colour}"',
                "start",
            )
        )
    (ax, ay), (bx, by) = place[x], place[y]
    drawn.append(
        f'<path d="M{ax - 34:.0f},{ay + 12:.0f} C{ax - 130:.0f},{ay + 90:.0f} {bx - 130:.0f},'
        f'{by - 90:.0f} {bx - 36:.0f},{by - 14:.0f}" stroke="{RED}" stroke-width="2.5" '
        f'stroke-dasharray="7 5" marker-end="url(#{RED[1:]})" fill="none"/>'
    )
    drawn.append(label(ax - 122, (ay + by) / 2 + 6, "?", f'fill="{RED}" font-size="26"'))
    for name, (px, py) in place.items():
        edge = RED if name in (x, y) else GREY
        drawn.append(
            f'<circle cx="{px:.0f}" cy="{py:.0f}" r="34" fill="white" stroke="{edge}" '
            f'stroke-width="2.5"/>'
        )
        drawn.append(label(px, py + 5, name, f'font-size="13" fill="{INK}"'))
    return drawn


def picture(rows: list[Example]) -> str:
    """Return the whole drawing."""
    boxes, top = [], 20
    for row in rows:
        change = row.metadata["perturbation"]
        lines = wrapped(row.input)
        height = 34 + LINE * len(lines)
        edge = BLUE if not change else "#c9ced6"
        boxes.append(
            f'<rect x="440" y="{top}" width="620" height="{height}" rx="8" fill="white" '
            f'stroke="{edge}" stroke-width="1.5"/>'
        )
        boxes.append(
            label(456, top + 20, SAID[change], f'font-weight="bold" fill="{BLUE}"', "start")
        )
        boxes.append(label(1044, top + 20, row.target, f'font-weight="bold" fill="{RED}"', "end"))
        for number, line in enumerate(lines):
            boxes.append(label(456, top + 40 + LINE * number, line, f'fill="{INK}"', "start"))
        top += height + 10
    arrows = "".join(
        f'<marker id="{colour[1:]}" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="6" '
        f'markerHeight="6" orient="auto-start-reverse"><path d="M0,0 L10,5 L0,10 z" '
        f'fill="{colour}"/></marker>'
        for colour in (BLUE, GREY, RED)
    )
    names = rows[0].metadata["query"]
    head = label(220, 48, "What the story tells", f'font-size="18" font-weight="bold" fill="{INK}"')
    arrow = "An arrow leads from somebody to their relative:"
    notes = [
        label(220, 72, arrow, f'font-size="13" fill="{INK}"'),
        label(
            220,
            90,
            "blue is needed, grey is told beside it, red is asked.",
            f'font-size="13" fill="{INK}"',
        ),
    ]
    body = "\n".join([head, *notes, *graph(rows[0]), *boxes])
    title = f"A story about {names[0]} and {names[1]} and its six siblings"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1080 {top + 10}" width="1080" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="14">\n'
        f"<title>{escape(title)}</title>\n<defs>{arrows}</defs>\n"
        f'<rect width="1080" height="{top + 10}" fill="#f6f7f9"/>\n{body}\n</svg>'
    )


def group() -> list[Example]:
    """Return the shortest of several groups that has plain names only."""
    rows = list(relsmith.make("clutrr", **OPTIONS).examples(70))
    groups = [rows[n : n + 7] for n in range(0, len(rows), 7)]
    plain = [some for some in groups if re.fullmatch(r"[\w\s.,'?-]+", some[0].input)]
    return min(
        plain or groups,
        key=lambda some: (len(some[0].metadata["side_facts"]) != 1, len(some[0].input)),
    )


if __name__ == "__main__":
    print(picture(group()))
