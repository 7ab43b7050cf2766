"""Whether an English turn is finished, by how it ends and how it begins.

Rules in order, the first that has an opinion decides. They know no grammar beyond the closed
word classes: articles, conjunctions, prepositions, pronouns and auxiliaries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

Judgement = tuple[float, str]
Words = Sequence[str]


def _set(words: str, separator: str | None = None) -> frozenset[str]:
    return frozenset(word.strip() for word in words.split(separator))


HESITATIONS = _set("um uh er erm uhm ehm hm hmm umm uhh")
OPENERS = _set("so and but okay ok well now hey hi hello please alright right then")
WH = _set("what when where who whom whose which why how what's who's where's how's when's why's")
BE = _set("is are was were am isn't aren't wasn't weren't")
DO = _set("do does did don't doesn't didn't")
MODALS = _set("can could will would shall should may might must can't couldn't won't shouldn't")
HAVE = _set("have has had haven't hasn't hadn't")
AUXILIARIES = BE | DO | MODALS | HAVE | _set("be been being")
SUBJECTS = _set("i he she we they")
OBJECTS = _set("you it this that these those there me him her us them")
PRONOUNS = SUBJECTS | OBJECTS
BEGUN = SUBJECTS | _set("it there this that")

ARTICLES = _set("the a an my your our their its every")
CONJUNCTIONS = _set(
    "and or but because cause if while although unless until whereas whether nor than as"
)
PREPOSITIONS = _set(
    "for with from at into onto between among during without within against toward towards per"
    " via despite upon"
)
# They also go with verbs: "turn it on", "come in".
PARTICLES = _set("in on by through over around up down off out")
AWAY = _set("off up out down over")
CLIPPED = _set(
    "i'm i'll i've i'd you're you'll you've you'd we're we'll we've we'd they're they'll they've"
    " they'd name's it's that's what's who's where's how's there's here's he's she's he'll she'll"
    " let's gonna wanna gotta very quite extremely such"
)
SAYING = _set("think know say said believe hope guess mean sure feel heard so")
SUBORDINATORS = _set("if when while because although since after before unless once")
REQUESTS = _set(
    "tell show play read turn open close set remind give write explain describe make find call"
    " look count translate repeat say add start help sing spell let put switch"
)
ANSWERS = _set(
    """yes|no|yeah|yep|nope|bye|goodbye|stop|wait|go on|okay go on|continue|exactly|really
    |a lot|a little|a little bit|a bit|once more|is that so|i told you so|because i said so
    |never mind|that's all|of course|not really|why not|what else|me too|no thanks
    |yes please|good night|how are you|uh-huh|mm-hm|mm-hmm|mhm""",
    "|",
)
# Whole as they are, and as often the first words of more: "Thank you. What color is the sky?"
PREFACES = _set(
    """ok|okay|okay then|alright|all right|right|right then|sure|well|hello|hi|hey|hello there
    |hi there|good morning|good afternoon|good evening|thanks|thanks a lot|many thanks|thank you
    |thank you very much|thank you so much|okay thank you|okay thanks|i see|got it|great|good|cool
    |nice|very good|sorry|i'm sorry|excuse me|listen|look|please|maybe|perhaps
    |i have a question""",
    "|",
)
# Never whole: said only for what follows.
LEADS = _set(
    """by the way|first of all|in my opinion|on the one hand|on the other hand|for example
    |for instance|speaking of which|or maybe|and also""",
    "|",
)
WHOLE: dict[str, Judgement] = {
    **dict.fromkeys(ANSWERS, (2.0, "short answer")),
    **dict.fromkeys(PREFACES, (0.0, "may lead to more")),
    **dict.fromkeys(LEADS, (-1.5, "leads to more")),
}

TRANSITIVE = _set(
    "know ask tell say find get buy make see order book hear learn try check take have do give use"
    " change add set put send bring read write show understand visit"
)
UNLIKED = _set("it's would i'd is and looks look looked seems sounds feels feel")
UNSURE = _set("could would should might must was were have had")
SUPPOSING = _set("think guess believe if suppose maybe because yesterday today tomorrow morning")
# What a short answer ends on: "I do", "it is".
SHORTLY = _set("do did does can will is am")
# What need not be said again: "show me.", "would you like to?".
UNTOLD = {("tell", "me"), ("show", "me"), ("like", "to"), ("want", "to"), ("have", "to")}
# Whole by themselves, but what a question with them asks for comes after them, as a rule.
BEGINNINGS = {("tell", "me"), ("show", "me")}
RELATIVES = _set("that which who whom where")
CONJUGATED = re.compile(r"(?<!^)(ed|'s|'re|'m|'ve|'ll|'d|n't)$")
VERBS = TRANSITIVE | _set(
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
ABOUT_WHAT = _set("how what me know talk think us learn")
WANT_A_THING = _set(
    "explain describe show give find open close set play read write translate send call make"
    " remind bring order book watch tell ask use take put get buy hold keep add change turn pass"
    " name list have like recommend compare be remember think"
)
# Some are also done without a thing: "can you read?"
ALONE = _set(
    "remember think explain describe open play read translate order ask turn change pass buy like"
)
# Not without a thing where it is not asked for it: "how do I get", but not "what do I get".
WANT_A_THING_ANYHOW = _set("get make find buy say change turn put set bring take use give add send")
PLACED_BY = _set("how where when why how's")
LACKS_A_THING = _set(
    "find found like love bought use say says got get wanted make made took put gave brought saw"
    " lives live"
)
# "The best", "a new": the noun is still to come; some may do without it in a statement.
RANKS = _set("best worst most least first last next favorite favourite red blue green")
LONE_ADJECTIVES = _set("good new nice great big small long short old bad cheap couple quick")
SUPERLATIVE = re.compile(r"\w{3,}est")
NOT_SUPERLATIVE = _set("interest forest guest request chest contest latest arrest harvest protest")
OF_SOMETHING = _set(
    "difference capital president population distance name root way meaning definition"
)
CLOCKS = _set("timer alarm reminder")
STOPPING = _set("really just probably always usually also never only even")
ADVERBS = STOPPING | _set("still actually both all")
INTRANSITIVE = _set(
    "woke wake give gave get got go going went come came coming broke break stand stood sit sat"
    " grow grew pass passed show run ran"
)
WANT_MORE = _set("looking trying planning hoping wondering calling asking thinking wanting using")
DIGITS = _set("zero oh one two three four five six seven eight nine double triple")
CALLS = _set("call dial ring text")
CODES = _set("code zip pin phone account card password extension address")
LEAST_OF_A_CODE = 4
SHORT_NUMBERS = _set("911 999 112 110 119 120 122 101 111")
ENOUGH_DIGITS = 10
WITHIN_NUMBERS = str.maketrans("", "", "-.,")
COUNTING = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
CLOCK_TIME = re.compile(r"(at|for|by|until) ([1-9]|1[0-9]|2[0-3]) [0-5][0-9]")
# "7:30" and "1,000" are one word.
WORD = re.compile(r"\d+(?:[:.,]\d+)+|[\w'’-]+")


def judge(text: str) -> Judgement:
    """Log-odds that the turn is finished, and why."""
    found = (word.replace("’", "'").strip("-'") for word in WORD.findall(text.casefold()))
    words = [word for word in found if word]
    if not words:
        return 0.0, "no words"
    mark = text.rstrip()[-1]
    opinions = (rule(words, mark) for rule in RULES)
    return next((opinion for opinion in opinions if opinion), None) or _statement(words, mark)


# ── rules ────────────────────────────────────────────────────────────────────────────────────


def _spelling(words: Words, mark: str) -> Judgement | None:
    """A number or a name, piece by piece; not a time, a count or a lone amount."""
    run = _trailing(words, _is_number)
    before = words[: len(words) - len(run)]
    if run and not _asks(words) and (number := _number(before, run)):
        return number
    letters = _trailing(words, lambda word: len(word) == 1 and word.isalpha())
    if len(letters) >= 2 or re.fullmatch(r"([^\W\d]-)+[^\W\d]", words[-1]):
        return -1.2, "name being spelled"
    return None


def _number(before: Words, run: Words) -> Judgement | None:
    digits = sum(1 if word in DIGITS else sum(c.isdigit() for c in word) for word in run)
    called = bool(CALLS.intersection(before[-1:]))
    named = bool(CODES.intersection(before))
    cued = bool((CODES | {"number", "is"}).intersection(before[-1:]))
    is_code = called or (cued and (named or "number" in before))
    if called and len(run) == 1 and run[0] in SHORT_NUMBERS:
        return 1.8, "short number"
    if not is_code and (_is_amount(before, run) or _counts(run)):
        return None if before else (0.8, "number")
    if digits >= ENOUGH_DIGITS:
        return 1.5, "number"
    if len(run) >= 2 or called or (digits >= 3 and (is_code or not before)):
        return -3.2, "number being spelled"
    if digits < LEAST_OF_A_CODE and is_code and (named or before[-1] == "number"):
        return -2.2, "number being spelled"
    return None


def _is_number(word: str) -> bool:
    return word in DIGITS or word.translate(WITHIN_NUMBERS).isdigit()


def _is_amount(before: Words, run: Words) -> bool:
    """ "At 7 30", "2020", "300"; but "415" alone may be the first of more, as "020" is."""
    if run[0].startswith("0"):
        return False
    if len(run) == 1:
        year_or_round = re.fullmatch(r"(19|20)\d\d|[1-9]\d*00", run[0])
        return bool(before) or bool(year_or_round)
    return CLOCK_TIME.fullmatch(" ".join([*before[-1:], *run])) is not None


def _counts(run: Words) -> bool:
    """ "One, two, three"."""
    return len(run) > 1 and all(
        word == counted for word, counted in zip(run, COUNTING, strict=False)
    )


def _ending(words: Words, mark: str) -> Judgement | None:
    """Words that something must follow."""
    last = words[-1]
    if last in HESITATIONS:
        return -3.0, f"ends on {last!r}"
    if (whole := WHOLE.get(" ".join(words))) is not None:
        return whole
    if any(last in class_ and not may_end(words) for class_, may_end in OPEN_CLASSES):
        return -2.5, f"ends on {last!r}"
    if last in PARTICLES and not _may_end_on_particle(words):
        return -0.7, f"may go on after {last!r}"
    return (-1.2, "ends on a comma") if mark in ",;:" else None


def _broken_off(words: Words) -> Judgement | None:
    """ "I would like a c", "I want to go to Rome no", "call Anna, I mean"."""
    last, before = words[-1], _before(words)
    if len(last) == 1 and last.isalpha() and before in ARTICLES | {"to", "of", "for"}:
        return -2.0, "a word begun"
    long = len(words) > (2 if words[0] in REQUESTS else 3)
    refuses = before in SAYING | BE | ARTICLES | {"no"} or {"told", "tell"}.intersection(words)
    corrects = (long and last == "no" and not refuses) or _means(words)
    return (-1.5, "may correct itself") if corrects else None


def _means(words: Words) -> bool:
    """ "…, I mean", but not "that's what I mean"."""
    return words[-2:] == ["i", "mean"] and not WH.intersection(words[-3:])


def _answer(words: Words, mark: str) -> Judgement | None:
    """Short as it is, all there is to say: "I do.", "and you?", "the red one, please"."""
    core = _core(words)
    if words[-1] == "please" and core:
        begun = core[0] in AUXILIARIES and len(core) < 4
        return (-2.2, "request begun") if begun else (_ending(words[:-1], ".") or (1.8, "please"))
    if _is_tag(core):
        return 2.0, "tag question"
    if mark == "?" and _is_asked_back(words):
        return 0.8, "asked back"
    if mark in ".!" and _is_said_shortly(core or words):
        return 0.6, "short answer"
    return None


def _is_tag(core: Words) -> bool:
    """ "You like it, don't you", "it isn't far, is it", but not "why don't you"."""
    if len(core) < 4 or core[0] in AUXILIARIES | WH or core[-1] not in PRONOUNS:
        return False
    before = _before(core)
    turned = core[0] == core[-1] and f"{before}n't".replace("nn't", "n't") in core
    return before.endswith("n't") or turned


def _is_asked_back(words: Words) -> bool:
    """ "And you?", "and then?", "what for?", "did you know that?", "would you like to?"."""
    core, pair = _core(words), tuple(words[-2:])
    if len(words) < 3 and not core:
        return words[0] in ("and", "so", "but")
    if len(core) == 2 and core[0] in WH:
        return core[1] in PREPOSITIONS | {"to", "so", "about"} and core != ["what", "about"]
    known = pair[-1] == "that" and pair[0] in ("know", "say", "hear")
    again = known or pair in UNTOLD - BEGINNINGS
    return pair == ("and", "you") or (core[0] in DO | MODALS and again)


def _is_said_shortly(core: Words) -> bool:
    """ "I do.", "don't.", "I don't want to.", "I guess.", "the light is on."."""
    if core[-1] in AWAY | {"on"}:
        return core[0] in ARTICLES and _before(core) in BE
    if core[-1] == "to":
        return _is_negated(core) or _before(core) == "love" or core[0] == "because"
    if len(core) == 1:
        return core[0] == "don't"
    helped = core[0] in SUBJECTS | {"it"} and (core[1] in SHORTLY or core[1].endswith("n't"))
    said = core[0] == "i" and core[1] in ("think", "guess", "suppose")
    return len(core) == 2 and (helped or said or tuple(core) in UNTOLD)


def _lacking(words: Words, mark: str) -> Judgement | None:
    """A question or a request that has not come to its point."""
    core = _core(words)
    if len(core) < 2:
        wants = words[0] == "please" and words[-1] in WANT_A_THING
        return (-1.0, f"ends on {words[-1]!r}") if wants else None
    if core[0] in WH | AUXILIARIES | REQUESTS and _lacks_its_noun(core):
        return (1.0, "question") if mark == "?" else (-1.5, "may lack its noun")
    lacks = (_lacks_its_clause, _lacks_its_object, _lacks_its_end)
    if any(lacking(core) for lacking in lacks) or _is_bare_adjective(core):
        return -2.0, f"ends on {words[-1]!r}"
    return None


def _lacks_its_noun(core: Words) -> bool:
    """ "What is the difference", "do you have any", "is it true"."""
    last, before = core[-1], _before(core)
    related = core[0] in WH and before in {"the", "square", "best"} and last in OF_SOMETHING
    wants_some = last in ("any", "some")
    true = last == "able" or (before in ("it", "be") and last in ("possible", "true"))
    return related or (true and core[0] in AUXILIARIES) or wants_some


def _lacks_its_clause(core: Words) -> bool:
    """ "Can you tell me what the", "tell me what you", "do you know where I can"."""
    at = next((at for at in range(len(core) - 1, 0, -1) if core[at] in WH), None)
    if at is None or core[0] in WH:
        return core[-1] in ("when", "which", "whose") and len(core) > 2
    clause = core[at:]
    if len(clause) == 1:
        told = core[0] in AUXILIARIES | REQUESTS and clause[0] != "why"
        return told or (len(core) > 2 and clause[0] not in ("why", "how", "where"))
    if len(clause) == 2:
        unsaid = clause[0] in ("what", "how") and core[0] in AUXILIARIES and not _says(clause[1])
        return unsaid or (clause[1] in PRONOUNS and not clause[0].endswith("'s"))
    may = clause[-1] in MODALS and clause[0] != "what"
    named = len(clause) == 3 and clause[1] in ARTICLES
    return may or (named and core[0] in AUXILIARIES | REQUESTS)


def _lacks_its_object(core: Words) -> bool:
    """ "How do I get", "do you know where I can find"; "what should I make" asks for it."""
    at = next((at for at in range(len(core) - 1, -1, -1) if core[at] in WH), None)
    if at is None or len(core) - at < 3 or core[at] not in PLACED_BY:
        return False
    measured = core[at + 1] in ("many", "much", "long")
    without_helper = not AUXILIARIES.intersection(core) and core[-1] == "in"
    return without_helper if measured else core[-1] in WANT_A_THING_ANYHOW


def _lacks_its_end(core: Words) -> bool:
    """ "Set a timer for five", "remind me to call", "how long does it", "25 times"."""
    last, before = core[-1], _before(core)
    if core[0] in ("set", "remind") or {"set", "remind"}.intersection(core[2:3]):
        timed = "alarm" not in core and before in ("for", "in") and _is_number(last)
        to_do = before == "to" and last in TRANSITIVE | WANT_A_THING
        return timed or to_do or last in CLOCKS
    if core[0] in WH - {"who"} and last in ("it", "there", "this", "that"):
        begun = before in DO | MODALS and not AUXILIARIES.intersection(core[:-2])
        return begun or (core[0] == "why" and before in BE and last in ("it", "there"))
    counted = core[0] in WH and _is_number(before)
    return last in ("plus", "minus") or (last == "times" and counted)


def _is_bare_adjective(core: Words) -> bool:
    """ "What is your favorite", "I bought a new"; but not "you are the best"."""
    if _before(core) not in ARTICLES:
        return False
    superlative = SUPERLATIVE.fullmatch(core[-1]) and core[-1] not in NOT_SUPERLATIVE
    ranks = core[-1] in RANKS or bool(superlative)
    asks = core[0] in WH - {"which"} | AUXILIARIES | REQUESTS
    return core[-1] in LONE_ADJECTIVES or (asks and ranks)


def _question(words: Words, mark: str) -> Judgement | None:
    core, marked = _core(words), mark == "?"
    if not core:
        return None
    embedded = core[0] in AUXILIARIES | REQUESTS and len(core) > 3 and WH.intersection(core)
    if (core[0] in WH or embedded) and (marked or not _is_when_clause(core)):
        return _wh_question(core, marked=marked)
    if core[0] in DO | MODALS and core[-1] in WANT_A_THING and _has_no_thing(core):
        alone = marked and core[-1] in ALONE and "please" not in core
        return (0.5, "question") if alone else (-1.9, f"ends on {core[-1]!r}")
    if (
        len(core) == 2
        and core[0] in AUXILIARIES - {"do", "have"}
        and core[1] in BEGUN
        and words[0] != "so"
    ):
        return (1.0 if marked else -1.2), "question begun"
    if core[0] in AUXILIARIES and len(core) > 2:
        return (2.3 if marked else 1.8), "question complete"
    return (1.8, "question") if marked else None


def _has_no_thing(core: Words) -> bool:
    """ "Can you open", "could you please explain", but not "do you have a name"."""
    return _before(core) in PRONOUNS | {"please"}


def _wh_question(core: Words, *, marked: bool) -> Judgement:
    if len(core) == 2 and core[0] in ("what", "who") and _may_be_a_verb(core[1]):
        return 1.5, "question"
    if len(core) < 3 and not marked and not core[0].endswith("'s"):
        return 0.2, "question begun"
    if _asks_without_a_verb(core):
        return -2.2, "question without a verb"
    return 2.5, "question complete"


def _opening(words: Words, mark: str) -> Judgement | None:
    core = _core(words)
    if not core:
        return 0.0, "opener"
    if core[0] == "because" and len(core) > 2 and _verbs(core) and mark in ".!":
        return 0.5, "reason"
    if core[0] in SUBORDINATORS and not _has_main_clause(core):
        return -1.8, "subordinate clause"
    return (2.0, "request complete") if core[0] in REQUESTS and len(core) > 2 else None


def _wants_to(words: Words) -> bool:
    """ "I would like to know": there is more to it, whatever stop the recogniser puts there."""
    wishes = {"like", "want", "need", "love", "trying", "going", "wanted"}.intersection(words)
    asks_for = "wondering" in words and words[-1] in TRANSITIVE | {"help"}
    return asks_for or (words[-2:-1] == ["to"] and bool(wishes) and words[-1] in TRANSITIVE)


def _wants_its_object(words: Words) -> bool:
    """ "I can't find", "I really like"; but not "that's all I want"."""
    hosts = SUBJECTS | ADVERBS | CLIPPED | {"can't", "couldn't", "could", "would", "don't"}
    asked_for = (WH | {"that's", "that", "as", "all", "than", "if"}).intersection(words)
    return words[-1] in LACKS_A_THING and _before(words) in hosts and not asked_for


def _stops_at_adverb(words: Words) -> bool:
    """ "I don't really", "it was just"."""
    return words[-1] in STOPPING and _before(words) in AUXILIARIES | SUBJECTS | CLIPPED


def _without_a_verb(words: Words, mark: str) -> Judgement | None:
    """ "My sister and her husband", "the book that I bought": nothing has been said of it yet."""
    if words[0] not in ARTICLES | SUBJECTS or len(words) < 2:
        return None
    relative = words[0] in ARTICLES and bool(RELATIVES.intersection(words[1:4]))
    if _verbs(words) > relative or _has_any_verb(words):
        return None
    if words[-1] in ("one", "ones") or "one" in words[1:3]:
        return 1.0, "noun as an answer"
    if not relative and "and" not in words and any(map(_may_be_a_verb, words[2:])):
        return (0.8 if mark in ".!" else 0.2), "may have a verb"
    if words[0] in ("a", "an") and mark in ".!":
        return 0.2, "noun as an answer"
    return (-2.0 if len(words) > 3 else -0.6), "no verb yet"


def _has_any_verb(words: Words) -> bool:
    """ "I miss you", "she really teaches math": any word after a subject must be one."""
    said = [word for word in words[1:] if word not in ADVERBS]
    return words[0] in SUBJECTS and len(said) > 1 and said[0] not in CONJUNCTIONS


def _may_be_a_verb(word: str) -> bool:
    """ "Closes", "happened", but not "glass"."""
    inflected = word.endswith("ed") or re.search(r"[^s'u]s$", word) is not None
    return len(word) > 3 and inflected and word not in ADVERBS


def _may_lack_its_noun(words: Words) -> bool:
    """ "I need a recipe for it": so a recogniser writes "a recipe for", as it likes to end well."""
    noun = len(words) > 4 and words[-4] in ARTICLES and words[-3] not in VERBS
    return noun and words[-1] == "it" and words[-2] in PREPOSITIONS | PARTICLES | {"of", "about"}


def _may_lack_its_end(words: Words) -> bool:
    """ "It was on Monday or not": so a recogniser writes "on Monday or"."""
    offers = words[0] in AUXILIARIES or {"whether", "if"}.intersection(words)
    return words[-2:] == ["or", "not"] and not offers


def _wants_more(words: Words) -> bool:
    """ "We are looking", unlike "what are you looking at"."""
    return words[-1] in WANT_MORE and _before(words) in BE | CLIPPED | {"been", "not", "just"}


def _asks_without_a_verb(core: Words) -> bool:
    """ "How many people", but not "what about tomorrow", "what causes rain"."""
    if len(core) < 3 or core[1] in ("about", "not", "else"):
        return False
    says_what = core[0] in ("what", "who") and _may_be_a_verb(core[1])
    return not says_what and not _verbs(core)


def _verbs(words: Words) -> int:
    """How many words look like a verb that says something; "the book" is none."""
    pairs = zip(("", *words), words, strict=False)
    return sum(
        word == "name's" or (before not in ARTICLES and _is_a_verb(word)) for before, word in pairs
    )


def _says(word: str) -> bool:
    return word == "else" or _is_a_verb(word) or _may_be_a_verb(word)


def _is_a_verb(word: str) -> bool:
    return word in VERBS or word in AUXILIARIES or bool(CONJUGATED.search(word))


def _statement(words: Words, mark: str) -> Judgement:
    if _wants_to(words) or _wants_more(words) or _stops_at_adverb(words):
        return -2.0, f"ends on {words[-1]!r}"
    if _wants_its_object(words) or (words[-1] == "some" and _before(words) in BE | PREPOSITIONS):
        return -1.2, f"ends on {words[-1]!r}"
    if (no_verb := _without_a_verb(words, mark)) is not None:
        return no_verb
    if _may_lack_its_noun(words) or _may_lack_its_end(words):
        return -1.5, "may lack its end"
    if len(words) < 3:
        return (0.8 if mark in ".!" else 0.3), "a few words"
    return (1.8, "sentence complete") if mark in ".!" else (0.7, "sentence")


# ── what may end a turn although it looks open ───────────────────────────────────────────────


def _never(words: Words) -> bool:
    return False


def _after(*hosts: str) -> Callable[[Words], bool]:
    allowed = _set(" ".join(hosts))
    return lambda words: _before(words) in allowed


def _not_after(*hosts: str) -> Callable[[Words], bool]:
    refused = _set(" ".join(hosts))
    return lambda words: _before(words) not in refused


def _asked_after(*hosts: str) -> Callable[[Words], bool]:
    allowed = _set(" ".join(hosts))
    return lambda words: _asks(words) and _before(words) in allowed


def _may_strand(words: Words) -> bool:
    """ "Where are you from", but not "what is the name for": a noun wants its complement; nor "how
    far is it from"."""
    return (
        _asks(words) and _core(words)[0] != "how" and len(words) > 2 and words[-3] not in ARTICLES
    )


