"""The client: one method per endpoint. The fields have the names of the API reference."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timezone
from functools import partial
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypedDict, TypeVar

import httpx

from . import _operations as operations
from ._call import call
from ._error import invalid_argument
from ._generated import models
from ._generated.api.analytics import (
    read_analytics,
    read_analytics_series,
    read_offer_results,
    read_results,
)
from ._generated.api.balance import list_balance_entries, read_balance
from ._generated.api.catalogue import list_categories, list_interests
from ._generated.api.keys import read_key
from ._generated.api.offer_groups import (
    create_group,
    delete_group,
    estimate_group_price,
    pause_group,
    read_group,
    read_group_series,
    resume_group,
    update_group,
)
from ._generated.api.offers import (
    create_offer,
    delete_offer,
    estimate_credit,
    estimate_price,
    list_offer_changes,
    list_offers,
    pause_offer,
    read_offer,
    resume_offer,
    update_offer,
)
from ._generated.api.testing import advance_test_clock, read_test_clock, reset_test_clock
from ._generated.api.webhooks import (
    change_webhook,
    create_webhook,
    delete_webhook,
    disable_webhook,
    enable_webhook,
    list_webhook_messages,
    list_webhooks,
    read_webhook,
    resend_webhook_message,
    resend_webhook_messages,
    roll_webhook_secret,
    test_webhook,
)
from ._generated.types import UNSET, File, Unset
from ._result import Created, Refusal, Success
from ._retry import Limits
from ._settings import (
    Clock,
    Mode,
    RealClock,
    RetryNotice,
    Settings,
    checked_limits,
    http_client,
    mode_of,
)

Value = TypeVar("Value")
Code = TypeVar("Code", bound=str)

Location = tuple[float, float]
"""Latitude, longitude."""


class _Point(TypedDict):
    latitude: float
    longitude: float


class Place(_Point, total=False):
    """A place of an offer group. Members do not see its label, of at most 80 characters."""

    label: str | None


class GroupPlace(Place, total=False):
    """Values of its own replace those of the form. Times are ISO 8601 with their zone."""

    category_id: int
    title: str
    description: str
    terms_and_conditions: str
    advertised_name: str
    url: str
    radius: int
    gender: Sequence[str]
    interests: Sequence[int]
    start_datetime: str
    expiry_datetime: str
    quote_id: str
    image_offer_id: int
    image: str
    """The file name of its picture."""


Picture = bytes | PathLike[str] | BinaryIO
"""A path is that of a file; a `str` is not taken for a path, nor for a picture."""


class OfferAds:
    """
    :param api_key: begins with `pk_test_` or `pk_live_`
    :param base_url: the address of the service, for example `https://ads.example.com`
    :param timeout: seconds of one attempt, until its reply is read
    :param deadline: seconds of the whole call with retries and waits; a wait for the rate limit takes up to 60
    :param max_retries: 0: no retries
    :param on_retry: called before each wait
    :param allow_http: allows plain http to other machines; others on the network can then read the key
    :param transport: replaces the transport of httpx, for a proxy or a test
    :raises OfferAdsError: of kind `invalid-argument`

    One client can be used by several threads.
    """

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str,
        timeout: float = 60.0,
        deadline: float = 150.0,
        max_retries: int = 3,
        on_retry: Callable[[RetryNotice], None] = lambda _notice: None,
        allow_http: bool = False,
        transport: httpx.BaseTransport | None = None,
        _clock: Clock | None = None,
    ) -> None:
        limits = checked_limits(Limits(timeout, deadline, max_retries))
        http = http_client(api_key, base_url, allow_http=allow_http, transport=transport)
        self._use(Settings(http, mode_of(api_key), limits, on_retry, _clock or RealClock()))

    def _use(self, settings: Settings) -> None:
        self._settings = settings
        self.categories = Categories(settings)
        self.interests = Interests(settings)
        self.key = Key(settings)
        self.balance = Balance(settings)
        self.results = Results(settings)
        self.offers = Offers(settings)
        self.webhooks = Webhooks(settings)
        self.groups = Groups(settings)
        self.test_clock = TestClock(settings)

    @property
    def mode(self) -> Mode | None:
        """The mode in the key's prefix; None for a key from before modes were recorded."""
        return self._settings.mode

    def with_options(
        self, *, timeout: float | None = None, deadline: float | None = None, max_retries: int | None = None
    ) -> OfferAds:
        """The same client, on the same connections, with other limits."""
        old = self._settings.limits
        limits = Limits(
            old.timeout if timeout is None else timeout,
            old.deadline if deadline is None else deadline,
            old.max_retries if max_retries is None else max_retries,
        )
        other = OfferAds.__new__(OfferAds)
        other._use(replace(self._settings, limits=checked_limits(limits)))
        return other

    def close(self) -> None:
        """Closes the connections."""
        self._settings.http.close()

    def __enter__(self) -> OfferAds:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"OfferAds(mode={self.mode!r}, base_url={str(self._settings.http.base_url)!r})"


