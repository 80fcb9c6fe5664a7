"""
The table of endpoints with their return codes and the HTTP statuses of each code. A code has a meaning only for its
endpoint. A test compares the table with the OpenAPI document; methods and paths come from the generated code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NoReturn, TypeVar

from ._generated import models

Value = TypeVar("Value")
Code = TypeVar("Code", bound=str)

ListCode = Literal["E1"]
EntriesCode = Literal["E1"]
EstimateCode = Literal["E1", "E2"]
CreateCode = Literal["E1", "E2", "E3", "E4", "E5", "E6", "E9"]
OfferCode = Literal["E1"]
UpdateCode = Literal["E1", "E2", "E3", "E9"]
PauseCode = Literal["E1", "E2", "E3", "E5"]
ResumeCode = Literal["E1", "E2", "E4", "E5"]
AnalyticsCode = Literal["E1"]
SeriesCode = Literal["E1"]
ResultsCode = Literal["E1"]
ChangesCode = Literal["E1"]
CreditCode = Literal["E1"]
DeleteCode = Literal["E1", "E6", "E7"]
GroupCode = Literal["E1"]
CreateWebhookCode = Literal["E1", "E3", "E4"]
WebhookCode = Literal["E2"]
ChangeWebhookCode = Literal["E1", "E2", "E3"]
SendCode = Literal["E2", "E5"]
RollCode = Literal["E2", "E7"]
EnableCode = Literal["E2", "E6"]
MessagesCode = Literal["E1", "E2"]
ResendCode = Literal["E1", "E2", "E5"]
ClockCode = Literal["E1"]
ResetCode = Literal["E1", "E2"]


@dataclass(frozen=True)
class Operation(Generic[Value, Code]):
    name: str
    read: Callable[[Mapping[str, Any]], Value]
    """Makes the value of a success from its body; fails when a field is missing, as in a page of a proxy."""
    success: str | None = None
    """The `return_code` of success, where the endpoint has one."""
    refusals: Mapping[Code, tuple[int, ...]] = field(default_factory=dict)
    once: bool = False
    """Each request that takes effect changes something more, so one whose outcome is unknown is not repeated."""


LIST_CATEGORIES: Operation[models.Categories, NoReturn] = Operation(
    "listCategories", models.Categories.from_dict
)
LIST_INTERESTS: Operation[models.Interests, NoReturn] = Operation("listInterests", models.Interests.from_dict)
READ_KEY: Operation[models.Key, NoReturn] = Operation("readKey", models.Key.from_dict)
READ_BALANCE: Operation[models.Balance, NoReturn] = Operation("readBalance", models.Balance.from_dict)
LIST_BALANCE_ENTRIES: Operation[models.BalanceEntries, EntriesCode] = Operation(
    "listBalanceEntries", models.BalanceEntries.from_dict, refusals={"E1": (400,)}
)
ESTIMATE_PRICE: Operation[models.PriceEstimate, EstimateCode] = Operation(
    "estimatePrice", models.PriceEstimate.from_dict, "S1", {"E1": (400, 403), "E2": (400,)}
)
CREATE_OFFER: Operation[models.CreatedOffer, CreateCode] = Operation(
    "createOffer",
    models.CreatedOffer.from_dict,
    "S1",
    {
        "E1": (400, 403, 415),
        "E2": (200,),
        "E3": (200,),
        "E4": (400,),
        "E5": (400,),
        "E6": (400,),
        "E9": (403,),
    },
)
LIST_OFFERS: Operation[models.OfferPage, ListCode] = Operation(
    "listOffers", models.OfferPage.from_dict, refusals={"E1": (400, 403)}
)
READ_OFFER: Operation[models.OneOffer, OfferCode] = Operation(
    "readOffer", models.OneOffer.from_dict, refusals={"E1": (401,)}
)
UPDATE_OFFER: Operation[models.Updated, UpdateCode] = Operation(
    "updateOffer",
    models.Updated.from_dict,
    "S1",
    {"E1": (400, 401, 403, 415), "E2": (200,), "E3": (409,), "E9": (403,)},
)
PAUSE_OFFER: Operation[models.Paused, PauseCode] = Operation(
    "pauseOffer", models.Paused.from_dict, "S1", {"E1": (401,), "E2": (200,), "E3": (200,), "E5": (200,)}
)
RESUME_OFFER: Operation[models.Resumed, ResumeCode] = Operation(
    "resumeOffer", models.Resumed.from_dict, "S2", {"E1": (401,), "E2": (200,), "E4": (200,), "E5": (200,)}
)
READ_ANALYTICS: Operation[models.Analytics, AnalyticsCode] = Operation(
    "readAnalytics", models.Analytics.from_dict, refusals={"E1": (400,)}
)
READ_ANALYTICS_SERIES: Operation[models.AnalyticsPoints, SeriesCode] = Operation(
    "readAnalyticsSeries", models.AnalyticsPoints.from_dict, refusals={"E1": (400, 401)}
)
READ_OFFER_RESULTS: Operation[models.OfferResults, OfferCode] = Operation(
    "readOfferResults", models.OfferResults.from_dict, refusals={"E1": (401,)}
)
READ_RESULTS: Operation[models.Results, ResultsCode] = Operation(
    "readResults", models.Results.from_dict, refusals={"E1": (400,)}
)
LIST_OFFER_CHANGES: Operation[models.OfferChangePage, ChangesCode] = Operation(
    "listOfferChanges", models.OfferChangePage.from_dict, refusals={"E1": (400, 401)}
)
ESTIMATE_CREDIT: Operation[models.CreditEstimate, CreditCode] = Operation(
    "estimateCredit", models.CreditEstimate.from_dict, "S1", {"E1": (401,)}
)
DELETE_OFFER: Operation[models.Deleted, DeleteCode] = Operation(
    "deleteOffer", models.Deleted.from_dict, "S1", {"E1": (401,), "E6": (409,), "E7": (503,)}
)
ESTIMATE_GROUP_PRICE: Operation[models.GroupEstimate, EstimateCode] = Operation(
    "estimateGroupPrice", models.GroupEstimate.from_dict, "S1", {"E1": (400, 403), "E2": (400,)}
)
CREATE_GROUP: Operation[models.CreatedGroup, CreateCode] = Operation(
    "createGroup", models.CreatedGroup.from_dict, "S1", CREATE_OFFER.refusals
)
READ_GROUP: Operation[models.OfferGroup, GroupCode] = Operation(
    "readGroup", models.OfferGroup.from_dict, refusals={"E1": (401,)}
)
READ_GROUP_SERIES: Operation[models.GroupAnalyticsPoints, SeriesCode] = Operation(
    "readGroupSeries", models.GroupAnalyticsPoints.from_dict, refusals={"E1": (400, 401)}
)
PAUSE_GROUP: Operation[models.GroupChange, GroupCode] = Operation(
    "pauseGroup", models.GroupChange.from_dict, "S1", {"E1": (401,)}
)
RESUME_GROUP: Operation[models.GroupChange, GroupCode] = Operation(
    "resumeGroup", models.GroupChange.from_dict, "S1", {"E1": (401,)}
)
UPDATE_GROUP: Operation[models.Updated, UpdateCode] = Operation(
    "updateGroup", models.Updated.from_dict, "S1", UPDATE_OFFER.refusals
)
DELETE_GROUP: Operation[models.GroupChange, GroupCode] = Operation(
    "deleteGroup", models.GroupChange.from_dict, "S1", {"E1": (401,)}
)
READ_TEST_CLOCK: Operation[models.TestClock, ClockCode] = Operation(
    "readTestClock", models.TestClock.from_dict, refusals={"E1": (403,)}
)
ADVANCE_TEST_CLOCK: Operation[models.TestClock, ClockCode] = Operation(
    "advanceTestClock", models.TestClock.from_dict, refusals={"E1": (400, 403)}, once=True
)
RESET_TEST_CLOCK: Operation[models.TestClock, ResetCode] = Operation(
    "resetTestClock", models.TestClock.from_dict, refusals={"E1": (403,), "E2": (409,)}
)
CREATE_WEBHOOK: Operation[models.WebhookWithSecret, CreateWebhookCode] = Operation(
    "createWebhook",
    models.WebhookWithSecret.from_dict,
    refusals={"E1": (400, 413, 415), "E3": (409,), "E4": (400,)},
)
LIST_WEBHOOKS: Operation[models.Webhooks, NoReturn] = Operation("listWebhooks", models.Webhooks.from_dict)
READ_WEBHOOK: Operation[models.Webhook, WebhookCode] = Operation(
    "readWebhook", models.Webhook.from_dict, refusals={"E2": (404,)}
)
CHANGE_WEBHOOK: Operation[models.Webhook, ChangeWebhookCode] = Operation(
    "changeWebhook", models.Webhook.from_dict, refusals={"E1": (400, 413, 415), "E2": (404,), "E3": (409,)}
)
DELETE_WEBHOOK: Operation[models.DeletedWebhook, WebhookCode] = Operation(
    "deleteWebhook", models.DeletedWebhook.from_dict, refusals={"E2": (404,)}
)
TEST_WEBHOOK: Operation[models.WebhookMessage, SendCode] = Operation(
    "testWebhook", models.WebhookMessage.from_dict, refusals={"E2": (404,), "E5": (409,)}
)
ROLL_WEBHOOK_SECRET: Operation[models.WebhookWithSecret, RollCode] = Operation(
    "rollWebhookSecret", models.WebhookWithSecret.from_dict, refusals={"E2": (404,), "E7": (409,)}
)
DISABLE_WEBHOOK: Operation[models.Webhook, WebhookCode] = Operation(
    "disableWebhook", models.Webhook.from_dict, refusals={"E2": (404,)}
)
ENABLE_WEBHOOK: Operation[models.Webhook, EnableCode] = Operation(
    "enableWebhook", models.Webhook.from_dict, refusals={"E2": (404,), "E6": (409,)}
)
LIST_WEBHOOK_MESSAGES: Operation[models.WebhookMessages, MessagesCode] = Operation(
    "listWebhookMessages", models.WebhookMessages.from_dict, refusals={"E1": (400,), "E2": (404,)}
)
RESEND_WEBHOOK_MESSAGE: Operation[models.WebhookMessage, SendCode] = Operation(
    "resendWebhookMessage", models.WebhookMessage.from_dict, refusals={"E2": (404,), "E5": (409,)}
)
RESEND_WEBHOOK_MESSAGES: Operation[models.Resent, ResendCode] = Operation(
    "resendWebhookMessages",
    models.Resent.from_dict,
    refusals={"E1": (400, 413, 415), "E2": (404,), "E5": (409,)},
)

ALL: tuple[Operation[Any, Any], ...] = (
    LIST_CATEGORIES,
    LIST_INTERESTS,
    READ_KEY,
    READ_BALANCE,
    LIST_BALANCE_ENTRIES,
    ESTIMATE_PRICE,
    CREATE_OFFER,
    LIST_OFFERS,
    READ_OFFER,
    UPDATE_OFFER,
    PAUSE_OFFER,
    RESUME_OFFER,
    READ_ANALYTICS,
    READ_ANALYTICS_SERIES,
    READ_OFFER_RESULTS,
    READ_RESULTS,
    LIST_OFFER_CHANGES,
    ESTIMATE_CREDIT,
    DELETE_OFFER,
    ESTIMATE_GROUP_PRICE,
    CREATE_GROUP,
    READ_GROUP,
    READ_GROUP_SERIES,
    PAUSE_GROUP,
    RESUME_GROUP,
    UPDATE_GROUP,
    DELETE_GROUP,
    READ_TEST_CLOCK,
    ADVANCE_TEST_CLOCK,
    RESET_TEST_CLOCK,
    CREATE_WEBHOOK,
    LIST_WEBHOOKS,
    READ_WEBHOOK,
    CHANGE_WEBHOOK,
    DELETE_WEBHOOK,
    TEST_WEBHOOK,
    ROLL_WEBHOOK_SECRET,
    DISABLE_WEBHOOK,
    ENABLE_WEBHOOK,
    LIST_WEBHOOK_MESSAGES,
    RESEND_WEBHOOK_MESSAGE,
    RESEND_WEBHOOK_MESSAGES,
)
