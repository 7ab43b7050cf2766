"""Messages with the pictures before them: as sessions hold them, and as protocols show them.

Takes messages and media. Gives the form of OpenAI's chat completions, which llama.cpp understands
too, with each picture as a data URL. Invariant: an album never holds more than its bytes.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from visavis.backends.contract import LlmCapabilities, Media
from visavis.backends.settings import Settings
from visavis.flow.errors import EngineError
from visavis.flow.events import Message

ALBUM_BYTES = 8 << 20
MOST_TOKENS, MOST_PICTURES, MOST_REACH, MOST_SIDE = 1 << 20, 1_000, 1_000, 16_384
PNG = b"\x89PNG\r\n\x1a\n"
JPEG = b"\xff\xd8\xff"


@dataclass(frozen=True, slots=True)
class Turn:
    """A message, and the pictures that stand before its text."""

    message: Message
    media: tuple[Media, ...] = ()

    def as_chat(self) -> dict[str, Any]:
        """The turn in OpenAI's form; without a picture the content is plain text."""
        if not self.media:
            return {"role": self.message.role, "content": self.message.content}
        parts: list[dict[str, Any]] = [
            {"type": "image_url", "image_url": {"url": _data_url(each.data)}} for each in self.media
        ]
        parts.append({"type": "text", "text": self.message.content})
        return {"role": self.message.role, "content": parts}


def turn(message: Message, media: Sequence[Media], capabilities: LlmCapabilities) -> Turn:
    """The turn, if the engine can take it. Raises `EngineError` if it cannot see."""
    if media and not capabilities.picture_tokens:
        raise EngineError("this engine cannot see: it was given a picture")
    return Turn(message, tuple(media))


def sight(
    capabilities: LlmCapabilities, settings: Settings, *, picture_tokens: int = 0
) -> LlmCapabilities:
    """The capabilities with what the settings say of seeing.

    `picture_tokens` (0 = it cannot see; the argument is its default), `most_pictures`,
    `picture_reach`, `picture_side`.
    """
    can = capabilities
    return replace(
        can,
        picture_tokens=settings.whole("picture_tokens", picture_tokens, 0, MOST_TOKENS),
        most_pictures=settings.whole("most_pictures", can.most_pictures, 1, MOST_PICTURES),
        picture_reach=settings.whole("picture_reach", can.picture_reach, 0, MOST_REACH),
        picture_side=settings.whole("picture_side", can.picture_side, 1, MOST_SIDE),
    )


class Album:
    """The pictures last used, by id, up to `most_bytes` of them.

    Two albums to which the same turns are added in the same order hold the same pictures.
    """

    def __init__(self, most_bytes: int = ALBUM_BYTES) -> None:
        self._most_bytes, self._bytes = most_bytes, 0
        self._held: dict[str, Media] = {}

    def __contains__(self, picture: str) -> bool:
        return picture in self._held

    def __getitem__(self, picture: str) -> Media:
        return self._held[picture]

    def add(self, pictures: Sequence[Media]) -> None:
        """Uses these pictures; those unused for longest leave."""
        for each in pictures:
            if (before := self._held.pop(each.id, None)) is not None:
                self._bytes -= len(before.data)
            self._held[each.id] = each
            self._bytes += len(each.data)
        while self._bytes > self._most_bytes:
            self._bytes -= len(self._held.pop(next(iter(self._held))).data)


def _data_url(data: bytes) -> str:
    kind = "png" if data.startswith(PNG) else "jpeg"
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