class _Part:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def _without_codes(
        self, operation: operations.Operation[Value, NoReturn], arguments: dict[str, Any]
    ) -> Success[Value]:
        result = call(self._settings, operation, lambda: arguments)
        # The table has no refusals, so that none can be returned.
        assert isinstance(result, Success)
        return result

    def _mode(self, environment: Mode | None) -> Mode:
        mode = environment or self._settings.mode
        if mode is None:
            raise invalid_argument("environment is missing, and the prefix of the key does not tell it")
        return mode

    def _created(
        self, operation: operations.Operation[Value, Code], arguments: Callable[[], dict[str, Any]], key: str
    ) -> Created[Value] | Refusal[Code]:
        result = call(self._settings, operation, arguments, idempotency_key=key)
        if isinstance(result, Refusal):
            return result
        replayed = result.reply.headers.get("idempotent-replayed") == "true"
        return Created(result.value, result.reply, idempotency_key=key, replayed=replayed)

    def _updated(
        self,
        operation: operations.Operation[models.Updated, operations.UpdateCode],
        kwargs: Callable[..., dict[str, Any]],
        form: models.UpdateOfferForm,
        idempotency_key: str | None,
    ) -> Success[models.Updated] | Refusal[operations.UpdateCode]:
        key = _checked_idempotency_key(str(uuid.uuid4()) if idempotency_key is None else idempotency_key)

        def arguments() -> dict[str, Any]:
            _rewind(form.image)
            return _with_own_boundary(kwargs(body=form, idempotency_key=key))

        return call(self._settings, operation, arguments, idempotency_key=key)


class Categories(_Part):
    def list(self) -> Success[models.Categories]:
        return self._without_codes(operations.LIST_CATEGORIES, list_categories._get_kwargs())


class Interests(_Part):
    def list(self) -> Success[models.Interests]:
        return self._without_codes(operations.LIST_INTERESTS, list_interests._get_kwargs())


class Key(_Part):
    def get(self) -> Success[models.Key]:
        """What the key may do and spend."""
        return self._without_codes(operations.READ_KEY, read_key._get_kwargs())


class Balance(_Part):
    def get(self) -> Success[models.Balance]:
        return self._without_codes(operations.READ_BALANCE, read_balance._get_kwargs())

    def entries(
        self, *, limit: int | None = None, cursor: str | None = None
    ) -> Success[models.BalanceEntries] | Refusal[operations.EntriesCode]:
        """One page, newest first."""
        arguments = list_balance_entries._get_kwargs(
            limit=UNSET if limit is None else limit, cursor=UNSET if cursor is None else cursor
        )
        return call(self._settings, operations.LIST_BALANCE_ENTRIES, lambda: arguments)


class Results(_Part):
    def get(
        self,
        *,
        interval: models.ReadResultsInterval | None = None,
        first_day: date | None = None,
        last_day: date | None = None,
        time_zone: str | None = None,
    ) -> Success[models.Results] | Refusal[operations.ResultsCode]:
        """
        Views, clicks and spend of all offers in the last 7 days, or in another period.

        :param time_zone: whose days they are, such as `Europe/London`; default: UTC
        """
        arguments = read_results._get_kwargs(
            interval=UNSET if interval is None else interval,
            from_=UNSET if first_day is None else first_day,
            to=UNSET if last_day is None else last_day,
            time_zone=UNSET if time_zone is None else time_zone,
        )
        return call(self._settings, operations.READ_RESULTS, lambda: arguments)


