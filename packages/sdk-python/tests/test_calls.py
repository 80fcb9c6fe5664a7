"""Attempts, waits and deadlines, in virtual time."""

from __future__ import annotations

import re
import unittest
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from functools import partial
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from offer_ads import Created, OfferAdsError, Refusal, Success

from .scripted import (
    CATEGORIES,
    CLOCK,
    CREATED,
    DELETED,
    LOST,
    PAUSED,
    Answer,
    Scene,
    offer,
    page,
    refused,
    scene,
)

START = datetime(1970, 1, 1, tzinfo=timezone.utc)
OFFER: dict[str, Any] = {
    "category_id": 1,
    "title": "Two for one",
    "description": "one line\nand another",
    "url": "https://example.com/",
    "image": b"\x01\x02\x03",
    "location": (51, -0.1),
    "radius": 10,
    "start_datetime": START,
    "expiry_datetime": START + timedelta(hours=1),
    "payment_method": "B",
}


class Case(unittest.TestCase):
    def failure(self, work: Callable[[], object]) -> OfferAdsError:
        with self.assertRaises(OfferAdsError) as caught:
            work()
        return caught.exception


class ACall(Case):
    def test_is_repeated_after_a_lost_reply_and_the_result_says_so(self) -> None:
        s = scene(LOST, PAUSED)
        result = s.ads.offers.pause(7)
        self.assertTrue(result.ok)
        self.assertEqual((result.reply.attempts, result.reply.earlier_reply_lost), (2, True))
        self.assertEqual(
            [(seen.method, seen.url) for seen in s.seen],
            [("POST", "https://ads.example.com/offers/7/pause")] * 2,
        )

    def test_that_advances_the_test_clock_is_repeated_only_if_it_cannot_have_taken_effect(self) -> None:
        for lost in (LOST, Answer(503, {"message": "Service unavailable"})):
            s = scene(lost, CLOCK)
            advance = s.ads.test_clock.advance
            error = self.failure(partial(advance, advance_seconds=60))
            self.assertEqual((error.attempts, error.earlier_reply_lost, len(s.seen)), (1, True, 1))
        s = scene(Answer(429, {"message": "Too many"}), CLOCK)
        result = s.ads.test_clock.advance(now=START)
        self.assertEqual((result.ok, result.reply.attempts), (True, 2))
        advance = scene().ads.test_clock.advance
        for wrong in (advance, partial(advance, advance_seconds=1, now=START)):
            self.assertEqual(self.failure(wrong).kind, "invalid-argument")

    def test_is_repeated_3_times_at_most_and_only_after_what_may_pass(self) -> None:
        for status, kind, attempts in (
            (429, "rate-limited", 4),
            (503, "unavailable", 4),
            (500, "server", 4),
            (502, "server", 4),
            (504, "server", 4),
            (408, "timeout", 4),
            (409, "unexpected", 4),
            (400, "unexpected", 1),
            (401, "unauthorised", 1),
            (403, "unexpected", 1),
            (404, "unexpected", 1),
            (413, "unexpected", 1),
            (422, "unexpected", 1),
            (302, "unexpected", 1),
        ):
            with self.subTest(status=status):
                s = scene(Answer(status, "<html>", {"x-request-id": "r-1"}))
                error = self.failure(s.ads.categories.list)
                self.assertEqual(
                    (error.kind, error.status, error.attempts, error.request_id),
                    (kind, status, attempts, "r-1"),
                )
                self.assertEqual(len(s.seen), attempts)

    def test_waits_half_a_second_then_twice_as_long_each_time_up_to_8_seconds(self) -> None:
        for chance, first in ((0.0, 0.25), (0.999, 0.5)):
            s = scene(LOST, chance=chance, max_retries=6)
            self.failure(s.ads.categories.list)
            waits = [round(notice.wait, 1) for notice in s.notices]
            expected = [min(first * 2**n, first * 16) for n in range(6)]
            for wait, about in zip(waits, expected, strict=True):
                self.assertAlmostEqual(wait, about, delta=0.1)
        self.assertEqual(s.notices[0].operation, "listCategories")

    def test_waits_as_long_as_retry_after_says_in_seconds_or_as_a_date(self) -> None:
        later = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=20), usegmt=True)
        s = scene(
            Answer(429, headers={"retry-after": "31"}),
            Answer(503, headers={"retry-after": later}),
            CATEGORIES,
        )
        self.assertTrue(s.ads.categories.list().ok)
        self.assertEqual(s.seen[1].at, 31)
        # Dates have whole seconds.
        self.assertTrue(31 + 15 < s.seen[2].at <= 31 + 20)

    def test_fails_at_once_when_the_wait_would_end_after_the_deadline(self) -> None:
        s = scene(Answer(429, headers={"retry-after": "600"}))
        error = self.failure(s.ads.categories.list)
        self.assertEqual((error.kind, error.attempts, error.retry_after), ("rate-limited", 1, 600))
        self.assertEqual((len(s.seen), s.clock.now()), (1, 0))

    def test_waits_for_the_rate_limit_within_the_usual_deadline(self) -> None:
        s = scene(*[Answer(429, headers={"retry-after": "60"})] * 2, CATEGORIES)
        self.assertTrue(s.ads.categories.list().ok)
        self.assertEqual(s.clock.now(), 120)
        s = scene(Answer(429, headers={"retry-after": "60"}))
        self.failure(s.ads.categories.list)
        self.assertEqual(len(s.seen), 3)

    def test_times_out_each_attempt_and_at_the_deadline_the_call(self) -> None:
        s = scene(Answer(takes=1_000), timeout=10, deadline=25)
        self.assertEqual(self.failure(s.ads.categories.list).kind, "timeout")
        self.assertEqual((len(s.seen), round(s.clock.now(), 3)), (3, 25))

    def test_has_other_limits_by_with_options(self) -> None:
        s = scene(LOST)
        other = s.ads.with_options(max_retries=0)
        self.assertEqual(self.failure(other.categories.list).attempts, 1)
        self.assertEqual(self.failure(s.ads.categories.list).attempts, 4)

    def test_fails_as_unexpected_when_a_200_does_not_come_from_the_api(self) -> None:
        bodies: list[object] = ["<html>welcome</html>", [], None, {}, {"categories": 7}]
        for body in bodies:
            with self.subTest(body=body):
                error = self.failure(scene(Answer(200, body)).ads.categories.list)
                self.assertEqual((error.kind, error.status), ("unexpected", 200))
        missing = self.failure(scene(Answer(200, {"environment": "TEST", "currency": "GBP"})).ads.balance.get)
        self.assertIn("balance", str(missing))

    def test_fails_as_unexpected_with_a_code_that_the_endpoint_does_not_have(self) -> None:
        # `E3` of a pause comes with 200.
        for code in ("E8", "S1", "E3", "__class__"):
            s = scene(refused(code, 400))
            error = self.failure(lambda s=s: s.ads.offers.pause(1))  # type: ignore[misc]
            self.assertEqual((error.kind, error.code), ("unexpected", code))

    def test_names_a_wrong_field_that_has_no_code(self) -> None:
        error = self.failure(scene(Answer(400, {"message": "limit is wrong"})).ads.balance.get)
        self.assertEqual(error.kind, "invalid-request")
        self.assertIn("limit is wrong", str(error))

    def test_stops_reading_a_reply_that_is_too_long(self) -> None:
        long = scene(Answer(200, '{"categories": [], "more": "' + "x" * 9_000_000 + '"}'))
        self.assertEqual(self.failure(long.ads.categories.list).kind, "unexpected")

    def test_accepts_fields_and_values_that_came_later(self) -> None:
        absent = dict.fromkeys(("payment_url", "disabled_reason", "group_id", "place_label"))
        body = offer(1) | absent | {"matching_users": 50, "new": 1}
        body["actions"] = ["pause", "extend"]
        value = scene(Answer(200, body)).ads.offers.get(1).unwrap()
        self.assertEqual(value.actions, ["pause", "extend"])


