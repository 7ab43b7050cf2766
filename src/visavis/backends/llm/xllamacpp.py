"""llama.cpp, in a child process, through the library `xllamacpp`.

Takes a GGUF file (role `model`) and renders messages with that file's own chat template. Prefill
is a request for no tokens: llama.cpp keeps what it evaluated, and the next prompt that begins
alike is evaluated from where it differs. Settings: `context_tokens`, `threads`, `decode_threads`,
`batch_tokens` (the grain of a cancel in prefill), `kv` (f16 or q8_0). Knows no conversation, only
lists of messages.

With a second file (role `mmproj`: a vision tower for that very model) it sees. More settings:
`picture_tokens`, `most_pictures`, `picture_side`; `image_min_tokens` and `image_max_tokens` (for
towers that take pictures of any size; an encoder's time grows with them), `preproc_image_size`
(pixels to which a tower that cuts pictures into tiles brings them first), `swa_full` (keep what a
sliding window would drop, so that a session can be rewound). A picture is encoded in one go: a
cancel lands behind it.

The library's server insists on a door for HTTP. It is a socket in a private folder that is removed
before the first request, so nobody can knock.
"""

from __future__ import annotations

import importlib.util
import os
import queue
import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import Any

from visavis.backends.contract import Llm, LlmCapabilities, Media, Options, Sampling, Usage
from visavis.backends.llm.eye import open_eye
from visavis.backends.llm.pictures import Turn, sight, turn
from visavis.backends.llm.process import ProcessLlm
from visavis.backends.settings import MOST_CONTEXT_TOKENS, MOST_THREADS, Settings
from visavis.flow.errors import BackendMissing, BundleError, ContextFull, EngineError
from visavis.flow.events import Message

Chunk = Mapping[str, Any]
CONTEXT_TOKENS = 2048
PICTURE_TOKENS = 64
"""Taken for what a picture costs where the settings do not say. What it costs is learned soon."""

BATCH_TOKENS, LEAST_BATCH = 4, 8
"""A thread's share of a batch, which is the grain of a cancel in prefill, and the least of one.
With 135M weights on 2 threads of a machine with other work: 8 tokens, 165 tokens/s, a cancel 51 ms
p95; 12 tokens, 187 and 85; 16 tokens, 169 and 106; idle, 16 tokens reach 236 and 32 reach 279."""

MOST_BATCH = 65_536
SMALL_BYTES = 256 << 20
"""Below this size a token is decoded by one thread: with so little to do for each, they spend more
time waiting for one another (20 ms a token on two, 11 on one, for 135M weights)."""

SPINS = 300
"""A thread that has done its share looks so often whether the others have, before it sleeps. With
none, a first token after 12 new ones took 93 ms on two idle cores and 118 beside another program;
with 300, 69 and 130; with 1,000, 69 and 150."""

FINISH = {"stop": "end", "length": "length"}