class Offers(_Part):
    def estimate(
        self,
        *,
        start_datetime: datetime,
        end_datetime: datetime,
        location: Location,
        radius: int,
        gender: Sequence[models.PriceEstimateRequestGenderItem] | None = None,
        interests: Sequence[int] | None = None,
        environment: Mode | None = None,
        quote: bool | None = None,
    ) -> Success[models.PriceEstimate] | Refusal[operations.EstimateCode]:
        """:param quote: the reply has a `quote_id`, with which an offer can be created at this price"""
        mode = environment or self._settings.mode
        arguments = estimate_price._get_kwargs(
            body=models.PriceEstimateRequest(
                start_datetime=_instant("start_datetime", start_datetime),
                end_datetime=_instant("end_datetime", end_datetime),
                location=_floats(location),
                radius=radius,
                gender=UNSET if gender is None else list(gender),
                interests=UNSET if interests is None else list(interests),
                environment=UNSET if mode is None else mode,
                quote=UNSET if quote is None else quote,
            )
        )
        return call(self._settings, operations.ESTIMATE_PRICE, lambda: arguments)

    def create(
        self,
        *,
        category_id: int,
        title: str,
        description: str,
        url: str,
        image: Picture | None = None,
        location: Location,
        radius: int,
        start_datetime: datetime,
        expiry_datetime: datetime,
        payment_method: models.CreateOfferFormPaymentMethod,
        terms_and_conditions: str | None = None,
        advertised_name: str | None = None,
        gender: Sequence[models.CreateOfferFormGenderItem] | None = None,
        interests: Sequence[int] | None = None,
        environment: Mode | None = None,
        quote_id: str | Unset | None = None,
        max_cost: float | None = None,
        image_offer_id: int | None = None,
        idempotency_key: str | None = None,
    ) -> Created[models.CreatedOffer] | Refusal[operations.CreateCode]:
        """
        :param quote_id: from an estimate with `quote`: the offer costs what that estimate says, or is refused with `E1`
        :param max_cost: the most that it may cost, net of VAT and in your billing currency
        :param image_offer_id: instead of `image`: an offer of yours in this mode, whose picture the new offer gets too
        :param idempotency_key: a unique value per offer; default: a random UUID. Store it where it survives a crash.
        """
        mode = self._mode(environment)
        key = _checked_idempotency_key(str(uuid.uuid4()) if idempotency_key is None else idempotency_key)
        form = models.CreateOfferForm(
            category_id=category_id,
            title=title,
            description=description,
            url=url,
            image=_image_part(image),
            location=_floats(location),
            radius=radius,
            start_datetime=_instant("start_datetime", start_datetime),
            expiry_datetime=_instant("expiry_datetime", expiry_datetime),
            payment_method=payment_method,
            environment=mode,
            terms_and_conditions=UNSET if terms_and_conditions is None else terms_and_conditions,
            advertised_name=UNSET if advertised_name is None else advertised_name,
            gender=UNSET if gender is None else list(gender),
            interests=UNSET if interests is None else list(interests),
            quote_id=UNSET if quote_id is None else quote_id,
            max_cost=UNSET if max_cost is None else max_cost,
            image_offer_id=UNSET if image_offer_id is None else image_offer_id,
        )

        def arguments() -> dict[str, Any]:
            _rewind(form.image)
            return _with_own_boundary(create_offer._get_kwargs(body=form, idempotency_key=key))

        return self._created(operations.CREATE_OFFER, arguments, key)

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        offer_status: models.ListOffersOfferStatus | None = None,
        created_after: datetime | None = None,
        created_before: datetime | None = None,
        environment: Mode | None = None,
    ) -> OfferList:
        """Sends no request by itself: iterate over it, or call its `page()` or `pages()`."""
        mode = self._mode(environment)
        arguments = list_offers._get_kwargs(
            environment="test" if mode == "TEST" else "live",
            limit=UNSET if limit is None else limit,
            offer_status=UNSET if offer_status is None else offer_status,
            created_after=UNSET if created_after is None else _instant("created_after", created_after),
            created_before=UNSET if created_before is None else _instant("created_before", created_before),
        )
        return OfferList(self._settings, arguments, cursor)

    def get(self, offer_id: int) -> Success[models.OneOffer] | Refusal[operations.OfferCode]:
        """One offer, and what can be done with it now."""
        arguments = read_offer._get_kwargs(_checked_id(offer_id))
        return call(self._settings, operations.READ_OFFER, lambda: arguments)

    def update(
        self,
        offer_id: int,
        *,
        category_id: int | None = None,
        title: str | None = None,
        description: str | None = None,
        terms_and_conditions: str | Unset | None = UNSET,
        advertised_name: str | Unset | None = UNSET,
        url: str | None = None,
        image: Picture | None = None,
        environment: Mode | None = None,
        idempotency_key: str | None = None,
    ) -> Success[models.Updated] | Refusal[operations.UpdateCode]:
        """
        Changes what members see of an offer; what is left out stays.

        :param terms_and_conditions: empty or None: removes them
        :param advertised_name: empty or None: the trading name is shown
        :param idempotency_key: a unique value per change; default: a random UUID
        """
        form = models.UpdateOfferForm(
            category_id=UNSET if category_id is None else category_id,
            title=UNSET if title is None else title,
            description=UNSET if description is None else description,
            terms_and_conditions="" if terms_and_conditions is None else terms_and_conditions,
            advertised_name="" if advertised_name is None else advertised_name,
            url=UNSET if url is None else url,
            image=_image_part(image),
            environment=UNSET if environment is None else environment,
        )
        kwargs = partial(update_offer._get_kwargs, _checked_id(offer_id))
        return self._updated(operations.UPDATE_OFFER, kwargs, form, idempotency_key)

    def pause(self, offer_id: int) -> Success[models.Paused] | Refusal[operations.PauseCode]:
        arguments = pause_offer._get_kwargs(_checked_id(offer_id))
        return call(self._settings, operations.PAUSE_OFFER, lambda: arguments)

    def resume(self, offer_id: int) -> Success[models.Resumed] | Refusal[operations.ResumeCode]:
        arguments = resume_offer._get_kwargs(_checked_id(offer_id))
        return call(self._settings, operations.RESUME_OFFER, lambda: arguments)

    def analytics(
        self, offer_id: int, interval: models.ReadAnalyticsInterval
    ) -> Success[models.Analytics] | Refusal[operations.AnalyticsCode]:
        arguments = read_analytics._get_kwargs(_checked_id(offer_id), interval=interval)
        return call(self._settings, operations.READ_ANALYTICS, lambda: arguments)

    def series(
        self,
        offer_id: int,
        *,
        granularity: models.ReadAnalyticsSeriesGranularity,
        interval: models.ReadAnalyticsSeriesInterval | None = None,
        first_day: date | None = None,
        last_day: date | None = None,
    ) -> Success[models.AnalyticsPoints] | Refusal[operations.SeriesCode]:
        arguments = read_analytics_series._get_kwargs(
            _checked_id(offer_id),
            interval=UNSET if interval is None else interval,
            from_=UNSET if first_day is None else first_day,
            to=UNSET if last_day is None else last_day,
            granularity=granularity,
        )
        return call(self._settings, operations.READ_ANALYTICS_SERIES, lambda: arguments)

    def results(self, offer_id: int) -> Success[models.OfferResults] | Refusal[operations.OfferCode]:
        """What it has brought for its price."""
        arguments = read_offer_results._get_kwargs(_checked_id(offer_id))
        return call(self._settings, operations.READ_OFFER_RESULTS, lambda: arguments)

    def changes(
        self, offer_id: int, *, limit: int | None = None, cursor: str | None = None
    ) -> Success[models.OfferChangePage] | Refusal[operations.ChangesCode]:
        """One page, newest first."""
        arguments = list_offer_changes._get_kwargs(
            _checked_id(offer_id),
            limit=UNSET if limit is None else limit,
            cursor=UNSET if cursor is None else cursor,
        )
        return call(self._settings, operations.LIST_OFFER_CHANGES, lambda: arguments)

    def estimate_credit(
        self, offer_id: int
    ) -> Success[models.CreditEstimate] | Refusal[operations.CreditCode]:
        """What a deletion would credit now."""
        arguments = estimate_credit._get_kwargs(_checked_id(offer_id))
        return call(self._settings, operations.ESTIMATE_CREDIT, lambda: arguments)

    def delete(self, offer_id: int) -> Success[models.Deleted] | Refusal[operations.DeleteCode]:
        arguments = delete_offer._get_kwargs(_checked_id(offer_id))
        return call(self._settings, operations.DELETE_OFFER, lambda: arguments)


