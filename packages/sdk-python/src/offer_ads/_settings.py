"""Options of a client, and their validation."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Literal, Protocol

import httpx

from ._error import OfferAdsError, invalid_argument
from ._retry import Limits
from ._version import VERSION

Mode = Literal["TEST", "LIVE"]


@dataclass(frozen=True)
class RetryNotice:
    operation: str
    """For example `createOffer`."""
    attempt: int
    """Number of the failed attempt, from 1."""
    wait: float
    """Seconds."""
    status: int | None
    """HTTP status of the reply; None if there was no reply."""


class Clock(Protocol):
    def now(self) -> float:
        """Seconds, from any beginning."""
        ...

    def sleep(self, seconds: float) -> None: ...

    def random(self) -> float: ...


class RealClock:
    now = staticmethod(time.monotonic)
    sleep = staticmethod(time.sleep)
    random = staticmethod(random.random)


@dataclass(frozen=True)
class Settings:
    http: httpx.Client
    """It alone knows the key."""
    mode: Mode | None
    limits: Limits
    on_retry: Callable[[RetryNotice], None]
    clock: Clock


class _Key(httpx.Auth):
    """Adds the key to each request. It is an attribute of nothing that is printed."""

    def __init__(self, key: str) -> None:
        def add(request: httpx.Request) -> None:
            request.headers["x-api-key"] = key

        self._add = add

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        self._add(request)
        yield request


def http_client(
    api_key: str, base_url: str, *, allow_http: bool, transport: httpx.BaseTransport | None
) -> httpx.Client:
    address = checked_base_url(base_url, allow_http=allow_http)
    return httpx.Client(
        base_url=address,
        auth=_Key(checked_key(api_key)),
        headers={"accept": "application/json", "user-agent": f"offer-ads-python/{VERSION}"},
        # Redirects are not followed: they would send the key to another host.
        follow_redirects=False,
        # Over plain http a proxy of the environment could read the key.
        trust_env=address.scheme == "https",
        transport=transport,
    )


_LONGEST = 2_000_000.0
_MAX_RETRIES = 100


def checked_limits(limits: Limits) -> Limits:
    for name, value in (("timeout", limits.timeout), ("deadline", limits.deadline)):
        if not 0 < value <= _LONGEST:
            raise invalid_argument(f"{name} must be more than 0 and at most {_LONGEST:.0f} seconds")
    if not isinstance(limits.max_retries, int) or not 0 <= limits.max_retries <= _MAX_RETRIES:
        raise invalid_argument(f"max_retries must be a whole number from 0 to {_MAX_RETRIES}")
    return limits


def checked_key(key: str) -> str:
    if not key:
        raise invalid_argument("api_key is missing")
    if not re.fullmatch(r"[!-~]+", key):
        raise invalid_argument("api_key contains white space or other characters that no key has")
    if key.startswith("pk_place_"):
        raise invalid_argument("api_key is a placement key, which opens nothing but placements")
    return key


def mode_of(key: str) -> Mode | None:
    """None for a key from before modes were recorded: the service refuses it."""
    if key.startswith("pk_test_"):
        return "TEST"
    return "LIVE" if key.startswith("pk_live_") else None


_LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|::1")


def checked_base_url(base_url: str, *, allow_http: bool) -> httpx.URL:
    if not base_url:
        raise invalid_argument(
            "base_url is missing: the address of the service, such as https://ads.example.com"
        )
    wrong: OfferAdsError | None = None
    try:
        address = httpx.URL(base_url)
    except httpx.InvalidURL:
        wrong = invalid_argument("base_url must be an address with http:// or https://")
    if wrong is not None:
        raise wrong
    if address.scheme not in ("https", "http") or not address.host:
        raise invalid_argument("base_url must be an address with http:// or https://")
    if address.userinfo or address.query or address.fragment:
        raise invalid_argument("base_url must have neither user information nor a query")
    if address.scheme == "http" and not allow_http and not _LOOPBACK.fullmatch(address.host):
        raise invalid_argument(
            "base_url must be https: over http the key can be read (`allow_http` permits it)"
        )
    return address
