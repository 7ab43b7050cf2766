"""Classes of English words, and the few questions that all rules ask of a turn's words.

Only what is closed or short: articles, conjunctions, prepositions, pronouns, auxiliaries, and lists
of verbs and nouns that behave alike at the end of a turn. Words are lower-case and bare.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Judgement = tuple[float, str]
"""Log-odds that the turn is finished, and why."""
Words = Sequence[str]


def word_set(words: str, separator: str | None = None) -> frozenset[str]:
    return frozenset(word.strip() for word in words.split(separator))


HESITATIONS = word_set("um uh er erm uhm ehm hm hmm umm uhh")
OPENERS = word_set("so and but okay ok well now hey hi hello please alright right then")
WH = word_set(
    "what when where who whom whose which why how what's who's where's how's when's why's"
)
BE = word_set("is are was were am isn't aren't wasn't weren't")
DO = word_set("do does did don't doesn't didn't")
MODALS = word_set("can could will would shall should may might must can't couldn't won't shouldn't")
HAVE = word_set("have has had haven't hasn't hadn't")
AUXILIARIES = BE | DO | MODALS | HAVE | word_set("be been being")
SUBJECTS = word_set("i he she we they")
OBJECTS = word_set("you it this that these those there me him her us them")
PRONOUNS = SUBJECTS | OBJECTS
BEGUN = SUBJECTS | word_set("it there this that")

ARTICLES = word_set("the a an my your our their its every")
CONJUNCTIONS = word_set(
    "and or but because cause if while although unless until whereas whether nor than as"
)
PREPOSITIONS = word_set(
    "for with from at into onto between among during without within against toward towards per"
    " via despite upon"
)
# They also go with verbs: "turn it on", "come in".
PARTICLES = word_set("in on by through over around up down off out")
AWAY = word_set("off up out down over")
CLIPPED = word_set(
    "i'm i'll i've i'd you're you'll you've you'd we're we'll we've we'd they're they'll they've"
    " they'd name's it's that's what's who's where's how's there's here's he's she's he'll she'll"
    " let's gonna wanna gotta very quite extremely such"
)
SAYING = word_set("think know say said believe hope guess mean sure feel heard so")
SUBORDINATORS = word_set("if when while because although since after before unless once")
REQUESTS = word_set(
    "tell show play read turn open close set remind give write explain describe make find call"
    " look count translate repeat say add start help sing spell let put switch"
)
ANSWERS = word_set(
    """yes|no|yeah|yep|nope|bye|goodbye|stop|wait|go on|okay go on|continue|exactly|really
    |a lot|a little|a little bit|a bit|once more|is that so|i told you so|because i said so
    |never mind|that's all|of course|not really|why not|what else|me too|no thanks
    |yes please|good night|how are you|uh-huh|mm-hm|mm-hmm|mhm""",
    "|",
)
# Whole as they are, and as often the first words of more: "Thank you. What color is the sky?"
PREFACES = word_set(
    """ok|okay|okay then|alright|all right|right|right then|sure|well|hello|hi|hey|hello there
    |hi there|good morning|good afternoon|good evening|thanks|thanks a lot|many thanks|thank you
    |thank you very much|thank you so much|okay thank you|okay thanks|i see|got it|great|good|cool
    |nice|very good|sorry|i'm sorry|excuse me|listen|look|please|maybe|perhaps
    |i have a question""",
    "|",
)
# Never whole: said only for what follows.
LEADS = word_set(
    """by the way|first of all|in my opinion|on the one hand|on the other hand|for example
    |for instance|speaking of which|or maybe|and also""",
    "|",
)
WHOLE: dict[str, Judgement] = {
    **dict.fromkeys(ANSWERS, (2.0, "short answer")),
    **dict.fromkeys(PREFACES, (0.0, "may lead to more")),
    **dict.fromkeys(LEADS, (-1.5, "leads to more")),
}

TRANSITIVE = word_set(
    "know ask tell say find get buy make see order book hear learn try check take have do give use"
    " change add set put send bring read write show understand visit"
)
# What a short answer ends on: "I do", "it is".
SHORTLY = word_set("do did does can will is am")
# What need not be said again: "show me.", "would you like to?".
UNTOLD = {("tell", "me"), ("show", "me"), ("like", "to"), ("want", "to"), ("have", "to")}
# Whole by themselves, but what a question with them asks for comes after them, as a rule.
BEGINNINGS = {("tell", "me"), ("show", "me")}
RELATIVES = word_set("that which who whom where")
CONJUGATED = re.compile(r"(?<!^)(ed|'s|'re|'m|'ve|'ll|'d|n't)$")
VERBS = TRANSITIVE | word_set(
    "go went come came want like need think thought say said got made saw took found gave told"
    " felt kept left meant put ran read sat slept spoke stood won wrote began bought brought built"
    " caught chose cost cut did drew drank drove ate fell flew forgot grew hid hit hurt knew led"
    " lent let lost met paid rode rang rose sang sold sent shot slid spent swam taught threw woke"
    " wore goes comes wants likes needs thinks says gets makes sees takes finds gives tells feels"
    " keeps leaves means puts runs reads sits sleeps speaks stands wins writes begins buys brings"
    " lives works looks seems knows hurts costs love loves live work look seem believe hope guess"
    " broke became understood heard stole shook tore froze blew bit dug fed fought hung lay laid"
    " sank shone stuck struck swore run happen happens"
    " prefer plays play walks walk stays stay talks talk wish hate hates agree help helps"
)
WANT_A_THING = word_set(
    "explain describe show give find open close set play read write translate send call make"
    " remind bring order book watch tell ask use take put get buy hold keep add change turn pass"
    " name list have like recommend compare be remember think"
)
# Some are also done without a thing: "can you read?"
ALONE = word_set(
    "remember think explain describe open play read translate order ask turn change pass buy like"
)
# Not without a thing where it is not asked for it: "how do I get", but not "what do I get".
WANT_A_THING_ANYHOW = word_set(
    "get make find buy say change turn put set bring take use give add send"
)
PLACED_BY = word_set("how where when why how's")
LACKS_A_THING = word_set(
    "find found like love bought use say says got get wanted make made took put gave brought saw"
    " lives live"
)
# "The best", "a new": the noun is still to come; some may do without it in a statement.
RANKS = word_set("best worst most least first last next favorite favourite red blue green")
LONE_ADJECTIVES = word_set("good new nice great big small long short old bad cheap couple quick")
SUPERLATIVE = re.compile(r"\w{3,}est")
NOT_SUPERLATIVE = word_set(
    "interest forest guest request chest contest latest arrest harvest protest"
)
OF_SOMETHING = word_set(
    "difference capital president population distance name root way meaning definition"
)
# As a recogniser writes "way to", behind such a word.
WAY_TO, BEST = word_set("weight wait"), word_set("best worst right wrong only good other")
CLOCKS = word_set("timer alarm reminder")
STOPPING = word_set("really just probably always usually also never only even")
ADVERBS = STOPPING | word_set("still actually both all")
WANT_MORE = word_set(
    "looking trying planning hoping wondering calling asking thinking wanting using"
)
# "7:30" and "1,000" are one word.
WORD = re.compile(r"\d+(?:[:.,]\d+)+|[\w'’-]+")


def last_but_one(words: Words) -> str:
    return words[-2] if len(words) > 1 else ""


def core_of(words: Words) -> Words:
    """Without what only opens a turn: "okay, so, …"."""
    skipped = OPENERS | HESITATIONS
    start = next((at for at, word in enumerate(words) if word not in skipped), len(words))
    return words[start:]


def is_negated(words: Words) -> bool:
    return any(word in ("not", "never") or word.endswith("n't") for word in words)


def asks(words: Words) -> bool:
    return bool(WH.intersection(core_of(words)[:4]))
