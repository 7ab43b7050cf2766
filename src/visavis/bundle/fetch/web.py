"""`https:` sources, and the download that `hf:` shares: streamed, bounded, resumed by range.

What is in the part file already is asked for no more. A server that ignores the range, or whose
file has changed, makes it start over; the hash settles what was right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import httpx

from visavis.bundle.address import WebAddress
from visavis.bundle.fetch import Job
from visavis.flow.errors import PullError

_TRIES = 4
_CHUNK_BYTES = 1 << 18
_TIMEOUT = httpx.Timeout(60.0, connect=15.0)
_ADVICE = {
    401: "it asks for a login",
    403: "it asks for a login, or for its licence to be accepted on the web site",
    404: "it is not there",
    407: "the proxy asks for a login",
}


def fetch(job: Job) -> None:
    (address,) = job.source.parts
    assert isinstance(address, WebAddress)
    download(address.url, job)


def download(
    url: str,
    job: Job,
    headers: Mapping[str, str] | None = None,
    transport: httpx.BaseTransport | None = None,
) -> None:
    """Fetches `url` into the part file, trying again as long as each try brings something.

    Raises `PullError` when the server cannot be reached or refuses.
    """
    with _client(url, headers or {}, transport) as client:
        for left in reversed(range(_TRIES)):
            had = _size(job.part)
            try:
                return _once(client, url, job)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                if left == 0 or _size(job.part) == had:
                    raise PullError(url, _reason(error)) from None


def _client(
    url: str, headers: Mapping[str, str], transport: httpx.BaseTransport | None
) -> httpx.Client:
    """A client that stays encrypted if it began so; a mirror that the user named need not."""
    encrypted_only = [] if url.startswith("http://") else [_refuse_plain]
    try:
        return httpx.Client(
            headers={**headers, "Accept-Encoding": "identity"},
            follow_redirects=True,
            max_redirects=5,
            timeout=_TIMEOUT,
            transport=transport,
            event_hooks={"request": encrypted_only},
        )
    except (ImportError, ValueError, OSError) as error:
        raise PullError(url, _reason(error), "check the proxy and certificate settings") from None


def _once(client: httpx.Client, url: str, job: Job) -> None:
    begin = _size(job.part)
    if begin > job.source.most_bytes:
        job.part.unlink()
        begin = 0
    if begin == job.source.size_bytes and job.source.is_exact:
        return
    ask = {"Range": f"bytes={begin}-"} if begin else {}
    with client.stream("GET", url, headers=ask) as response:
        if response.status_code == 416:
            job.part.unlink()
            raise httpx.ReadError("the server has fewer bytes than we hold")
        if response.status_code not in (200, 206):
            code = response.status_code
            raise PullError(url, f"answers HTTP {code}" + _because(code))
        if response.status_code == 206 and not _continues(response, begin):
            job.part.unlink(missing_ok=True)
            raise httpx.ReadError("the server answered with another range than asked for")
        _save(response, job, begin if response.status_code == 206 else 0)


def _save(response: httpx.Response, job: Job, begin: int) -> None:
    """Writes the body behind the first `begin` bytes, up to one byte more than there should be."""
    size, most, done = job.source.size_bytes, job.source.most_bytes, begin
    with job.part.open("ab" if begin else "wb") as out:
        for chunk in response.iter_bytes(_CHUNK_BYTES):
            out.write(chunk[: most + 1 - done])
            done = out.tell()
            job.tell("downloading", min(done, size), size)
            if done > most:
                return


def _continues(response: httpx.Response, begin: int) -> bool:
    """The body is what follows the first `begin` bytes."""
    match = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    return match is not None and int(match[1]) == begin


def _refuse_plain(request: httpx.Request) -> None:
    if request.url.scheme != "https":
        raise httpx.UnsupportedProtocol("it redirects to an unencrypted address")


def _because(code: int) -> str:
    return f" ({_ADVICE[code]})" if code in _ADVICE else ""


def _reason(error: Exception) -> str:
    """What went wrong, in one line: the name of the error when it has no words of its own."""
    words = " ".join(str(error).split())
    return f"cannot be fetched ({words or type(error).__name__})"


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
