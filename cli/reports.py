"""`gen report`: the general reports, and those of papers."""

from .analogy_report import analogy, analogy_frequency, analogy_negatives
from .cloze_report import cloze, cloze_alignments, cloze_phrases
from .inference_report import inference
from .model_report import model
from .report import app

app.command()(inference)
app.command()(model)
app.command("analogy")(analogy)
app.command("analogy-negatives")(analogy_negatives)
app.command("analogy-frequency")(analogy_frequency)
app.command("cloze")(cloze)
app.command("cloze-phrases")(cloze_phrases)
app.command("cloze-alignments")(cloze_alignments)
