"""A simulated room: what the microphone hears while the loudspeaker plays.

Takes what is played (`hear`, a bus tap) and the dry sound of a user; gives the user plus the
played sound after a loudspeaker that clips softly, its way through the device, a device clock
that drifts, and a room that rings, plus noise. Invariant: a chunk holds only sound that was played
at least `delay_ms` before its end, so the room works live as it does in simulated time; and the
chunk depends on what was played and said alone, never on when it was asked for.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from visavis.flow.events import AudioCaptured, Event, Samples, SoundPlayed
from visavis.flow.ring import AudioRing
from visavis.source.script import ScriptedSpeaker

LEAST_DELAY_MS = 20
"""One chunk: while a chunk is made, only sound played before it begins is known for certain."""
HALF_TAPS = 16
"""Half the length of the interpolation filter. Its lookahead, 0.7 ms, is part of the way."""
KEPT_S = 4.0
T60_DB = 60


@dataclass(frozen=True, slots=True)
class Place:
    """A room and the devices in it. Takes nothing from chance but the noise and the ringing.

    `delay_ms`: from the beginning of the output period to the microphone, device buffers
    included; `tail_ms`: the time in which the ringing falls by 60 dB (0 = none); `gain_db`: how
    loud the echo is at the microphone, against the sound as it is played; `nonlinearity`: how hard
    the loudspeaker clips (0 = not at all, 1 = full scale is squeezed by 2.4 dB, 3 by 9.6 dB);
    `drift_ppm`: how much faster than the playback's the microphone's clock is (a slower one uses up
    the delay in time; what would then be heard before it was played is late); `noise_db`: level of
    the room's noise, dB of full scale.
    """

    delay_ms: float = 60
    tail_ms: float = 120
    gain_db: float = -6
    nonlinearity: float = 0
    drift_ppm: float = 0
    noise_db: float = -66
    seed: int = 0


class Room:
    """What sounds at a microphone of `rate_hz`. `hear` may be called from any thread.

    `late` counts played samples that came after the chunk in which they should have been heard.
    """

    def __init__(self, rate_hz: int, played_rate_hz: int, place: Place | None = None) -> None:
        place = place or Place()
        assert place.delay_ms >= LEAST_DELAY_MS
        self.rate_hz, self.place = rate_hz, place
        self.late = 0
        self._random = np.random.default_rng(place.seed)
        self._response = _response(place, rate_hz, self._random)
        self._ringing = np.zeros(len(self._response) - 1, np.float64)
        self._noise = 10 ** (place.noise_db / 20)
        self._played = AudioRing(KEPT_S, played_rate_hz)
        self._lock = threading.Lock()
        self._at = 0

    def hear(self, event: Event) -> None:
        """A tap: takes what is played."""
        if isinstance(event, SoundPlayed) and len(event.samples):
            with self._lock:
                self._put(event.start, _loudspeaker(event.samples, self.place.nonlinearity))

    def mix(self, user: Samples) -> Samples:
        """The next samples at the microphone while `user`, shape (n,), is said. Saturates at ±1."""
        sound = self._ring(self._heard(len(user)))
        sound[: len(self._ringing)] += self._ringing
        self._ringing = sound[len(user) :]
        noise = self._random.standard_normal(len(user)) * self._noise
        self._at += len(user)
        return np.clip(user + sound[: len(user)] + noise, -1, 1).astype(np.float32)

    def _ring(self, played: NDArray[np.float64]) -> NDArray[np.float64]:
        """The room's answer to a stretch of sound, as long as it lasts."""
        length = len(played) + len(self._response) - 1
        if not played.any():
            return np.zeros(length)
        size = 1 << (length - 1).bit_length()
        spectrum = np.fft.rfft(played, size) * np.fft.rfft(self._response, size)
        return np.fft.irfft(spectrum, size)[:length]

    def _put(self, start: int, samples: Samples) -> None:
        """Sound at place `start` of the output axis, after silence since the last."""
        ring = self._played
        if start < ring.end:
            self.late += min(len(samples), ring.end - start)
            samples = samples[ring.end - start :]
        self._silence_until(start)
        ring.write(samples)

    def _silence_until(self, end: int) -> None:
        ring = self._played
        while ring.end < end:
            ring.write(np.zeros(min(end - ring.end, ring.capacity), np.float32))

    def _heard(self, count: int) -> NDArray[np.float64]:
        """The loudspeaker's sound over the next `count` samples, without the room."""
        seconds = np.arange(self._at, self._at + count) / self.rate_hz
        ring = self._played
        drifted = seconds * (1 - self.place.drift_ppm * 1e-6) - self.place.delay_ms / 1e3
        places = drifted * ring.rate_hz - HALF_TAPS
        first, last = int(np.floor(places[0])) - HALF_TAPS + 1, int(np.floor(places[-1]))
        with self._lock:
            self._silence_until(last + HALF_TAPS + 1)
            begin = max(first, ring.begin)
            known = ring.copy(begin, max(begin, last + HALF_TAPS + 1))
        window = np.concatenate([np.zeros(begin - first, np.float32), known])
        return _interpolate(window, places - first, min(1.0, self.rate_hz / ring.rate_hz))