def load(options: Options) -> Llm:
    """The engine in a child process. Raises `BackendMissing`, `BundleError`, `EngineError`."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise BackendMissing("llm/xllamacpp", "xllamacpp", "local")
    _check("model", options.files.get("model"))
    if "mmproj" in options.files:
        _check("mmproj", options.files["mmproj"])
    return ProcessLlm(f"{__name__}:Llama", options)


def _check(role: str, path: Path | None) -> None:
    # Only the magic: llama.cpp aborts over what is no GGUF. The store has looked deeper.
    try:
        magic = path.open("rb").read(4) if path else b""
    except OSError as error:
        raise BundleError(path, f"cannot be read ({error.strerror})", "pull its bundle") from None
    if magic != b"GGUF":
        raise BundleError(path or role, "is not a GGUF file", "pull its bundle again")


PLAIN_SPOKEN = {
    "dry_multiplier": 0.8,
    "dry_allowed_length": 7,
    "dry_penalty_last_n": 512,
    "dry_sequence_breakers": ["\n"],
}
"""A small model picks up a phrase of its own and ends every later answer with it. To repeat eight
tokens of the last 512 in the same order becomes unlikely; to take up the question's words is not
hindered by that. Each breaker is looked for in the whole vocabulary before each answer: the four
that llama.cpp has by default took 20 ms."""


class Llama:
    """The engine itself. One session's messages are evaluated at a time; the newest stay."""

    def __init__(self, options: Options) -> None:
        settings = Settings("llm/xllamacpp", options.settings)
        context_tokens = settings.whole("context_tokens", CONTEXT_TOKENS, 1, MOST_CONTEXT_TOKENS)
        self.capabilities = LlmCapabilities(context_tokens=context_tokens)
        if "mmproj" in options.files:
            self.capabilities = sight(self.capabilities, settings, picture_tokens=PICTURE_TOKENS)
        self._server = _serve(options.files, context_tokens, settings)
        self._totals = {"prompt_tokens": 0.0, "cached_tokens": 0.0, "made_tokens": 0.0}
        self._totals |= {"prefill_s": 0.0, "decode_s": 0.0}

    def open(self, messages: Sequence[Message] = ()) -> LlamaSession:
        return LlamaSession(self, messages)

    def stats(self) -> Mapping[str, float]:
        return {**self._totals, "resident_bytes": _resident_bytes()}

    def close(self) -> None:
        self._server = None

    def ask(self, request: dict[str, Any], on_chunk: Callable[[Chunk], bool]) -> None:
        """Runs a chat completion; `on_chunk` gives True to stop it. Raises its error."""
        if self._server is None:
            raise EngineError("the engine is closed")
        failures: list[Mapping[str, Any]] = []

        def on_answer(chunk: Chunk) -> bool:
            if "error" in chunk:
                failures.append(chunk["error"])
                return True
            return on_chunk(chunk)

        try:
            self._server.handle_chat_completions(request, on_answer)
        except RuntimeError as error:
            raise EngineError(str(error)) from None
        if failures:
            raise _error(failures[0])

    def count(self, usage: Usage, timings: Mapping[str, float]) -> None:
        """Adds a call to the totals."""
        self._totals["prompt_tokens"] += usage.prompt_tokens
        self._totals["cached_tokens"] += usage.cached_tokens
        self._totals["made_tokens"] += usage.made_tokens
        self._totals["prefill_s"] += timings.get("prompt_ms", 0) / 1000
        self._totals["decode_s"] += timings.get("predicted_ms", 0) / 1000


class LlamaSession:
    """A session: its messages. What llama.cpp holds of them is its own affair."""

    def __init__(self, engine: Llama, messages: Sequence[Message]) -> None:
        self._engine = engine
        self._turns = [Turn(message) for message in messages]
        self._usage = Usage(complete=False)
        self._running = False
        self._cancelled = threading.Event()
        self._worker = ThreadPoolExecutor(1, "llama")

    def append(self, message: Message, media: Sequence[Media] = ()) -> None:
        self._turns.append(turn(message, media, self._engine.capabilities))

    def rewind(self, count: int) -> None:
        assert 0 <= count <= len(self._turns)
        del self._turns[count:]

    def prefill(self) -> Usage:
        self._begin()
        if self._turns:
            self._run({"max_tokens": 0, "add_generation_prompt": False}, lambda _: None)
        return self._usage

    def generate(self, sampling: Sampling) -> Iterator[str]:
        assert self._turns, "nothing to answer"
        self._begin()
        return self._generate(sampling)

    def usage(self) -> Usage:
        return self._usage

    def cancel(self) -> None:
        if self._running:
            self._cancelled.set()

    def close(self) -> None:
        self.cancel()
        self._worker.shutdown(wait=False)

    def _begin(self) -> None:
        self._usage = Usage(complete=False, finish="cancelled")
        self._cancelled.clear()
        self._running = True

    def _generate(self, sampling: Sampling) -> Iterator[str]:
        # Roomier than the answer is long, so that llama.cpp's thread never waits for the reader.
        pieces: queue.Queue[str | None] = queue.Queue(2 * sampling.max_tokens + 16)
        request: dict[str, Any] = {
            "max_tokens": sampling.max_tokens,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            **PLAIN_SPOKEN,
            "stop": list(sampling.stop),
        }
        if sampling.seed is not None:
            request["seed"] = sampling.seed
        work = self._worker.submit(self._run, request, pieces.put)
        work.add_done_callback(lambda _: pieces.put(None))
        try:
            while (piece := pieces.get()) is not None:
                if not self._cancelled.is_set():
                    yield piece
            work.result()
        finally:
            self._cancelled.set()
            wait([work])  # the next call finds the engine free

    def _run(self, request: dict[str, Any], give: Callable[[str], None]) -> None:
        """Runs the request over the session's turns until it ends or is cancelled."""
        tally = _Tally()

        def on_chunk(chunk: Chunk) -> bool:
            if text := tally.add(chunk):
                give(text)
            return self._cancelled.is_set()

        shown = [each.as_chat() for each in self._turns]
        common = {"stream": True, "return_progress": True, "cache_prompt": True}
        try:
            self._engine.ask({"messages": shown, **common, **request}, on_chunk)
        finally:
            self._running = False
        self._usage = tally.usage
        self._engine.count(tally.usage, tally.timings)


