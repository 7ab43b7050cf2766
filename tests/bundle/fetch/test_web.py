"""Downloads: resumed by range, bounded, encrypted, and patient only while something comes."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from visavis.bundle.fetch import Progress
from visavis.bundle.fetch.web import download
from visavis.flow.errors import PullError

from .conftest import DATA, MakeJob

URL = "https://example.org/model.bin"


class Server:
    """Serves `data`; each of `breaks` ends one answer after so many bytes."""

    def __init__(self, data: bytes = DATA, *, breaks: tuple[int, ...] = (), ranges: bool = True):
        self.data, self.breaks, self.ranges = data, list(breaks), ranges
        self.asked: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.headers.get("Range", ""))
        begin = int(self.asked[-1].removeprefix("bytes=").rstrip("-") or 0) if self.ranges else 0
        if begin >= len(self.data):
            return httpx.Response(416)
        headers = {"Content-Range": f"bytes {begin}-{len(self.data) - 1}/{len(self.data)}"}
        return httpx.Response(206 if begin else 200, headers=headers, stream=self._body(begin))

    def _body(self, begin: int) -> httpx.SyncByteStream:
        end = begin + self.breaks.pop(0) if self.breaks else None
        return _Body(self.data[begin:end], broken=end is not None)


class _Body(httpx.SyncByteStream):
    def __init__(self, data: bytes, *, broken: bool) -> None:
        self._data, self._broken = data, broken

    def __iter__(self) -> Iterator[bytes]:
        for at in range(0, len(self._data), 1 << 18):
            yield self._data[at : at + (1 << 18)]
        if self._broken:
            raise httpx.ReadError("connection lost")


def test_a_file_comes_whole_with_progress(make_job: MakeJob, told: list[Progress]) -> None:
    job = make_job(URL)
    download(URL, job, transport=httpx.MockTransport(Server()))
    assert job.part.read_bytes() == DATA
    done = [each.done_bytes for each in told]
    assert done == sorted(done)
    assert done[-1] == told[-1].total_bytes == len(DATA)


def test_a_lost_connection_is_resumed_where_it_broke(make_job: MakeJob) -> None:
    job, server = make_job(URL), Server(breaks=(262_144, 262_144))
    download(URL, job, transport=httpx.MockTransport(server))
    assert job.part.read_bytes() == DATA
    assert server.asked == ["", "bytes=262144-", "bytes=524288-"]


def test_a_part_of_an_earlier_run_is_used(make_job: MakeJob) -> None:
    job, server = make_job(URL), Server()
    job.part.write_bytes(DATA[:1000])
    download(URL, job, transport=httpx.MockTransport(server))
    assert job.part.read_bytes() == DATA
    assert server.asked == ["bytes=1000-"]


def test_a_whole_part_asks_for_nothing(make_job: MakeJob) -> None:
    job, server = make_job(URL), Server()
    job.part.write_bytes(DATA)
    download(URL, job, transport=httpx.MockTransport(server))
    assert server.asked == []


def test_a_server_without_ranges_starts_over(make_job: MakeJob) -> None:
    job = make_job(URL)
    job.part.write_bytes(b"?" * 1000)
    download(URL, job, transport=httpx.MockTransport(Server(ranges=False)))
    assert job.part.read_bytes() == DATA


def test_a_part_longer_than_the_servers_file_is_dropped(make_job: MakeJob) -> None:
    job, server = make_job(URL), Server(DATA[:500])
    job.part.write_bytes(DATA[:1000])
    download(URL, job, transport=httpx.MockTransport(server))
    assert job.part.read_bytes() == DATA[:500]


def test_another_range_than_asked_for_is_not_appended(make_job: MakeJob) -> None:
    job, answers = make_job(URL), []

    def odd(request: httpx.Request) -> httpx.Response:
        answers.append(request.headers.get("Range", ""))
        if answers[-1]:
            return httpx.Response(206, headers={"Content-Range": "bytes 0-9/10"}, content=b"x" * 10)
        return httpx.Response(200, content=DATA)

    job.part.write_bytes(DATA[:1000])
    download(URL, job, transport=httpx.MockTransport(odd))
    assert job.part.read_bytes() == DATA
    assert answers == ["bytes=1000-", ""]


def test_a_body_without_end_is_cut_off(make_job: MakeJob) -> None:
    job = make_job(URL, size_bytes=1000)
    download(URL, job, transport=httpx.MockTransport(Server()))
    assert job.part.stat().st_size == 1001


def test_it_gives_up_when_nothing_more_comes(make_job: MakeJob) -> None:
    job, server = make_job(URL), Server(breaks=(0, 0, 0, 0, 0))
    with pytest.raises(PullError, match="connection lost"):
        download(URL, job, transport=httpx.MockTransport(server))
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("code", "words"),
    [(404, "is not there"), (403, "asks for a login"), (401, "a login"), (500, "answers HTTP 500")],
)
def test_a_refusal_is_told(make_job: MakeJob, code: int, words: str) -> None:
    job = make_job(URL)
    with pytest.raises(PullError, match=words):
        download(URL, job, transport=httpx.MockTransport(lambda _: httpx.Response(code)))
    assert not job.part.exists()


@pytest.mark.parametrize("place", ["http://example.org/plain", "file:///etc/passwd"])
def test_a_redirect_to_an_unencrypted_place_is_refused(make_job: MakeJob, place: str) -> None:
    job = make_job(URL)
    moved = httpx.Response(302, headers={"Location": place})
    with pytest.raises(PullError, match=r"unencrypted|protocol"):
        download(URL, job, transport=httpx.MockTransport(lambda _: moved))


def test_redirects_end(make_job: MakeJob) -> None:
    moved = httpx.Response(302, headers={"Location": URL})
    with pytest.raises(PullError, match="redirects"):
        download(URL, make_job(URL), transport=httpx.MockTransport(lambda _: moved))