class Groups(_Part):
    """The same offer at several places: one order, and one payment."""

    def estimate(
        self,
        *,
        start_datetime: datetime,
        end_datetime: datetime,
        places: Sequence[Place],
        radius: int,
        gender: Sequence[models.GroupEstimateRequestGenderItem] | None = None,
        interests: Sequence[int] | None = None,
        environment: Mode | None = None,
    ) -> Success[models.GroupEstimate] | Refusal[operations.EstimateCode]:
        mode = environment or self._settings.mode
        arguments = estimate_group_price._get_kwargs(
            body=models.GroupEstimateRequest(
                start_datetime=_instant("start_datetime", start_datetime),
                end_datetime=_instant("end_datetime", end_datetime),
                places=[models.Place.from_dict(place) for place in places],
                radius=radius,
                gender=UNSET if gender is None else list(gender),
                interests=UNSET if interests is None else list(interests),
                environment=UNSET if mode is None else mode,
            )
        )
        return call(self._settings, operations.ESTIMATE_GROUP_PRICE, lambda: arguments)

    def create(
        self,
        *,
        category_id: int,
        title: str,
        description: str,
        url: str,
        image: Picture | Mapping[str, Picture] | None = None,
        places: Sequence[GroupPlace],
        radius: int,
        start_datetime: datetime,
        expiry_datetime: datetime,
        payment_method: models.CreateGroupFormPaymentMethod,
        terms_and_conditions: str | None = None,
        advertised_name: str | None = None,
        gender: Sequence[models.CreateGroupFormGenderItem] | None = None,
        interests: Sequence[int] | None = None,
        environment: Mode | None = None,
        max_cost: float | None = None,
        image_offer_id: int | None = None,
        idempotency_key: str | None = None,
    ) -> Created[models.CreatedGroup] | Refusal[operations.CreateCode]:
        """
        :param image: one for all, or several by file names: each place then has `image` or `image_offer_id`
        :param places: 1 to 20, an offer for each
        :param max_cost: the most that it may cost, net of VAT and in your billing currency
        :param image_offer_id: instead of `image`: an offer of yours in this mode, whose picture the new offers get too
        :param idempotency_key: a unique value per group; default: a random UUID. Store it where it survives a crash.
        """
        mode = self._mode(environment)
        key = _checked_idempotency_key(str(uuid.uuid4()) if idempotency_key is None else idempotency_key)
        form = models.CreateGroupForm(
            category_id=category_id,
            title=title,
            description=description,
            url=url,
            image=_image_part(None if isinstance(image, Mapping) else image),
            places=json.dumps(list(places), separators=(",", ":")),
            radius=radius,
            start_datetime=_instant("start_datetime", start_datetime),
            expiry_datetime=_instant("expiry_datetime", expiry_datetime),
            payment_method=payment_method,
            environment=mode,
            terms_and_conditions=UNSET if terms_and_conditions is None else terms_and_conditions,
            advertised_name=UNSET if advertised_name is None else advertised_name,
            gender=UNSET if gender is None else list(gender),
            interests=UNSET if interests is None else list(interests),
            max_cost=UNSET if max_cost is None else max_cost,
            image_offer_id=UNSET if image_offer_id is None else image_offer_id,
        )

        pictures = _named_pictures(image) if isinstance(image, Mapping) else []

        def arguments() -> dict[str, Any]:
            for picture in (form.image, *pictures):
                _rewind(picture)
            made = _with_own_boundary(create_group._get_kwargs(body=form, idempotency_key=key))
            made["files"] += [("image", picture.to_tuple()) for picture in pictures]
            return made

        return self._created(operations.CREATE_GROUP, arguments, key)

    def get(self, group_id: int) -> Success[models.OfferGroup] | Refusal[operations.GroupCode]:
        arguments = read_group._get_kwargs(_checked_id(group_id))
        return call(self._settings, operations.READ_GROUP, lambda: arguments)

    def series(
        self,
        group_id: int,
        *,
        granularity: models.ReadGroupSeriesGranularity,
        interval: models.ReadGroupSeriesInterval | None = None,
        first_day: date | None = None,
        last_day: date | None = None,
    ) -> Success[models.GroupAnalyticsPoints] | Refusal[operations.SeriesCode]:
        """The sums over all offers of the group, deleted ones too."""
        arguments = read_group_series._get_kwargs(
            _checked_id(group_id),
            interval=UNSET if interval is None else interval,
            from_=UNSET if first_day is None else first_day,
            to=UNSET if last_day is None else last_day,
            granularity=granularity,
        )
        return call(self._settings, operations.READ_GROUP_SERIES, lambda: arguments)

    def update(
        self,
        group_id: int,
        *,
        category_id: int | None = None,
        title: str | None = None,
        description: str | None = None,
        terms_and_conditions: str | Unset | None = UNSET,
        advertised_name: str | Unset | None = UNSET,
        url: str | None = None,
        image: Picture | None = None,
        environment: Mode | None = None,
        idempotency_key: str | None = None,
    ) -> Success[models.Updated] | Refusal[operations.UpdateCode]:
        """Changes what members see of all its offers, or of none; the parameters are those of `offers.update`."""
        form = models.UpdateOfferForm(
            category_id=UNSET if category_id is None else category_id,
            title=UNSET if title is None else title,
            description=UNSET if description is None else description,
            terms_and_conditions="" if terms_and_conditions is None else terms_and_conditions,
            advertised_name="" if advertised_name is None else advertised_name,
            url=UNSET if url is None else url,
            image=_image_part(image),
            environment=UNSET if environment is None else environment,
        )
        kwargs = partial(update_group._get_kwargs, _checked_id(group_id))
        return self._updated(operations.UPDATE_GROUP, kwargs, form, idempotency_key)

    def pause(self, group_id: int) -> Success[models.GroupChange] | Refusal[operations.GroupCode]:
        arguments = pause_group._get_kwargs(_checked_id(group_id))
        return call(self._settings, operations.PAUSE_GROUP, lambda: arguments)

    def resume(self, group_id: int) -> Success[models.GroupChange] | Refusal[operations.GroupCode]:
        arguments = resume_group._get_kwargs(_checked_id(group_id))
        return call(self._settings, operations.RESUME_GROUP, lambda: arguments)

    def delete(self, group_id: int) -> Success[models.GroupChange] | Refusal[operations.GroupCode]:
        arguments = delete_group._get_kwargs(_checked_id(group_id))
        return call(self._settings, operations.DELETE_GROUP, lambda: arguments)


