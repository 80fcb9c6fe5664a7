"""The result of a call: success and the endpoint's refusals are values; everything else is raised as an `OfferAdsError`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, Literal, NoReturn, TypeVar

from ._error import OfferAdsError

Value = TypeVar("Value", covariant=True)
Code = TypeVar("Code", bound=str, covariant=True)


@dataclass(frozen=True)
class Reply:
    """Facts about the reply."""

    status: int
    request_id: str | None
    """Identifies the request in the service's logs: quote it to support."""
    headers: Mapping[str, str]
    """Names in lower case."""
    attempts: int
    """How often the request was sent."""
    earlier_reply_lost: bool
    """
    An earlier attempt may have taken effect: its reply was lost, or was a fault. Then "already paused" or "Offer not
    found" can mean that the earlier attempt succeeded.
    """


@dataclass(frozen=True)
class Success(Generic[Value]):
    value: Value
    """The body, as in the API reference."""
    reply: Reply
    ok: Literal[True] = True

    def unwrap(self) -> Value:
        return self.value


@dataclass(frozen=True)
class Created(Success[Value]):
    """A creation also has its key: the same request with the same key never creates a second one."""

    idempotency_key: str = ""
    replayed: bool = False
    """True: an earlier request with this key created it; this is the original reply."""


@dataclass(frozen=True)
class Refusal(Generic[Code]):
    code: Code
    """The endpoint's `return_code`."""
    status: int
    """The HTTP status, which distinguishes several meanings of a code."""
    message: str
    reply: Reply
    idempotency_key: str | None = None
    """Of a creation."""
    ok: Literal[False] = False

    def unwrap(self) -> NoReturn:
        """For scripts that end after a refusal: raises an `OfferAdsError` of kind `refused`."""
        raise OfferAdsError(
            f"{self.code}: {self.message}",
            kind="refused",
            code=self.code,
            status=self.status,
            request_id=self.reply.request_id,
            attempts=self.reply.attempts,
            earlier_reply_lost=self.reply.earlier_reply_lost,
            idempotency_key=self.idempotency_key,
        )
