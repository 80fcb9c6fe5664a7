"""Decides whether and when an attempt is repeated. Pure: time and randomness are arguments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime


@dataclass(frozen=True)
class Lost:
    """No reply came."""


@dataclass(frozen=True)
class Replied:
    status: int
    code: str | None
    """`return_code`, if the body has one."""
    retry_after: float | None = None
    """Seconds."""


Attempt = Lost | Replied


@dataclass(frozen=True)
class Limits:
    """Seconds, and a number of repetitions."""

    timeout: float
    deadline: float
    max_retries: int


# 408: the upload stalled. 429 and 503: the reply names the wait. 500, 502 and 504: the outcome is unknown.
_PASSING_STATUSES = frozenset({408, 429, 500, 502, 503, 504})


def may_pass(attempt: Attempt) -> bool:
    """
    Nearly every operation may be repeated: reading changes nothing, a creation has its idempotency key, and pause,
    resume and delete are idempotent. So only the reply decides. An advance of the test clock is the exception (`once`).
    """
    if isinstance(attempt, Lost):
        return True
    if attempt.status == 409:
        # Without a code (on create): the first request with this key is still being processed. With a code: a refusal.
        return attempt.code is None
    return attempt.status in _PASSING_STATUSES


def may_have_taken_effect(attempt: Attempt) -> bool:
    """Whether the attempt may have taken effect although the reply does not say so."""
    if isinstance(attempt, Lost):
        return True
    return attempt.status >= 500 and attempt.code is None


_FIRST_BACKOFF = 0.5
_LONGEST_BACKOFF = 8.0
# A random addition to the wait, so that calls that were refused together are not repeated together.
_SPREAD = 0.5


def wait_before_retry(
    attempt: Attempt, limits: Limits, *, attempts: int, elapsed: float, random: float
) -> float | None:
    """
    :param attempts: so far, including this one
    :param elapsed: seconds since the start of the call
    :param random: 0 <= random < 1
    :returns: seconds to wait before the next attempt; None: this one was the last
    """
    if not may_pass(attempt) or attempts > limits.max_retries:
        return None
    if isinstance(attempt, Replied) and attempt.retry_after is not None:
        wait = attempt.retry_after + random * _SPREAD
    else:
        # The exponent is bounded, because a float has no room for 2 to the power of 2,000.
        backoff = min(_LONGEST_BACKOFF, _FIRST_BACKOFF * 2 ** min(attempts - 1, 10))
        wait = backoff * (0.5 + random / 2)
    # If the wait would end after the deadline, fail now and not after the wait.
    return wait if elapsed + wait < limits.deadline else None


def parse_retry_after(header: str | None, now: datetime) -> float | None:
    """Accepts seconds (from the service) or a date (possible from proxies)."""
    text = (header or "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    # Without a zone: a date of HTTP is in GMT.
    aware = date if date.tzinfo is not None else date.replace(tzinfo=timezone.utc)
    return max(0.0, (aware - now).total_seconds())
