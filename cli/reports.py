"""`gen report`: the general reports, that of models, and those of papers."""

from .model_report import model
from .paper_report import paper
from .report import app

app.command()(model)
app.command()(paper)
