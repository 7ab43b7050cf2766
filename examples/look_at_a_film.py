"""Asks about a film, or a picture: what was seen, and how near the moment of the question.

    python examples/look_at_a_film.py question.wav scene.mp4

Needs a tier whose model can see; the tiny one can (visavis pull --tier tiny). To do the same from
the command line: visavis talk --audio question.wav --video scene.mp4 --json.
"""

import sys
from typing import Any

from visavis import AudioFile, Conversation, VideoFile, load_config, load_parts


def tell(event: Any) -> None:
    """A tap: called with every event of the conversation, in order."""
    match event.topic:
        case "view.taken" if event.moment_ns >= 0:
            off_ms = (event.view.captured_ns - event.moment_ns) / 1e6
            print(f"looked at view {event.view.id}, {off_ms:+.0f} ms off the moment")
        case "item.kept":
            print(f"{event.role}: {event.text}")


def main(question: str, scene: str) -> None:
    """Runs as fast as the models compute; sound and pictures share one time axis."""
    parts = load_parts(load_config(), sight=True)
    sound = AudioFile(question, tail_silence_s=4)
    film = VideoFile(scene, parts.frames)
    conversation = Conversation(parts, pace="fast", taps=[tell])
    try:
        conversation.run(sound.events(), film.events())
    finally:
        conversation.close()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python examples/look_at_a_film.py question.wav scene.mp4")
    main(*sys.argv[1:])
