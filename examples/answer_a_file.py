"""Answers a spoken question: a recording in, a WAV out.

    python examples/answer_a_file.py question.wav answer.wav

The answer lies where it was said on the time axis of the recording. Needs the models of the tier
(visavis pull --tier tiny). To do the same from the command line: visavis talk.
"""

import sys
from pathlib import Path

from visavis import AudioFile, Conversation, FileSink, load_config, load_parts


def main(question: str, answer: str) -> None:
    """Runs as fast as the models compute."""
    # Four seconds of silence after it: as long as we might wait for the user to go on.
    source = AudioFile(question, tail_silence_s=4)
    parts = load_parts(load_config())
    parts.sink = FileSink(Path(answer), parts.output_rate_hz)
    conversation = Conversation(parts, pace="fast")
    try:
        conversation.run(source.events())
    finally:
        conversation.close()  # completes the file


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python examples/answer_a_file.py question.wav answer.wav")
    main(*sys.argv[1:])
