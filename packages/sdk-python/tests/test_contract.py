"""The table of operations, compared with the OpenAPI document."""

from __future__ import annotations

import inspect
import json
import os
import re
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

from offer_ads import OfferAds, _operations
from offer_ads._client import Balance, Groups, Offers, TestClock, Webhooks

from .scripted import KEY

DOCUMENT = json.loads(Path(os.environ["OPENAPI_DOCUMENT"]).read_text())


def described() -> dict[str, set[str]]:
    """The codes of each operation with their statuses, as its replies describe them: `E1 400`."""
    found: dict[str, set[str]] = {}
    for item in DOCUMENT["paths"].values():
        for operation in item.values():
            found[operation["operationId"]] = {
                f"{code} {status}"
                for status, reply in operation["responses"].items()
                for code in re.findall(r"`([ES]\d)`", reply["description"])
            }
    return found


class TheTableOfOperations(unittest.TestCase):
    def test_has_the_operations_and_codes_of_the_document(self) -> None:
        ours = {
            one.name: {f"{code} {status}" for code, statuses in one.refusals.items() for status in statuses}
            | ({f"{one.success} 200"} if one.success is not None else set())
            for one in _operations.ALL
        }
        self.assertEqual(ours, described())

    def test_is_all_that_the_client_offers(self) -> None:
        ads = OfferAds(api_key=KEY, base_url="https://ads.example.com")
        methods = [
            name
            for part in (
                ads.categories,
                ads.interests,
                ads.key,
                ads.balance,
                ads.results,
                ads.offers,
                ads.webhooks,
                ads.groups,
                ads.test_clock,
            )
            for name in dir(part)
            if not name.startswith("_")
        ]
        self.assertEqual(len(methods), len(_operations.ALL))

    def test_has_codes_of_the_types(self) -> None:
        """The compiler checks that no other code is in the table; this, that none is missing."""
        for name, codes in vars(_operations).items():
            if name.endswith("Code") and name != "Code":
                self.assertTrue(get_args(codes), name)
        typed: dict[str, Any] = {
            "createOffer": _operations.CreateCode,
            "deleteOffer": _operations.DeleteCode,
            "updateOffer": _operations.UpdateCode,
            "estimatePrice": _operations.EstimateCode,
            "pauseOffer": _operations.PauseCode,
            "resetTestClock": _operations.ResetCode,
            "resumeOffer": _operations.ResumeCode,
            "createWebhook": _operations.CreateWebhookCode,
            "changeWebhook": _operations.ChangeWebhookCode,
            "testWebhook": _operations.SendCode,
            "rollWebhookSecret": _operations.RollCode,
            "enableWebhook": _operations.EnableCode,
            "resendWebhookMessages": _operations.ResendCode,
        }
        for one in _operations.ALL:
            if one.name in typed:
                self.assertEqual(set(one.refusals), set(get_args(typed[one.name])))


class TheArguments(unittest.TestCase):
    """A field of a request that the client lacks could not be sent."""

    def test_of_an_estimate_are_the_fields_of_the_request(self) -> None:
        fields = DOCUMENT["components"]["schemas"]["PriceEstimateRequest"]["properties"]
        self.assertEqual(self.arguments(Offers.estimate), set(fields))

    def test_of_a_creation_are_the_fields_of_the_form(self) -> None:
        fields = DOCUMENT["components"]["schemas"]["CreateOfferForm"]["properties"]
        names = {name.removesuffix("[]") for name in fields}
        self.assertEqual(self.arguments(Offers.create), names | {"idempotency_key"})

    def test_of_a_group_are_the_fields_of_request_and_form(self) -> None:
        schemas = DOCUMENT["components"]["schemas"]
        self.assertEqual(self.arguments(Groups.estimate), set(schemas["GroupEstimateRequest"]["properties"]))
        names = {name.removesuffix("[]") for name in schemas["CreateGroupForm"]["properties"]}
        self.assertEqual(self.arguments(Groups.create), names | {"idempotency_key"})

    def test_of_an_update_are_the_fields_of_the_form(self) -> None:
        fields = set(DOCUMENT["components"]["schemas"]["UpdateOfferForm"]["properties"])
        self.assertEqual(self.arguments(Offers.update), fields | {"offer_id", "idempotency_key"})
        self.assertEqual(self.arguments(Groups.update), fields | {"group_id", "idempotency_key"})

    def test_of_an_advance_are_the_fields_of_the_request(self) -> None:
        schemas = DOCUMENT["components"]["schemas"]
        fields = set(schemas["AdvanceBy"]["properties"]) | set(schemas["AdvanceTo"]["properties"])
        self.assertEqual(self.arguments(TestClock.advance), fields)

    def test_of_lists_are_the_parameters_of_the_query(self) -> None:
        for method, path in ((Offers.list, "/offers"), (Balance.entries, "/balance/entries")):
            parameters = DOCUMENT["paths"][path]["get"]["parameters"]
            self.assertEqual(self.arguments(method), {one["name"] for one in parameters})

    def test_of_webhooks_are_the_fields_of_the_requests(self) -> None:
        schemas = DOCUMENT["components"]["schemas"]
        fields = set(schemas["WebhookRequest"]["properties"])
        self.assertEqual(self.arguments(Webhooks.create), fields | {"idempotency_key"})
        self.assertEqual(self.arguments(Webhooks.change), fields | {"webhook_id"})
        resent = set(schemas["ResendRequest"]["properties"])
        self.assertEqual(self.arguments(Webhooks.resend_since), resent | {"webhook_id"})

    def arguments(self, method: Callable[..., object]) -> set[str]:
        return set(inspect.signature(method).parameters) - {"self"}
