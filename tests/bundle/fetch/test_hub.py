"""The hub: where a file is asked for, and to whom the token goes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from visavis.bundle.address import HubAddress
from visavis.bundle.fetch import Access, hub

from .conftest import DATA, MakeJob

ADDRESS = "hf:owner/name@main/sub dir/model.bin"


class _Mirror(BaseHTTPRequestHandler):
    """A mirror on this machine that notes what it was asked."""

    asked: list[tuple[str, str | None, str | None]]

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers["Authorization"], self.headers["Range"]))
        begin = int((self.headers["Range"] or "bytes=0-")[6:-1])
        self.send_response(206 if begin else 200)
        self.send_header("Content-Range", f"bytes {begin}-{len(DATA) - 1}/{len(DATA)}")
        self.send_header("Content-Length", str(len(DATA) - begin))
        self.end_headers()
        self.wfile.write(DATA[begin:])

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def mirror() -> Iterator[ThreadingHTTPServer]:
    _Mirror.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), _Mirror) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_mirror_serves_and_resumes(make_job: MakeJob, mirror: ThreadingHTTPServer) -> None:
    access = Access(hub_url=f"http://127.0.0.1:{mirror.server_port}/", hub_token="secret")
    job = make_job(ADDRESS, access=access)
    job.part.write_bytes(DATA[:4096])
    hub.fetch(job)
    assert job.part.read_bytes() == DATA
    path = "/owner/name/resolve/main/sub%20dir/model.bin"
    assert _Mirror.asked == [(path, "Bearer secret", "bytes=4096-")]


def test_without_a_token_none_is_sent(make_job: MakeJob, mirror: ThreadingHTTPServer) -> None:
    job = make_job(ADDRESS, access=Access(hub_url=f"http://127.0.0.1:{mirror.server_port}"))
    hub.fetch(job)
    assert _Mirror.asked[0][1:] == (None, None)


def test_the_token_stays_out_of_sight() -> None:
    assert "secret" not in repr(Access(hub_token="secret"))


def test_the_address_at_the_hub() -> None:
    address = HubAddress("owner/name", "v1", "a.gguf")
    assert hub.url_of(address, "https://hub.example") == (
        "https://hub.example/owner/name/resolve/v1/a.gguf"
    )
