"""The only error class. It never contains the API key, neither in a message nor in a cause."""

from __future__ import annotations

from typing import Literal

Kind = Literal[
    "unauthorised",
    "rate-limited",
    "in-flight",
    "key-reused",
    "invalid-request",
    "unavailable",
    "server",
    "network",
    "timeout",
    "unexpected",
    "invalid-argument",
    "unverified",
    "refused",
]
"""
- `unauthorised`: 401. The key is missing, invalid, disabled or expired; on analytics also "not your offer".
- `rate-limited`: 429, and the service asked for a longer wait than the call's deadline allows.
- `in-flight`: 409 on create. An earlier request with this idempotency key is still being processed.
- `key-reused`: 422 on create. The idempotency key belongs to another payload.
- `invalid-request`: 400 or 413 without a code. A field is wrong or the body too long; the message names it.
- `unavailable`: 503. Something that the service needs is down.
- `server`: 500, 502 or 504.
- `network`: there was no reply.
- `timeout`: there was no reply in time.
- `unexpected`: the reply does not come from the API, for example a proxy's page.
- `invalid-argument`: an argument is invalid; nothing was sent.
- `unverified`: a webhook is not from the service, or too old; only raised by `verify_webhook`.
- `refused`: a refusal of the service; only raised by `unwrap` and by iterating over a list.
"""


class OfferAdsError(Exception):
    def __init__(
        self,
        message: str,
        *,
        kind: Kind,
        status: int | None = None,
        code: str | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        idempotency_key: str | None = None,
        attempts: int = 0,
        earlier_reply_lost: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind: Kind = kind
        self.status = status
        """HTTP status of the last reply, if there was one."""
        self.code = code
        """`return_code` of the last reply, if it had one."""
        self.request_id = request_id
        """Identifies the last request in the service's logs: quote it to support."""
        self.retry_after = retry_after
        """The wait that the service asked for, in seconds."""
        self.idempotency_key = idempotency_key
        """Of a creation: the same request with this key continues the first one, and at most one offer is created."""
        self.attempts = attempts
        """How often the request was sent."""
        self.earlier_reply_lost = earlier_reply_lost
        """Whether an attempt may have taken effect without a reply."""


def invalid_argument(message: str) -> OfferAdsError:
    return OfferAdsError(message, kind="invalid-argument")
