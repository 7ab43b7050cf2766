"""A VITS voice, cut into stages where that can be done: it begins before all of it is made.

Takes the bytes of an ONNX model whose decoder (HiFi-GAN) has its nodes in the scope `/dec/` and its
predictor of durations in `/dp/`, as Piper's exports do. Phonemes become durations, these frames,
both at once; the decoder turns frames into sound, window by window, each with the frames around it
that reach into it. The noise in it is given from outside, where the model would draw it.
Invariants: joined, the windows are what the whole would be (checked on one sentence when the voice
is opened; else it stays whole); the same noise, the same sound.
Source: Kim et al., Conditional Variational Autoencoder with Adversarial Learning (2021).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from visavis.backends.graph import Graph
from visavis.backends.onnx import session_of
from visavis.flow.events import Samples

log = logging.getLogger(__name__)

Feed = Mapping[str, NDArray[Any]]
"""The model's inputs by name."""
Noise = np.random.Generator
DECODER = "/dec/"
PREDICTOR = "/dp/"
OF_A_PHONEME = 2
"""Numbers that the predictor draws for each of them."""
DURATIONS = "/Ceil_output_0"
"""The tensor with the frames of each phoneme, in every voice that Piper's own export made."""
WINDOWS = (24, 60, 128)
"""Frames of 11.6 ms. The first is short, each is made long before the one before it has sounded;
longer ones than the last would be slower (they leave the cache) and longer in the way of a cut."""
SHORTEST = 16
"""A rest of fewer frames goes with the window before it."""
REACH = 10
"""Frames around a window that reach into it: measured, with 10 the sound is the same to 1e-7,
with 8 to 1e-3."""
TOLERANCE = 1e-4


@dataclass(frozen=True, slots=True)
class Utterance:
    """Speech about to be made: its `length` in samples, and those of each phoneme id if known."""

    length: int
    durations: NDArray[np.int64] | None
    _pieces: Callable[[int, int], Iterator[Samples]] = field(repr=False)

    def pieces(self, begin: int = 0, end: int | None = None) -> Iterator[Samples]:
        """Makes the samples from `begin` to `end`, as they are asked for."""
        return self._pieces(begin, self.length if end is None else min(end, self.length))


class Vits(Protocol):
    """A voice."""

    def speak(self, feed: Feed, noise: Noise) -> Utterance:
        """Begins to speak; the work goes on as its `pieces` are asked for."""

    def close(self) -> None: ...


def open_vits(model: bytes, probe: Feed, *, threads: int, hop: int) -> Vits:
    """The voice, in stages if these say `probe` (about a second) as the whole would.

    `hop`: samples of a frame. Raises what onnxruntime raises.
    """
    try:
        staged = Staged(Graph(model), threads=threads, hop=hop)
        if staged.agrees(probe):
            return staged
        log.info("a voice stays whole: its windows are not what the whole is")
    except Exception as error:  # noqa: BLE001 - whatever hinders the stages, the whole may work
        log.info("a voice stays whole: %s", error)
    return Whole(model, threads=threads, hop=hop)


class _Stage:
    """A session of a part of the model; `draws`: noise it takes, and a tensor of its shape."""

    def __init__(self, model: bytes, threads: int, draws: Sequence[tuple[str, str]] = ()) -> None:
        self._session = session_of(model, threads=threads)
        self._takes = [entry.name for entry in self._session.get_inputs()]
        self._gives = [entry.name for entry in self._session.get_outputs()]
        self._draws = draws

    def run(self, tensors: dict[str, NDArray[Any]], noise: Noise) -> None:
        """Adds to `tensors` what follows from them."""
        for name, like in self._draws:
            tensors[name] = noise.standard_normal(tensors[like].shape, np.float32)
        given = self._session.run(None, {name: tensors[name] for name in self._takes})
        tensors.update(zip(self._gives, given, strict=True))

    def close(self) -> None:
        self._session = None


