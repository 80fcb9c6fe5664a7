"""Classifies a reply: success, a refusal of this endpoint, or a fault. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from ._error import Kind
from ._operations import Operation

Value = TypeVar("Value")
Code = TypeVar("Code", bound=str)
Body = Mapping[str, Any]


@dataclass(frozen=True)
class Fault:
    kind: Kind
    message: str


@dataclass(frozen=True)
class Refused(Generic[Code]):
    code: Code
    message: str


@dataclass(frozen=True)
class Succeeded(Generic[Value]):
    value: Value


def parse_object(text: bytes) -> Body | None:
    """Returns the body when it is a JSON object."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast(Body, value) if isinstance(value, dict) else None


def return_code(body: Body | None) -> str | None:
    return _text(body, "return_code")


def interpret(
    operation: Operation[Value, Code], status: int, body: Body | None
) -> Succeeded[Value] | Refused[Code] | Fault:
    code = return_code(body)
    message = _text(body, "message")
    if status == 200 and code == operation.success and body is not None:
        try:
            return Succeeded(operation.read(body))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            unreadable = f"the reply cannot be read ({type(error).__name__}: {error})"
            return _fault(operation.name, "unexpected", status, code, unreadable)
    # The cast is safe: only the endpoint's own codes are in its table.
    if code is not None and status in operation.refusals.get(cast(Code, code), ()):
        return Refused(cast(Code, code), message or "")
    is_plain = code is None and message is not None
    kind = "invalid-request" if is_plain and status in (400, 413) else _fault_kind(operation.name, status)
    return _fault(operation.name, kind, status, code, message)


def _text(body: Body | None, name: str) -> str | None:
    value = None if body is None else body.get(name)
    return value if isinstance(value, str) else None


_KINDS: Mapping[int, Kind] = {
    401: "unauthorised",
    408: "timeout",
    429: "rate-limited",
    500: "server",
    502: "server",
    503: "unavailable",
    504: "server",
}
_KINDS_OF_CREATION: Mapping[str, Mapping[int, Kind]] = {
    "createOffer": {409: "in-flight", 422: "key-reused"},
    "updateOffer": {409: "in-flight", 422: "key-reused"},
    "createWebhook": {422: "key-reused"},
}


def _fault_kind(name: str, status: int) -> Kind:
    of_creation = _KINDS_OF_CREATION.get(name, {}).get(status)
    return of_creation or _KINDS.get(status, "unexpected")


_HINTS: Mapping[Kind, str] = {
    "unauthorised": "is the key right, of this mode, enabled and not expired?",
    "in-flight": "repeat the request with the same idempotency key",
    "key-reused": "a new request needs a new idempotency key",
    "unexpected": "is the base URL the address of the service?",
}
"""Advice that the service's own message does not contain."""


def _fault(name: str, kind: Kind, status: int, code: str | None, message: str | None) -> Fault:
    said = " ".join(part for part in (str(status), code, message) if part is not None)
    hint = _HINTS.get(kind)
    if kind == "unauthorised" and name == "readAnalytics":
        hint = f"is the offer yours and of the key's mode, and {hint}"
    return Fault(kind, f"{name}: {said}" + (f" ({hint})" if hint is not None else ""))