class Webhooks(_Part):
    def create(
        self,
        *,
        url: str,
        description: str | None = None,
        event_types: Sequence[models.WebhookRequestEventTypesType0Item] | None = None,
        ed25519: bool = False,
        idempotency_key: str | None = None,
    ) -> Success[models.WebhookWithSecret] | Refusal[operations.CreateWebhookCode]:
        """
        The value has the secret, which is shown this once.

        :param event_types: left out: all types, also those that are added later
        :param ed25519: messages are also signed with `v1a`, which `public_key` of the value verifies
        :param idempotency_key: default: a random UUID. A repeat with it within a day has the same secret.
        """
        key = _checked_idempotency_key(str(uuid.uuid4()) if idempotency_key is None else idempotency_key)
        body = _webhook_request(url, description, event_types, ed25519)
        arguments = create_webhook._get_kwargs(body=body, idempotency_key=key)
        return call(self._settings, operations.CREATE_WEBHOOK, lambda: arguments, idempotency_key=key)

    def list(self) -> Success[models.Webhooks]:
        return self._without_codes(operations.LIST_WEBHOOKS, list_webhooks._get_kwargs())

    def get(self, webhook_id: str) -> Success[models.Webhook] | Refusal[operations.WebhookCode]:
        arguments = read_webhook._get_kwargs(_checked_text(webhook_id))
        return call(self._settings, operations.READ_WEBHOOK, lambda: arguments)

    def change(
        self,
        webhook_id: str,
        *,
        url: str,
        description: str | None = None,
        event_types: Sequence[models.WebhookRequestEventTypesType0Item] | None = None,
        ed25519: bool = False,
    ) -> Success[models.Webhook] | Refusal[operations.ChangeWebhookCode]:
        """Replaces all of them; what is left out is removed. The secret stays."""
        body = _webhook_request(url, description, event_types, ed25519)
        arguments = change_webhook._get_kwargs(_checked_text(webhook_id), body=body)
        return call(self._settings, operations.CHANGE_WEBHOOK, lambda: arguments)

    def delete(self, webhook_id: str) -> Success[models.DeletedWebhook] | Refusal[operations.WebhookCode]:
        arguments = delete_webhook._get_kwargs(_checked_text(webhook_id))
        return call(self._settings, operations.DELETE_WEBHOOK, lambda: arguments)

    def send_test(self, webhook_id: str) -> Success[models.WebhookMessage] | Refusal[operations.SendCode]:
        arguments = test_webhook._get_kwargs(_checked_text(webhook_id))
        return call(self._settings, operations.TEST_WEBHOOK, lambda: arguments)

    def roll_secret(
        self, webhook_id: str
    ) -> Success[models.WebhookWithSecret] | Refusal[operations.RollCode]:
        """The value has the new secret. The old one also signs for 24 hours."""
        arguments = roll_webhook_secret._get_kwargs(_checked_text(webhook_id))
        return call(self._settings, operations.ROLL_WEBHOOK_SECRET, lambda: arguments)

    def disable(self, webhook_id: str) -> Success[models.Webhook] | Refusal[operations.WebhookCode]:
        arguments = disable_webhook._get_kwargs(_checked_text(webhook_id))
        return call(self._settings, operations.DISABLE_WEBHOOK, lambda: arguments)

    def enable(self, webhook_id: str) -> Success[models.Webhook] | Refusal[operations.EnableCode]:
        arguments = enable_webhook._get_kwargs(_checked_text(webhook_id))
        return call(self._settings, operations.ENABLE_WEBHOOK, lambda: arguments)

    def messages(
        self,
        webhook_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: models.ListWebhookMessagesStatus | None = None,
    ) -> Success[models.WebhookMessages] | Refusal[operations.MessagesCode]:
        """One page, the latest first."""
        arguments = list_webhook_messages._get_kwargs(
            _checked_text(webhook_id),
            limit=UNSET if limit is None else limit,
            cursor=UNSET if cursor is None else cursor,
            status=UNSET if status is None else status,
        )
        return call(self._settings, operations.LIST_WEBHOOK_MESSAGES, lambda: arguments)

    def resend(
        self, webhook_id: str, message_id: str
    ) -> Success[models.WebhookMessage] | Refusal[operations.SendCode]:
        arguments = resend_webhook_message._get_kwargs(_checked_text(webhook_id), _checked_text(message_id))
        return call(self._settings, operations.RESEND_WEBHOOK_MESSAGE, lambda: arguments)

    def resend_since(
        self, webhook_id: str, *, since: datetime, include_delivered: bool = False
    ) -> Success[models.Resent] | Refusal[operations.ResendCode]:
        """All failed and missed messages since a moment, at most 1,000."""
        body = models.ResendRequest(since=_instant("since", since), include_delivered=include_delivered)
        arguments = resend_webhook_messages._get_kwargs(_checked_text(webhook_id), body=body)
        return call(self._settings, operations.RESEND_WEBHOOK_MESSAGES, lambda: arguments)


