"""Story generators with options as on the command line."""

from relsmith.generators.clutrr import Clutrr


def clutrr(text: str = "", **more: object) -> Clutrr:
    """Return the generator with options written as `name=value`, and further ones."""
    return Clutrr.configure(dict(pair.split("=", 1) for pair in text.split()) | more)
