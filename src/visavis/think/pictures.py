"""Which pictures of a conversation the engine is shown, and what stands in place of the others.

Takes messages with the names of what was seen with them. Gives the same messages with those views
only that are to be shown as pictures; the words that are known of a view stand before the text,
with its picture or instead of it. Invariants: never more pictures than the engine can make sense
of, the newest first, each once; while the same is seen, what was shown before stays where it is, so
that the prompt begins as it did. Looks at no pixel.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from visavis.backends.contract import LlmCapabilities, Media
from visavis.flow.events import CAMERA, SCREEN, Message, View

TEXT_CHARS = 160
WORDS = {
    CAMERA: {"en": "(You see: {text})", "zh": "（你看到：{text}）"},
    SCREEN: {"en": "(On the screen: {text})", "zh": "（屏幕上：{text}）"},
}
WRITTEN = {"en": 'The words "{text}" are written there.', "zh": "上面写着：“{text}”。"}
WORD = 'The word "{text}" is written there.'
"""The model of the tiny tier takes this for what it is asked about. Of "(It says: EXIT)" it made a
word that its eye knows in half of the cases."""
SCREEN_CHARS = (160, 800)
"""The least and the most: a screen is full of writing, and is asked about for it."""
CHARS_PER_TOKEN = 1 / 12
"""Of the context: 170 characters where it has 2,048 tokens, of which they then take 2 %."""
HELD_BYTES = 8 << 20


class Held:
    """The bytes of the newest views, up to `most_bytes`; of each stream the newest in any case.

    A view's bytes come once, as long as the stream shows the same.
    """

    def __init__(self, most_bytes: int = HELD_BYTES) -> None:
        self._most_bytes, self._bytes = most_bytes, 0
        self._media: dict[str, Media] = {}
        self._newest: dict[str, str] = {}  # by stream

    def __contains__(self, view_id: object) -> bool:
        return view_id in self._media

    def take(self, view_id: str, data: bytes, stream: str = CAMERA) -> None:
        """A view was taken. Without data it is one that was taken before, seen again."""
        self._newest[stream] = view_id
        before = self._media.get(view_id)
        self.drop(view_id)
        if data:
            self._put(Media(view_id, data))
        elif before is not None:
            self._put(before)

    def drop(self, view_id: str) -> None:
        """Forgets a view."""
        if (gone := self._media.pop(view_id, None)) is not None:
            self._bytes -= len(gone.data)

    def media(self, views: Sequence[View]) -> tuple[Media, ...]:
        """The pictures of these views, which must be held."""
        return tuple(self._media[view.id] for view in views)

    def _put(self, media: Media) -> None:
        self._media[media.id] = media
        self._bytes += len(media.data)
        others = [view_id for view_id in self._media if view_id not in self._newest.values()]
        while self._bytes > self._most_bytes and others:
            self.drop(others.pop(0))


@dataclass(slots=True)
class _Showing:
    """A stretch of messages with which the same is seen: one picture, at the first of them."""

    view_id: str
    at: int
    newest: int
    place: int  # in the newest message


@dataclass(frozen=True, slots=True)
class Pictures:
    """The policy for an engine. `tokens`: what a picture costs; `most`: how many it is shown.

    `screen_chars`: how much of what is written on a screen it is told. `reach`: what is more
    messages back than this is shown, and told, at the newest one instead: small models lose it.
    """

    most: int = 0
    tokens: int = 0
    held: Container[str] = ()
    language: str = "en"
    screen_chars: int = SCREEN_CHARS[0]
    reach: int = 6

    @classmethod
    def of(cls, capabilities: LlmCapabilities, held: Container[str], language: str) -> Pictures:
        tokens, (least, most) = capabilities.picture_tokens, SCREEN_CHARS
        chars = min(most, max(least, int(capabilities.context_tokens * CHARS_PER_TOKEN)))
        shown, reach = capabilities.most_pictures if tokens else 0, capabilities.picture_reach
        return cls(shown, tokens, held, language, chars, reach)

    def placed(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """The messages as the engine is shown them, one for one."""
        can_show = self.held.__contains__
        return placed(messages, self.most, can_show, self.language, self.screen_chars, self.reach)


def placed(
    messages: Sequence[Message],
    most: int,
    can_show: Callable[[str], bool],
    language: str = "en",
    screen_chars: int = SCREEN_CHARS[0],
    reach: int = 6,
) -> tuple[Message, ...]:
    """Each message with the views to show as pictures, and the words of the rest in its text."""
    found = _showings(messages, reach)
    newest = max((at for at, _ in found), default=0)
    pictured = {(s.at, s.view_id) for s in _chosen(list(found.values()), most, can_show)}
    said: dict[str, str] = {}
    result = []
    for at, message in enumerate(messages):
        lines = []
        for view in message.views:
            if found[at, view.id].at == at:
                said.pop(view.id, None)
            # Of screens, a model that loses sight at once is told the newest alone: else a page
            # would be in its context once for each question.
            tells = view.stream != SCREEN or reach > 0 or at == newest
            known = _words(view, screen_chars, language)
            if tells and known and said.get(view.id) != known:
                said[view.id] = known
                lines.append(known)
        shown = tuple(View(v.id) for v in message.views if (at, v.id) in pictured)
        content = "\n".join(filter(None, (*lines, message.content))) if lines else message.content
        result.append(Message(message.role, content, shown))
    return tuple(result)


def _showings(messages: Sequence[Message], reach: int) -> dict[tuple[int, str], _Showing]:
    """The stretch of each message and view, in the order in which they begin."""
    found: dict[tuple[int, str], _Showing] = {}
    open_: dict[str, _Showing] = {}
    for at, message in enumerate(messages):
        if not message.views:
            continue
        before, open_ = open_, {}
        for place, view in enumerate(message.views):
            showing = before.get(view.id)
            if showing is None or at - showing.at > reach:
                showing = _Showing(view.id, at, at, place)
            showing.newest, showing.place = at, place
            found[at, view.id] = open_[view.id] = showing
    return found


def _chosen(
    showings: Sequence[_Showing], most: int, can_show: Callable[[str], bool]
) -> list[_Showing]:
    """The newest, of each view one; in one message the last is the most important."""
    chosen: dict[str, _Showing] = {}
    for showing in sorted(showings, key=lambda s: (s.newest, s.place, s.at), reverse=True):
        if len(chosen) < most and showing.view_id not in chosen and can_show(showing.view_id):
            chosen[showing.view_id] = showing
    return list(chosen.values())


def _words(view: View, screen_chars: int, language: str) -> str:
    """What is known of the view in words, a line each; empty = nothing."""
    language = language.partition("-")[0]
    words = WORDS.get(view.stream, WORDS[CAMERA])
    seen = _line(view.text, screen_chars if view.stream == SCREEN else TEXT_CHARS)
    written, lines = _line(view.written, TEXT_CHARS), []
    if seen:
        lines.append(words.get(language, words["en"]).format(text=seen))
    if written:
        form = WRITTEN.get(language, WRITTEN["en"])
        form = WORD if form == WRITTEN["en"] and len(written.split()) == 1 else form
        brackets = "（{}）" if language == "zh" else "({})"
        lines.append(brackets.format(form.format(text=written)))
    return "\n".join(lines)


def _line(text: str, most_chars: int) -> str:
    parts = (" ".join(part.split()) for part in text.splitlines())
    line = " / ".join(filter(None, parts))
    if len(line) > most_chars:
        cut = line[: most_chars - 1]
        line = (cut.rpartition(" ")[0] or cut) + "…"
    return line