class TestClock(_Part):
    """The time of the TEST offers. With a TEST key only."""

    def get(self) -> Success[models.TestClock] | Refusal[operations.ClockCode]:
        return call(self._settings, operations.READ_TEST_CLOCK, read_test_clock._get_kwargs)

    def advance(
        self, *, advance_seconds: int | None = None, now: datetime | None = None
    ) -> Success[models.TestClock] | Refusal[operations.ClockCode]:
        """
        Moves it forward by seconds, or to an instant: one of the two. Not repeated when the reply is lost: look at the
        clock then.
        """
        body: models.AdvanceBy | models.AdvanceTo
        if advance_seconds is not None and now is None:
            body = models.AdvanceBy(advance_seconds=advance_seconds)
        elif now is not None and advance_seconds is None:
            body = models.AdvanceTo(now=_instant("now", now))
        else:
            raise invalid_argument("advance needs advance_seconds or now")
        arguments = advance_test_clock._get_kwargs(body=body)
        return call(self._settings, operations.ADVANCE_TEST_CLOCK, lambda: arguments)

    def reset(self) -> Success[models.TestClock] | Refusal[operations.ResetCode]:
        """Back to the real time, when every TEST offer has ended or was deleted."""
        return call(self._settings, operations.RESET_TEST_CLOCK, reset_test_clock._get_kwargs)


