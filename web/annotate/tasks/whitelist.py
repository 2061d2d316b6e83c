"""Whitelists for cloze tests: people approve or reject words in context."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from ....example import Example
from ....generators.cloze.novelty import all_forms, word_forms
from ....kb.lexicon import english
from ..task import AnnotationTask, AnsweredItem, Choice, Item, Passage, Sheet

_VERDICT = "verdict"
_YES, _NO, _UNSURE = "approve", "reject", "unsure"
_MAX_CONTEXTS = 3
_WORD = re.compile(r"(?<![\w-])[^\W\d_]+(?:-[^\W\d_]+)*(?![\w-])")


class WhitelistTask(AnnotationTask):
    """Should a word be blanked? Approve or reject it in context. Into gen cloze-whitelist."""

    name: ClassVar[str] = "whitelist"
    title: ClassVar[str] = "Words worth asking for"
    people: ClassVar[int] = 3
    generators: ClassVar[tuple[str, ...]] = ("cloze",)
    unit: ClassVar[str] = "words"
    instructions: ClassVar[tuple[str, ...]] = (
        "A short instruction stands above a detailed one. The marked word is in the detailed one "
        "only. It will be left out, and readers will be asked to fill it in.",
        "Approve the word where somebody who knows the work would find it: a tool, a part, a "
        "material, an ingredient, a measure. Reject it where many others would do as well.",
    )

    def items(self, rows: Iterable[tuple[str, Example]]) -> Iterator[Item]:
        """Yield words of concrete texts that are not in their abstracts, most frequent first."""
        contexts: dict[str, list[dict[str, Any]]] = {}
        counts = Counter[str]()
        seen = set[str]()
        forms = word_forms("lemma")
        for _, row in rows:
            abstract, concrete = row.metadata["abstract"], row.metadata["concrete"]
            if concrete in seen:
                continue
            seen.add(concrete)
            there = all_forms(map(str.lower, _WORD.findall(abstract)), forms)
            for found in _WORD.finditer(concrete):
                word = found[0].lower()
                if word in english.words("stop") or not there.isdisjoint(forms(word)):
                    continue
                counts[word] += 1
                shown = contexts.setdefault(word, [])
                if len(shown) < _MAX_CONTEXTS:
                    shown.append({"abstract": abstract, "concrete": concrete, "at": found.span()})
        for word, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
            yield Item(word, {"word": word, "count": count, "contexts": contexts[word]})

    def sheet(self, item: Item) -> Sheet:
        """Return the word in up to three texts."""
        passages: list[Passage] = []
        for context in item.shown["contexts"]:
            start, end = context["at"]
            passages += [
                Passage(context["abstract"], "Short"),
                Passage(context["concrete"], "Detailed", ((start, end),)),
            ]
        options = ((_YES, "approve"), (_NO, "reject"), (_UNSURE, "not sure"))
        heading = f"Should “{item.shown['word']}” be asked for?"
        return Sheet(heading, (Choice(_VERDICT, "Your verdict", options),), tuple(passages))

    def files(self, answered: Sequence[AnsweredItem]) -> dict[str, bytes]:
        """Return lists for --allow and --deny, by majority."""
        votes: dict[str, Counter[str]] = {}
        for each in answered:
            votes.setdefault(each.item.shown["word"], Counter())[each.answer[_VERDICT]] += 1
        return {
            name: "".join(
                f"{word}\n"
                for word, counts in sorted(votes.items())
                if counts[verdict] > counts.total() / 2
            ).encode()
            for name, verdict in (("allow.txt", _YES), ("deny.txt", _NO))
        }
