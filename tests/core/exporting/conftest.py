"""Small datasets of every generator and question type; all tests are offline."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

import relsmith

OPTIONS: dict[str, tuple[str, Mapping[str, object]]] = {
    "clutrr": ("clutrr", {"k": "2..4", "noise": "all"}),
    "clutrr-siblings": ("clutrr", {"siblings": "words,names,inverse"}),
    "clutrr-choices": ("clutrr", {"k": "2..3", "choices": "all"}),
    "clutrr-yes-no": ("clutrr", {"answer": "yes-no", "unknown_share": 0.25}),
    "clutrr-who": ("clutrr", {"answer": "who", "gender": "given", "unknown_share": 0.25}),
    "clutrr-unknown": ("clutrr", {"unknown_share": 0.5}),
    "clutrr-spatial": ("clutrr", {"world": "spatial"}),
    "clutrr-space": ("clutrr", {"world": "space", "unknown_share": 0.25}),
    "clutrr-ordering": ("clutrr", {"world": "ordering"}),
    "analogy": ("analogy", {"setting": "supervised"}),
    "analogy-unsupervised": ("analogy", {"setting": "unsupervised"}),
    "cloze": ("cloze", {}),
    "cloze-one": ("cloze", {"form": "one"}),
    "cloze-bank": ("cloze", {"form": "bank"}),
    "cloze-choice": ("cloze", {"form": "choice"}),
    "comparatives": ("comparatives", {}),
    "relinf-aggregate": ("relinf-aggregate", {"simulated": 5}),
}
"""Generators and options by name."""
ROWS = {"train": 48, "test": 12}


@pytest.fixture(scope="session", autouse=True)
def _offline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("HF_DATASETS_OFFLINE", "1")
        patch.setenv("HF_HOME", str(tmp_path_factory.mktemp("hf")))
        patch.delenv("HF_TOKEN", raising=False)
        yield


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the folder of a dataset by name, made on first use."""
    home = tmp_path_factory.mktemp("data")

    def folder(name: str) -> Path:
        out = home / name
        if not out.exists():
            generator, options = OPTIONS[name]
            if generator == "relinf-aggregate":
                relsmith.write(relsmith.make("relinf"), home / "candidates", {"train": 400})
                options = {**options, "candidates": str(home / "candidates")}
            relsmith.write(relsmith.make(generator, **options), out, ROWS)
        return out

    return folder


QUICK = ("clutrr",)
"""One dataset per program in the quick tier, because starting a run is slow."""


@pytest.fixture(
    params=[pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in OPTIONS]
)
def folder(request: pytest.FixtureRequest, data: Callable[[str], Path]) -> Path:
    """Each of the datasets."""
    return data(request.param)