class RoomSource:
    """A scripted speaker in a room: yields what the microphone hears, 20 ms at a time.

    Mono float32 at the speaker's own rate. Give `room.hear` to the bus as a tap.
    """

    def __init__(self, speaker: ScriptedSpeaker, room: Room) -> None:
        assert room.rate_hz == speaker.rate_hz
        self.speaker, self.room = speaker, room

    def events(self) -> Iterator[Event]:
        """Chunks in order of time; each is made when it is asked for."""
        for event in self.speaker.events():
            if isinstance(event, AudioCaptured):
                user = np.frombuffer(event.data, "<f4")
                yield replace(event, data=self.room.mix(user).astype("<f4").tobytes())
            else:
                yield event


def _loudspeaker(samples: Samples, nonlinearity: float) -> Samples:
    """Clips softly and not quite evenly: soft sound passes as it is."""
    if nonlinearity <= 0:
        return samples
    drive = np.float32(nonlinearity)
    bias = np.float32(0.1)
    bent = np.tanh(drive * samples + bias) - np.tanh(bias)
    clipped: Samples = (bent / (drive * (1 - np.tanh(bias) ** 2))).astype(np.float32)
    return clipped


def _response(place: Place, rate_hz: int, random: np.random.Generator) -> NDArray[np.float64]:
    """The room's impulse response, of energy `gain_db`: the direct sound, then as much ringing."""
    count = max(1, round(place.tail_ms * rate_hz / 1e3))
    decay = 10 ** (-T60_DB / 20 * np.arange(count) / count)
    ringing = random.standard_normal(count) * decay
    ringing[0] = 0
    energy = np.sqrt(np.sum(ringing**2))
    response: NDArray[np.float64] = ringing / energy if energy else ringing
    response[0] = 1
    gain = 10 ** (place.gain_db / 20) / float(np.sqrt(np.sum(response**2)))
    return response * gain


def _interpolate(window: Samples, places: NDArray[np.float64], cut: float) -> NDArray[np.float64]:
    """`window` at fractional `places`, by a windowed sinc that passes up to `cut` of its band."""
    whole = np.floor(places).astype(np.int64)
    offsets = np.arange(1 - HALF_TAPS, HALF_TAPS + 1)
    away = offsets[None, :] - (places - whole)[:, None]
    taper = np.cos(np.pi * away / (2 * HALF_TAPS + 2)) ** 2
    found: NDArray[np.float64] = np.sum(
        window[whole[:, None] + offsets] * cut * np.sinc(cut * away) * taper, axis=1
    )
    return found