class _Tally:
    """What the chunks of one answer amount to."""

    def __init__(self) -> None:
        self.usage = Usage(complete=False, finish="cancelled")
        self.timings: Mapping[str, float] = {}

    def add(self, chunk: Chunk) -> str:
        """Counts a chunk; gives the text in it."""
        if progress := chunk.get("prompt_progress"):
            total, cached = progress["total"], progress["cache"]
            self.usage = replace(self.usage, prompt_tokens=total, cached_tokens=cached)
        text = ""
        for choice in chunk.get("choices", ()):
            text += choice["delta"].get("content") or ""
            if finish := choice.get("finish_reason"):
                self.usage = replace(self.usage, complete=True, finish=FINISH.get(finish, "end"))
        if text:
            self.usage = replace(self.usage, made_tokens=self.usage.made_tokens + 1)
        if timings := chunk.get("timings"):
            self._settle(timings)
        return text

    def _settle(self, timings: Mapping[str, float]) -> None:
        self.timings = timings
        cached, fresh = int(timings["cache_n"]), int(timings["prompt_n"])
        made = int(timings["predicted_n"]) if self.usage.made_tokens else 0
        self.usage = replace(
            self.usage, prompt_tokens=cached + fresh, cached_tokens=cached, made_tokens=made
        )


def _serve(files: Mapping[str, Path], context_tokens: int, settings: Settings) -> Any:
    """A server whose door is shut."""
    # Before its OpenMP wakes up. Threads that wait by spinning make each rival for a core cost
    # twenty times its time: on 2 busy cores, 2 threads went from 8 to 150 tokens a second.
    os.environ["OMP_WAIT_POLICY"] = "passive"
    os.environ["GOMP_SPINCOUNT"] = str(SPINS)
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model = str(files["model"])
    params.n_ctx = context_tokens
    params.n_parallel = 1
    _share_out(params, settings)
    if settings.text("kv", "f16", ("f16", "q8_0")) == "q8_0":
        params.cache_type_k = params.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_Q8_0
    params.cache_ram_mib = 0  # one conversation: nothing to swap out
    params.fit_params = False
    params.prefill_assistant = False  # a last message of ours is closed, not continued
    params.swa_full = settings.flag("swa_full", False)
    params.enable_reasoning = 0  # thought is not spoken, but waited for
    params.verbosity = -1
    params.endpoint_slots = params.endpoint_props = params.endpoint_metrics = params.ui = False
    params.n_threads_http = 1
    params.api_keys = [secrets.token_urlsafe(32)]
    folder = tempfile.mkdtemp(prefix="visavis-")
    try:
        if os.name != "nt":
            params.hostnames = [f"{folder}/door.sock"]
        if "mmproj" in files:
            open_eye(params, files["mmproj"], settings, Path(folder))
            model = f"{model} with {files['mmproj']}"
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise BundleError(model, f"llama.cpp cannot load it ({error})", "pull it again") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _share_out(params: Any, settings: Settings) -> None:
    """Threads, and the tokens that they take at a time."""
    threads = settings.whole("threads", 0, 0, MOST_THREADS) or _threads()
    decoding = 1 if Path(params.model.path).stat().st_size < SMALL_BYTES else threads
    params.cpuparams_batch.n_threads = threads
    decoding = settings.whole("decode_threads", 0, 0, MOST_THREADS) or decoding
    params.cpuparams.n_threads = decoding
    batch = settings.whole("batch_tokens", 0, 0, MOST_BATCH)
    batch = batch or max(LEAST_BATCH, BATCH_TOKENS * threads)
    params.n_batch = params.n_ubatch = batch


def _threads() -> int:
    """All cores of two, all but one of more: the sound must not wait."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(cores - 1, min(cores, 2)) if cores else 1


def _resident_bytes() -> float:
    try:
        pages = Path("/proc/self/statm").read_text("ascii").split()[1]
    except OSError:
        return 0.0
    return float(int(pages) * os.sysconf("SC_PAGE_SIZE"))


def _error(error: Mapping[str, Any]) -> EngineError:
    if error.get("type") == "exceed_context_size_error":
        return ContextFull(int(error["n_prompt_tokens"]), int(error["n_ctx"]))
    return EngineError(str(error.get("message", error)))
