"""Whether an English turn is finished, by how it ends and how it begins.

Rules in order, the first that has an opinion decides. They know no grammar beyond the closed word
classes of english_words.py; what only looks open is in english_ends.py, numbers and spelling are in
english_numbers.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from visavis.perceive.english_ends import OPEN_CLASSES, may_end_on_particle
from visavis.perceive.english_numbers import is_number, spelling
from visavis.perceive.english_words import (
    ADVERBS,
    ALONE,
    ARTICLES,
    AUXILIARIES,
    AWAY,
    BE,
    BEGINNINGS,
    BEGUN,
    BEST,
    CLIPPED,
    CLOCKS,
    CONJUGATED,
    CONJUNCTIONS,
    DO,
    HESITATIONS,
    LACKS_A_THING,
    LONE_ADJECTIVES,
    MODALS,
    NOT_SUPERLATIVE,
    OF_SOMETHING,
    PARTICLES,
    PLACED_BY,
    PREPOSITIONS,
    PRONOUNS,
    RANKS,
    RELATIVES,
    REQUESTS,
    SAYING,
    SHORTLY,
    STOPPING,
    SUBJECTS,
    SUBORDINATORS,
    SUPERLATIVE,
    TRANSITIVE,
    UNTOLD,
    VERBS,
    WANT_A_THING,
    WANT_A_THING_ANYHOW,
    WANT_MORE,
    WAY_TO,
    WH,
    WHOLE,
    WORD,
    Judgement,
    Words,
    core_of,
    is_negated,
    last_but_one,
)


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


def _ending(words: Words, mark: str) -> Judgement | None:
    """Words that something must follow."""
    last = words[-1]
    if last in HESITATIONS:
        return -3.0, f"ends on {last!r}"
    if (whole := WHOLE.get(" ".join(words))) is not None:
        return whole
    if any(last in class_ and not may_end(words) for class_, may_end in OPEN_CLASSES):
        return -2.5, f"ends on {last!r}"
    if last in PARTICLES and not may_end_on_particle(words):
        return -0.7, f"may go on after {last!r}"
    return (-1.2, "ends on a comma") if mark in ",;:" else None


TAKEN_BACK = (["no", "wait"], ["or", "rather"])


def _broken_off(words: Words) -> Judgement | None:
    """ "I would like a c", "I want to go to Rome no", "the blue, no wait", "call Anna, I mean"."""
    last, before = words[-1], last_but_one(words)
    if len(last) == 1 and last.isalpha() and before in ARTICLES | {"to", "of", "for"}:
        return -2.0, "a word begun"
    long = len(words) > (2 if words[0] in REQUESTS else 3)
    refuses = before in SAYING | BE | ARTICLES | {"no"} or {"told", "tell"}.intersection(words)
    takes_back = words[-2:] in TAKEN_BACK and len(words) > 3
    corrects = (long and last == "no" and not refuses) or takes_back or _means(words)
    return (-1.5, "may correct itself") if corrects else None


def _means(words: Words) -> bool:
    """ "…, I mean", but not "that's what I mean"."""
    return words[-2:] == ["i", "mean"] and not WH.intersection(words[-3:])


def _answer(words: Words, mark: str) -> Judgement | None:
    """Short as it is, all there is to say: "I do.", "and you?", "the red one, please"."""
    core = core_of(words)
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
    before = last_but_one(core)
    turned = core[0] == core[-1] and f"{before}n't".replace("nn't", "n't") in core
    return before.endswith("n't") or turned


def _is_asked_back(words: Words) -> bool:
    """ "And you?", "and then?", "what for?", "did you know that?", "would you like to?"."""
    core, pair = core_of(words), tuple(words[-2:])
    if not core:
        return len(words) < 3 and words[0] in ("and", "so", "but")
    if len(core) == 2 and core[0] in WH:
        return core[1] in PREPOSITIONS | {"to", "so", "about"} and core != ["what", "about"]
    known = pair[-1] == "that" and pair[0] in ("know", "say", "hear")
    again = known or pair in UNTOLD - BEGINNINGS
    return pair == ("and", "you") or (core[0] in DO | MODALS and again)


def _is_said_shortly(core: Words) -> bool:
    """ "I do.", "don't.", "I don't want to.", "I guess.", "the light is on."."""
    if core[-1] in AWAY | {"on"}:
        return core[0] in ARTICLES and last_but_one(core) in BE
    if core[-1] == "to":
        return is_negated(core) or last_but_one(core) == "love" or core[0] == "because"
    if len(core) == 1:
        return core[0] == "don't"
    helped = core[0] in SUBJECTS | {"it"} and (core[1] in SHORTLY or core[1].endswith("n't"))
    said = core[0] == "i" and core[1] in ("think", "guess", "suppose")
    return len(core) == 2 and (helped or said or tuple(core) in UNTOLD)


def _lacking(words: Words, mark: str) -> Judgement | None:
    """A question or a request that has not come to its point."""
    core = core_of(words)
    if len(core) < 2:
        wants = words[0] == "please" and words[-1] in WANT_A_THING
        return (-1.0, f"ends on {words[-1]!r}") if wants else None
    if core[0] in WH | AUXILIARIES | REQUESTS and _lacks_its_noun(core):
        return (1.0, "question") if mark == "?" else (-1.5, "may lack its noun")
    lacks = (_lacks_its_clause, _lacks_its_object, _lacks_its_end, _lacks_the_way)
    if any(lacking(core) for lacking in lacks) or _is_bare_adjective(core):
        return -2.0, f"ends on {words[-1]!r}"
    return None


def _lacks_its_noun(core: Words) -> bool:
    """ "What is the difference", "do you have any", "is it true"."""
    last, before = core[-1], last_but_one(core)
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
    last, before = core[-1], last_but_one(core)
    if core[0] in ("set", "remind") or {"set", "remind"}.intersection(core[2:3]):
        timed = "alarm" not in core and before in ("for", "in") and is_number(last)
        to_do = before == "to" and last in TRANSITIVE | WANT_A_THING
        return timed or to_do or last in CLOCKS
    if core[0] in WH - {"who"} and last in ("it", "there", "this", "that"):
        begun = before in DO | MODALS and not AUXILIARIES.intersection(core[:-2])
        return begun or (core[0] == "why" and before in BE and last in ("it", "there"))
    counted = core[0] in WH and is_number(before)
    return last in ("plus", "minus") or (last == "times" and counted)


def _lacks_the_way(core: Words) -> bool:
    """ "What is the best weight": so a recogniser writes "the best way to"."""
    before = last_but_one(core)
    return core[-1] in WAY_TO and (before in BEST or _is_superlative(before))


def _is_bare_adjective(core: Words) -> bool:
    """ "What is your favorite", "I bought a new"; but not "you are the best"."""
    if last_but_one(core) not in ARTICLES:
        return False
    ranks = core[-1] in RANKS or _is_superlative(core[-1])
    asks = core[0] in WH - {"which"} | AUXILIARIES | REQUESTS
    return core[-1] in LONE_ADJECTIVES or (asks and ranks)


def _is_superlative(word: str) -> bool:
    return word not in NOT_SUPERLATIVE and SUPERLATIVE.fullmatch(word) is not None


def _question(words: Words, mark: str) -> Judgement | None:
    core, marked = core_of(words), mark == "?"
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
    return last_but_one(core) in PRONOUNS | {"please"}


def _wh_question(core: Words, *, marked: bool) -> Judgement:
    if len(core) == 2 and core[0] in ("what", "who") and _may_be_a_verb(core[1]):
        return 1.5, "question"
    if len(core) < 3 and not marked and not core[0].endswith("'s"):
        return 0.2, "question begun"
    if _asks_without_a_verb(core):
        return -2.2, "question without a verb"
    return 2.5, "question complete"


def _opening(words: Words, mark: str) -> Judgement | None:
    core = core_of(words)
    if not core:
        return 0.0, "opener"
    if core[0] == "because" and len(core) > 2 and _verbs(core) and mark in ".!":
        return 0.5, "reason"
    if core[0] in SUBORDINATORS and not _has_main_clause(core):
        return -1.8, "subordinate clause"
    return (2.0, "request complete") if core[0] in REQUESTS and len(core) > 2 else None


def _is_when_clause(core: Words) -> bool:
    """ "When I was young", unlike "when does it open"."""
    return core[0] == "when" and len(core) > 1 and core[1] not in AUXILIARIES


def _has_main_clause(core: Words) -> bool:
    later = core[3:]
    return bool((WH | MODALS | SUBJECTS | {"then", "you", "it"}).intersection(later))


def _wants_to(words: Words) -> bool:
    """ "I would like to know": there is more to it, whatever stop the recogniser puts there."""
    wishes = {"like", "want", "need", "love", "trying", "going", "wanted"}.intersection(words)
    asks_for = "wondering" in words and words[-1] in TRANSITIVE | {"help"}
    return asks_for or (words[-2:-1] == ["to"] and bool(wishes) and words[-1] in TRANSITIVE)


def _wants_its_object(words: Words) -> bool:
    """ "I can't find", "I really like"; but not "that's all I want"."""
    hosts = SUBJECTS | ADVERBS | CLIPPED | {"can't", "couldn't", "could", "would", "don't"}
    asked_for = (WH | {"that's", "that", "as", "all", "than", "if"}).intersection(words)
    return words[-1] in LACKS_A_THING and last_but_one(words) in hosts and not asked_for


def _stops_at_adverb(words: Words) -> bool:
    """ "I don't really", "it was just"."""
    return words[-1] in STOPPING and last_but_one(words) in AUXILIARIES | SUBJECTS | CLIPPED


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
    return words[-1] in WANT_MORE and last_but_one(words) in BE | CLIPPED | {"been", "not", "just"}


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
    if _wants_its_object(words) or (
        words[-1] == "some" and last_but_one(words) in BE | PREPOSITIONS
    ):
        return -1.2, f"ends on {words[-1]!r}"
    if (no_verb := _without_a_verb(words, mark)) is not None:
        return no_verb
    if _may_lack_its_noun(words) or _may_lack_its_end(words):
        return -1.5, "may lack its end"
    if len(words) < 3:
        return (0.8 if mark in ".!" else 0.3), "a few words"
    return (1.8, "sentence complete") if mark in ".!" else (0.7, "sentence")


Rule = Callable[[Words, str], Judgement | None]
RULES: tuple[Rule, ...] = (
    spelling,
    _answer,
    _ending,
    lambda words, _: _broken_off(words),
    _lacking,
    _question,
    _opening,
)
