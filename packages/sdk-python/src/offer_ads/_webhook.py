"""Checks that a webhook comes from the service: signature and time, as Standard Webhooks says."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ._error import OfferAdsError, invalid_argument

_PREFIX = "whsec_"
_MOST_SIGNATURES = 16
"""The service sends five at most."""


def verify_webhook(
    *,
    secret: str | Sequence[str],
    headers: Mapping[str, str],
    body: bytes,
    tolerance: float = 300.0,
    _now: float | None = None,
) -> Mapping[str, Any]:
    """
    Returns the event: `type`, `timestamp` and `data`.

    :param secret: `whsec_...`; several while you replace one
    :param headers: of the request; upper and lower case are equal
    :param body: as it was received, because parsing it and writing it again changes its bytes
    :param tolerance: seconds that the time of the attempt may be from this machine's clock
    :raises OfferAdsError: of kind `unverified`; answer such a request with 400
    """
    lower = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp, signatures = (
        _header(lower, name) for name in ("webhook-id", "webhook-timestamp", "webhook-signature")
    )
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        raise _unverified("webhook-timestamp is not a time")
    if abs((time.time() if _now is None else _now) - int(timestamp)) > tolerance:
        raise _unverified(
            f"the message was sent more than {tolerance:g} s before or after this machine's time: is its clock right?"
        )
    signed = f"{message_id}.{timestamp}.".encode() + body
    given = signatures.split(" ")[:_MOST_SIGNATURES]
    for one in [secret] if isinstance(secret, str) else secret:
        digest = hmac.new(_key(one), signed, hashlib.sha256).digest()
        expected = b"v1," + base64.b64encode(digest)
        # Each is compared in constant time.
        if any(hmac.compare_digest(expected, signature.encode()) for signature in given):
            return cast(Mapping[str, Any], json.loads(body))
    raise _unverified("no signature is of this secret and body: is the body as it was received?")


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if not value:
        raise _unverified(f"the header {name} is missing")
    return value


def _key(secret: str) -> bytes:
    wrong = invalid_argument("a secret of a webhook begins with whsec_")
    if not secret.startswith(_PREFIX):
        raise wrong
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except binascii.Error:
        raise wrong from None
    if not key:
        raise wrong
    return key


def _unverified(message: str) -> OfferAdsError:
    return OfferAdsError(f"webhook: {message}", kind="unverified")