class OfferList:
    """Requests are sent only when needed: the next page only after the previous one is used up."""

    def __init__(self, settings: Settings, arguments: dict[str, Any], cursor: str | None) -> None:
        self._settings = settings
        self._arguments = arguments
        self._cursor = cursor

    def page(self) -> Success[models.OfferPage] | Refusal[operations.ListCode]:
        """One page as a result; refusals are values."""
        return self._read(self._cursor)

    def pages(self) -> Iterator[models.OfferPage]:
        """:raises OfferAdsError: of kind `refused` when the service refuses the request"""
        cursor = self._cursor
        while True:
            page = self._read(cursor).unwrap()
            yield page
            following = page.pagination.next_cursor
            if not page.pagination.has_more or following is None:
                return
            if following == cursor:
                raise invalid_argument("the list does not advance")
            cursor = following

    def __iter__(self) -> Iterator[models.Offer]:
        for page in self.pages():
            yield from page.data

    def _read(self, cursor: str | None) -> Success[models.OfferPage] | Refusal[operations.ListCode]:
        params = self._arguments["params"] | ({} if cursor is None else {"cursor": cursor})
        return call(self._settings, operations.LIST_OFFERS, lambda: self._arguments | {"params": params})


def _checked_id(identifier: object) -> int:
    # bool is an int in Python.
    if isinstance(identifier, int) and not isinstance(identifier, bool):
        return identifier
    raise invalid_argument("an offer id is a whole number")