class ACreation(Case):
    def test_has_the_same_key_and_fields_in_each_attempt_and_the_key_in_the_result(self) -> None:
        in_flight = Answer(409, {"message": "still being processed"}, {"retry-after": "1"})
        s = scene(LOST, in_flight, Answer(500), CREATED)
        result = s.ads.offers.create(**OFFER)
        assert isinstance(result, Created)
        self.assertEqual((result.replayed, result.reply.attempts), (False, 4))
        self.assertEqual({seen.headers["idempotency-key"] for seen in s.seen}, {result.idempotency_key})
        self.assertEqual(len({without_boundary(seen.body) for seen in s.seen}), 1)

    def test_sends_texts_numbers_times_and_the_picture_as_they_are(self) -> None:
        s = scene(CREATED)
        s.ads.offers.create(**OFFER, gender=["Female", "Male"], interests=[3])
        body = s.seen[0].body
        for part in (
            b"one line\nand another",
            b'name="location[]"',
            # A whole number is a coordinate too.
            b"51.0\r\n",
            b"-0.1\r\n",
            b"1970-01-01T00:00:00+00:00",
            b'filename="image"\r\nContent-Type: application/octet-stream\r\n\r\n\x01\x02\x03\r\n',
            b"Female\r\n",
            b"\r\nTEST\r\n",
        ):
            self.assertIn(part, body)
        self.assertEqual(body.count(b'name="gender[]"'), 2)

    def test_of_a_group_has_a_picture_for_each_file_name_that_its_places_name(self) -> None:
        body = {"return_code": "S1", "group_id": 7, "offers": [], "payment_url": None, "currency": "GBP"}
        s = scene(LOST, Answer(200, body))
        group = {name: value for name, value in OFFER.items() if name != "location"}
        names = ("soho.png", "café.gif")
        group["places"] = [{"latitude": 51.5, "longitude": -0.1, "image": name} for name in names]
        image = {"soho.png": b"<bytes>", "café.gif": BytesIO(b"<file>")}
        self.assertTrue(s.ads.groups.create(**(group | {"image": image})).ok)
        first, again = (without_boundary(seen.body) for seen in s.seen)
        self.assertEqual(first, again)
        for name, content in zip(names, (b"<bytes>", b"<file>"), strict=True):
            part = rb'filename="%b"\r\n[^\x00]*?\r\n\r\n%b\r\n' % (re.escape(name.encode()), content)
            self.assertRegex(first, part)
        self.assertIn(b'"image":"soho.png"', first)
        wrong = group | {"image": {'a"b.png': b"x"}}
        self.assertEqual(self.failure(lambda: s.ads.groups.create(**wrong)).kind, "invalid-argument")
        self.assertEqual(len(s.seen), 2)

    def test_leaves_out_what_is_none_and_a_change_clears_it(self) -> None:
        s = scene(CREATED)
        s.ads.offers.create(**OFFER, advertised_name=None, quote_id=None, gender=None)
        for text in (b"None", b"null", b"advertised_name", b"quote_id", b"gender"):
            self.assertNotIn(text, s.seen[0].body)
        s = scene(Answer(200, {"return_code": "S1", "message": "Offer has been updated"}))
        s.ads.offers.update(7, title="New", advertised_name=None)
        body = s.seen[0].body
        self.assertRegex(body, rb'name="advertised_name"\r\n[^\x00]*?\r\n\r\n\r\n')
        for text in (b"None", b"null", b"terms_and_conditions"):
            self.assertNotIn(text, body)

    def test_has_a_boundary_that_no_text_can_contain(self) -> None:
        s = scene(CREATED)
        s.ads.offers.create(**(OFFER | {"description": "--+++\r\n"}))
        self.assertNotIn("+++", s.seen[0].headers["content-type"])

    def test_uses_the_key_of_the_caller_and_has_it_in_the_error(self) -> None:
        error = self.failure(lambda: scene(LOST).ads.offers.create(**OFFER, idempotency_key="order-1"))
        self.assertEqual(
            (error.kind, error.idempotency_key, error.earlier_reply_lost), ("network", "order-1", True)
        )

    def test_says_when_the_reply_is_that_of_an_earlier_request(self) -> None:
        replay = Answer(200, CREATED.body, {"Idempotent-Replayed": "true"})
        result = scene(replay).ads.offers.create(**OFFER)
        assert isinstance(result, Created)
        self.assertTrue(result.replayed)

    def test_returns_refusals_as_values(self) -> None:
        result = scene(refused("E3", 200, "balance is too low")).ads.offers.create(**OFFER)
        assert isinstance(result, Refusal)
        self.assertEqual((result.code, result.status, result.message), ("E3", 200, "balance is too low"))
        error = self.failure(result.unwrap)
        self.assertEqual((error.kind, error.code, error.status), ("refused", "E3", 200))
        self.assertEqual(error.idempotency_key, result.idempotency_key)

    def test_fails_as_in_flight_when_the_first_request_takes_longer_than_the_retries(self) -> None:
        s = scene(Answer(409, {"message": "still being processed"}))
        error = self.failure(lambda: s.ads.offers.create(**OFFER))
        self.assertEqual((error.kind, error.attempts), ("in-flight", 4))

    def test_is_not_repeated_when_the_key_was_used_for_something_else(self) -> None:
        s = scene(Answer(422, {"message": "different payload"}))
        self.assertEqual(self.failure(lambda: s.ads.offers.create(**OFFER)).kind, "key-reused")
        self.assertEqual(len(s.seen), 1)

    def test_takes_a_picture_as_bytes_path_or_file(self) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder, "picture.png")
            path.write_bytes(b"\x01\x02\x03")
            with path.open("rb") as file:
                for image in (b"\x01\x02\x03", path, BytesIO(b"\x01\x02\x03"), file):
                    s = scene(LOST, CREATED)
                    s.ads.offers.create(**(OFFER | {"image": image}))
                    self.assertTrue(all(b"\r\n\r\n\x01\x02\x03\r\n" in seen.body for seen in s.seen))

    def test_sends_nothing_with_an_argument_that_is_wrong(self) -> None:
        for wrong in (
            {"start_datetime": datetime(2035, 6, 1)},
            {"start_datetime": "2035-06-01T12:00:00Z"},
            {"image": "picture.png"},
            {"image": Path("/does/not/exist.png")},
            {"idempotency_key": "two words"},
            {"idempotency_key": ""},
        ):
            with self.subTest(wrong=wrong):
                s = scene(CREATED)
                error = self.failure(lambda s=s, wrong=wrong: s.ads.offers.create(**(OFFER | wrong)))  # type: ignore[misc]
                self.assertEqual((error.kind, len(s.seen)), ("invalid-argument", 0))

    def test_needs_an_environment_when_the_key_does_not_tell_it(self) -> None:
        s = scene(CREATED, api_key="old-key")
        self.assertEqual(self.failure(lambda: s.ads.offers.create(**OFFER)).kind, "invalid-argument")
        self.assertTrue(s.ads.offers.create(**OFFER, environment="LIVE").ok)


