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
_PUBLIC_PREFIX = "whpk_"
_WRONG = "a secret of a webhook begins with whsec_, its public key with whpk_"
_MOST_SIGNATURES = 16
"""The service sends ten at most."""


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

    :param secret: `whsec_...`, or for signatures of `v1a` the public key `whpk_...`; several while you replace one
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
        if _is_signed(one, signed, given):
            return cast(Mapping[str, Any], json.loads(body))
    raise _unverified("no signature is of this secret and body: is the body as it was received?")


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if not value:
        raise _unverified(f"the header {name} is missing")
    return value


def _is_signed(secret: str, signed: bytes, signatures: Sequence[str]) -> bool:
    if secret.startswith(_PUBLIC_PREFIX):
        return _is_signed_by_pair(_key(secret, _PUBLIC_PREFIX), signed, signatures)
    digest = hmac.new(_key(secret, _PREFIX), signed, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # Each is compared in constant time.
    return any(hmac.compare_digest(expected, signature.encode()) for signature in signatures)


def _is_signed_by_pair(public_key: bytes, signed: bytes, signatures: Sequence[str]) -> bool:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        raise invalid_argument("a public key needs a package: pip install cryptography") from None
    try:
        key = Ed25519PublicKey.from_public_bytes(public_key)
    except ValueError:
        raise invalid_argument(_WRONG) from None
    for signature in signatures:
        if not signature.startswith("v1a,"):
            continue
        try:
            key.verify(base64.b64decode(signature[4:], validate=True), signed)
        except (InvalidSignature, binascii.Error, ValueError):
            continue
        return True
    return False


def _key(secret: str, prefix: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(prefix), validate=True)
    except binascii.Error:
        raise invalid_argument(_WRONG) from None
    if not key or not secret.startswith(prefix):
        raise invalid_argument(_WRONG)
    return key


def _unverified(message: str) -> OfferAdsError:
    return OfferAdsError(f"webhook: {message}", kind="unverified")
