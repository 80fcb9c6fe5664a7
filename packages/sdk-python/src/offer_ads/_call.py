"""One call: attempts, waits between them, one deadline over all, and the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, TypeVar

import httpx

from ._error import Kind, OfferAdsError
from ._interpret import Body, Refused, Succeeded, interpret, parse_object, return_code
from ._operations import Operation
from ._result import Refusal, Reply, Success
from ._retry import Attempt, Lost, Replied, may_have_taken_effect, parse_retry_after, wait_before_retry
from ._settings import Clock, RetryNotice, Settings

Value = TypeVar("Value")
Code = TypeVar("Code", bound=str)

_LONGEST_REPLY = 8 * 1024 * 1024
"""Bytes. Several times the largest reply: a page of a hundred offers is below a megabyte."""


@dataclass(frozen=True)
class _Replied:
    status: int
    headers: dict[str, str]
    body: Body | None
    retry_after: float | None

    @property
    def attempt(self) -> Attempt:
        return Replied(self.status, return_code(self.body), self.retry_after)


@dataclass(frozen=True)
class _NoReply:
    kind: Kind
    reason: str

    @property
    def attempt(self) -> Attempt:
        return Lost()


def call(
    settings: Settings,
    operation: Operation[Value, Code],
    request: Callable[[], dict[str, Any]],
    *,
    idempotency_key: str | None = None,
) -> Success[Value] | Refusal[Code]:
    """
    :param request: the arguments of `httpx.Client.build_request`; called for each attempt
    :raises OfferAdsError: after the retries
    """
    clock, limits = settings.clock, settings.limits
    started = clock.now()
    earlier_reply_lost = False
    attempts = 0
    while True:
        attempts += 1
        # At least a moment, because a sleep can take longer than it should.
        timeout = max(0.001, min(limits.timeout, limits.deadline - (clock.now() - started)))
        sent = _send(settings.http, request(), timeout, clock)
        wait = wait_before_retry(
            sent.attempt, limits, attempts=attempts, elapsed=clock.now() - started, random=clock.random()
        )
        if wait is None or (operation.once and may_have_taken_effect(sent.attempt)):
            return _conclude(operation, sent, attempts, earlier_reply_lost, idempotency_key)
        earlier_reply_lost = earlier_reply_lost or may_have_taken_effect(sent.attempt)
        status = sent.status if isinstance(sent, _Replied) else None
        settings.on_retry(RetryNotice(operation.name, attempts, wait, status))
        clock.sleep(wait)


def _conclude(
    operation: Operation[Value, Code],
    sent: _Replied | _NoReply,
    attempts: int,
    earlier_reply_lost: bool,
    idempotency_key: str | None,
) -> Success[Value] | Refusal[Code]:
    """Converts the last attempt's reply to a result, or raises its fault."""
    if isinstance(sent, _NoReply):
        raise OfferAdsError(
            f"{operation.name}: {sent.reason}",
            kind=sent.kind,
            idempotency_key=idempotency_key,
            attempts=attempts,
            earlier_reply_lost=True,
        )
    request_id = sent.headers.get("x-request-id")
    reply = Reply(sent.status, request_id, sent.headers, attempts, earlier_reply_lost)
    meaning = interpret(operation, sent.status, sent.body)
    if isinstance(meaning, Succeeded):
        return Success(meaning.value, reply)
    if isinstance(meaning, Refused):
        return Refusal(meaning.code, sent.status, meaning.message, reply, idempotency_key)
    raise OfferAdsError(
        meaning.message,
        kind=meaning.kind,
        status=sent.status,
        code=return_code(sent.body),
        request_id=request_id,
        retry_after=sent.retry_after,
        idempotency_key=idempotency_key,
        attempts=attempts,
        earlier_reply_lost=earlier_reply_lost or may_have_taken_effect(sent.attempt),
    )


def _send(http: httpx.Client, arguments: dict[str, Any], timeout: float, clock: Clock) -> _Replied | _NoReply:
    """
    Errors of httpx hold the request, and so the key. They end here: what is raised later has none of them as its
    context.
    """
    try:
        return _exchange(http, arguments, timeout, clock)
    except httpx.TimeoutException:
        return _NoReply("timeout", "no reply in time")
    except httpx.RequestError as error:
        return _NoReply("network", f"no reply ({type(error).__name__}: {error})")


def _exchange(http: httpx.Client, arguments: dict[str, Any], timeout: float, clock: Clock) -> _Replied:
    end = clock.now() + timeout
    request = http.build_request(**arguments, timeout=timeout)
    if isinstance(request.stream, httpx.SyncByteStream):
        request.stream = _TimedStream(request.stream, end, clock)
    response = http.send(request, stream=True)
    try:
        text = b"".join(_bounded(response.iter_bytes(), end, clock))
    finally:
        response.close()
    return _Replied(
        response.status_code,
        {name.lower(): value for name, value in response.headers.items()},
        parse_object(text),
        parse_retry_after(response.headers.get("retry-after"), datetime.now(timezone.utc)),
    )


def _bounded(chunks: Iterator[bytes], end: float, clock: Clock) -> Iterator[bytes]:
    length = 0
    for chunk in _until(end, chunks, clock):
        length += len(chunk)
        if length > _LONGEST_REPLY:
            return
        yield chunk


class _TimedStream(httpx.SyncByteStream):
    """httpx limits each step of sending; this limits all of them together."""

    def __init__(self, stream: httpx.SyncByteStream, end: float, clock: Clock) -> None:
        self._stream = stream
        self._end = end
        self._clock = clock

    def __iter__(self) -> Iterator[bytes]:
        return _until(self._end, iter(self._stream), self._clock)

    def close(self) -> None:
        self._stream.close()


def _until(end: float, chunks: Iterator[bytes], clock: Clock) -> Iterator[bytes]:
    for chunk in chunks:
        if clock.now() >= end:
            raise httpx.ReadTimeout("no reply in time")
        yield chunk
