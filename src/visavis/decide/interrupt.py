"""What a voice over our own means: stop us, go on, or wait for more.

Takes how long the voice has lasted, how it sounds, its words so far and what we said meanwhile;
gives a verdict. Pure. Silence comes cheaply and early (INSISTS stands still, nothing is lost); what
cannot be undone waits for words. Times are samples of the input axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from visavis.decide.wording import (
    calls,
    content,
    leads_on,
    only_listens,
    repeats,
    stops,
    words_of,
)
from visavis.flow.events import SAMPLES_PER_MS as MS
from visavis.flow.events import VoiceMeasured

__all__ = ["Verdict", "Voice", "only_listens", "words_of"]

INSISTS_AFTER = 120 * MS
"""So much voice is no click. It is measured then; where the last of it was soft, 20 ms later."""
UNMEASURED_INSISTS_AFTER = 250 * MS
"""Without measurements, a pause may have begun long since."""
SURE = 60 * MS
"""So much of it must be more than our own echo may be. What a canceller has not learnt yet comes in
bursts of 10 to 40 ms; of users, softer than the echo too, nine in ten have said more in 120."""
SHORT = 700 * MS
"""Backchannels are 0.2–0.6 s long."""
WORDLESS = 2_000 * MS
"""Who speaks has said a word by then: what goes on is music, noise, a far voice."""
PATIENT = 900 * MS
"""After so long, one word that is no backchannel is enough, and a far voice is far."""
HUMS = 0.5
"""Of voices that speak, 2 in 100 reach it in their first 140 ms, and 1 in 100 in 300 ms."""
HEARD_OUT = 300 * MS
"""So long a voice is listened to before partial words of it stop us: only then is it known how
loud it is, and the very first words of a recogniser are guesses."""
FAR_DB = 9.0
FAR_KNOWN_AFTER = 230 * MS
"""A voice begins softly; before that its level says little."""


class Verdict(Enum):
    """What to do about it. INSISTS and UNSURE may change, the others are final."""

    UNSURE = "unsure"
    INSISTS = "insists"
    NOTHING = "nothing"
    BACKCHANNEL = "backchannel"
    ASIDE = "aside"
    ECHO = "echo"
    INTERRUPTION = "interruption"


@dataclass(slots=True)
class Voice:
    """A voice over our reply that is not understood yet: since sample `start`, saying `words`.

    `before`: what its turn had said when it began; `words` may repeat it. `measured`: how it
    sounds; `said`: what of ours sounded around it; `names`: wake words; `after_aside`: that
    was for someone else. `doubted`: it may be no more than our own echo, until it is measured.
    """

    start: int
    words: str = ""
    before: str = ""
    measured: VoiceMeasured | None = None
    said: str = ""
    names: tuple[str, ...] = ()
    after_aside: bool = False
    doubted: bool = False

    def measure(self, measured: VoiceMeasured) -> bool:
        """How it sounds; whether it is known only now that it is more than our own echo."""
        self.measured = measured
        told = self.doubted and self._is_more_than_echo
        self.doubted = self.doubted and not told
        return told

    def hear(self, text: str, end: int) -> None:
        """The words of the turn up to sample `end`; empty ones tell nothing."""
        if end <= self.start:
            self.before = text or self.before
        else:
            self.words = text or self.words

    @property
    def own_words(self) -> list[str]:
        """What this voice says, without what its turn had said before."""
        words, before = words_of(self.words), words_of(self.before)
        return words[len(before) :] if words[: len(before)] == before else words

    @property
    def leads_on(self) -> bool:
        """Whether its words only listen, but often have more behind them."""
        return leads_on(self.own_words) and not self._hums

    def covers(self, text: str) -> bool:
        """Whether `text`, of the turn that is over, says no more than what was judged here.

        Then a backchannel remains one, also a hum that was spelled as a word.
        """
        return words_of(text) == words_of(self.words or self.before)

    def verdict(self, end: int, *, final: bool) -> Verdict:
        """What it means, heard up to sample `end`; `final`: it has paused, the words are all."""
        final = final and end > self.start  # else that was said of the voice before
        words = self.own_words
        if not words:
            over = final or end - self.start >= WORDLESS
            return Verdict.NOTHING if over else self._unworded(end)
        meaning = self._to_others(end, final=final) or self._meaning(words, end, final=final)
        if final or meaning in (Verdict.INTERRUPTION, Verdict.ASIDE):
            return meaning
        return Verdict.UNSURE if meaning is Verdict.ECHO else self._unworded(end)

    def _to_others(self, end: int, *, final: bool) -> Verdict | None:
        """Whether words are for someone else, by their level; None if they are for us."""
        if self._is_far:
            over = final or end - self.start >= PATIENT
            return Verdict.ASIDE if over else Verdict.UNSURE
        # "No, it is on the kitchen table": the first word comes too early, and we stand still.
        return Verdict.UNSURE if self._may_be_far and not final else None

    def _meaning(self, words: list[str], end: int, *, final: bool) -> Verdict:
        """What the words say; UNSURE only if they are not final."""
        called = calls(words, self.names)
        if not called and repeats(words, words_of(self.said)):
            return Verdict.ECHO
        if not called and not stops(words):
            if self._listens(words, end):
                return Verdict.BACKCHANNEL
            if not final and end - self.start < HEARD_OUT:
                return Verdict.UNSURE
            said = len(content(words))
            if not final and said < 2 and (not said or end - self.start < PATIENT):
                return Verdict.UNSURE
        return Verdict.INTERRUPTION

    def _unworded(self, end: int) -> Verdict:
        """What the sound alone tells."""
        if self._is_far or self._hums:
            return Verdict.UNSURE
        enough = INSISTS_AFTER if self.measured else UNMEASURED_INSISTS_AFTER
        lasted = (self.measured.end if self.measured else end) - self.start
        insists = lasted >= enough and self._is_more_than_echo
        return Verdict.INSISTS if insists else Verdict.UNSURE

    def _listens(self, words: list[str], end: int) -> bool:
        """Backchannels; or a short hum that was spelled as one or two words ("Emma.")."""
        short = end - self.start <= SHORT
        return only_listens(words) or (short and self._hums and len(words) <= 2)

    @property
    def _is_more_than_echo(self) -> bool:
        measured = self.measured
        return measured is None or measured.end - self.start - measured.doubted >= SURE

    @property
    def _hums(self) -> bool:
        return self.measured is not None and self.measured.hum >= HUMS

    @property
    def _is_far(self) -> bool:
        """Weaker than this user's turns by so much that it is for someone else; NaN is not."""
        return self._sounds_far and not self._is_young

    @property
    def _may_be_far(self) -> bool:
        return self._is_young and (self._sounds_far or self.after_aside)

    @property
    def _sounds_far(self) -> bool:
        measured = self.measured
        return measured is not None and measured.level_db <= measured.usual_db - FAR_DB

    @property
    def _is_young(self) -> bool:
        """Whether its level says little yet."""
        measured = self.measured
        return measured is None or measured.end - measured.start < FAR_KNOWN_AFTER