def _subject_may_end(words: Words) -> bool:
    """ "Who am I", "can we", but not "what should we"."""
    before = _before(words)
    return before in BE or (before in AUXILIARIES and not _asks(words))


def _that_may_end(words: Words) -> bool:
    """ "I like that", "who said that", "don't say that", but not "I think that"."""
    if _before(words) in ("true", "possible", "think"):
        return False
    told = _asks(words) or _is_negated(words)
    return _before(words) not in SAYING or told


def _by_may_end(words: Words) -> bool:
    """ "What are they made by", "he came by"; but not "divided by", "be there by"."""
    if _before(words) in ("divided", "multiplied"):
        return False
    return len(words) < 3 or _asks(words) or _before(words) in INTRANSITIVE


def _you_may_end(words: Words) -> bool:
    """ "I love you", but not "what do you", "let me ask you", "I want to tell you"."""
    will_ask = _before(words) == "ask" and not _asks(words)
    will_tell = words[-3:-1] in (["me", "tell"], ["to", "tell"])
    if will_ask or will_tell:
        return False
    return _before(words) not in DO | MODALS | SUBORDINATORS | {"and", "that"}


def _know_may_end(words: Words) -> bool:
    """ "How do you know", "let you know", but not "how do I, you know"."""
    helped = len(words) > 2 and words[-3] in DO | MODALS | {"let", "if", "that", "as"}
    return _before(words) != "you" or helped


