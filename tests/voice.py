"""What a voice says, as one piece."""

from __future__ import annotations

from visavis.backends.contract import Speech, Tts


def said(tts: Tts, text: str, language: str = "") -> Speech:
    """The whole speech, however many pieces it comes in."""
    return Speech.joined(tts.synthesise(text, language))
