"""Signatures of the example in the specification "Standard Webhooks", and attacks on them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import unittest
from typing import Any

try:
    from cryptography.hazmat.primitives.asymmetric import ed25519
except ImportError:
    has_cryptography = False
else:
    has_cryptography = True

from offer_ads import OfferAdsError, verify_webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
BODY = b'{"type":"webhook.test","timestamp":"2035-06-01T12:00:00.000Z","data":{"webhook_id":"we_1"}}'
AT = 2_064_398_400


def headers(*secrets: str) -> dict[str, str]:
    def sign(secret: str) -> str:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        digest = hmac.new(key, f"msg_1.{AT}.".encode() + BODY, hashlib.sha256).digest()
        return "v1," + base64.b64encode(digest).decode()

    return {
        "Webhook-Id": "msg_1",
        "webhook-timestamp": str(AT),
        "webhook-signature": " ".join(sign(secret) for secret in secrets),
    }


def verified(now: float = AT, **changes: Any) -> Any:
    given: dict[str, Any] = {"secret": SECRET, "headers": headers(SECRET), "body": BODY, **changes}
    return verify_webhook(**given, _now=now)


class AWebhook(unittest.TestCase):
    def test_of_the_specification_is_accepted(self) -> None:
        body = b'{"test": 2432232314}'
        example = {
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "webhook-timestamp": "1614265330",
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        }
        self.assertEqual(verified(1_614_265_330, headers=example, body=body), {"test": 2_432_232_314})

    def test_is_accepted_by_either_secret_while_one_replaces_the_other(self) -> None:
        both = headers(OTHER, SECRET)
        for secret in (SECRET, OTHER, [OTHER, SECRET]):
            self.assertEqual(verified(headers=both, secret=secret)["type"], "webhook.test")
        self.assertEqual(verified(secret=[OTHER, SECRET])["type"], "webhook.test")

    def test_that_is_forged_or_changed_is_refused(self) -> None:
        good = headers(SECRET)
        for changes in (
            {"secret": OTHER},
            {"body": BODY + b" "},
            {"headers": good | {"Webhook-Id": "msg_2"}},
            {"headers": good | {"webhook-timestamp": str(AT + 1)}},
            {"headers": good | {"webhook-signature": good["webhook-signature"][3:]}},
            {"headers": good | {"webhook-signature": "v1,\u00e4"}},
        ):
            self.refuse("no signature", **changes)

    @unittest.skipUnless(has_cryptography, "the package cryptography is not there")
    def test_is_accepted_by_the_public_key_of_v1a_and_refused_when_changed_or_of_another(self) -> None:
        pair, stranger = ed25519.Ed25519PrivateKey.generate(), ed25519.Ed25519PrivateKey.generate()
        public_key = "whpk_" + base64.b64encode(pair.public_key().public_bytes_raw()).decode()

        def signed_by(private_key: ed25519.Ed25519PrivateKey) -> dict[str, str]:
            signature = base64.b64encode(private_key.sign(f"msg_1.{AT}.".encode() + BODY)).decode()
            both = headers(SECRET)["webhook-signature"] + " v1a," + signature
            return headers(SECRET) | {"webhook-signature": both}

        self.assertEqual(verified(headers=signed_by(pair), secret=public_key)["type"], "webhook.test")
        self.assertEqual(
            verified(headers=signed_by(pair), secret=[OTHER, public_key])["type"], "webhook.test"
        )
        self.refuse("no signature", headers=signed_by(pair), secret=public_key, body=BODY + b" ")
        self.refuse("no signature", headers=signed_by(stranger), secret=public_key)
        damaged = signed_by(pair) | {"webhook-signature": "v1a,* v1a,AAAA"}
        self.refuse("no signature", headers=damaged, secret=public_key)

    def test_that_is_sent_again_later_than_five_minutes_is_refused(self) -> None:
        self.assertEqual(verified(AT + 300)["type"], "webhook.test")
        for now in (AT + 301, AT - 301):
            self.refuse("clock", now=now)
        self.assertEqual(verified(AT + 500, tolerance=600)["type"], "webhook.test")

    def test_without_one_of_its_headers_is_refused(self) -> None:
        for name in headers(SECRET):
            self.refuse(name.lower(), headers={**headers(SECRET), name: ""})
        self.refuse("time", headers=headers(SECRET) | {"webhook-timestamp": "soon"})

    def test_cannot_be_checked_with_what_is_no_secret_and_the_error_does_not_show_it(self) -> None:
        wrong = "a secret of a webhook begins with whsec_, its public key with whpk_"
        missing = "a public key needs a package: pip install cryptography"
        for secret in ("MfKQ9r8GKYqrTwjU", "whsec_", "whsec_*", "whpk_", "whpk_AAAA"):
            with self.assertRaises(OfferAdsError) as caught:
                verified(secret=secret)
            self.assertEqual(caught.exception.kind, "invalid-argument")
            is_readable = has_cryptography or secret != "whpk_AAAA"
            self.assertEqual(str(caught.exception), wrong if is_readable else missing)

    def refuse(self, word: str, now: float = AT, **changes: Any) -> None:
        with self.assertRaises(OfferAdsError) as caught:
            verified(now, **changes)
        self.assertEqual(caught.exception.kind, "unverified")
        self.assertIn(word, str(caught.exception))
