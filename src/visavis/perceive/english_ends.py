"""What may end an English turn although it looks open: "where are you from", "I love you".

For each class of words that something must follow, when nothing need.
"""

from __future__ import annotations

from collections.abc import Callable

from visavis.perceive.english_words import (
    ARTICLES,
    AUXILIARIES,
    AWAY,
    BE,
    CLIPPED,
    CONJUNCTIONS,
    DO,
    HAVE,
    MODALS,
    OBJECTS,
    PREPOSITIONS,
    PRONOUNS,
    REQUESTS,
    SAYING,
    SUBJECTS,
    SUBORDINATORS,
    WH,
    Words,
    asks,
    core_of,
    is_negated,
    last_but_one,
    word_set,
)

UNLIKED = word_set("it's would i'd is and looks look looked seems sounds feels feel")
UNSURE = word_set("could would should might must was were have had")
SUPPOSING = word_set(
    "think guess believe if suppose maybe because yesterday today tomorrow morning"
)
ABOUT_WHAT = word_set("how what me know talk think us learn")
INTRANSITIVE = word_set(
    "woke wake give gave get got go going went come came coming broke break stand stood sit sat"
    " grow grew pass passed show run ran"
)


def _never(words: Words) -> bool:
    return False


def _after(*hosts: str) -> Callable[[Words], bool]:
    allowed = word_set(" ".join(hosts))
    return lambda words: last_but_one(words) in allowed


def _not_after(*hosts: str) -> Callable[[Words], bool]:
    refused = word_set(" ".join(hosts))
    return lambda words: last_but_one(words) not in refused


def _asked_after(*hosts: str) -> Callable[[Words], bool]:
    allowed = word_set(" ".join(hosts))
    return lambda words: asks(words) and last_but_one(words) in allowed


def _may_strand(words: Words) -> bool:
    """ "Where are you from", but not "what is the name for": a noun wants its complement; nor "how
    far is it from"."""
    return (
        asks(words) and core_of(words)[0] != "how" and len(words) > 2 and words[-3] not in ARTICLES
    )


def _subject_may_end(words: Words) -> bool:
    """ "Who am I", "can we", but not "what should we"."""
    before = last_but_one(words)
    return before in BE or (before in AUXILIARIES and not asks(words))


def _that_may_end(words: Words) -> bool:
    """ "I like that", "who said that", "don't say that", but not "I think that"."""
    if last_but_one(words) in ("true", "possible", "think"):
        return False
    told = asks(words) or is_negated(words)
    return last_but_one(words) not in SAYING or told


def _by_may_end(words: Words) -> bool:
    """ "What are they made by", "he came by"; but not "divided by", "be there by"."""
    if last_but_one(words) in ("divided", "multiplied"):
        return False
    return len(words) < 3 or asks(words) or last_but_one(words) in INTRANSITIVE


def _you_may_end(words: Words) -> bool:
    """ "I love you", but not "what do you", "let me ask you", "I want to tell you"."""
    will_ask = last_but_one(words) == "ask" and not asks(words)
    will_tell = words[-3:-1] in (["me", "tell"], ["to", "tell"])
    if will_ask or will_tell:
        return False
    return last_but_one(words) not in DO | MODALS | SUBORDINATORS | {"and", "that"}


def _know_may_end(words: Words) -> bool:
    """ "How do you know", "let you know", but not "how do I, you know"."""
    helped = len(words) > 2 and words[-3] in DO | MODALS | {"let", "if", "that", "as"}
    return last_but_one(words) != "you" or helped


def _verb_may_end(words: Words) -> bool:
    """ "Yes I do", "what can it be", "what it is", "do you know where the station is"; but not
    "what time does"."""
    supposed = SUPPOSING.intersection(words[-3:-2]) and words[-1] in UNSURE
    if supposed and words[0] not in WH:
        return False
    if words[0] in ("yes", "no", "yeah") or WH.intersection(core_of(words)[1:-2]):
        return True
    helped = AUXILIARIES.intersection(core_of(words)[1:-1])
    if words[-1] in DO | HAVE | {"be"} and asks(words) and helped:
        return True
    opens = words[0] in SUBORDINATORS | CONJUNCTIONS | {"so", "well"}
    return last_but_one(words) in PRONOUNS and not opens and len(words) > 2


def _in_may_end(words: Words) -> bool:
    """ "What is the cat in", "come in", but not "how many days are in"."""
    return words[:2] not in (["how", "many"], ["how", "much"]) or last_but_one(words) not in BE


def may_end_on_particle(words: Words) -> bool:
    """ "Turn it on", "is it off", "I gave up"; but not "it's in"."""
    turned = words[0] in BE and words[-1] in AWAY | {"on"}
    alone = len(words) < 3 and (last_but_one(words) not in CLIPPED or words[-1] in AWAY)
    if alone or turned or last_but_one(words) in INTRANSITIVE:
        return True
    return asks(words) or words[0] in REQUESTS or last_but_one(words) in OBJECTS


OPEN_CLASSES: tuple[tuple[frozenset[str], Callable[[Words], bool]], ...] = (
    (ARTICLES | CLIPPED | CONJUNCTIONS, _never),
    (word_set("so"), _after("think hope believe guess suppose say said why not do even")),
    (word_set("that"), _that_may_end),
    (word_set("of"), _asked_after("made thinking heard dream dreaming afraid full consist")),
    (
        word_set("to"),
        _asked_after("talk talking speak speaking listen listening go get belong write"),
    ),
    (word_set("about"), lambda words: asks(words) and last_but_one(words) not in ABOUT_WHAT),
    (PREPOSITIONS, _may_strand),
    (SUBJECTS, _subject_may_end),
    (word_set("you"), _you_may_end),
    (word_set("me us"), _not_after("tell show give let find remind bring send")),
    (word_set("want need"), asks),
    (word_set("know"), _know_may_end),
    (word_set("think mean guess said"), lambda words: len(words) > 2),
    (word_set("like"), lambda words: asks(words) or last_but_one(words) not in UNLIKED),
    (word_set("by"), _by_may_end),
    (word_set("in"), _in_may_end),
    (AUXILIARIES, _verb_may_end),
)
