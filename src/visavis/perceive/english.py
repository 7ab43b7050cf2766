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
CLIPPED = _set(
    "i'm i'll i've i'd you're you'll you've you'd we're we'll we've we'd they're they'll they've"
    " they'd it's that's what's who's where's how's there's here's he's she's he'll she'll let's"
    " gonna wanna gotta very quite extremely such"
)
SAYING = _set("think know say said believe hope guess mean sure feel heard so")
SUBORDINATORS = _set("if when while because although since after before unless once")
REQUESTS = _set(
    "tell show play read turn open close set remind give write explain describe make find call"
    " look count translate repeat say add start help sing spell let put switch"
)
ANSWERS = _set(
    """yes|no|yeah|yep|nope|bye|goodbye|please|stop|wait|go on|continue|exactly|really|maybe
    |perhaps|never mind|that's all|of course|not really|why not|what else|me too|no thanks
    |yes please|good night|how are you|uh-huh|mm-hm|mm-hmm|mhm""",
    "|",
)
# Whole as they are, and as often the first words of more: "Thank you. What color is the sky?"
PREFACES = _set(
    """ok|okay|okay then|alright|all right|right|right then|sure|well|hello|hi|hey|hello there
    |hi there|good morning|good afternoon|good evening|thanks|thanks a lot|many thanks|thank you
    |thank you very much|thank you so much|okay thank you|okay thanks|i see|got it|great|good|cool
    |nice|very good|sorry|i'm sorry|excuse me|listen|look""",
    "|",
)
WHOLE: dict[str, Judgement] = {
    **dict.fromkeys(ANSWERS, (2.0, "short answer")),
    **dict.fromkeys(PREFACES, (0.0, "may lead to more")),
}

TRANSITIVE = _set(
    "know ask tell say find get buy make see order book hear learn try check take have do give use"
    " change add set put send bring read write show understand visit"
)
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
    " like prefer plays play walks walk stays stay talks talk wish hate hates agree help helps"
)
ABOUT_WHAT = _set("how what me know talk think us learn")
WANT_A_THING = _set(
    "explain describe show give find open close set play read write translate send call make"
    " remind bring order book watch tell ask use take put get buy hold keep add change turn pass"
    " name list"
)
WANT_MORE = _set("looking trying planning hoping wondering calling asking thinking wanting using")
DIGITS = _set("zero oh one two three four five six seven eight nine double triple")
CALLS = _set("call dial ring text")
NUMBER_CUES = CALLS | _set("number code zip phone pin extension account card it's is at")
CODES = _set("code zip pin phone account card password")
LEAST_OF_A_CODE = 4
SHORT_NUMBERS = _set("911 999 112 110 119 120 122 101 111")
ENOUGH_DIGITS = 10
WORD = re.compile(r"[\w'’-]+")


def judge(text: str) -> Judgement:
    """Log-odds that the turn is finished, and why."""
    found = (word.replace("’", "'").strip("-'") for word in WORD.findall(text.casefold()))
    words = [word for word in found if word]
    if not words:
        return 0.0, "no words"
    mark = text.rstrip()[-1]
    opinions = (rule(words, mark) for rule in (_spelling, _ending, _question, _opening))
    return next((opinion for opinion in opinions if opinion), None) or _statement(words, mark)


# ── rules ────────────────────────────────────────────────────────────────────────────────────


def _spelling(words: Words, mark: str) -> Judgement | None:
    """A number or a name, piece by piece."""
    run = _trailing(words, lambda word: word in DIGITS or word.replace("-", "").isdigit())
    before = words[: len(words) - len(run)]
    digits = sum(1 if word in DIGITS else sum(c.isdigit() for c in word) for word in run)
    cued, called = not before or before[-1] in NUMBER_CUES, bool(CALLS.intersection(before[-1:]))
    if called and len(run) == 1 and run[0] in SHORT_NUMBERS:
        return 1.8, "short number"
    if not _asks(words) and (len(run) >= 2 or (cued and digits >= 3) or (called and run)):
        return (1.5, "number") if digits >= ENOUGH_DIGITS else (-3.2, "number being spelled")
    is_code = bool(CODES.intersection(before)) or before[-1:] == ["number"]
    if run and digits < LEAST_OF_A_CODE and is_code and not _asks(words):
        return -2.2, "number being spelled"
    letters = _trailing(words, lambda word: len(word) == 1 and word.isalpha())
    if len(letters) >= 2 or re.fullmatch(r"(\w-)+\w", words[-1]):
        return -1.2, "name being spelled"
    return None


def _ending(words: Words, mark: str) -> Judgement | None:
    """Words that something must follow."""
    last = words[-1]
    if last in HESITATIONS:
        return -3.0, f"ends on {last!r}"
    if (whole := WHOLE.get(" ".join(words))) is not None:
        return whole
    if broken_off := _broken_off(words):
        return broken_off
    if any(last in class_ and not may_end(words) for class_, may_end in OPEN_CLASSES):
        return -2.5, f"ends on {last!r}"
    if last in PARTICLES and not _may_end_on_particle(words):
        return -0.7, f"may go on after {last!r}"
    return (-1.2, "ends on a comma") if mark in ",;:" else None


def _broken_off(words: Words) -> Judgement | None:
    """ "I would like a c", "I want to go to Rome no"."""
    last, before = words[-1], _before(words)
    if len(last) == 1 and before in ARTICLES | {"to", "of", "for"}:
        return -2.0, "a word begun"
    corrects = last == "no" and len(words) > 3 and before not in SAYING | BE | ARTICLES
    return (-1.5, "may correct itself") if corrects else None


