"""`hf:` sources: a file of a Hugging Face repository, at the hub or a mirror that speaks like it.

A token is sent to the hub alone; httpx drops it when the hub redirects to another server.
"""

from __future__ import annotations

from urllib.parse import quote

from visavis.bundle.address import HubAddress
from visavis.bundle.fetch import Job, web


def fetch(job: Job) -> None:
    (address,) = job.source.parts
    assert isinstance(address, HubAddress)
    token = job.access.hub_token
    web.download(
        url_of(address, job.access.hub_url),
        job,
        headers={"Authorization": f"Bearer {token}"} if token else None,
    )


def url_of(address: HubAddress, hub_url: str) -> str:
    """Where the hub at `hub_url` serves the file."""
    path = f"{address.repo}/resolve/{address.revision}/{address.path}"
    return f"{hub_url.rstrip('/')}/{quote(path)}"
