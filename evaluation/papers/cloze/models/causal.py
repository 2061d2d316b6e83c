"""Any causal language model of transformers, pretrained or fine-tuned on the pairs.

It reads the abstract and the text up to a blank. The probability of a word is the product over
its word pieces, renormalised at each piece over those that continue to a known word, so that the
probabilities of all known words sum to 1.

References: Radford et al., Improving language understanding by generative pre-training, 2018.
"""

import copy
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import torch
from pydantic import BaseModel, Field
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence
from typing_extensions import override

from .....errors import InvalidOption
from .... import pretrained
from ....model import RunContext
from ....result import TrainingSummary
from ..encoding import FIRST_WORD, ClozeBatch, ClozeVocabulary, EncodedPairs, Prediction, Predictor
from ..model import ClozeModel, ClozeNetwork

_CHUNK = 128


class _Pretrained(BaseModel):
    """Options of pretrained models."""

    packages: ClassVar[tuple[str, ...]] = ("torch", "transformers")
    reads: ClassVar[tuple[str, ...]] = ("path",)

    path: str = Field(description="folder or name of a causal language model of transformers")
    least: int = Field(1, ge=1, description="rarer words of training count as unknown")
    floor: float = Field(1e-3, ge=0, lt=1, description="less likely prefixes are not expanded")


class CausalLM(_Pretrained, ClozeModel):
    """A pretrained causal language model, without training."""

    name: ClassVar = "causal-lm"
    random: ClassVar = False

    @staticmethod
    def surprisal(where: str) -> "Surprisal":
        """Return the measure that `gen cloze --lm` uses."""
        return Surprisal(where)

    @override
    def learn(
        self, train: EncodedPairs, vocabulary: ClozeVocabulary, job: RunContext
    ) -> tuple[Predictor, TrainingSummary]:
        module = PieceLanguageModel(self.path, self.floor, vocabulary)
        return module.to(job.device).eval(), TrainingSummary()


class Surprisal:
    """Surprisal of spans of a text under a causal language model."""

    def __init__(self, where: str) -> None:
        self.tokenizer, model = pretrained.load(where, "AutoModelForCausalLM")
        self.model = model.eval().requires_grad_(False)

    def __call__(self, before: str, text: str, spans: Sequence[tuple[int, int]]) -> list[float]:
        """Return the bits of each span of the text, given `before` and the text so far."""
        pieces = self.tokenizer(before + text, return_offsets_mapping=True, return_tensors="pt")
        ids, places = pieces["input_ids"][0].tolist(), pieces["offset_mapping"][0].tolist()
        logs = self.model(pieces["input_ids"]).logits[0].log_softmax(-1)
        bits = []
        for start, end in spans:
            first, last = start + len(before), end + len(before)
            inside = [n for n, (a, b) in enumerate(places) if a < last and b > first and n]
            nats = -sum(float(logs[n - 1, ids[n]]) for n in inside)
            bits.append(round(nats / math.log(2), 2))
        return bits


class TunedCausalLM(_Pretrained, ClozeNetwork):
    """A pretrained causal language model, fine-tuned."""

    name: ClassVar = "causal-lm-tuned"

    learning_rate: float = Field(5e-5, gt=0, description="of Adam")
    most: int = Field(3, ge=1, description="maximum epochs of fine-tuning")

    def epochs(self, stage: str, most: int) -> int:
        return min(self.most, most)

    @override
    def build(self, train: EncodedPairs, vocabulary: ClozeVocabulary) -> nn.Module:
        return PieceLanguageModel(self.path, self.floor, vocabulary)


@dataclass
class _TrieNode:
    """A prefix of words in pieces, the words it spells, and its continuations."""

    pieces: tuple[int, ...] = ()
    words: list[int] = field(default_factory=list)
    next: dict[int, "_TrieNode"] = field(default_factory=dict)

    def add(self, pieces: Sequence[int], word: int) -> None:
        node = self
        for piece in pieces:
            node = node.next.setdefault(piece, _TrieNode((*node.pieces, piece)))
        node.words.append(word)

    def below(self) -> list[int]:
        return [*self.words, *(word for node in self.next.values() for word in node.below())]

    @cached_property
    def shares(self) -> tuple[Tensor, Tensor, Tensor]:
        """Words below, each one's child index, and the log of the number of words of that child."""
        below = [child.below() for child in self.next.values()]
        words = [word for some in below for word in some]
        places = [place for place, some in enumerate(below) for _ in some]
        shares = [math.log(len(some)) for some in below for _ in some]
        return torch.tensor(words), torch.tensor(places), torch.tensor(shares)


