"""The judge: looks every pair up in the relation files and rebuilds the text."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

from ...example import Example
from ...kb.relations import Relation
from .options import AnalogyOptions
from .template import NAMED

_RULES = {
    "random": {"random-head", "random-tail"},
    "type": {"type-head", "type-tail"},
}
_GROUPS_OF_FORMS = ("inflectional", "derivational")


def judge_row(
    example: Example, files: "dict[str, RelationLookup]", options: AnalogyOptions
) -> list[str]:
    """Return what is wrong with the row."""
    own = files.get(example.metadata["relation"])
    if own is None:
        return [f"there is no relation {example.metadata['relation']!r}"]
    return list(_AnalogyCase(example, own, files, options).findings())


def _letters(word: str) -> str:
    """Return the letters of a word, without case and accents."""
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return re.sub(r"[\W_]+", "", decomposed) or word


def _is_same_word(word: str, other: str, forms_matter: bool) -> bool:
    """Return whether two words are the same, or singular and plural if forms do not matter."""
    short, long = sorted((_letters(word), _letters(other)), key=len)
    if short == long:
        return True
    plural = long in (short + "es", re.sub("y$", "ies", short)) or (
        long == short + "s" != short[:-1] + "ss"
    )
    return plural and len(short) > 2 and not forms_matter


class RelationLookup:
    """An index of the files of one relation."""

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self.listed = set(relation.listed)
        self.heads = {head for head, _ in self.listed}
        self.tails = {tail for _, tail in self.listed}
        same_start = sum(_letters(head)[:1] == _letters(tail)[:1] for head, tail in self.listed)
        self.forms_matter = relation.group in _GROUPS_OF_FORMS or same_start > 0.1 * len(
            self.listed
        )
        self.firsts: dict[str, str] = {}
        for head, tail in relation.listed:
            self.firsts.setdefault(head, tail)
        many_heads = "one" if len(self.tails) == len(self.listed) else "many"
        many_tails = "one" if len(self.heads) == len(self.listed) else "many"
        self.flags = {
            "symmetric": relation.symmetric,
            "cardinality": f"{many_heads}-to-{many_tails}",
        }
        pairs = [*self.listed, *((b, a) for a, b in self.listed if relation.symmetric)]
        self.spelt = {(_letters(head), _letters(tail)) for head, tail in pairs}
        self.spelt_heads = {head for head, _ in self.spelt}
        self.spelt_tails = {tail for _, tail in self.spelt}
        self.blocks = [
            ({_letters(head) for head in heads}, {_letters(tail) for tail in tails})
            for heads, tails in relation.excluded
        ]
        # Words that count as the same have the same beginning.
        self.by_start: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for head, tail in pairs:
            start = (_letters(head)[:2], _letters(tail)[:2])
            self.by_start.setdefault(start, []).append((head, tail))

    def holds(self, head: str, tail: str) -> bool:
        """Return whether the pair is listed, in any spelling or, if symmetric, direction."""
        return any(
            _is_same_word(head, known_head, self.forms_matter)
            and _is_same_word(tail, known_tail, self.forms_matter)
            for known_head, known_tail in self.by_start.get(
                (_letters(head)[:2], _letters(tail)[:2]), []
            )
        )

    def why_false(self, head: str, tail: str) -> str | None:
        """Return why a pair that is not listed is false; None if the files do not say so."""
        if self.relation.open:
            return self.why_excluded(_letters(head), _letters(tail))
        if _letters(head) not in self.spelt_heads or _letters(tail) not in self.spelt_tails:
            return "other type"
        return "functional" if len(self.spelt_heads) == len(self.spelt) else "not listed"

    def why_excluded(self, head: str, tail: str) -> str | None:
        """Return why the files of an open relation exclude the pair, or None."""
        for heads, tails in self.blocks:
            if head in heads and tail in tails:
                return self.relation.open
            if self.relation.symmetric and tail in heads and head in tails:
                return self.relation.open
        strange_head = head in self.spelt_tails - self.spelt_heads
        strange_tail = tail in self.spelt_heads - self.spelt_tails
        if self.relation.disjoint and (strange_head or strange_tail):
            return "disjoint type"
        is_reversed = self.relation.asymmetric and (tail, head) in self.spelt
        return "asymmetric" if is_reversed else None


class _AnalogyCase:
    """One row, and the files to check it against."""

    def __init__(
        self,
        example: Example,
        files: RelationLookup,
        every: dict[str, RelationLookup],
        options: AnalogyOptions,
    ) -> None:
        self.example, self.claims = example, example.metadata
        self.files, self.every, self.options = files, every, options
        self.relation = files.relation

    def findings(self) -> Iterator[str]:
        """Yield everything that is wrong with the row."""
        yield from self.check_options()
        yield from self.check_roles()
        for role in ("query", "positive"):
            pair = self.claims[role]
            if pair is not None and tuple(pair) not in self.files.listed:
                yield f"{role} {pair} is not listed in {self.relation.name!r}"
            elif pair is not None and not self.has_allowed_tail(*pair):
                yield f"{role} {pair} does not have the canonical tail, but --tails is not all"
        if self.claims["positive"] is not None and self.claims["positive"] == self.claims["query"]:
            yield "the positive is the query itself"
        offered = [self.claims["negative"], *self.claims["others"]]
        for pair in offered if self.claims["negative"] is not None else []:
            yield from self.check_negative(pair)
        yield from self.check_words()
        yield from self.check_text()

    def has_allowed_tail(self, head: str, tail: str) -> bool:
        """Return whether the tail is canonical, if it must be."""
        every = not self.relation.canonical or self.options.paper_faithful
        return every or self.options.tails == "all" or self.files.firsts[head] == tail

    def check_options(self) -> Iterator[str]:
        """Check the metadata about the relation and the options."""
        flags = self.files.flags
        if self.claims["flags"] != flags:
            yield f"flags are {self.claims['flags']}, but should be {flags}"
        if self.claims["group"] != self.relation.group:
            yield f"group is {self.claims['group']!r}, but should be {self.relation.group!r}"
        if self.claims["probe"] not in self.options.probes:
            yield f"probe {self.claims['probe']!r} was not asked for"
        if self.options.setting not in ("all", self.claims["setting"]):
            yield f"setting {self.claims['setting']!r} was not asked for"

    def check_roles(self) -> Iterator[str]:
        """Check which of positive and negative there are, and what goes with them."""
        positive, negative = self.claims["positive"], self.claims["negative"]
        if self.claims["setting"] == "supervised":
            if (positive is None) == (negative is None):
                yield "a supervised row has either a positive or a negative"
            if self.claims["others"]:
                yield "a supervised row has no further options"
        elif positive is None or negative is None:
            yield "an unsupervised row has a positive and a negative"
        elif len(self.claims["others"]) != self.options.choices - 2:
            yield f"there are not {self.options.choices} options"
        if negative is None:
            if self.claims["rule"] is not None or self.claims["certificate"] is not None:
                yield "there is no negative to give a rule or a certificate for"
            if self.claims["false_negative"]:
                yield "there is no negative to be true"
            return
        if self.claims["rule"] not in self.rules():
            yield f"rule {self.claims['rule']!r} is not of the probe {self.claims['probe']!r}"

    def check_negative(self, pair: list[str]) -> Iterator[str]:
        """Check that a negative is false unless marked true, made by its rule, and certified."""
        true = any(
            files.holds(*pair)
            for files in self.every.values()
            if files.relation.kind == self.relation.kind
        )
        if true and not self.options.paper_faithful:
            yield f"the negative {pair} holds"
        if pair == self.claims["negative"]:
            if true and not self.claims["false_negative"]:
                yield f"the negative {pair} holds, and the row does not say so"
            if self.claims["false_negative"] and not self.options.paper_faithful:
                yield "only the paper's own procedure makes true negatives"
            if self.claims["certificate"] != self.certificate(pair):
                yield (
                    f"certificate is {self.claims['certificate']!r}, "
                    f"but should be {self.certificate(pair)!r}"
                )
        is_certain = self.options.paper_faithful or true
        if not is_certain and self.files.why_false(*pair) is None:
            yield f"nothing in the files says that the negative {pair} is false"
        if pair == self.claims["positive"]:
            yield f"the negative {pair} is the positive"
        if pair == self.claims["query"] and not self.options.paper_faithful:
            yield f"the negative {pair} is the query"
        if pair[0] == pair[1] and not self.options.paper_faithful:
            yield f"the negative {pair} is a word with itself"
        rules = {self.claims["rule"]} if pair == self.claims["negative"] else self.rules()
        if not any(self.is_made_by(rule, pair) for rule in rules):
            yield f"the negative {pair} is not made by {' or '.join(sorted(rules))}"

    def rules(self) -> set[str]:
        """Return the rules of the row's probe."""
        return _RULES.get(self.claims["probe"], {self.claims["probe"]})

    def certificate(self, pair: list[str]) -> str:
        """Return why the pair is false, by the files."""
        if self.claims["false_negative"]:
            return "none"
        if self.claims["rule"] == "cross" and not self.relation.open:
            return "other relation"
        return self.files.why_false(*pair) or "not listed"

    def is_made_by(self, rule: str, pair: list[str]) -> bool:
        """Return whether the rule makes the pair from the query or other tuples."""
        head, tail = pair
        query, heads, tails = self.claims["query"], self.files.heads, self.files.tails
        makes: dict[str, Callable[[], bool]] = {
            "random-head": lambda: head in heads - {query[0]} and tail == query[1],
            "random-tail": lambda: tail in tails - {query[1]} and head == query[0],
            "reverse": lambda: (tail, head) in self.files.listed,
            "type-head": lambda: {head, tail} <= heads - {query[0]},
            "type-tail": lambda: {head, tail} <= tails - {query[1]},
            "cross": lambda: self.is_of_other_relation(head, tail),
        }
        return makes.get(rule, lambda: head in heads and tail in tails)()

    def is_of_other_relation(self, head: str, tail: str) -> bool:
        """Return whether another relation between words of the same types lists the pair."""
        return any(
            (head, tail) in files.listed
            for files in self.every.values()
            if files.relation.kind != self.relation.kind
            and files.relation.types == self.relation.types
        )

    def check_words(self) -> Iterator[str]:
        """Check senses and frequencies, and that a hard negative is like the query."""
        claims = self.claims
        if claims["probe"] != "hard":
            if claims["words"]:
                yield "only rows of the probe hard describe their words"
            return
        from wordfreq import zipf_frequency

        from ...kb.lexicon.wordnet import nltk_reader

        senses = {}
        for known in claims["words"]:
            word, sense = known["word"], known["sense"]
            possible = {one.name(): one for one in nltk_reader().synsets(word.replace(" ", "_"))}
            if (sense not in possible) if possible else sense:
                yield f"{sense!r} is no sense of {word!r}"
                return
            if known["domain"] != (possible[sense].lexname() if sense else ""):
                yield f"{known['domain']!r} is not the domain of {sense!r}"
            if known["band"] != int(zipf_frequency(word, "en")):
                yield f"{known['band']} is not the frequency of {word!r}"
            senses[word] = possible[sense].pos().replace("s", "a") if sense else ""
        pairs = [claims["positive"], claims["negative"], *claims["others"]]
        shown = {word for pair in (claims["query"], *filter(None, pairs)) for word in pair}
        if set(senses) != shown:
            yield "the described words are not those of the row"
            return
        for pair in [claims["negative"], *claims["others"]] if claims["negative"] else []:
            if [senses[word] for word in pair] != [senses[word] for word in claims["query"]]:
                yield f"the negative {pair} has other parts of speech than the query"
            if set(pair) & set(claims["query"]):
                yield f"the negative {pair} has a word of the query"

    def check_text(self) -> Iterator[str]:
        """Check the text, the choices and the answer, rebuilt from the words."""
        sentence = NAMED.get(self.options.template, self.options.template)
        claims = self.claims

        def sentence_of(pair: list[str]) -> str:
            words = dict(zip("abcd", [*claims["query"], *pair], strict=True))
            return re.sub(r"\{(\w)\}", lambda slot: words[slot.group(1)], sentence)

        asks = self.options.form == "question"
        if claims["setting"] == "supervised":
            wanted = sentence_of(claims["positive"] or claims["negative"])
            if asks:
                wanted = f"Is this analogy right?\n{wanted}\nAnswer true or false."
            choices, target = ["true", "false"], "true" if claims["positive"] else "false"
            if self.example.choices != choices or self.example.target != target:
                yield f"the answer is {target!r} of {choices}, but the row says otherwise"
        else:
            wanted = yield from self.check_options_text(sentence_of, asks)
        if self.example.input != wanted:
            yield f"the text is {self.example.input!r}, but should be {wanted!r}"

    def check_options_text(self, sentence_of: Any, asks: bool) -> Any:
        """Check a row with options; return its text, with the options in the row's order."""
        claims, example = self.claims, self.example
        pairs = [claims["positive"], claims["negative"], *claims["others"]]
        if asks:
            shown = re.findall(r"^([A-Z])\. (.*)$", example.input, re.MULTILINE)
            texts = [f"{head} : {tail}" for head, tail in pairs]
            right = [letter for letter, text in shown if text == texts[0]]
            if example.choices != [letter for letter, _ in shown] or example.target not in right:
                yield f"the right option is {right}, but the target {example.target!r}"
            if sorted(text for _, text in shown) != sorted(texts):
                yield "the options are not those of the metadata"
            head, tail = claims["query"]
            return "\n".join(
                [
                    f"Which two words are related in the same way as {head} : {tail}?",
                    *(f"{'ABCDEFGHIJ'[n]}. {text}" for n, (_, text) in enumerate(shown)),
                    "Answer with the letter.",
                ]
            )
        texts = [sentence_of(pair) for pair in pairs]
        if sorted(example.choices) != sorted(texts):
            yield f"the choices are {example.choices}, but should be {texts}"
        if example.target != texts[0]:
            yield f"the target is {example.target!r}, but should be {texts[0]!r}"
        return "\n".join(example.choices)
