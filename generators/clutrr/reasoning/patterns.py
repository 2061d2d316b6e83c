"""Patterns of claims, over text in which a name or a relation word is one character.

Every token follows a space. y is the r of x; `z` is a second person of whom the same is claimed.
"""

import re
from typing import Final

NAMES: Final = 0xE000
"""The character of the first name."""
RELATIONS: Final = 0xF000
"""The character of the first relation word."""
_LAST: Final = 0xF8FF

_N = f"[{chr(NAMES)}-{chr(RELATIONS - 1)}]"
_M = f"[{chr(RELATIONS)}-{chr(_LAST)}]"
_R = f" (?P<r>{_M})"
_X, _Y = rf" (?P<x>{_N})", rf" (?P<y>{_N})"
_ADVERBS = (
    r"(?:(?:(?: ,)? (?:also|then|thus|therefore|indeed|actually|hence|so|clearly|really|just|simply"
    r"|now|still|obviously|consequently|certainly|definitely|both|too|likewise|only|in turn|in fact"
    r"|as well|accordingly|as stated|of course|for one|as it happens|for its part"
    r"|as it turned out))+(?: ,)?)?"
)
_BE = (
    rf"(?:{_ADVERBS}(?: (?:must|would|should|will|has to|can only){_ADVERBS} be"
    r"| (?:(?:happens|turns out) to be|(?:serves|acts|works) as|is|was|=|being|becomes|became"
    rf"|remains)){_ADVERBS})"
)
_ADJECTIVES = r"(?: (?:own|older|younger|elder|big|little|dear|beloved))?"
_OWNER = (
    rf"(?: (?P<x>{_N}(?= (?:'|, whose|whose))|his|her)(?: 's| '| , whose| whose)?){_ADJECTIVES}"
)
_NOT_OWNER = rf"(?! 's )(?! ' (?:[a-z]|{_M}))"
_XS = rf"{_X}(?: 's(?= (?:[,.;!)]|as|too|either|and|but|just) ))?{_NOT_OWNER}"
"""An owner after `of`, as in a daughter of Bob, and in a daughter of Bob's."""
_WHO = r"(?:(?: ,)? (?:who|which|that)| [,)])?"
_INSERTION = r"(?: , [^,.;:!?\u2192=]{1,80} ,| \( [^()]{1,80} \))?"
"""Words between a subject and its verb."""
_VERB = r"(?:(?: [a-z][a-z'-]*){1,8} and(?= (?:is|was) ))?"
"""Another verb of the same subject, with nobody named."""
_PLACE = r"(?: (?:in|at|on|by|behind|with)(?: [a-z]+){1,4})?"
_GAP = rf"(?:{_WHO}|{_INSERTION}|{_VERB}|{_PLACE})"
_SUBJECT = rf" (?P<y>{_N}|he|she){_GAP}"
_A = r"(?: (?:a|an|the|one|another))?"
_END = r"(?= )(?! (?:'s?|or) )"
_NO_SUBJECT = rf"(?! (?:{_N}|[,(:] {_N}|is|was|=|called|named))"
_CLOSED = r"(?= (?:[,.)(!;|=\]\u2192]|so|$))"
_CALLED = r"(?: (?:called|named))?"
_OF = r" (?:of|to)(?: both)?"
_PART = rf"(?: (?:{_N}|{_M}|'s|'|his|her|the|a|an|of|to))+?"
_ALSO = rf"(?: ,)?(?: (?:and|but|hence|thus|so|therefore|thereby))+{_ADVERBS}"
_PARTS = rf"(?: (?:{_N}|{_M}|'s|'|his|her|the|a|an|of|to|,))+?"
_START = r"(?:^|(?<= [,:&.])|(?<= so)|(?<=\u2192))"
_LABEL = rf"(?: [(\[])?{_R}(?: [)\]])?"
_MEMBER = rf"(?: (?:{_N}|{_M}|,|a|an|and|called|named))+"
_SIGN = r" (?::|-|\u2192|=|\()"


def _compiled(*patterns: str) -> list[re.Pattern[str]]:
    return [re.compile(pattern) for pattern in patterns]