class Staged:
    """A few sessions. Raises `ValueError` when the graph has no decoder of its own."""

    def __init__(self, graph: Graph, *, threads: int, hop: int) -> None:
        self._border = graph.entering(DECODER)
        if not self._border:
            raise ValueError("has no decoder")
        self._hop = hop
        drawn = graph.drawn()
        self._first = [name for name, _ in drawn if name.startswith(PREDICTOR)]
        later = [pair for pair in drawn if pair[0] not in self._first]
        timed = [DURATIONS] * graph.has(DURATIONS)
        self._stages: list[_Stage] = []
        known, takes, draws = list[str](), self._first, list[tuple[str, str]]()
        for noise, like in later:
            gives = _new([*graph.beside(noise), like, *timed], known)
            self._stages.append(_Stage(graph.part(gives, takes), threads, draws))
            known += gives
            takes, draws = [*known, noise], [(noise, like)]
        gives = _new([*self._border, *timed], known)
        self._stages.append(_Stage(graph.part(gives, takes), threads, draws))
        self._decoder = session_of(graph.part(graph.outputs[:1], self._border), threads=threads)

    def speak(self, feed: Feed, noise: Noise) -> Utterance:
        tensors, durations = self._encode(feed, noise)
        lengths = None if durations is None else _samples(durations, self._hop)

        def pieces(begin: int, end: int) -> Iterator[Samples]:
            windows = _windows(begin // self._hop, -(-end // self._hop))
            for (first, last), sound in zip(windows, self._decode(tensors, windows), strict=True):
                start = first * self._hop
                yield sound[max(begin - start, 0) : min(end, last * self._hop) - start]

        return Utterance(_frames(tensors) * self._hop, lengths, pieces)

    def agrees(self, feed: Feed) -> bool:
        """Do the windows give what the decoder gives at once?"""
        tensors, _ = self._encode(feed, np.random.default_rng(0))
        frames = _frames(tensors)
        (whole,) = self._decode(tensors, [(0, frames)])
        parts = np.concatenate([*self._decode(tensors, _windows(0, frames))])
        return len(whole) == len(parts) == frames * self._hop and bool(
            np.allclose(whole, parts, rtol=0, atol=TOLERANCE)
        )

    def close(self) -> None:
        for stage in self._stages:
            stage.close()
        self._decoder = None

    def _encode(self, feed: Feed, noise: Noise) -> tuple[dict[str, Samples], Samples | None]:
        """What the decoder takes; the frames of each phoneme where they are known."""
        tensors = dict(feed)
        ids = feed["input"].shape[-1]
        for name in self._first:
            tensors[name] = noise.standard_normal((1, OF_A_PHONEME, ids), np.float32)
        for stage in self._stages:
            stage.run(tensors, noise)
        return {name: tensors[name] for name in self._border}, tensors.get(DURATIONS)

    def _decode(
        self, tensors: Mapping[str, Samples], windows: Sequence[tuple[int, int]]
    ) -> Iterator[Samples]:
        frames = _frames(tensors)
        for begin, end in windows:
            first, last = max(begin - REACH, 0), min(end + REACH, frames)
            feed = {
                # What has no frames (the speaker) holds for all of them.
                name: tensor[..., first:last] if tensor.shape[-1] == frames else tensor
                for name, tensor in tensors.items()
            }
            sound = self._decoder.run(None, feed)[0].reshape(-1)
            yield sound[(begin - first) * self._hop :][: (end - begin) * self._hop]


class Whole:
    """One session, one piece."""

    def __init__(self, model: bytes, *, threads: int, hop: int) -> None:
        self._session = session_of(_with_durations(model), threads=threads)
        self._hop = hop

    def speak(self, feed: Feed, noise: Noise) -> Utterance:
        """What it draws it draws itself, anew each time."""
        sound, *others = self._session.run(None, feed)
        sound = np.asarray(sound, np.float32).reshape(-1)
        durations = _samples(others[0], self._hop) if others else None
        return Utterance(len(sound), durations, lambda begin, end: iter([sound[begin:end]]))

    def close(self) -> None:
        self._session = None


def _new(names: Sequence[str], known: Sequence[str]) -> list[str]:
    """Those of the names that are not known, each once."""
    return [name for name in dict.fromkeys(names) if name not in known]


def _frames(tensors: Mapping[str, Samples]) -> int:
    return max(int(tensor.shape[-1]) for tensor in tensors.values())


def _windows(begin: int, end: int) -> list[tuple[int, int]]:
    """First and last frame of each window of the frames from `begin` to `end`."""
    windows: list[tuple[int, int]] = []
    while begin < end:
        size = WINDOWS[min(len(windows), len(WINDOWS) - 1)]
        last = begin + size if end - begin - size >= SHORTEST else end
        windows.append((begin, last))
        begin = last
    return windows


def _samples(frames: Samples, hop: int) -> NDArray[np.int64]:
    return (frames.reshape(-1) * hop).astype(np.int64)


def _with_durations(model: bytes) -> bytes:
    """The model with the phoneme durations among its outputs, where it has them inside.

    Protocol buffers merge a field that is given twice, so one more `graph` (field 7) behind the
    model, which holds nothing but an `output` (12) with its `name` (1), adds that output.
    """
    durations = DURATIONS.encode()
    if durations not in model:
        return model
    name = b"\x0a" + bytes([len(durations)]) + durations
    output = b"\x62" + bytes([len(name)]) + name
    return model + b"\x3a" + bytes([len(output)]) + output