def _question(words: Words, mark: str) -> Judgement | None:
    core, marked = _core(words), mark == "?"
    if not core:
        return None
    embedded = core[0] in AUXILIARIES | REQUESTS and len(core) > 3 and WH.intersection(core)
    if (core[0] in WH or embedded) and (marked or not _is_when_clause(core)):
        return _wh_question(core, marked=marked)
    if core[0] in AUXILIARIES and core[-1] in WANT_A_THING:
        return -1.9, f"ends on {core[-1]!r}"
    if core[0] in AUXILIARIES and len(core) > 2:
        return (2.3 if marked else 1.8), "question complete"
    return (1.8, "question") if marked else None


def _wh_question(core: Words, *, marked: bool) -> Judgement:
    if len(core) < 3 and not marked and not core[0].endswith("'s"):
        return 0.2, "question begun"
    if _asks_without_a_verb(core):
        return -2.2, "question without a verb"
    return 2.5, "question complete"


def _opening(words: Words, mark: str) -> Judgement | None:
    core = _core(words)
    if not core:
        return 0.0, "opener"
    if core[0] in SUBORDINATORS and not _has_main_clause(core):
        return -1.8, "subordinate clause"
    return (2.0, "request complete") if core[0] in REQUESTS and len(core) > 2 else None


def _wants_to(words: Words) -> bool:
    """ "I would like to know": there is more to it, whatever stop the recogniser puts there."""
    wishes = {"like", "want", "need", "love", "trying", "going", "wanted"}.intersection(words)
    return words[-2:-1] == ["to"] and bool(wishes) and words[-1] in TRANSITIVE


def _lacks_a_verb(words: Words) -> bool:
    """ "My sister and her husband", "the book that I bought": nothing has been said of it yet."""
    if words[0] not in ARTICLES | SUBJECTS or len(words) < 2:
        return False
    relative = words[0] in ARTICLES and bool(RELATIVES.intersection(words[1:4]))
    return _verbs(words) <= relative


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
    """ "How many people", but not "what about tomorrow"."""
    return len(core) > 2 and core[1] not in ("about", "not", "else") and not _verbs(core)


def _verbs(words: Words) -> int:
    """How many words look like a verb that says something; "the book" is none."""
    pairs = zip(("", *words), words, strict=False)
    return sum(
        before not in ARTICLES
        and (word in VERBS or word in AUXILIARIES or bool(CONJUGATED.search(word)))
        for before, word in pairs
    )


def _statement(words: Words, mark: str) -> Judgement:
    if _wants_to(words):
        return -2.0, f"ends on {words[-1]!r}"
    if _lacks_a_verb(words):
        return (-2.0 if len(words) > 3 else -0.6), "no verb yet"
    if _may_lack_its_noun(words) or _may_lack_its_end(words):
        return -1.5, "may lack its end"
    if _wants_more(words):
        return -1.5, f"ends on {words[-1]!r}"
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
    """ "Where are you from", but not "what is the name for": a noun wants its complement."""
    return _asks(words) and len(words) > 2 and words[-3] not in ARTICLES


def _subject_may_end(words: Words) -> bool:
    """ "Who am I", "can we", but not "what should we"."""
    before = _before(words)
    return before in BE or (before in AUXILIARIES and not _asks(words))


def _you_may_end(words: Words) -> bool:
    return _before(words) not in DO | MODALS | SUBORDINATORS | {"and", "that"}


def _know_may_end(words: Words) -> bool:
    """ "How do you know", "let you know", but not "how do I, you know"."""
    helped = len(words) > 2 and words[-3] in DO | MODALS | {"let", "if", "that", "as"}
    return _before(words) != "you" or helped


def _verb_may_end(words: Words) -> bool:
    """ "Yes I do", "what can it be", "what it is", "do you know where the station is"; but not
    "what time does"."""
    if words[0] in ("yes", "no", "yeah") or WH.intersection(_core(words)[1:-2]):
        return True
    helped = AUXILIARIES.intersection(_core(words)[1:-1])
    if words[-1] in DO | HAVE | {"be"} and _asks(words) and helped:
        return True
    opens = words[0] in SUBORDINATORS | CONJUNCTIONS | {"so", "well"}
    return _before(words) in PRONOUNS and not opens and len(words) > 2


def _may_end_on_particle(words: Words) -> bool:
    return len(words) < 3 or _asks(words) or words[0] in REQUESTS or _before(words) in OBJECTS


# ── words ────────────────────────────────────────────────────────────────────────────────────


def _before(words: Words) -> str:
    return words[-2] if len(words) > 1 else ""


def _core(words: Words) -> Words:
    """Without what only opens a turn: "okay, so, …"."""
    skipped = OPENERS | HESITATIONS
    start = next((at for at, word in enumerate(words) if word not in skipped), len(words))
    return words[start:]


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
    (_set("so"), _after("think hope believe guess suppose say why not do even")),
    (_set("that"), lambda words: _before(words) not in SAYING),
    (_set("of"), _asked_after("made think thinking heard dream dreaming afraid full consist")),
    (_set("to"), _asked_after("talk talking speak speaking listen listening go get belong write")),
    (_set("about"), lambda words: _asks(words) and _before(words) not in ABOUT_WHAT),
    (PREPOSITIONS, _may_strand),
    (SUBJECTS, _subject_may_end),
    (_set("you"), _you_may_end),
    (_set("me us"), _not_after("tell show give let")),
    (_set("want need"), _asks),
    (_set("know"), _know_may_end),
    (_set("think mean guess said"), lambda words: len(words) > 2),
    (_set("like"), lambda words: _asks(words) or _before(words) not in _set("would i'd is and")),
    (AUXILIARIES, _verb_may_end),
)
