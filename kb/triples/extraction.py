"""Rules that extract triples from dependency trees, of a parser or of syntactic n-grams.

A relation is the verb with its auxiliaries, negation, adverbs and particles, and what follows it
up to the second argument: a preposition, an adjective, a noun (is the cause of), an infinitive.
An argument is a noun phrase. Questions, conditions (if) and reported speech (said that) are
skipped.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..lexicon.english import third_person
from ..lexicon.wordnet import lemmatise


class Token(NamedTuple):
    """A word, its Penn tag, its dependency label, and the position of its head (-1 for a root)."""

    word: str
    tag: str
    label: str
    head: int


MAX_TOKENS = 200
"""Longer sentences are skipped."""

ExtractedTriple = tuple[str, str, str]
PlacedWords = list[tuple[float, str]]
"""Words with their positions in the sentence; inserted words have positions in between."""

_SAME_LABEL = dict(
    pair.split("=")
    for pair in (
        "nn=compound num=nummod number=nummod possessive=case partmod=acl vmod=acl rcmod=relcl "
        "obj=dobj iobj=dative complm=mark adpmod=prep adpobj=pobj nsubj:pass=nsubjpass "
        "aux:pass=auxpass compound:prt=prt acl:relcl=relcl"
    ).split()
)
"""Our label by the label that other treebanks use."""
_COPULA_DEPENDENTS = {"nsubj", "csubj", "aux", "neg", "mark", "cc", "punct", "expl"}
_SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass")
_NOUNS = {"NN", "NNS", "NNP", "NNPS", "FW", "CD", "VBG"}
_PLURAL = {"NNS", "NNPS"}
_RELATIVE = {"WDT", "WP", "IN"}
_NOT_IN_PHRASES = {*_SUBJECTS, *"cc preconj relcl acl appos conj mark prep advcl".split()}
_CONDITIONAL = {"if", "unless", "whether", "lest"}
_LINKING_ADVERBS = {"also", "then", "thus", "therefore", "however", "so", "hence", "too"}
_LIGHT_VERBS = set("have take make play give do show pay bear exert exercise".split())
_FULL_FORM = {"n't": "not", "n\u2019t": "not", "ca": "can", "wo": "will", "sha": "shall"}
_FULL_FORM |= {"re": "are", "ve": "have", "ll": "will", "m": "am"}


def extract(tokens: Sequence[Token]) -> list[ExtractedTriple]:
    """Return the distinct triples of a sentence, in the order of its verbs."""
    if not tokens or any(token.word == "?" for token in tokens):
        return []
    return list(dict.fromkeys(_Sentence(tokens).triples()))


class _Sentence:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = _copulas_as_heads(
            [token._replace(label=_SAME_LABEL.get(token.label, token.label)) for token in tokens]
        )
        self.below: list[list[int]] = [[] for _ in tokens]
        for place, token in enumerate(self.tokens):
            if token.head >= 0:
                self.below[token.head].append(place)

    def triples(self) -> Iterator[ExtractedTriple]:
        for place, token in enumerate(self.tokens):
            if token.tag.startswith("VB") and not self.is_hypothetical(place):
                yield from self.clause(place)
            elif token.label == "appos" and token.head >= 0 and token.tag in _NOUNS:
                yield from self.apposition(place, token.head)

    def children(self, place: int, *labels: str) -> list[int]:
        return [child for child in self.below[place] if self.tokens[child].label in labels]

    def is_verb(self, place: int) -> bool:
        return place >= 0 and self.tokens[place].tag.startswith("VB")

    def is_hypothetical(self, verb: int) -> bool:
        """Return whether a clause is not asserted: a condition, or reported speech or thought."""
        token = self.tokens[verb]
        if any(
            self.tokens[child].word.lower() in _CONDITIONAL for child in self.children(verb, "mark")
        ):
            return True
        if token.label == "ccomp" and self.is_verb(token.head):
            return True
        return (
            token.label in ("conj", "xcomp")
            and token.head >= 0
            and self.is_hypothetical(token.head)
        )

    # Clauses

    def clause(self, verb: int) -> Iterator[ExtractedTriple]:
        if self.tokens[verb].label in ("xcomp", "pcomp") and self.is_verb(self.tokens[verb].head):
            return  # part of the relation of its head
        if self.children(verb, "expl"):
            yield from self.existence(verb)
            return
        for subject in self.subjects(verb):
            arg1 = self.argument(subject)
            if arg1 and not arg1.lower().startswith("no "):
                for relation, arg2 in self.complements(verb, self.verb_group(verb, subject)):
                    yield arg1, relation, arg2

    def existence(self, verb: int) -> Iterator[ExtractedTriple]:
        """Yield triples of "there are": "there are kangaroos in Australia"."""
        for noun in self.children(verb, "attr", "nsubj", "dobj"):
            for subject in self.coordinated(noun):
                arg1 = self.argument(subject, of=False)
                if not arg1 or arg1.lower().startswith("no "):
                    continue
                after = [*self.children(noun, "prep"), *self.children(verb, "prep")]
                for prep in (child for child in after if child > noun):
                    for relation, arg2 in self.prepositional(self.verb_group(verb), prep):
                        yield arg1, relation, arg2

    def apposition(self, noun: int, head: int) -> Iterator[ExtractedTriple]:
        """Yield triples of appositions with an article ("Paris, the capital of France")."""
        arg1 = self.argument(head)
        if arg1 and self.children(noun, "det"):
            for relation, arg2 in self.predicate([(head + 0.5, self.form_of_be(head))], noun):
                yield arg1, relation, arg2

    def subjects(self, verb: int) -> list[int]:
        label, head = self.tokens[verb].label, self.tokens[verb].head
        own = self.children(verb, *_SUBJECTS)
        if own:
            if label == "relcl" and head >= 0 and self.tokens[own[0]].tag in _RELATIVE:
                return [head]
            return [noun for subject in own for noun in self.coordinated(subject)]
        if label == "conj" and self.is_verb(head) and not self.children(verb, "mark"):
            return self.subjects(head)
        if label == "acl" and head >= 0 and self.tokens[verb].tag in ("VBN", "VBG"):
            return [head]
        return []

    def coordinated(self, noun: int) -> list[int]:
        """Return a noun and those joined to it by "and"; nothing if joined by "or" or "nor"."""
        nouns, pending = [noun], [noun]
        while pending:
            place = pending.pop()
            joints = {
                self.tokens[child].word.lower() for child in self.children(place, "cc", "preconj")
            }
            if joints & {"or", "nor", "either", "neither"}:
                return []
            if "not" in joints or self.children(place, "neg"):
                nouns.remove(place)
            joined = self.children(place, "conj")
            nouns += joined
            pending += joined
        return nouns

    # Relations

    def verb_group(self, verb: int, subject: int | None = None) -> PlacedWords:
        """Return the verb with auxiliaries, negation, adverbs and particles."""
        token = self.tokens[verb]
        helpers = self.children(verb, "aux", "auxpass", "neg")
        if not helpers and self.shares_helpers(verb):
            helpers = self.children(token.head, "aux", "auxpass", "neg")
        words = [(float(place), self.word(place, verb)) for place in helpers]
        start = min([place for place, _ in words], default=verb - 1)
        for adverb in self.children(verb, "advmod"):
            if self.is_kept_adverb(adverb) and adverb < verb and self.first_place(adverb) >= start:
                words += self.placed(self.subtree(adverb))
        words += [(float(place), self.word(place, verb)) for place in self.children(verb, "prt")]
        words.append((float(verb), self.word(verb, verb)))
        return words if subject is None else self.with_auxiliary(words, verb, subject)

    def shares_helpers(self, verb: int) -> bool:
        """Return whether a verb shares auxiliaries with its head: "was built and destroyed"."""
        token = self.tokens[verb]
        return (
            token.label == "conj"
            and token.tag in ("VB", "VBN", "VBG")
            and token.head >= 0
            and self.tokens[token.head].tag == token.tag
        )

    def with_auxiliary(self, words: PlacedWords, verb: int, subject: int) -> PlacedWords:
        """Insert the auxiliary of a participle (books written by), or make it a finite form."""
        tag = self.tokens[verb].tag
        passive = tag == "VBN" and (
            self.tokens[verb].label == "acl" or bool(self.children(verb, "nsubjpass"))
        )
        has_helper = any(self.tokens[int(place)].label in ("aux", "auxpass") for place, _ in words)
        if passive and not has_helper:
            return [*words, (min(place for place, _ in words) - 0.5, self.form_of_be(subject))]
        if tag == "VBG" and not has_helper:
            lemma = lemmatise(self.tokens[verb].word.lower(), "v")
            finite = lemma if self.is_plural(subject) else third_person(lemma)
            return [(place, finite if place == verb else word) for place, word in words]
        return words

    def is_kept_adverb(self, adverb: int) -> bool:
        token = self.tokens[adverb]
        return token.tag != "WRB" and token.word.lower() not in _LINKING_ADVERBS

    def complements(self, verb: int, words: PlacedWords) -> Iterator[tuple[str, str]]:
        """Yield relations and second arguments after a verb."""
        objects = self.children(verb, "dobj", "oprd")
        for noun in objects:
            yield from self.objects(verb, words, noun)
        for noun in self.children(verb, "attr"):
            yield from self.predicate(words, noun)
        adjectives = self.children(verb, "acomp")
        for adjective in adjectives:
            yield from self.adjective_relations(verb, words, adjective)
        if not adjectives:
            yield from self.prepositions(verb, words, objects)
        if not objects:
            for inner in self.children(verb, "xcomp"):
                if self.is_verb(inner) and not self.children(inner, *_SUBJECTS):
                    yield from self.complements(inner, words + self.verb_group(inner))

    def objects(self, verb: int, words: PlacedWords, noun: int) -> Iterator[tuple[str, str]]:
        if self.tokens[noun].tag in _RELATIVE and self.tokens[verb].label == "relcl":
            noun = self.tokens[verb].head
            yield from self.second_arguments(words, [noun] if noun >= 0 else [])
            return
        light = lemmatise(self.tokens[verb].word.lower(), "v") in _LIGHT_VERBS
        if not (light and self.children(noun, "prep")):
            yield from self.second_arguments(words, self.coordinated(noun))
        yield from self.noun_relations(words, noun)

    def predicate(self, words: PlacedWords, noun: int) -> Iterator[tuple[str, str]]:
        """Yield "is, a city" or "is the capital of, France", but not "is, the capital"."""
        if self.tokens[noun].tag not in _NOUNS:
            return
        if not any(
            self.tokens[child].word.lower() == "of" for child in self.children(noun, "prep")
        ):
            yield from self.second_arguments(words, self.coordinated(noun))
        yield from self.noun_relations(words, noun)

    def noun_relations(self, words: PlacedWords, noun: int) -> Iterator[tuple[str, str]]:
        """Yield relations that contain a noun: has an effect on, is the cause of."""
        if self.tokens[noun].tag in _NOUNS and not self.children(noun, "conj"):
            for prep in self.children(noun, "prep"):
                yield from self.prepositional(
                    words + self.placed(self.phrase(noun, of=False)), prep
                )

    def adjective_relations(
        self, verb: int, words: PlacedWords, adjective: int
    ) -> Iterator[tuple[str, str]]:
        """Yield relations that contain an adjective: is useful in, is larger than."""
        words = words + self.placed(self.phrase(adjective, of=False))
        for prep in [*self.children(adjective, "prep"), *self.children(verb, "prep")]:
            if prep > verb:
                yield from self.prepositional(words, prep)
        for inner in self.children(adjective, "xcomp"):
            if self.is_verb(inner) and not self.children(inner, *_SUBJECTS):
                yield from self.complements(inner, words + self.verb_group(inner))

    def prepositions(
        self, verb: int, words: PlacedWords, objects: list[int]
    ) -> Iterator[tuple[str, str]]:
        """Yield relations that end with a preposition: lives in, gave a book to."""
        if objects:
            if len(objects) > 1 or self.children(objects[0], "conj", "relcl"):
                return
            if self.tokens[objects[0]].tag not in _NOUNS:
                return
            words = words + self.placed(self.phrase(objects[0]))
        for prep in self.children(verb, "prep", "agent", "dative"):
            if prep > verb:
                yield from self.prepositional(words, prep)
        for beside in self.children(verb, "prt", "advmod"):
            place = [] if self.tokens[beside].label == "prt" else self.placed([beside])
            for prep in self.children(beside, "prep"):
                if beside > verb:
                    yield from self.prepositional(words + place, prep)

    def prepositional(self, words: PlacedWords, prep: int) -> Iterator[tuple[str, str]]:
        """Yield relations that end with a given preposition, and their second arguments."""
        if self.tokens[prep].tag not in ("IN", "TO", "RP", "RB", "VBG"):
            return
        words = [*words, (float(prep), self.tokens[prep].word.lower())]
        inner = [
            child for child in self.children(prep, "prep", "pcomp") if self.is_preposition(child)
        ]
        for child in inner:
            if self.children(child, "pobj"):
                yield from self.prepositional(words, child)
                return
            words = [*words, (float(child), self.tokens[child].word)]
        for noun in self.children(prep, "pobj"):
            yield from self.second_arguments(words, self.coordinated(noun))
        for verb in self.children(prep, "pcomp"):
            if self.tokens[verb].tag == "VBG" and not self.children(verb, *_SUBJECTS):
                completions = list(self.complements(verb, words + self.verb_group(verb)))
                yield from completions or self.second_arguments(words, [verb])

    def is_preposition(self, place: int) -> bool:
        return self.tokens[place].tag in ("IN", "TO", "RP")

    def second_arguments(self, words: PlacedWords, nouns: list[int]) -> Iterator[tuple[str, str]]:
        """Yield a relation with each second argument; a leading `no` is put into the relation."""
        relation = " ".join(word for _, word in sorted(words))
        for noun in nouns:
            arg2 = self.argument(noun)
            if arg2.lower().startswith("no "):
                yield f"{relation} no", arg2[3:]
            elif arg2:
                yield relation, arg2

    # Words

    def argument(self, noun: int, of: bool = True) -> str:
        """Return the text of a noun phrase, "" for a pronoun."""
        token = self.tokens[noun]
        substantive = token.tag.startswith("JJ") and self.children(noun, "det")
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
        """Return the positions of a noun phrase: modifiers before it, and an of-phrase after it."""
        places = {noun}
        verbal = self.tokens[noun].tag == "VBG"
        for child in self.below[noun]:
            token = self.tokens[child]
            before = child < noun and not verbal and token.label not in _NOT_IN_PHRASES
            if before or (child > noun and token.label in ("nummod", "compound")):
                places.update(self.subtree(child))
            elif verbal and token.label == "dobj":
                places.update(self.phrase(child))
            elif of and child > noun and token.label == "prep" and token.word == "of":
                places.add(child)
                for inner in self.children(child, "pobj"):
                    places.update(self.coordinated_phrase(inner))
        return sorted(place for place in places if place == noun or self.is_word(place))

    def coordinated_phrase(self, noun: int) -> set[int]:
        """Return the positions of a noun phrase with all that is coordinated with it."""
        places = set(self.phrase(noun))
        for child in self.children(noun, "cc", "punct"):
            if child > noun and self.children(noun, "conj"):
                places.add(child)
        for child in self.children(noun, "conj"):
            places |= self.coordinated_phrase(child)
        return places

    def is_word(self, place: int) -> bool:
        return self.tokens[place].label != "punct" or self.tokens[place].word == "-"

    def subtree(self, place: int) -> list[int]:
        return sorted({place}.union(*(self.subtree(child) for child in self.below[place])))

    def first_place(self, place: int) -> int:
        return self.subtree(place)[0]

    def placed(self, places: list[int]) -> PlacedWords:
        return [(float(place), self.tokens[place].word) for place in places]

    def word(self, place: int, verb: int) -> str:
        """Return a word of the verb group with contractions expanded."""
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

    def form_of_be(self, subject: int) -> str:
        return "are" if self.is_plural(subject) else "is"

    def is_plural(self, subject: int) -> bool:
        return self.tokens[subject].tag in _PLURAL or bool(
            self.children(subject, "conj") and self.tokens[subject].label in _SUBJECTS
        )


def _copulas_as_heads(tokens: list[Token]) -> list[Token]:
    """Turn trees in which the predicate heads its copula into trees with the copula as head."""
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
        for child, dependent in enumerate(turned):
            if (
                dependent.head == predicate
                and child != place
                and dependent.label in _COPULA_DEPENDENTS
            ):
                turned[child] = dependent._replace(head=place)
    return turned
