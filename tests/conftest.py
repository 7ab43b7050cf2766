"""What every test gets: models from the store by name, and no network."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import visavis
from visavis import config
from visavis.backends.contract import Options
from visavis.bundle.store import Store
from visavis.flow.errors import BundleError

MODELS = config.load().models
REQUIRED = any(os.environ.get(name) for name in ("VISAVIS_REQUIRE_MODELS", "CI"))


@pytest.fixture(scope="session")
def model_options() -> Callable[[str], Options]:
    """`model_options(bundle)` gives the options of a bundle of the store.

    Without it the test is skipped; where models are required (CI), it fails.
    """

    def find(bundle: str) -> Options:
        try:
            return Store(MODELS).find(bundle).options
        except BundleError as error:
            stop: Callable[[str], Any] = pytest.fail if REQUIRED else pytest.skip
            stop(f"run visavis pull --tier tiny ({error})")
            raise AssertionError from error

    return find


@pytest.fixture(scope="session")
def eye() -> Path:
    """The vision tower that the package ships; without it the test is skipped."""
    path = Path(visavis.__file__).parent / "eye" / "eye.gguf"
    if not path.is_file():
        pytest.skip("this source tree holds no eye")
    return path


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test reaches this machine only; a hub's library is told so too."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(socket.socket, "connect", _guarded(socket.socket.connect))
    monkeypatch.setattr(socket.socket, "connect_ex", _guarded(socket.socket.connect_ex))


def _guarded(connect: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(self: socket.socket, address: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(address[0]):
            raise AssertionError(f"a test tried to reach {address[0]}")
        return connect(self, address)

    return guarded


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
