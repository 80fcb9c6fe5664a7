"""Virtual time, and a transport with scripted replies: no test waits, and none needs a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from offer_ads import OfferAds, RetryNotice

KEY = "pk_test_thisIsNoRealKeyButLooksLikeOne12345678"


@dataclass
class FakeClock:
    time: float = 0.0
    chance: float = 0.0

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds

    def random(self) -> float:
        return self.chance


@dataclass(frozen=True)
class Answer:
    """`breaks`: no reply, but this error. `takes`: seconds."""

    status: int = 200
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)
    breaks: Callable[[httpx.Request], Exception] | None = None
    takes: float = 0.0


@dataclass(frozen=True)
class Seen:
    at: float
    method: str
    url: str
    headers: httpx.Headers
    body: bytes


class Script(httpx.BaseTransport):
    """Gives the answers in their order, and the last one again and again."""

    def __init__(self, clock: FakeClock, answers: Sequence[Answer]) -> None:
        self._clock = clock
        self._answers = answers
        self.seen: list[Seen] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._answers[min(len(self.seen), len(self._answers) - 1)]
        at = self._clock.now()
        self.seen.append(Seen(at, request.method, str(request.url), request.headers, request.read()))
        limit = float(request.extensions["timeout"]["read"])
        self._clock.sleep(min(answer.takes, limit))
        if answer.takes >= limit:
            raise httpx.ReadTimeout("slow", request=request)
        if answer.breaks is not None:
            raise answer.breaks(request)
        if isinstance(answer.body, str):
            return httpx.Response(answer.status, text=answer.body, headers=answer.headers)
        return httpx.Response(answer.status, json=answer.body, headers=answer.headers)


@dataclass(frozen=True)
class Scene:
    ads: OfferAds
    clock: FakeClock
    transport: Script
    notices: list[RetryNotice]

    @property
    def seen(self) -> list[Seen]:
        return self.transport.seen


def scene(*answers: Answer, chance: float = 0.0, **options: Any) -> Scene:
    clock = FakeClock(chance=chance)
    transport = Script(clock, answers)
    notices: list[RetryNotice] = []
    given: dict[str, Any] = {
        "api_key": KEY,
        "base_url": "https://ads.example.com",
        "on_retry": notices.append,
    } | options
    return Scene(OfferAds(**given, transport=transport, _clock=clock), clock, transport, notices)


def lost(request: httpx.Request) -> Exception:
    return httpx.ConnectError("connection reset", request=request)


LOST = Answer(breaks=lost)
CATEGORIES = Answer(body={"categories": [{"category_id": 1, "category_name": "Food and drink"}]})
PAUSED = Answer(body={"return_code": "S1", "message": "Offer has been paused"})
DELETED = Answer(body={"return_code": "S1", "message": "Offer has been deleted"})
CLOCK = Answer(body={"now": "2035-06-02T12:00:00.000Z", "offset_seconds": 60, "status": "ready"})
CREATED = Answer(body={"return_code": "S1", "offer_id": 1, "status": "Active", "payment_url": None})


def refused(code: str, status: int, message: str = "refused", **headers: str) -> Answer:
    body = {"return_code": code, "status": "Error", "code": status, "message": message}
    return Answer(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


def page(offers: Sequence[int], next_cursor: str | None) -> Answer:
    pagination = {
        "limit": 2,
        "count": len(offers),
        "has_more": next_cursor is not None,
        "next_cursor": next_cursor,
    }
    return Answer(body={"data": [offer(number) for number in offers], "pagination": pagination})


def offer(number: int) -> dict[str, object]:
    return {
        "offer_id": number,
        "title": "Two for one",
        "category": "Food and drink",
        "description": "The second main course is on the house.",
        "terms_and_conditions": "",
        "advertised_name": None,
        "url": "https://example.com/two-for-one",
        "image": "https://ads.example.com/images/1.png?signature=x",
        "latitude": 51.5074,
        "longitude": -0.1278,
        "radius": 10,
        "gender": [],
        "interests": [],
        "start_datetime": "2035-06-01T12:00:00.000Z",
        "expiry_datetime": "2035-06-03T12:00:00.000Z",
        "creation_datetime": "2035-05-01T12:00:00.000Z",
        "offer_status": "Active",
        "status": "enabled",
    }
