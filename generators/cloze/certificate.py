"""The certificate of a row: the spans of its answers in the concrete text."""


def span_errors(text: str, spans: list[list[int]], answers: list[str]) -> list[str]:
    """Return what is wrong with the spans, which must be those of the answers in order."""
    if len(spans) != len(answers):
        return [f"{len(spans)} spans for {len(answers)} answers"]
    last = 0
    for n, answer in enumerate(answers):
        start, end = spans[n]
        if start < last or text[start:end] != answer or not answer:
            return [f"{answer!r} is not at characters {start} to {end}"]
        last = end
    return [] if last else ["nothing is blanked"]