def _verb_may_end(words: Words) -> bool:
    """ "Yes I do", "what can it be", "what it is", "do you know where the station is"; but not
    "what time does"."""
    supposed = SUPPOSING.intersection(words[-3:-2]) and words[-1] in UNSURE
    if supposed and words[0] not in WH:
        return False
    if words[0] in ("yes", "no", "yeah") or WH.intersection(_core(words)[1:-2]):
        return True
    helped = AUXILIARIES.intersection(_core(words)[1:-1])
    if words[-1] in DO | HAVE | {"be"} and _asks(words) and helped:
        return True
    opens = words[0] in SUBORDINATORS | CONJUNCTIONS | {"so", "well"}
    return _before(words) in PRONOUNS and not opens and len(words) > 2


def _may_end_on_particle(words: Words) -> bool:
    """ "Turn it on", "is it off", "I gave up"; but not "it's in"."""
    turned = words[0] in BE and words[-1] in AWAY | {"on"}
    alone = len(words) < 3 and (_before(words) not in CLIPPED or words[-1] in AWAY)
    if alone or turned or _before(words) in INTRANSITIVE:
        return True
    return _asks(words) or words[0] in REQUESTS or _before(words) in OBJECTS


# ── words ────────────────────────────────────────────────────────────────────────────────────