class ADeletion(Case):
    def test_is_repeated_while_the_payment_page_cannot_be_closed_and_then_returns_the_refusal(self) -> None:
        s = scene(refused("E7", 503, retry_after="2"))
        result = s.ads.offers.delete(1)
        assert isinstance(result, Refusal)
        self.assertEqual((result.code, result.status, len(s.seen)), ("E7", 503, 4))
        # The reply says that nothing was deleted.
        self.assertFalse(result.reply.earlier_reply_lost)

    def test_is_not_repeated_when_the_payment_has_just_been_completed(self) -> None:
        s = scene(refused("E6", 409))
        result = s.ads.offers.delete(1)
        assert isinstance(result, Refusal)
        self.assertEqual((result.code, len(s.seen)), ("E6", 1))

    def test_succeeds_when_the_page_could_be_closed_in_the_end(self) -> None:
        self.assertIsInstance(scene(refused("E7", 503), DELETED).ads.offers.delete(1), Success)


class AList(Case):
    def test_reads_the_next_page_only_when_it_is_needed(self) -> None:
        s = scene(page([3, 2], "second"), page([1], None))
        offers = iter(s.ads.offers.list(limit=2, offer_status="active"))
        self.assertEqual(len(s.seen), 0)
        next(offers)
        next(offers)
        self.assertEqual(len(s.seen), 1)
        self.assertEqual([one.offer_id for one in offers], [1])
        self.assertEqual(
            [seen.url.partition("?")[2] for seen in s.seen],
            [
                "environment=test&limit=2&offer_status=active",
                "environment=test&limit=2&offer_status=active&cursor=second",
            ],
        )

    def test_raises_refusals_while_iterating_and_returns_them_from_page(self) -> None:
        listed = scene(refused("E1", 400, "limit is wrong")).ads.offers.list(limit=101)
        self.assertEqual(self.failure(lambda: list(listed)).kind, "refused")
        self.assertIsInstance(listed.page(), Refusal)

    def test_ends_when_it_does_not_advance(self) -> None:
        s = scene(page([1], "same"))
        self.failure(lambda: list(s.ads.offers.list()))
        self.assertEqual(len(s.seen), 2)


class WhateverTheServiceDoes(Case):
    def test_a_call_keeps_its_limits(self) -> None:
        """Every order of three answers, with short and long waits."""
        answers = [
            LOST,
            Answer(429, {"message": "x"}, {"retry-after": "40"}),
            Answer(503, takes=20),
            Answer(500, takes=100),
            refused("E7", 503, retry_after="1"),
            DELETED,
        ]
        for one in answers:
            for two in answers:
                for three in answers:
                    s = scene(one, two, three, timeout=30, deadline=90, chance=0.5)
                    self._delete(s)
                    self.assertLessEqual(len(s.seen), 4)
                    self.assertLessEqual(round(s.clock.now(), 6), 90)
                    for before, after in pairwise(s.seen):
                        self.assertGreater(after.at, before.at)

    def _delete(self, s: Scene) -> None:
        try:
            s.ads.offers.delete(1)
        except OfferAdsError:
            pass


def without_boundary(body: bytes) -> bytes:
    return body.replace(body.partition(b"\r\n")[0], b"--boundary")