NOUN_PATTERNS: Final = _compiled(
    # Ann is Bob's aunt; Ann is an aunt of Bob; ... and Carl's mother; ... and of Dan
    rf"{_SUBJECT}{_BE}{_OWNER}{_R}{_END}",
    rf"{_SUBJECT}{_BE}{_A}{_ADJECTIVES}{_R}{_OF}{_XS}",
    rf"{_SUBJECT}{_BE}{_PART}{_ALSO}{_OWNER}{_R}{_END}{_NO_SUBJECT}",
    rf"{_SUBJECT}{_BE}{_PARTS} ,(?: and)?{_OWNER}{_R}(?= (?:[.;)!|]|,(?! {_N})|and|$))",
    rf"{_SUBJECT}{_BE}{_PART}{_ALSO}{_A}{_ADJECTIVES}{_R}{_OF}{_XS}{_NO_SUBJECT}",
    # Bob's aunt is Ann and his uncle is Carl
    rf"{_X} 's {_M} (?:is|:) {_N}(?: ,)? (?:,|and) (?P<his>his|her){_R} (?:is|:){_Y}{_NOT_OWNER}",
    # Bob's aunt is Ann; the aunt of Bob is Ann; Bob has an aunt called Ann, and an uncle, Carl
    rf"{_OWNER}{_R}(?: ,)?(?:{_BE}| :| goes by the name of){_CALLED}{_Y}{_NOT_OWNER}(?! is )",
    rf"{_A}{_R} of{_X}(?:{_BE}| :){_CALLED}{_Y}{_NOT_OWNER}",
    rf" (?P<x>{_N}|he|she) (?:has|had){_A}{_ADJECTIVES}{_R}(?: [,:(])?(?: who is)?{_CALLED}{_Y}"
    rf"{_NOT_OWNER}",
    rf"{_X} has{_MEMBER} (?:a|an){_R}(?: ,)?{_CALLED}{_Y}{_NOT_OWNER}",
    # Bob has Ann as an aunt; Bob calls Ann his aunt; making Ann Bob's aunt, or the aunt of Bob
    rf" (?P<x>{_N}|he|she) has{_Y} (?:for|as) (?:a|an|his|her){_R}{_END}",
    rf"{_X} (?:calls|addresses|introduces|describes|refers to){_Y}(?: as)? (?:his|her){_R}{_END}",
    rf" (?:making|makes|make|made|call) (?P<y>{_N}|him|her){_OWNER}{_R}{_END}",
    rf" (?:making|makes|make|made) (?P<y>{_N}|him|her){_A}{_R}{_OF}{_XS}",
    # Ann -> Bob (brother), Ann -> brother Bob, Ann --brother--> Bob, Ann: Bob's aunt
    rf"{_X} \u2192{_Y}(?P<arrow>)(?: [(:,\[=|]| with){_R}{_CLOSED}",
    rf"{_X} [-/]{_Y}(?P<arrow>)(?P<open>) :{_R}{_CLOSED}",
    rf"{_X} :{_R}{_Y}{_CLOSED}",
    rf"{_X} \u2192(?P<arrow>){_LABEL}{_Y}{_CLOSED}",
    rf"{_X} \( {_M} \) \u2192{_Y}(?P<arrow>) \({_R}{_CLOSED}",
    rf"{_X} [\u2192=:-](?P<arrow>){_LABEL}(?: [:-])? \u2192{_Y}{_NOT_OWNER}",
    rf"{_X} \u2192(?P<arrow>){_LABEL} -{_Y}{_NOT_OWNER}",
    # Ann sister of Bob, Bob sister Ann: short for a sentence
    rf"{_START}{_Y}{_R} of{_X}{_CLOSED}",
    rf"{_START}{_X}(?P<arrow>)(?P<open>){_R}{_Y}{_CLOSED}",
    rf"{_Y} (?:\u2192|-){_A}{_R} of(?: \u2192)?{_X}{_NOT_OWNER}",
    rf"{_Y}{_SIGN}{_OWNER}{_R}{_CLOSED}",
    rf"{_Y}{_SIGN}{_A}{_R} of{_X}{_CLOSED}",
    # Ann: Bob's aunt, Carl's mother; ... aunt of Bob, of Carl; ... = Carl's mother
    rf"{_Y}{_SIGN}{_PARTS} [,=](?: and)?{_OWNER}{_R}{_CLOSED}",
    rf"{_Y}{_SIGN}{_PARTS} [,=](?: and)?{_A}{_R} of{_X}{_CLOSED}",
    rf"{_Y}{_BE}{_PART} ={_OWNER}{_R}{_CLOSED}",
    # Bob's aunt Ann, uncle Carl; Bob: aunt Ann, uncle Carl; Bob's aunt, Ann, ...
    rf"{_OWNER}{_R}{_Y}{_NOT_OWNER}",
    rf"{_X} (?:'s|:) {_M} {_N} (?:,|and){_R}{_Y}{_CLOSED}",
    rf"(?<!{_N} ,){_OWNER}{_R} [,(]{_Y}{_CLOSED}",
    rf"(?<! above)(?<! below)(?<! under)(?<! over){_Y} [,(]{_OWNER}{_R}{_CLOSED}",
    rf"(?<! of){_Y} [,(](?: also)?{_A}{_R} of{_X}{_CLOSED}",
    # aunt(Bob) = Ann, aunt(Ann, Bob)
    rf"{_R} \({_X} \) (?:\u2192|=|:|is){_Y}{_NOT_OWNER}",
    rf"{_R} \({_Y} ,{_X} \)(?P<arrow>)",
    # Ann is married to Bob, Ann reports directly to Bob: no `of` is needed
    rf"{_SUBJECT}{_BE}{_R}{_X}{_NOT_OWNER}",
    rf"{_SUBJECT}(?P<verb>){_ADVERBS}{_R}{_X}{_NOT_OWNER}",
    # Ann and Bea are Bob's aunts; Ann and Bea are sisters
    rf"{_Y} and (?P<z>{_N}) (?:are|were){_ADVERBS}{_OWNER}{_R}{_END}",
    rf"{_Y} and (?P<z>{_N}) (?:are|were){_ADVERBS}(?: the)?{_R} of{_X}{_NOT_OWNER}",
    rf"{_OWNER}{_R}(?P<plural>) (?:are|include|:|,){_Y} (?:and|&|,) (?P<z>{_N}){_NOT_OWNER}",
    rf" (?P<x>{_N}|he|she) has two{_R}(?P<plural>) [,:]{_Y} and (?P<z>{_N}){_NOT_OWNER}",
    rf"{_Y} (?:and|&|/|-|\u2192){_X}(?P<pair>)(?: :)?{_R}{_CLOSED}",
    rf"{_Y} and{_X}(?P<pair>) (?:are|were|being){_ADVERBS}{_R}{_END}(?! (?:of|and {_M}) )",
)
OTHER_OWNER: Final = re.compile(
    rf" (?P<y>{_N}|he|she)(?:{_BE}| :){_A}{_R}{_OF} {_N}{_INSERTION}(?:(?: ,)? and(?: also)?| ,)"
    rf"(?: (?:of|to)(?= {_N}{_NOT_OWNER})|(?= {_N}{_CLOSED})){_X}"
)
"""Ann is the aunt of Bob and of Carl, or of Bob and Carl: a second claim by the same word."""