def _before(words: Words) -> str:
    return words[-2] if len(words) > 1 else ""


def _core(words: Words) -> Words:
    """Without what only opens a turn: "okay, so, …"."""
    skipped = OPENERS | HESITATIONS
    start = next((at for at, word in enumerate(words) if word not in skipped), len(words))
    return words[start:]


def _is_negated(words: Words) -> bool:
    return any(word in ("not", "never") or word.endswith("n't") for word in words)


def _asks(words: Words) -> bool:
    return bool(WH.intersection(_core(words)[:4]))


def _is_when_clause(core: Words) -> bool:
    """ "When I was young", unlike "when does it open"."""
    return core[0] == "when" and len(core) > 1 and core[1] not in AUXILIARIES


def _has_main_clause(core: Words) -> bool:
    later = core[3:]
    return bool((WH | MODALS | SUBJECTS | {"then", "you", "it"}).intersection(later))


def _trailing(words: Words, test: Callable[[str], bool]) -> Words:
    count = next((at for at, word in enumerate(reversed(words)) if not test(word)), len(words))
    return words[len(words) - count :]


OPEN_CLASSES: tuple[tuple[frozenset[str], Callable[[Words], bool]], ...] = (
    (ARTICLES | CLIPPED | CONJUNCTIONS, _never),
    (_set("so"), _after("think hope believe guess suppose say said why not do even")),
    (_set("that"), _that_may_end),
    (_set("of"), _asked_after("made thinking heard dream dreaming afraid full consist")),
    (_set("to"), _asked_after("talk talking speak speaking listen listening go get belong write")),
    (_set("about"), lambda words: _asks(words) and _before(words) not in ABOUT_WHAT),
    (PREPOSITIONS, _may_strand),
    (SUBJECTS, _subject_may_end),
    (_set("you"), _you_may_end),
    (_set("me us"), _not_after("tell show give let find remind bring send")),
    (_set("want need"), _asks),
    (_set("know"), _know_may_end),
    (_set("think mean guess said"), lambda words: len(words) > 2),
    (_set("like"), lambda words: _asks(words) or _before(words) not in UNLIKED),
    (_set("by"), _by_may_end),
    (AUXILIARIES, _verb_may_end),
)
Rule = Callable[[Words, str], Judgement | None]
RULES: tuple[Rule, ...] = (
    _spelling,
    _answer,
    _ending,
    lambda words, _: _broken_off(words),
    _lacking,
    _question,
    _opening,
)
