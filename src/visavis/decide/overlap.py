"""The user's voice over our reply, from its first sound until its turn is over.

Takes what is known of that voice; gives the symbol for the reply's machine, or nothing yet. The
verdict itself is made in decide/interrupt.py. Invariants: a voice is settled once; what comes of
the same turn later can still stop us, but not give the floor back; words that listen and often lead
to more ("okay") are settled once nothing has followed for a moment.
"""

from __future__ import annotations

from visavis.decide.interrupt import Verdict, Voice
from visavis.flow import events as e

MORE = 350 * e.SAMPLES_PER_MS
"""Who says "okay, but what happens at the end" is silent for up to a quarter of a second after the
first word, and a voice is known for one 60 ms after it began."""
SYMBOLS = {Verdict.UNSURE: "", Verdict.INSISTS: "insisted", Verdict.INTERRUPTION: "barged"}


class Overlap:
    """`voice`: not understood yet. `began_turn`: the user's turn began over a reply of ours.

    `names`: what we are called. `outcome`: what the voice, or the newest of this turn, turned out
    to be.
    """

    def __init__(self, names: tuple[str, ...] = ()) -> None:
        self._names = names
        self.voice: Voice | None = None
        self._let_go: Voice | None = None
        self._until: int | None = None  # if nothing follows, the voice meant nothing
        self.began_turn = False
        self.outcome: Verdict | None = None

    def begin(self, start: int, before: str, *, doubted: bool = False) -> None:
        """A voice began at sample `start` while a reply was under way; its turn said `before`.

        `doubted`: it may be no more than the echo of that reply.
        """
        self.voice = Voice(
            start,
            before=before,
            names=self._names,
            after_aside=self.outcome is Verdict.ASIDE,
            doubted=doubted,
        )
        self._let_go = None
        self._until = None
        self.began_turn = True

    def await_words(self) -> None:
        """The voice has paused, maybe once more: the words up to here will tell."""
        self._until = None

    def measure(self, event: e.VoiceMeasured) -> bool:
        """How the voice sounds; whether it is known only now that it is more than our echo."""
        voice = self.voice
        return voice is not None and event.start == voice.start and voice.measure(event)

    def hear(self, text: str, said: str, end: int) -> None:
        """The words of the turn up to sample `end`, and what we `said` around them."""
        if (voice := self._judged) is not None:
            voice.hear(text, end)
            voice.said = said

    def judge(self, end: int, *, final: bool) -> str:
        """The symbol that follows from all that is known up to sample `end`; maybe empty."""
        if (voice := self._judged) is None:
            return ""
        verdict = voice.verdict(end, final=final)
        if self.voice is None and verdict is not Verdict.INTERRUPTION:
            return ""
        if verdict is Verdict.BACKCHANNEL and voice.leads_on:
            self._until = end + MORE
            return ""
        return self._settle(voice, verdict)

    def wait(self, now: int) -> str:
        """The symbol that follows from silence up to sample `now`; maybe empty."""
        if self.voice is None or self._until is None or now < self._until:
            return ""
        return self._settle(self.voice, Verdict.BACKCHANNEL)

    def _settle(self, voice: Voice, verdict: Verdict) -> str:
        symbol = SYMBOLS.get(verdict, "false.alarm")
        if symbol in ("barged", "false.alarm"):
            self.voice, self.outcome = None, verdict
            self._let_go = voice if symbol == "false.alarm" else None
            self._until = None
        return symbol

    @property
    def start(self) -> int | None:
        """Where the voice began that is not understood, or was let go last; None: there is none."""
        return None if self._judged is None else self._judged.start

    @property
    def _judged(self) -> Voice | None:
        return self.voice or self._let_go

    @property
    def is_nothing_to_us(self) -> bool:
        """Whether the turn, now that it is over, was said to someone else or was our own echo."""
        return self.outcome in (Verdict.ASIDE, Verdict.ECHO)

    def was_a_hum(self, text: str) -> bool:
        """Whether `text`, of the turn that is over, is but the hum that was let go."""
        voice, listened = self._let_go, self.outcome is Verdict.BACKCHANNEL
        return voice is not None and listened and voice.covers(text)

    def leave(self) -> None:
        """The reply is over: whoever still speaks has the floor."""
        self.voice = self._let_go = self._until = None

    def end(self) -> None:
        """The user's turn is over."""
        self.leave()
        self.began_turn, self.outcome = False, None
