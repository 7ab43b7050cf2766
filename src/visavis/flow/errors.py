"""Errors the world can cause. Our own bugs are `assert`s.

    VisavisError            exit 1   something failed while running
    ├── InputError          exit 2   what the user gave cannot be used: a file, a key, a value
    │   └── BundleError     exit 2   a model package is missing, damaged, or not what it says
    ├── PullError          exit 1   a model package cannot be fetched or stored: network, disk
    ├── BackendMissing      exit 1   an optional library is not installed; names the extra
    └── EngineError         exit 1   a model engine failed or died; it is restarted
        └── ContextFull     exit 1   the prompt does not fit the context window

Each message is one line: what is wrong with which thing, and the remedy.
"""

from __future__ import annotations


class VisavisError(Exception):
    """Root of every error that visavis raises on purpose."""

    exit_code = 1


class InputError(VisavisError):
    """Bad usage or bad input. `subject` is the file, key or value; `remedy` says what to do."""

    exit_code = 2

    def __init__(self, subject: object, problem: str, remedy: str = "") -> None:
        super().__init__(f"{subject}: {problem}" + (f"; {remedy}" if remedy else ""))
        self.subject, self.problem, self.remedy = str(subject), problem, remedy


class BundleError(InputError):
    """A bundle is missing, damaged, or not what its manifest says."""


class PullError(VisavisError):
    """A bundle cannot be fetched or stored, for a reason that lies outside of it."""

    def __init__(self, subject: object, problem: str, remedy: str = "") -> None:
        super().__init__(f"{subject}: {problem}" + (f"; {remedy}" if remedy else ""))
        self.subject, self.problem, self.remedy = str(subject), problem, remedy


class BackendMissing(VisavisError):
    """A backend needs a library that is not installed."""

    def __init__(self, backend: str, library: str, extra: str) -> None:
        remedy = f"pip install 'visavis[{extra}]'"
        super().__init__(f"{backend}: needs the library {library!r}; {remedy}")
        self.backend, self.library, self.extra = backend, library, extra


class EngineError(VisavisError):
    """The engine failed. The session lives on; `think` restarts the engine."""


class ContextFull(EngineError):
    """The prompt has more tokens than the context window holds."""

    def __init__(self, prompt_tokens: int, context_tokens: int) -> None:
        super().__init__(
            f"prompt of {prompt_tokens} tokens exceeds the context of {context_tokens}"
        )
        self.prompt_tokens, self.context_tokens = prompt_tokens, context_tokens