class _Prefix(NamedTuple):
    """A prefix to expand, the texts after which it is likely, and its log-probability there."""

    node: _TrieNode
    rows: list[int]
    mass: Tensor


class PieceLanguageModel(nn.Module):
    """A language model over word pieces that gives probabilities of words."""

    def __init__(self, path: str, floor: float, vocabulary: ClozeVocabulary) -> None:
        super().__init__()
        tokenizer, self.model = pretrained.load(path, "AutoModelForCausalLM")
        self.floor = floor
        unknown = tokenizer.unk_token_id
        unknown = 0 if unknown is None else unknown
        spelled = [f" {word}" for word in vocabulary.spelling()[FIRST_WORD:]]
        tokenised = tokenizer(spelled, add_special_tokens=False)["input_ids"] if spelled else []
        self.pieces: list[list[int]] = [[], [unknown], [_separator(tokenizer)]]
        self.pieces += [list(pieces) or [unknown] for pieces in tokenised]
        self.root = _TrieNode()
        for word in range(FIRST_WORD, len(self.pieces)):
            self.root.add(self.pieces[word], word)
        known = dict.fromkeys(piece for pieces in self.pieces[FIRST_WORD:] for piece in pieces)
        self.columns = {piece: column for column, piece in enumerate(known)}
        self.most = int(getattr(self.model.config, "max_position_embeddings", 1 << 20))

    def loss(self, batch: ClozeBatch, stage: str) -> Tensor:
        """Return the nats of all pieces of the concrete texts."""
        texts = [self._text(batch, row) for row in range(len(batch.source))]
        ids, mask = self._padded([pieces for pieces, _ in texts])
        scores = self.model(input_ids=ids, attention_mask=mask).logits[:, :-1].float()
        starts = torch.tensor([places[1] for _, places in texts], device=ids.device)
        concrete = mask[:, 1:].bool() & (
            torch.arange(1, ids.shape[1], device=ids.device) >= starts.unsqueeze(1)
        )
        return functional.cross_entropy(scores[concrete], ids[:, 1:][concrete], reduction="sum")

    def predict(self, batch: ClozeBatch, places: Tensor, starts: Tensor) -> Prediction:
        texts = [self._text(batch, row) for row in range(len(batch.source))]
        before = [
            tuple(pieces[: ends[place]])
            for (pieces, ends), row in zip(texts, places.tolist(), strict=True)
            for place in row
        ]
        # Beyond the last blank of a row, the same position is repeated.
        number = {text: place for place, text in enumerate(dict.fromkeys(before))}
        chunks = [list(number)[start : start + _CHUNK] for start in range(0, len(number), _CHUNK)]
        logs = torch.cat([self._word_logs(chunk) for chunk in chunks])
        return Prediction(logs[[number[text] for text in before]].view(*places.shape, -1))

    def _word_logs(self, texts: Sequence[Sequence[int]]) -> Tensor:
        """Return [texts, words] log-probabilities; prefixes of one length go together."""
        ids, mask = self._padded(texts)
        read = self.model(input_ids=ids, attention_mask=mask, use_cache=True)
        rows = torch.arange(len(ids), device=ids.device)
        out = torch.full((len(ids), len(self.pieces)), -torch.inf, device=ids.device)
        root = _Prefix(self.root, rows.tolist(), torch.zeros(len(ids), device=ids.device))
        prefixes = list(
            self._share(root, self._piece_logs(read.logits[rows, mask.sum(1) - 1]), out)
        )
        while prefixes:
            logs = self._after(read.past_key_values, mask, prefixes)
            both = zip(
                prefixes, torch.split(logs, [len(each.rows) for each in prefixes]), strict=True
            )
            prefixes = [longer for each, some in both for longer in self._share(each, some, out)]
        return out

    def _after(self, cache: Any, mask: Tensor, prefixes: "list[_Prefix]") -> Tensor:
        """Return piece log-probabilities after prefixes of one length, given the texts before."""
        rows = [row for each in prefixes for row in each.rows]
        pieces = [each.node.pieces for each in prefixes for _ in each.rows]
        logs = []
        for start in range(0, len(rows), _CHUNK):
            chosen = torch.tensor(rows[start : start + _CHUNK], device=mask.device)
            ids = torch.tensor(pieces[start : start + _CHUNK], device=mask.device)
            seen, held = mask[chosen], copy.deepcopy(cache)
            held.batch_select_indices(chosen)
            scores = self.model(
                input_ids=ids,
                attention_mask=torch.cat([seen, torch.ones_like(ids)], 1),
                position_ids=seen.sum(1, keepdim=True) + torch.arange(ids.shape[1]).to(ids.device),
                past_key_values=held,
            ).logits
            logs.append(self._piece_logs(scores[:, -1]))
        return torch.cat(logs)

    def _piece_logs(self, scores: Tensor) -> Tensor:
        """Return [texts, columns] log-probabilities of the pieces that occur in words."""
        return scores.float().log_softmax(-1)[:, list(self.columns)]

    def _share(self, prefix: "_Prefix", logs: Tensor, out: Tensor) -> Iterator["_Prefix"]:
        """Distribute the mass of a prefix over its words; yield longer prefixes to expand."""
        node, rows = prefix.node, torch.tensor(prefix.rows, device=out.device)
        pieces = logs[:, [self.columns[piece] for piece in node.next]]
        if node.words:
            rest = torch.log1p(-pieces.exp().sum(1).clamp(max=1 - 1e-6))
            each = (prefix.mass + rest - math.log(len(node.words))).unsqueeze(1)
            out[rows.unsqueeze(1), torch.tensor(node.words, device=out.device)] = each
        else:
            pieces = pieces.log_softmax(1)
        masses = prefix.mass.unsqueeze(1) + pieces
        words, places, shares = (part.to(out.device) for part in node.shares)
        out[rows.unsqueeze(1), words] = masses[:, places] - shares
        children = list(node.next.values())
        inner = [place for place, child in enumerate(children) if child.next]
        likely = (masses[:, inner] > _log(self.floor)).T.cpu()
        for place, deep in zip(inner, likely, strict=True):
            if deep.any():
                chosen = deep.nonzero().squeeze(1)
                numbers = [prefix.rows[number] for number in chosen.tolist()]
                yield _Prefix(children[place], numbers, masses[chosen.to(out.device), place])

    def _text(self, batch: ClozeBatch, row: int) -> tuple[list[int], list[int]]:
        """Return the pieces of both texts, and the number of pieces before each target position."""
        source = batch.source[row, : int(batch.source_lengths[row])].tolist()
        target = batch.target[row, : int(batch.target_lengths[row]) + 1].tolist()
        pieces = [piece for word in source for piece in self.pieces[word]]
        places = []
        for word in target:
            places.append(len(pieces))
            pieces += self.pieces[word]
        places.append(len(pieces))
        if len(pieces) > self.most:
            raise InvalidOption(
                f"longest: {len(pieces)} word pieces are more than the {self.most} that the model "
                f"reads; set a smaller value"
            )
        return pieces, places

    def _padded(self, texts: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        device = next(self.model.parameters()).device
        lengths = torch.tensor([len(text) for text in texts], device=device)
        ids = pad_sequence([torch.tensor(text) for text in texts], batch_first=True).to(device)
        mask = torch.arange(ids.shape[1], device=device) < lengths.unsqueeze(1)
        return ids, mask.long()


def _log(chance: float) -> float:
    return math.log(chance) if chance else -math.inf


def _separator(tokenizer: Any) -> int:
    for piece in (tokenizer.eos_token_id, tokenizer.bos_token_id, tokenizer.sep_token_id):
        if piece is not None:
            return int(piece)
    return int(tokenizer("\n", add_special_tokens=False)["input_ids"][0])
