"""The certificate of a row: where its answers stand in the concrete text."""


def flaws(text: str, spans: list[list[int]], answers: list[str]) -> list[str]:
    """What is wrong with the spans: they are those of the answers, one after another."""
    if len(spans) != len(answers):
        return [f"{len(spans)} spans for {len(answers)} answers"]
    last = 0
    for n, answer in enumerate(answers):
        start, end = spans[n]
        if start < last or text[start:end] != answer or not answer:
            return [f"{answer!r} does not stand at characters {start} to {end}"]
        last = end
    return [] if last else ["nothing is blanked"]
