"""The client of the Offer Advertising Service, for advertisers."""

from ._client import OfferAds, OfferList
from ._error import Kind, OfferAdsError
from ._generated.models import (
    Analytics,
    AnalyticsPoints,
    BalanceEntries,
    BalanceEntry,
    Category,
    CreatedOffer,
    CreditEstimate,
    Interest,
    Key,
    Offer,
    OfferPage,
    OneOffer,
    PriceEstimate,
    TestClock,
    Webhook,
    WebhookMessage,
    WebhookMessages,
    WebhookWithSecret,
)
from ._generated.types import UNSET, Unset
from ._result import Created, Refusal, Reply, Success
from ._settings import Mode, RetryNotice
from ._webhook import verify_webhook

__all__ = [
    "UNSET",
    "Analytics",
    "AnalyticsPoints",
    "BalanceEntries",
    "BalanceEntry",
    "Category",
    "Created",
    "CreatedOffer",
    "CreditEstimate",
    "Interest",
    "Key",
    "Kind",
    "Mode",
    "Offer",
    "OfferAds",
    "OfferAdsError",
    "OfferList",
    "OfferPage",
    "OneOffer",
    "PriceEstimate",
    "Refusal",
    "Reply",
    "RetryNotice",
    "Success",
    "TestClock",
    "Unset",
    "Webhook",
    "WebhookMessage",
    "WebhookMessages",
    "WebhookWithSecret",
    "verify_webhook",
]
