"""Word lists for grammatical number, shared by the generator and its judge."""

PLURAL_NOUNS = frozenset(
    """
    bacteria cattle clothes deer elk fish geese people police salmon scissors sheep swine bison
    reindeer trousers squid algae fungi larvae trout cod tuna herring aircraft pants jeans goggles
    pliers tweezers offspring poultry vermin moose folk women men children starfish herring
    """.split()
)
"""Plural without an article, despite their endings."""

SINGULAR_NOUNS = frozenset(
    """
    acoustics aerobics aesthetics aids arthritis asbestos athletics athens billiards chess
    diabetes economics electronics ethics gymnastics herpes hives linguistics mathematics measles
    molasses mumps news optics physics politics rabies rickets robotics shingles series species
    statistics tennis scabies genetics mars texas kansas illinois arkansas massachusetts
    brussels honduras wales laos cyprus paris venus louis james thomas
    charles columbus tigris lens gas bus canvas atlas cosmos chaos rhinoceros christmas
    headquarters crossroads cola data
    """.split()
) | {
    "the united states",
    "the netherlands",
    "the philippines",
    "the bahamas",
    "the thames",
    "the ganges",
    "buenos aires",
    "war and peace",
    "pride and prejudice",
    "crime and punishment",
    "great expectations",
}
"""Singular, despite their endings."""

PEOPLE_SUFFIXES = tuple(
    "ese English Irish British Spanish Turkish Danish Swedish Polish French Dutch Swiss Welsh "
    "Scottish Maya Maori Inuit Sioux".split()
)
"""Endings of names of peoples without a plural form."""

ADVERBS = frozenset(
    """
    often once never always first still also sometimes usually later soon now no longer rarely
    seldom long largely mainly partly slowly quickly easily clearly strongly heavily widely
    commonly mostly nearly almost already originally probably secretly briefly finally formerly
    regularly
    """.split()
)
"""Words that may precede the verb of a relation."""

MODALS = frozenset("will would shall should may might can could must cannot ought".split())

PREPOSITIONS = frozenset(
    "of in on at by for with from to into about against between among through during before "
    "after above below over under within along across near without like who that which".split()
)
