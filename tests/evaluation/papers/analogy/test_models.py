"""Every model compared with a computation by hand, and overfitted on 64 rows."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from relsmith.errors import InvalidOption
from relsmith.evaluation.model import RunContext
from relsmith.evaluation.papers.analogy import template
from relsmith.evaluation.papers.analogy.embedding import (
    ClassifierObjective,
    EmbeddedQuads,
    Embedding,
    fit,
    predict,
    similarity,
)
from relsmith.evaluation.papers.analogy.encoder import ContextualEncoder
from relsmith.evaluation.papers.analogy.model import number_quads
from relsmith.evaluation.papers.analogy.perplexity import Perplexity
from relsmith.evaluation.papers.analogy.relation import RelationEncoder
from relsmith.evaluation.papers.analogy.task import AnalogyRow, WordQuad
from relsmith.evaluation.papers.analogy.vectors import Vectors, word_vectors
from relsmith.evaluation.task import TaskRows
from relsmith.evaluation.trainer import split_validation
from relsmith.evaluation.training import Training

CPU = torch.device("cpu")


def pretrained(name: str, folder: Path) -> Any:
    import transformers  # which takes seconds, even if no test of this file runs

    return getattr(transformers, name).from_pretrained(folder)


QUADS: list[WordQuad] = [
    ("paris", "france", "new delhi", "india"),
    ("rome", "italy", "rome", "italy"),
    ("oslo", "norway", "x", "is"),
    ("what", "to", "paris", "france"),
    ("rome", "italy", "rome", "italy"),
]


@pytest.fixture(params=["encoder", "pair", "relation", "vectors"])
def embedding(request: pytest.FixtureRequest, masked: Path, vectors: Path) -> Embedding:
    made: dict[str, Embedding] = {
        "encoder": ContextualEncoder(encoder=str(masked)),
        "pair": ContextualEncoder(encoder=str(masked), template="Is {c} to {d}?"),
        "relation": RelationEncoder(encoder=str(masked)),
        "vectors": Vectors(vectors=str(vectors)),
    }
    return made[request.param]


@pytest.mark.slow
@pytest.mark.parametrize("embedding", ["vectors", "encoder", "pair", "relation"], indirect=True)
def test_every_embedding_overfits_64_rows(
    embedding: Embedding, chosen: list[AnalogyRow], words: list[str]
) -> None:
    if embedding.label.endswith("pair only)"):  # without the query, rows may contradict each other
        wanted = {row.candidates[0]: row.target for row in chosen}
        chosen = [row for row in chosen if wanted[row.candidates[0]] == row.target]
    numbers = number_quads(reversed(chosen))
    vectors = EmbeddedQuads(numbers, embedding.load(CPU, words).embed(list(numbers))).joined(chosen)
    training = Training(epochs=200, patience=200, batch=16, validation=0)
    module, _ = fit(vectors, chosen, 256, 3e-3, RunContext(training=training))
    assert predict(module, vectors, training) == [row.target for row in chosen]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_classifier(chosen: list[AnalogyRow]) -> None:
    torch.manual_seed(3)
    vectors = torch.randn(64, 8)

    def weights(seed: int) -> Tensor:
        job = RunContext(seed, training=Training(epochs=4, batch=8, validation=0.2))
        module, _ = fit(vectors, chosen, 5, 1e-3, job)
        return torch.cat([weight.flatten() for weight in module.parameters()])

    assert torch.equal(weights(0), weights(0))
    assert not torch.equal(weights(0), weights(1))


@pytest.mark.slow
def test_training_stops_when_validation_no_longer_improves(supervised: list[AnalogyRow]) -> None:
    torch.manual_seed(3)
    job = RunContext(training=Training(epochs=300, patience=3, batch=50, validation=0.3))
    _, progress = fit(torch.randn(len(supervised), 8), supervised, 64, 0.01, job)
    assert progress.epoch == progress.gained + 3 < 300


@pytest.mark.parametrize("seed", range(3))
def test_a_pair_is_not_offered_in_training_and_validation(
    seed: int, rows: TaskRows[AnalogyRow], supervised: list[AnalogyRow]
) -> None:
    reverse = (supervised[0].labels.relation, "supervised", "reverse")
    for some in (supervised, [row for row in rows.rows if row.labels[:3] == reverse]):
        lesson = ClassifierObjective(torch.nn.Linear(2, 2), torch.zeros(len(some), 2), some, 1e-3)
        kept, learnt = split_validation(lesson.groups, 0.2, seed)
        offered = [{tuple(sorted(some[n].candidates[0])) for n in side} for side in (kept, learnt)]
        assert len(kept) + len(learnt) == len(some)
        assert len(kept) > 10
        assert not offered[0] & offered[1]


def test_a_word_is_the_mean_over_its_pieces_in_the_sentence(masked: Path) -> None:
    found = ContextualEncoder(encoder=str(masked), sentences=2).load(CPU, []).embed(QUADS)
    tokenizer, model = pretrained("AutoTokenizer", masked), pretrained("AutoModel", masked)
    for quad, vectors in zip(QUADS, found, strict=True):
        a, b, c, d = quad
        parts = ["what", a, "is to", b, ",", c, "is to", d, "."]
        pieces = [tokenizer(part, add_special_tokens=False).input_ids for part in parts]
        inner = [piece for part in pieces for piece in part]
        flat = [tokenizer.cls_token_id, *inner, tokenizer.sep_token_id]
        with torch.no_grad():
            states = model.eval()(torch.tensor([flat])).last_hidden_state[0]
        starts = [1 + sum(map(len, pieces[:at])) for at in range(len(pieces) + 1)]
        expected = [states[starts[at] : starts[at + 1]].mean(0) for at in (1, 3, 5, 7)]
        torch.testing.assert_close(vectors, torch.stack(expected), rtol=1e-4, atol=1e-5)


def test_a_pair_alone_is_embedded_without_the_query(
    masked: Path, rows: TaskRows[AnalogyRow]
) -> None:
    model = ContextualEncoder(encoder=str(masked), template="Is {c} to {d}?")
    assert {rows.rows[place].labels.setting for place in model.answerable_rows(rows)} == {
        "supervised"
    }
    found = model.load(CPU, []).embed([QUADS[0], ("rome", "italy", *QUADS[0][2:])])
    assert found.shape[1] == 2
    assert torch.equal(found[0], found[1])


def test_relation_encoders_pool_as_their_checkpoint_says(masked: Path, tmp_path: Path) -> None:
    tokenizer, model = pretrained("AutoTokenizer", masked), pretrained("AutoModel", masked)
    text = "<subj> is to <obj> : <obj> is <subj>'s <mask>"
    for mode, wanted in (
        ("mask", lambda piece: piece == tokenizer.mask_token_id),
        ("average", lambda piece: True),
        ("average_no_mask", lambda piece: piece != tokenizer.mask_token_id),
    ):
        model.config.relbert_config = {"mode": mode, "template": text}
        model.save_pretrained(tmp_path / mode)
        tokenizer.save_pretrained(tmp_path / mode)
        embedder = RelationEncoder(encoder=str(tmp_path / mode), sentences=2).load(CPU, [])
        found = embedder.embed(QUADS)
        for quad, vectors in zip(QUADS, found, strict=True):
            for (head, tail), vector in zip((quad[:2], quad[2:]), vectors, strict=True):
                pieces = tokenizer(
                    f"{head} is to {tail} : {tail} is {head}'s {tokenizer.mask_token}"
                ).input_ids
                with torch.no_grad():
                    states = model.eval()(torch.tensor([pieces])).last_hidden_state[0]
                kept = [state for piece, state in zip(pieces, states, strict=True) if wanted(piece)]
                torch.testing.assert_close(vector, torch.stack(kept).mean(0), rtol=1e-4, atol=1e-5)
    with pytest.raises(InvalidOption, match=r"needs a template with \{mask\}"):
        RelationEncoder(encoder=str(masked), pool="mask").load(CPU, [])


def test_differences_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "few.txt"
    path.write_text("paris 1 0\nfrance 0 2\nnew 4 0\ndelhi 0 4\n")
    found = word_vectors(str(path), ["Paris", "france", "New Delhi", "atlantis"])
    assert found["Paris"].tolist() == [1, 0]
    assert found["New Delhi"].tolist() == [2, 2]
    assert found["atlantis"].tolist() == [0, 0]
    embedder = Vectors(vectors=str(path)).load(CPU, ["paris", "france", "new delhi"])
    (vectors,) = embedder.embed([("paris", "france", "new delhi", "paris")])
    assert vectors.tolist() == [[-1, 2], [-1, -2]]
    (cosine,) = similarity(vectors[None])
    assert float(cosine) == pytest.approx((1 - 4) / 5)


def sentence(quad: WordQuad) -> str:
    return "What {} is to {}, {} is to {}.".format(*quad)


def test_pseudo_perplexity_equals_a_naive_loop(masked: Path) -> None:
    tokenizer = pretrained("AutoTokenizer", masked)
    model = pretrained("AutoModelForMaskedLM", masked).eval()
    expected = []
    for quad in QUADS:
        pieces = tokenizer(sentence(quad), return_tensors="pt").input_ids
        total = 0.0
        for place in range(1, pieces.shape[1] - 1):
            hidden = pieces.clone()
            hidden[0, place] = tokenizer.mask_token_id
            with torch.no_grad():
                logits = model(hidden).logits[0, place]
            total += float(logits.softmax(-1)[pieces[0, place]].log())
        expected.append((total, pieces.shape[1] - 2))
    totals = torch.tensor([total for total, _ in expected])
    means = torch.tensor([total / count for total, count in expected])
    for batch in (1, 3, 256):
        model = Perplexity(lm=str(masked), sentences=batch)
        torch.testing.assert_close(model.load(CPU).score(QUADS), totals)
        model = Perplexity(lm=str(masked), sentences=batch, per_piece=True)
        torch.testing.assert_close(model.load(CPU).score(QUADS), means)


def test_plain_perplexity_equals_a_naive_loop(causal: Path) -> None:
    tokenizer = pretrained("AutoTokenizer", causal)
    model = pretrained("AutoModelForCausalLM", causal).eval()
    expected = []
    for quad in QUADS:
        pieces = tokenizer(sentence(quad), return_tensors="pt").input_ids
        logs = []
        for place in range(1, pieces.shape[1]):
            with torch.no_grad():
                logits = model(pieces[:, :place]).logits[0, -1]
            logs.append(float(logits.softmax(-1)[pieces[0, place]].log()))
        expected.append(sum(logs) / len(logs))
    found = Perplexity(lm=str(causal), sentences=3).load(CPU).score(QUADS)
    torch.testing.assert_close(found, torch.tensor(expected), rtol=1e-4, atol=1e-5)


def test_a_model_without_a_head_has_no_perplexity(masked: Path, tmp_path: Path) -> None:
    pretrained("AutoModel", masked).save_pretrained(tmp_path)
    pretrained("AutoTokenizer", masked).save_pretrained(tmp_path)
    with pytest.raises(InvalidOption, match="no language-model head"):
        Perplexity(lm=str(tmp_path)).load(CPU)
    with pytest.raises(InvalidOption, match=r"cannot load '.*nowhere'"):
        Perplexity(lm=str(tmp_path / "nowhere")).load(CPU)


# On a CPU without bfloat16, torch warns, and emulates it.
@pytest.mark.filterwarnings("default::UserWarning")
def test_bfloat16_is_near(masked: Path) -> None:
    exact = ContextualEncoder(encoder=str(masked)).load(CPU, []).embed(QUADS)
    rough = ContextualEncoder(encoder=str(masked), precision="bfloat16").load(CPU, []).embed(QUADS)
    assert not torch.equal(exact, rough)
    assert float(torch.nn.functional.cosine_similarity(exact, rough, -1).min()) > 0.99


def test_spans_of_words_in_a_filled_template() -> None:
    words = {"a": "is", "b": "to", "c": "What", "d": "{a}"}
    text, spans = template.fill(template.DEFAULT_TEMPLATE, words)
    assert text == "What is is to to, What is to {a}."
    assert {slot: text[slice(*span)] for slot, span in spans.items()} == words


@pytest.mark.parametrize("text", ["{a} {b} {c}", "{c} {c} {d}", "{c} {d} {e}", "no slots"])
def test_templates_that_cannot_be_filled_are_refused(text: str, masked: Path) -> None:
    options: dict[str, Any] = {"encoder": str(masked), "template": text}
    with pytest.raises(InvalidOption, match="expected a sentence with slots"):
        ContextualEncoder.configure(options)
