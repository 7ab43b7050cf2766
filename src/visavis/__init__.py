"""visavis: an on-device, streaming, full-duplex, multimodal conversation runtime.

    from visavis import Conversation, load_config, load_parts

    parts = load_parts(load_config())
    conversation = Conversation(parts, pace="fast")
    conversation.run(AudioFile("question.wav").events())

The names below are the whole facade; the rest may change without notice. They are imported when
first used, so that `import visavis` is cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from visavis.config import Config as Config
    from visavis.config import load as load_config
    from visavis.conversation import Conversation as Conversation
    from visavis.engines import load_parts as load_parts
    from visavis.flow.errors import VisavisError as VisavisError
    from visavis.govern.meter import Meter as Meter
    from visavis.govern.record import Recorder as Recorder
    from visavis.source.file import AudioFile as AudioFile
    from visavis.source.video import VideoFile as VideoFile
    from visavis.speak.sink import FileSink as FileSink
    from visavis.speak.sink import NullSink as NullSink
    from visavis.think.tools import Tool as Tool

_HOMES = {
    "AudioFile": "visavis.source.file",
    "Config": "visavis.config",
    "Conversation": "visavis.conversation",
    "FileSink": "visavis.speak.sink",
    "Meter": "visavis.govern.meter",
    "NullSink": "visavis.speak.sink",
    "Recorder": "visavis.govern.record",
    "Tool": "visavis.think.tools",
    "VideoFile": "visavis.source.video",
    "VisavisError": "visavis.flow.errors",
    "load_config": "visavis.config:load",
    "load_parts": "visavis.engines",
}
__all__ = [
    "AudioFile",
    "Config",
    "Conversation",
    "FileSink",
    "Meter",
    "NullSink",
    "Recorder",
    "Tool",
    "VideoFile",
    "VisavisError",
    "load_config",
    "load_parts",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'visavis' has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    return getattr(importlib.import_module(module), attribute or name)