WITHOUT_SUBJECT: Final = re.compile(
    rf"^(?: (?:so|and|thus|hence|therefore|also|=|\u2192|,))*{_OWNER}{_R}(?=(?: [.!])* $)"
)
"""Bob's aunt: a clause about the person whom the claim before is about."""

_BE_AT = (
    rf"(?:(?:{_BE}| lies| sits| stands| are| has been)(?: (?:located|situated|found|placed))?"
    rf"| can be found| is found| has| had){_ADVERBS}{_A}"
)
_THE = r"(?: the)?"
_NOT_FROM = (
    "".join(
        f"(?<!{_before})" for _before in (_M, f"{_M} the", " of", " from", " than", " as", " to")
    )
    + "(?<! of the)(?<! from the)(?<! to the)"
)
_THING = rf" (?P<y>{_N}|he|she|it){_GAP}"

RELATIONAL_PATTERNS: Final = _compiled(
    # The pier is two steps north of the dock; ... and above the lido
    rf"{_NOT_FROM}{_THING}{_BE_AT}{_R}(?: (?:of|than|as))?{_THE}{_X}{_NOT_OWNER}",
    rf"{_Y}(?: ,)? (?:which|who|that)(?:{_BE_AT}|{_ADVERBS}){_R}{_THE}{_X}{_NOT_OWNER}",
    rf"{_NOT_FROM}{_THING}{_ADVERBS}{_R}{_THE}{_X}{_NOT_OWNER}",
    rf"{_THING}(?:{_BE_AT}|{_ADVERBS})(?: (?:{_N}|{_M}|the|of))+{_ALSO}{_BE_AT}?{_R}{_THE}{_X}"
    rf"{_NOT_OWNER}",
    rf"{_NOT_FROM}{_Y} [,(]{_R}{_THE}{_X}{_CLOSED}",
    # pier -> above -> dock, pier --above--> dock, pier | above | dock, pier: above dock
    rf"{_NOT_FROM}{_Y} (?:\u2192|-|\||:|=)(?P<arrow>){_LABEL}(?: (?:\u2192|-|\|))?{_THE}{_X}"
    rf"{_NOT_OWNER}",
    # dock -> pier: above, in which either may be above the other
    rf"{_X} (?:\u2192|-|/){_Y}(?P<arrow>)(?P<open>) [(:,\[=|]{_R}{_CLOSED}",
    # Two steps north of the dock is the pier.
    rf"(?: [,.:]| so| then|^){_R}{_THE}{_X}(?: ,)? (?:is|lies|stands|sits|you find|we find){_THE}"
    rf"{_Y}{_CLOSED}",
    # fair = race (began and ended at the same time)
    rf"{_Y} [=\u2192\u2261]{_X}(?P<pair>) [(,]{_R}{_CLOSED}",
    # The fair and the race began and ended at the same time.
    rf"{_Y} and{_THE}{_X}(?P<pair>)(?: are| were| have| had| :)?{_ADVERBS}{_A}{_R}{_END}"
    r"(?! (?:as|than) )",
)
_BEGAN, _ENDED = (
    "(?:began|started|opened|begins|starts)",
    "(?:ended|finished|stopped|was over|ends)",
)
_WHEN = r"(?: (?:exactly|right|just|precisely))? (?:when|as|the moment)"
_AND = r" (?:but|and)"
_THEN_ENDED = rf"{_AND} {_ENDED}"
TIME_PATTERNS: Final = [
    (words, re.compile(rf"{_THING}{_ADVERBS} {said}"))
    for words, said in {
        "ended before the start of": rf"{_ENDED} before{_THE}{_X} {_BEGAN}",
        "began after the end of": rf"{_BEGAN}(?: only)? after{_THE}{_X}(?: had)? {_ENDED}",
        "ended exactly at the start of": rf"{_ENDED}{_WHEN}{_THE}{_X} {_BEGAN}",
        "began exactly at the end of": rf"{_BEGAN}{_WHEN}{_THE}{_X} {_ENDED}",
        "began at the same time as but ended earlier than": (
            rf"{_BEGAN} at the same time as{_THE}{_X}{_THEN_ENDED} (?:earlier|sooner|before)"
        ),
        "began at the same time as but ended later than": (
            rf"{_BEGAN} at the same time as{_THE}{_X}{_THEN_ENDED} (?:later|after)"
        ),
        "began later than but ended at the same time as": (
            rf"{_BEGAN} (?:later than|after){_THE}{_X}{_THEN_ENDED} at the same time"
        ),
        "began earlier than but ended at the same time as": (
            rf"{_BEGAN} (?:earlier than|before){_THE}{_X}{_THEN_ENDED} at the same time"
        ),
    }.items()
]
"""By relation, how it is also said, with words on both sides of a name."""
ELLIPTICAL: Final = re.compile(
    rf"^(?: (?:[-,:]|it's|rather|it is|is|the|a|an|his|her|(?P<owner>{_N}) 's))*{_R}"
    rf"(?:(?: of)?(?: the)? (?P<x>{_N}))?{_CLOSED}"
)
"""A relation alone, which replaces that of the claim before it."""