def _webhook_request(
    url: str,
    description: str | None,
    event_types: Sequence[models.WebhookRequestEventTypesType0Item] | None,
    ed25519: bool,
) -> models.WebhookRequest:
    return models.WebhookRequest(
        url=url,
        description=UNSET if description is None else description,
        event_types=UNSET if event_types is None else list(event_types),
        ed25519=ed25519 or UNSET,
    )


def _checked_text(text: object) -> str:
    """An id as a part of a path."""
    if isinstance(text, str) and re.fullmatch(r"[\w-]{1,100}", text, re.ASCII):
        return text
    raise invalid_argument("the id of a webhook or message is a text such as we_... or msg_...")


def _checked_idempotency_key(key: object) -> str:
    if isinstance(key, str) and re.fullmatch(r"[!-~]{1,255}", key):
        return key
    raise invalid_argument("idempotency_key must be 1 to 255 printable ASCII characters without spaces")


def _instant(field: str, value: datetime) -> datetime:
    """A time without a zone is refused, because it would mean another instant on each machine."""
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise invalid_argument(
            f"{field} must be a datetime with a time zone, such as datetime.now(timezone.utc)"
        )
    return value.astimezone(timezone.utc)


def _floats(location: Location) -> list[float]:
    latitude, longitude = location
    return [float(latitude), float(longitude)]


def _image_part(image: Picture | None) -> File | Unset:
    if image is None:
        return UNSET
    return File(payload=BytesIO(_bytes_of(image)), file_name="image", mime_type="application/octet-stream")


def _named_pictures(images: Mapping[str, Picture]) -> list[File]:
    for name in images:
        # The service unescapes other characters than httpx escapes.
        if re.search(r'["\\\x00-\x1f\x7f]', name):
            raise invalid_argument(
                f"the file name {name!r} of an image has quotes, backslashes or line breaks"
            )
    return [
        File(payload=BytesIO(_bytes_of(image)), file_name=name, mime_type="application/octet-stream")
        for name, image in images.items()
    ]


def _rewind(image: File | Unset) -> None:
    """Each attempt reads the picture from its beginning."""
    if not isinstance(image, Unset):
        image.payload.seek(0)


def _with_own_boundary(made: dict[str, Any]) -> dict[str, Any]:
    """The generated code has a fixed boundary, which a text could contain. httpx makes one of its own."""
    del made["headers"]["Content-Type"]
    return made


_LONGEST_PICTURE = 6 * 1024 * 1024
"""Bytes. More than the service accepts, so that the service names its limit."""


def _bytes_of(image: Picture) -> bytes:
    if isinstance(image, bytes):
        return image
    unreadable = invalid_argument("image could not be read")
    try:
        if isinstance(image, PathLike):
            with Path(image).open("rb") as file:
                data = file.read(_LONGEST_PICTURE)
        elif hasattr(image, "read"):
            data = image.read(_LONGEST_PICTURE)
        else:
            raise invalid_argument("image must be bytes, a pathlib.Path or a file opened for reading bytes")
    except OSError as error:
        raise unreadable from error
    if not isinstance(data, bytes):
        raise invalid_argument("image must be opened for reading bytes: open(path, 'rb')")
    return data
