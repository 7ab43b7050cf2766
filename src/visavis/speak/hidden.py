"""Which parts of a reply are code or thoughts, not to be read aloud.

Takes the written phrases of one reply, in order. Gives what is left of each. Invariants: a fence or
a thinking tag counts only where models write it, so that one named in a sentence silences nothing;
what never closes stays hidden. Remembers what is open, and how the line began that goes on.
"""

from __future__ import annotations

import re

from visavis.speak.abbreviation import ends_sentence

_THOUGHT = r"think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis"
_SWITCH = re.compile(
    rf"(?P<fence>(?<!`)`{{3,}}|(?<!~)~{{3,}})|(?<!`)<(?P<slash>/?)\s*(?:{_THOUGHT})\s*>",
    re.IGNORECASE,
)
# Any indentation, as in lists within lists; by CommonMark four spaces more would be code as well.
_LINE_BEGIN = re.compile(r"[ \t]*(?:(?:>|(?:[-*+•]|\d{1,9}[.)])(?=[ \t]))[ \t]*)*")
_SENTENCE_END = re.compile(r"(\S*?)([.!?…。！？]+)[*_\"'”’»)\]）」』]*\s*$")
_NAME = r"[A-Za-z0-9_+#-]+[ \t\r]*(?:\n|$)"
_NAMED = re.compile(_NAME)  # ```python
_ENDS_LINE = re.compile(r"[ \t\r]*(?:\n|$)")
_NO_PAIR = re.compile(r"[^`\n]*(?:\n|$)")  # ```ls``` in one line is inline code
_IS_TILDE_FENCE = re.compile(rf"[ \t\r]*(?:\n|$|{_NAME})")  # ~~~so nice is a drawn-out word

_REACH = 40
"""Characters of a line before a mark that matter to whether a sentence has ended there."""


class Hidden:
    """Code fences and thinking blocks of one reply: `outside` gives each phrase without them."""

    def __init__(self) -> None:
        self._inside = ""  # "", the fence that closes the code, or "thought"
        self._is_first_line = False  # of the code: is it the one with the fence?
        self._line = ""  # before the phrase, in short

    def __bool__(self) -> bool:
        """Is what comes next hidden?"""
        return bool(self._inside)

    def outside(self, written: str) -> str:
        """The phrase without the parts that lie in code fences and thinking blocks."""
        text = self._line + written
        at = len(self._line)
        kept, line = [], 0
        for mark in _SWITCH.finditer(text, at):
            line = max(line, text.rfind("\n", 0, mark.start()) + 1)
            self._is_first_line &= "\n" not in text[at : mark.start()]
            if self._inside:
                if self._closes(mark, text[line : mark.start()]):
                    at = mark.end()
                    line = at if self._inside == "thought" else line  # the answer begins
                    self._inside = ""
            elif _opens(mark, text[line : mark.start()]):
                kept.append(text[at : mark.start()])
                self._inside = mark["fence"] or "thought"
                self._is_first_line = True
                at = mark.end()
        if not self._inside:
            kept.append(text[at:])
        self._is_first_line &= "\n" not in text[at:]
        self._line = _in_short(text[max(line, text.rfind("\n") + 1) :])
        return " ".join(kept)

    def _closes(self, mark: re.Match[str], before: str) -> bool:
        """Does this close what is open? `before` is what stands before it in its line."""
        fence = mark["fence"]
        if self._inside == "thought" or not fence:
            return self._inside == "thought" and bool(mark["slash"])
        if not fence.startswith(self._inside):
            return False
        if self._is_first_line:
            return True
        if _LINE_BEGIN.fullmatch(before):
            return not _NAMED.match(mark.string, mark.end())  # that one would open another
        return bool(_ENDS_LINE.match(mark.string, mark.end()))


def _opens(mark: re.Match[str], before: str) -> bool:
    """Does code or a thought begin here? `before` is what stands before it in its line."""
    text, end = mark.string, mark.end()
    if not mark["fence"]:
        return not mark["slash"] and _begins_sentence(before)
    is_tilde = mark["fence"][0] == "~"
    if _LINE_BEGIN.fullmatch(before):
        return bool((_IS_TILDE_FENCE if is_tilde else _NO_PAIR).match(text, end))
    # Small models also write "So: ```python" and the code in the lines below.
    if is_tilde or "\n" not in text[end:] or before.count("```") % 2:
        return False
    is_announced = before.rstrip().endswith((":", "："))
    return bool(_NAMED.match(text, end) or (is_announced and _ENDS_LINE.match(text, end)))


def _begins_sentence(before: str) -> bool:
    """Does a sentence begin after this beginning of a line? Not in lists, which explain tags."""
    if _LINE_BEGIN.fullmatch(before):
        return not before.strip("> \t\r")
    ended = _SENTENCE_END.search(before[-_REACH:])
    if not ended:
        return False
    return ended[2] != "." or bool(ends_sentence(ended[1], "", complete=True))


def _in_short(line: str) -> str:
    """As much of the line as tells how it began and ended."""
    return line if len(line) <= _REACH else "x" + line[-_REACH:]
