"""Rules that read triples off a dependency tree, a parser's or a fragment of the n-grams'.

A relation is the verb with its auxiliaries, negation, adverbs and particles, and what follows it
up to the second argument: a preposition, an adjective, a noun (is the cause of), an infinitive.
An argument is a noun phrase. What a sentence asks, supposes (if) or reports (said that) is left.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..lexicon.english import third_person
from ..lexicon.wordnet import lemmatise


class Token(NamedTuple):
    """A word, its Penn tag, its dependency label, and the place of its head (-1 for a root)."""

    word: str
    tag: str
    label: str
    head: int


MOST_TOKENS = 200
"""Longer sentences are no sentences."""

Said = tuple[str, str, str]
Words = list[tuple[float, str]]
"""Words with their places in the sentence; those put back stand between two places."""

_SAME_LABEL = {
    "nn": "compound",
    "num": "nummod",
    "number": "nummod",
    "possessive": "case",
    "partmod": "acl",
    "vmod": "acl",
    "rcmod": "relcl",
    "obj": "dobj",
    "iobj": "dative",
    "complm": "mark",
    "adpmod": "prep",
    "adpobj": "pobj",
    "nsubj:pass": "nsubjpass",
    "aux:pass": "auxpass",
    "compound:prt": "prt",
    "acl:relcl": "relcl",
}
_OF_THE_COPULA = {"nsubj", "csubj", "aux", "neg", "mark", "cc", "punct", "expl"}
_SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass")
_NOUNS = {"NN", "NNS", "NNP", "NNPS", "FW", "CD", "VBG"}
_PLURAL = {"NNS", "NNPS"}
_RELATIVE = {"WDT", "WP", "IN"}
_NOT_IN_PHRASES = {*_SUBJECTS, *"cc preconj relcl acl appos conj mark prep advcl".split()}
_SUPPOSING = {"if", "unless", "whether", "lest"}
_LINKING_ADVERBS = {"also", "then", "thus", "therefore", "however", "so", "hence", "too"}
_LIGHT = {"have", "take", "make", "play", "give", "do", "show", "pay", "bear", "exert", "exercise"}
_FULL_FORM = {
    "n't": "not",
    "n\u2019t": "not",
    "ca": "can",
    "wo": "will",
    "sha": "shall",
    "re": "are",
    "ve": "have",
    "ll": "will",
    "m": "am",
}


def extract(tokens: Sequence[Token]) -> list[Said]:
    """What a sentence or fragment says, each thing once, in the order of its verbs."""
    if not tokens or any(token.word == "?" for token in tokens):
        return []
    return list(dict.fromkeys(_Sentence(tokens).triples()))


def is_tree(tokens: Sequence[Token]) -> bool:
    """Whether every token leads to a root, so that the rules come to an end."""
    for token in tokens:
        head, steps = token.head, 0
        while head >= 0:
            if head >= len(tokens) or steps > len(tokens):
                return False
            head, steps = tokens[head].head, steps + 1
    return True


class _Sentence:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = _copulas_first(
            [token._replace(label=_SAME_LABEL.get(token.label, token.label)) for token in tokens]
        )
        self.below: list[list[int]] = [[] for _ in tokens]
        for place, token in enumerate(self.tokens):
            if token.head >= 0:
                self.below[token.head].append(place)

    def triples(self) -> Iterator[Said]:
        for place, token in enumerate(self.tokens):
            if token.tag.startswith("VB") and not self.is_supposed(place):
                yield from self.clause(place)
            elif token.label == "appos" and token.head >= 0 and token.tag in _NOUNS:
                yield from self.apposition(place, token.head)

    def kids(self, place: int, *labels: str) -> list[int]:
        return [kid for kid in self.below[place] if self.tokens[kid].label in labels]

    def is_verb(self, place: int) -> bool:
        return place >= 0 and self.tokens[place].tag.startswith("VB")

    def is_supposed(self, verb: int) -> bool:
        """Whether the clause is not asserted: a condition, or what someone says or thinks."""
        token = self.tokens[verb]
        if any(self.tokens[kid].word.lower() in _SUPPOSING for kid in self.kids(verb, "mark")):
            return True
        if token.label == "ccomp" and self.is_verb(token.head):
            return True
        return token.label in ("conj", "xcomp") and token.head >= 0 and self.is_supposed(token.head)

    # Clauses

    def clause(self, verb: int) -> Iterator[Said]:
        if self.tokens[verb].label in ("xcomp", "pcomp") and self.is_verb(self.tokens[verb].head):
            return  # told with the verb it belongs to
        if self.kids(verb, "expl"):
            yield from self.existence(verb)
            return
        for subject in self.subjects(verb):
            arg1 = self.argument(subject)
            if arg1 and not arg1.lower().startswith("no "):
                for relation, arg2 in self.completed(verb, self.group(verb, subject)):
                    yield arg1, relation, arg2

    def existence(self, verb: int) -> Iterator[Said]:
        """There are kangaroos in Australia: kangaroos are in Australia."""
        for noun in self.kids(verb, "attr", "nsubj", "dobj"):
            for subject in self.coordinated(noun):
                arg1 = self.argument(subject, of=False)
                if not arg1 or arg1.lower().startswith("no "):
                    continue
                after = [*self.kids(noun, "prep"), *self.kids(verb, "prep")]
                for prep in (kid for kid in after if kid > noun):
                    for relation, arg2 in self.after(self.group(verb), prep):
                        yield arg1, relation, arg2

    def apposition(self, noun: int, head: int) -> Iterator[Said]:
        """Paris, the capital of France: Paris is that. Without an article it may be any list."""
        arg1 = self.argument(head)
        if arg1 and self.kids(noun, "det"):
            for relation, arg2 in self.predicate([(head + 0.5, self.be(head))], noun):
                yield arg1, relation, arg2

    def subjects(self, verb: int) -> list[int]:
        label, head = self.tokens[verb].label, self.tokens[verb].head
        own = self.kids(verb, *_SUBJECTS)
        if own:
            if label == "relcl" and head >= 0 and self.tokens[own[0]].tag in _RELATIVE:
                return [head]
            return [noun for subject in own for noun in self.coordinated(subject)]
        if label == "conj" and self.is_verb(head) and not self.kids(verb, "mark"):
            return self.subjects(head)
        if label == "acl" and head >= 0 and self.tokens[verb].tag in ("VBN", "VBG"):
            return [head]
        return []

    def coordinated(self, noun: int) -> list[int]:
        """A noun and those joined to it by and; none of them where it is or, or nor."""
        nouns, ahead = [noun], [noun]
        while ahead:
            place = ahead.pop()
            joints = {self.tokens[kid].word.lower() for kid in self.kids(place, "cc", "preconj")}
            if joints & {"or", "nor", "either", "neither"}:
                return []
            if "not" in joints or self.kids(place, "neg"):
                nouns.remove(place)
            joined = self.kids(place, "conj")
            nouns += joined
            ahead += joined
        return nouns

    # Relations

    def group(self, verb: int, subject: int | None = None) -> Words:
        """The verb with auxiliaries, negation, adverbs and particles."""
        token = self.tokens[verb]
        helpers = self.kids(verb, "aux", "auxpass", "neg")
        if not helpers and self.shares_helpers(verb):
            helpers = self.kids(token.head, "aux", "auxpass", "neg")
        words = [(float(place), self.word(place, verb)) for place in helpers]
        start = min([place for place, _ in words], default=verb - 1)
        for adverb in self.kids(verb, "advmod"):
            if self.is_told(adverb) and adverb < verb and self.starts(adverb) >= start:
                words += self.plain(self.tree(adverb))
        words += [(float(place), self.word(place, verb)) for place in self.kids(verb, "prt")]
        words.append((float(verb), self.word(verb, verb)))
        return words if subject is None else self.put_back(words, verb, subject)

    def shares_helpers(self, verb: int) -> bool:
        """Was built and destroyed, can see and hear."""
        token = self.tokens[verb]
        return (
            token.label == "conj"
            and token.tag in ("VB", "VBN", "VBG")
            and token.head >= 0
            and self.tokens[token.head].tag == token.tag
        )

    def put_back(self, words: Words, verb: int, subject: int) -> Words:
        """The auxiliary that a participle lacks (books written by), or another form of it."""
        tag = self.tokens[verb].tag
        passive = tag == "VBN" and (
            self.tokens[verb].label == "acl" or bool(self.kids(verb, "nsubjpass"))
        )
        has_helper = any(self.tokens[int(place)].label in ("aux", "auxpass") for place, _ in words)
        if passive and not has_helper:
            return [*words, (min(place for place, _ in words) - 0.5, self.be(subject))]
        if tag == "VBG" and not has_helper:
            lemma = lemmatise(self.tokens[verb].word.lower(), "v")
            finite = lemma if self.is_plural(subject) else third_person(lemma)
            return [(place, finite if place == verb else word) for place, word in words]
        return words

    def is_told(self, adverb: int) -> bool:
        token = self.tokens[adverb]
        return token.tag != "WRB" and token.word.lower() not in _LINKING_ADVERBS

    def completed(self, verb: int, words: Words) -> Iterator[tuple[str, str]]:
        """What follows the verb, as pairs of a relation and a second argument."""
        objects = self.kids(verb, "dobj", "oprd")
        for noun in objects:
            yield from self.objects(verb, words, noun)
        for noun in self.kids(verb, "attr"):
            yield from self.predicate(words, noun)
        adjectives = self.kids(verb, "acomp")
        for adjective in adjectives:
            yield from self.quality(verb, words, adjective)
        if not adjectives:
            yield from self.prepositions(verb, words, objects)
        if not objects:
            for inner in self.kids(verb, "xcomp"):
                if self.is_verb(inner) and not self.kids(inner, *_SUBJECTS):
                    yield from self.completed(inner, words + self.group(inner))

    def objects(self, verb: int, words: Words, noun: int) -> Iterator[tuple[str, str]]:
        if self.tokens[noun].tag in _RELATIVE and self.tokens[verb].label == "relcl":
            noun = self.tokens[verb].head
            yield from self.ended(words, [noun] if noun >= 0 else [])
            return
        light = lemmatise(self.tokens[verb].word.lower(), "v") in _LIGHT
        if not (light and self.kids(noun, "prep")):
            yield from self.ended(words, self.coordinated(noun))
        yield from self.extended(words, noun)

    def predicate(self, words: Words, noun: int) -> Iterator[tuple[str, str]]:
        """Is a city; is the capital of France, where `is, the capital` would say too little."""
        if self.tokens[noun].tag not in _NOUNS:
            return
        if not any(self.tokens[kid].word.lower() == "of" for kid in self.kids(noun, "prep")):
            yield from self.ended(words, self.coordinated(noun))
        yield from self.extended(words, noun)

    def extended(self, words: Words, noun: int) -> Iterator[tuple[str, str]]:
        """Relations with a noun in them: has an effect on, is the cause of."""
        if self.tokens[noun].tag in _NOUNS and not self.kids(noun, "conj"):
            for prep in self.kids(noun, "prep"):
                yield from self.after(words + self.plain(self.phrase(noun, of=False)), prep)

    def quality(self, verb: int, words: Words, adjective: int) -> Iterator[tuple[str, str]]:
        """Is useful in, is larger than, is able to cure."""
        words = words + self.plain(self.phrase(adjective, of=False))
        for prep in [*self.kids(adjective, "prep"), *self.kids(verb, "prep")]:
            if prep > verb:
                yield from self.after(words, prep)
        for inner in self.kids(adjective, "xcomp"):
            if self.is_verb(inner) and not self.kids(inner, *_SUBJECTS):
                yield from self.completed(inner, words + self.group(inner))

    def prepositions(
        self, verb: int, words: Words, objects: list[int]
    ) -> Iterator[tuple[str, str]]:
        """Lives in, lies next to, is made out of, gave a book to."""
        if objects:
            if len(objects) > 1 or self.kids(objects[0], "conj", "relcl"):
                return
            if self.tokens[objects[0]].tag not in _NOUNS:
                return
            words = words + self.plain(self.phrase(objects[0]))
        for prep in self.kids(verb, "prep", "agent", "dative"):
            if prep > verb:
                yield from self.after(words, prep)
        for beside in self.kids(verb, "prt", "advmod"):
            place = [] if self.tokens[beside].label == "prt" else self.plain([beside])
            for prep in self.kids(beside, "prep"):
                if beside > verb:
                    yield from self.after(words + place, prep)

    def after(self, words: Words, prep: int) -> Iterator[tuple[str, str]]:
        """What a preposition leads to."""
        if self.tokens[prep].tag not in ("IN", "TO", "RP", "RB", "VBG"):
            return
        words = [*words, (float(prep), self.tokens[prep].word.lower())]
        inner = [kid for kid in self.kids(prep, "prep", "pcomp") if self.is_preposition(kid)]
        for kid in inner:
            if self.kids(kid, "pobj"):
                yield from self.after(words, kid)
                return
            words = [*words, (float(kid), self.tokens[kid].word)]
        for noun in self.kids(prep, "pobj"):
            yield from self.ended(words, self.coordinated(noun))
        for verb in self.kids(prep, "pcomp"):
            if self.tokens[verb].tag == "VBG" and not self.kids(verb, *_SUBJECTS):
                completions = list(self.completed(verb, words + self.group(verb)))
                yield from completions or self.ended(words, [verb])

    def is_preposition(self, place: int) -> bool:
        return self.tokens[place].tag in ("IN", "TO", "RP")

    def ended(self, words: Words, nouns: list[int]) -> Iterator[tuple[str, str]]:
        """A relation and its second arguments; a `no` before them belongs to the relation."""
        relation = " ".join(word for _, word in sorted(words))
        for noun in nouns:
            arg2 = self.argument(noun)
            if arg2.lower().startswith("no "):
                yield f"{relation} no", arg2[3:]
            elif arg2:
                yield relation, arg2

    # Words

    def argument(self, noun: int, of: bool = True) -> str:
        """A noun phrase; nothing where a pronoun stands."""
        token = self.tokens[noun]
        substantive = token.tag.startswith("JJ") and self.kids(noun, "det")
        if token.tag not in _NOUNS and not substantive:
            return ""
        places = self.phrase(noun, of)
        words = [self.tokens[place].word for place in places]
        first = self.tokens[places[0]]
        begins = places[0] == 0 and not first.tag.startswith("NNP") and first.word[1:].islower()
        if begins or first.tag in ("DT", "PDT"):
            words[0] = first.word.lower()
        if not any(letter.isalnum() for word in words for letter in word):
            return ""
        text = " ".join(words)
        for apart, together in ((" 's", "'s"), (" \u2019s", "\u2019s"), (" '", "'"), (" - ", "-")):
            text = text.replace(apart, together)
        return text

    def phrase(self, noun: int, of: bool = True) -> list[int]:
        """The places of a noun phrase: what stands before the noun, and an of-phrase after it."""
        places = {noun}
        verbal = self.tokens[noun].tag == "VBG"
        for kid in self.below[noun]:
            token = self.tokens[kid]
            before = kid < noun and not verbal and token.label not in _NOT_IN_PHRASES
            if before or (kid > noun and token.label in ("nummod", "compound")):
                places.update(self.tree(kid))
            elif verbal and token.label == "dobj":
                places.update(self.phrase(kid))
            elif of and kid > noun and token.label == "prep" and token.word == "of":
                places.add(kid)
                for inner in self.kids(kid, "pobj"):
                    places.update(self.joined(inner))
        return sorted(place for place in places if place == noun or self.is_spoken(place))

    def joined(self, noun: int) -> set[int]:
        """A noun phrase with all that is joined to it."""
        places = set(self.phrase(noun))
        for kid in self.kids(noun, "cc", "punct"):
            if kid > noun and self.kids(noun, "conj"):
                places.add(kid)
        for kid in self.kids(noun, "conj"):
            places |= self.joined(kid)
        return places

    def is_spoken(self, place: int) -> bool:
        return self.tokens[place].label != "punct" or self.tokens[place].word == "-"

    def tree(self, place: int) -> list[int]:
        return sorted({place}.union(*(self.tree(kid) for kid in self.below[place])))

    def starts(self, place: int) -> int:
        return self.tree(place)[0]

    def plain(self, places: list[int]) -> Words:
        return [(float(place), self.tokens[place].word) for place in places]

    def word(self, place: int, verb: int) -> str:
        """A word of the verb group, in full."""
        token = self.tokens[place]
        word = token.word.lower()
        if word in ("n't", "n\u2019t", "ca", "wo", "sha"):
            return _FULL_FORM[word]
        if not word.startswith(("'", "\u2019")):
            return word
        short = word[1:]
        participle = self.tokens[verb].tag == "VBN" and token.label == "aux"
        if short == "s":
            return "has" if participle else "is"
        if short == "d":
            return "had" if participle else "would"
        return _FULL_FORM.get(short, word)

    def be(self, subject: int) -> str:
        return "are" if self.is_plural(subject) else "is"

    def is_plural(self, subject: int) -> bool:
        return self.tokens[subject].tag in _PLURAL or bool(
            self.kids(subject, "conj") and self.tokens[subject].label in _SUBJECTS
        )


def _copulas_first(tokens: list[Token]) -> list[Token]:
    """Trees in which the predicate heads its copula, turned to have the copula as head."""
    turned = list(tokens)
    for place, token in enumerate(tokens):
        if token.label != "cop" or token.head < 0:
            continue
        predicate = token.head
        old = turned[predicate]
        if old.tag.startswith("VB"):
            continue
        turned[place] = token._replace(label=old.label, head=old.head)
        noun = old.tag in _NOUNS
        turned[predicate] = old._replace(label="attr" if noun else "acomp", head=place)
        for kid, dependent in enumerate(turned):
            if dependent.head == predicate and kid != place and dependent.label in _OF_THE_COPULA:
                turned[kid] = dependent._replace(head=place)
    return turned
