"""Options of `relsmith.make` by generator; written by make docs."""

from collections.abc import Sequence
from typing import Literal, TypedDict

from .generators.analogy.generator import Analogy as Analogy
from .generators.cloze.generator import Cloze as Cloze
from .generators.clutrr.generator import Clutrr as Clutrr
from .generators.relinf.aggregate import RelinfAggregate as RelinfAggregate
from .generators.relinf.generator import Relinf as Relinf
from .options import Mix, Range

class AnalogyOptions(TypedDict, total=False):
    relations: str
    "a relation file, a folder of them (BATS, say), or our own, 'shipped'"
    only: str | Sequence[str]
    "only relations with one of these in their name"
    probe: (
        str
        | Sequence[
            Literal[
                "all",
                "random",
                "random-head",
                "random-tail",
                "reverse",
                "type",
                "mismatch",
                "hard",
                "cross",
            ]
        ]
    )
    "how negatives are made; all: random, reverse, type"
    setting: Literal["supervised", "unsupervised", "all"]
    "true or false of one sentence, or the better of several"
    tails: Literal["canonical", "all"]
    "true tails to use: the canonical one of each head, if the relation has one, or all that are listed; either way none of them is ever false"
    tuples: int
    "maximum number of tuples of a relation, over all splits"
    choices: int
    "options of an unsupervised row"
    template: str
    "what, as, relation, colon, or a sentence with {a}, {b}, {c}, {d}"
    form: Literal["sentence", "question"]
    "bare sentences, or a question for language models"
    paper_faithful: bool
    "sample negatives as the paper does, and mark those that are true"
    closure: Literal["none", "wordnet"]
    "count what WordNet derives for lexicographic relations as true"
    neighbours: str
    "similarity for the probe hard: wordnet, or a file of vectors"

class ClozeOptions(TypedDict, total=False):
    input: str | None
    "file of pairs as JSON lines; default: the built-in corpus"
    fields: str | Sequence[str]
    "names of the two fields; abstract,concrete or headline,text are found"
    group: str | None
    "field that neighbouring pairs of one abstract share; else the abstract"
    units: Literal["us", "metric"]
    "units of measure in the built-in corpus"
    strict: bool
    "stop at the first bad line"
    profile: Literal["default", "kidscook"]
    "kidscook sets the options below as the paper's corpus has them"
    whitelist: str | None
    "words that may be blanked, from gen cloze-whitelist or a plain list; default: what built-in pairs mark"
    novelty: Literal["lemma", "lookup", "surface"]
    "compare with the abstract by base form, spaCy's lookup, or surface form"
    phrases: Literal["npmi", "runs", "words"]
    "blank collocations, runs of candidates, or single words"
    select: Literal["random", "longest", "surprisal", "pos"]
    "which candidates to blank, if there are too many"
    most: int
    "maximum number of different answers in a row"
    visible: bool
    "allow answers that occur elsewhere in the text"
    cap: float
    "maximum share of the corpus's pairs with the same answer"
    form: Literal["all", "one", "bank", "choice"]
    "all blanks, one per row, all with a word bank, or multiple choice"
    distractors: int
    "wrong choices in multiple choice; up to 4 in the built-in corpus"
    lengths: bool
    "show how many words a blank has"
    order: Literal["shuffled", "file"]
    "order of the rows"
    difficulty: bool
    "measure the surprisal of the answers"
    lm: str | None
    "causal language model (folder or name) that measures surprisal"
    tagger: str
    "spaCy pipeline for --select pos, by name or folder"

class ClutrrOptions(TypedDict, total=False):
    k: str | int | Sequence[int] | Mix
    "facts between the two people of the query"
    train_k: str | int | Sequence[int] | Mix | None
    "another k for the split train, so that test stories are longer"
    side_facts: int
    "side facts at most, outside the chain and the noise; 0 for none"
    direction: Literal["random", "forward"]
    "direction of the facts: random, or all from x on to y"
    questions: int
    "questions per story, a row each, with different answers"
    siblings: (
        str
        | Sequence[
            Literal[
                "words", "names", "order", "noise", "inverse", "gender", "error", "en", "de", "es"
            ]
        ]
    )
    "copies of each story, a row each, with only this changed; en, de or es: the same in another language"
    noise: str | Sequence[Literal["none", "supporting", "irrelevant", "disconnected", "all"]]
    "kinds of noise in each row: facts that do not help"
    noise_paths: int
    "noise paths of each kind"
    noise_length: str | int | Range
    "facts in a noise path"
    words: int
    "fill the story with connected noise up to this many words; 0: do not"
    depth: float | None
    "where in a long story the needed facts are: 0 first, 1 last"
    world: str
    "the world of the stories"
    language: str
    "the language of the stories: en, de, es"
    rules: str
    "a rule set of the world; by default the one whose rules always hold"
    task: Literal["reasoning", "memory", "mixed", "verify-steps"]
    "ask for what follows, for a stated fact, for both in turn, or for the first wrong step of a derivation"
    answer: Literal["relation", "yes-no", "who"]
    "ask for a relation, for yes or no, or for everyone so related"
    unknown_share: float
    "share of undetermined answers: unknown, or none"
    conventions: Literal["none", "brief", "full"]
    "state the conventions of the world before the story; full: with all definitions and the possible answers"
    choices: str
    "wrong answers to offer: none, all, or a number"
    explain: bool
    "add the proof in words to the metadata, a sentence for each step"
    style: Literal["text", "plain", "facts"]
    "natural text, a plain sentence per fact, or bare facts"
    order: Literal["connected", "shuffled"]
    "order of the sentences: most share a person with one of the two before, or shuffled"
    gender: Literal["text", "given", "names"]
    "genders: shown by the text, listed before it, or by names only"
    names: str
    "our own names, or a file with lines like: Ann, female"
    anonymize: bool
    "placeholders like @entity-1 instead of names"
    hold_out: str | Sequence[Literal["none", "templates", "clauses", "names"]]
    "what is held out of the split train"
    people: int
    "people in the family behind a story"
    children: int
    "maximum number of children of a couple"
    marriage: float
    "probability of marrying"
    same_gender: float
    "share of same-gender couples, where allowed"

class RelinfAggregateOptions(TypedDict, total=False):
    candidates: str
    "the folder that gen relinf wrote"
    annotations: str | Sequence[str]
    "files of annotations, JSON lines of task, worker, label"
    simulated: int
    "number of simulated annotators instead, for demonstrations"
    rule: str
    "agreement needed: all-but-one, k/n such as 3/5, or majority"
    shares: str | Sequence[str]
    "share of the pairs per split, as train=0.8,test=0.2; else equal parts"
    hold_out: Literal["none", "relations"]
    "what splits do not share besides texts: relations of questions"

class RelinfOptions(TypedDict, total=False):
    questions: str
    "file of questions, TSV (type, relation, argument); default: built-in"
    triples: str
    "a store made by gen triples build; default: the built-in facts"
    wsd: Literal["usual", "lesk", "first", "any"]
    "sense of an answer: a common one, that chosen by Lesk, the first, or any"
    filters: (
        str
        | Sequence[
            Literal[
                "pronoun",
                "symbol",
                "verbless",
                "dangling",
                "repeated",
                "long",
                "head",
                "generic",
                "analytic",
            ]
        ]
    )
    "drop triples for these reasons"
    cap: int
    "maximum number of triples per argument, the most frequent first"
    reversed: bool
    "add every candidate in reverse, as a row of its own"
    hold_out: Literal["none", "relations"]
    "what splits do not share besides texts: relations of questions"
