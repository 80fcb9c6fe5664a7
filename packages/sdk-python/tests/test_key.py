"""The API key: where it is sent, where it is not, and that nothing shows it. Against a real server."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest.mock import patch

import httpx

from offer_ads import OfferAds, OfferAdsError

from .scripted import CATEGORIES, KEY, LOST, Answer, scene


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.keys: list[str | None] = []
        self.redirect_to: str | None = None
        self.seconds_per_byte = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.keys.append(self.headers.get("x-api-key"))
        body = json.dumps(CATEGORIES.body).encode()
        self.send_response(200 if self.server.redirect_to is None else 302)
        if self.server.redirect_to is not None:
            self.send_header("location", self.server.redirect_to)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        try:
            for byte in body:
                self.wfile.write(bytes([byte]))
                time.sleep(self.server.seconds_per_byte)
        except OSError:
            # The client has gone.
            return

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def running() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class TheKey(unittest.TestCase):
    def test_is_sent_with_each_request(self) -> None:
        with running() as server, OfferAds(api_key=KEY, base_url=server.url + "/") as ads:
            self.assertEqual(ads.categories.list().value.categories[0].category_name, "Food and drink")
            self.assertEqual(server.keys, [KEY])

    def test_does_not_follow_a_redirect(self) -> None:
        with running() as server, running() as other:
            server.redirect_to = f"{other.url}/categories"
            with (
                OfferAds(api_key=KEY, base_url=server.url) as ads,
                self.assertRaises(OfferAdsError) as caught,
            ):
                ads.categories.list()
            self.assertEqual((caught.exception.kind, caught.exception.status), ("unexpected", 302))
            self.assertEqual((server.keys, other.keys), ([KEY], []))

    def test_does_not_go_over_plain_http_to_another_machine(self) -> None:
        for address in ("http://ads.example.com", "http://127.0.0.1.example.com", "http://10.0.0.1"):
            with self.assertRaises(OfferAdsError) as caught:
                OfferAds(api_key=KEY, base_url=address)
            self.assertEqual(caught.exception.kind, "invalid-argument")
        OfferAds(api_key=KEY, base_url="http://ads.example.com", allow_http=True)
        for address in ("http://localhost:8080", "http://[::1]:8080", "https://ads.example.com/api"):
            OfferAds(api_key=KEY, base_url=address)

    def test_does_not_go_over_plain_http_to_a_proxy_of_the_environment(self) -> None:
        with running() as server, running() as proxy:
            with patch.dict(os.environ, {"http_proxy": proxy.url, "HTTP_PROXY": proxy.url, "no_proxy": ""}):
                with OfferAds(api_key=KEY, base_url=server.url) as ads:
                    ads.categories.list()
            self.assertEqual((server.keys, proxy.keys), ([KEY], []))

    def test_is_in_no_log(self) -> None:
        with running() as server, OfferAds(api_key=KEY, base_url=server.url) as ads:
            with self.assertLogs(level=logging.DEBUG) as logs:
                ads.categories.list()
        self.assertTrue(logs.output)
        self.assertNotIn(KEY, "\n".join(logs.output))

    def test_is_not_shown_when_a_client_a_list_a_result_or_a_notice_is_printed(self) -> None:
        s = scene(LOST, CATEGORIES)
        result = s.ads.categories.list()
        listed = s.ads.offers.list()
        for shown in (s.ads, s.ads.offers, listed, result, s.notices, s.ads._settings, s.ads.with_options()):
            self.assertNotIn(KEY, f"{shown!r} {shown!s} {vars(shown) if hasattr(shown, '__dict__') else ''}")

    def test_is_in_no_error_and_in_none_of_the_errors_before_it(self) -> None:
        for answer in (
            LOST,
            Answer(takes=1_000),
            Answer(401, {"message": "Unauthorised"}),
            Answer(200, "<p>"),
        ):
            with self.subTest(answer=answer), self.assertRaises(OfferAdsError) as caught:
                scene(answer).ads.categories.list()
            error: BaseException | None = caught.exception
            while error is not None:
                # An error of httpx would hold the request with its headers.
                self.assertNotIsInstance(error, httpx.HTTPError)
                self.assertNotIn(KEY, f"{error!r} {vars(error)}")
                error = error.__cause__ or error.__context__

    def test_must_be_one(self) -> None:
        for key in ("", "two words", "pk_test_x\n", "pk_place_test_x"):
            with self.assertRaises(OfferAdsError) as caught:
                OfferAds(api_key=key, base_url="https://ads.example.com")
            self.assertEqual(caught.exception.kind, "invalid-argument")
            self.assertNotIn("two words", str(caught.exception))

    def test_tells_the_mode(self) -> None:
        for key, mode in (("pk_test_x", "TEST"), ("pk_live_x", "LIVE"), ("old", None)):
            self.assertEqual(OfferAds(api_key=key, base_url="https://ads.example.com").mode, mode)


class TheAddress(unittest.TestCase):
    def test_must_be_that_of_a_service(self) -> None:
        for address in (
            "",
            "ads.example.com",
            "ftp://x",
            "https://u:p@x",
            "https://x?a=1",
            "https://x#a",
            "https://",
        ):
            with self.subTest(address=address), self.assertRaises(OfferAdsError) as caught:
                OfferAds(api_key=KEY, base_url=address)
            self.assertEqual(caught.exception.kind, "invalid-argument")

    def test_may_have_a_path(self) -> None:
        s = scene(CATEGORIES, base_url="https://example.com/ads/")
        s.ads.categories.list()
        self.assertEqual(s.seen[0].url, "https://example.com/ads/categories")


class Limits(unittest.TestCase):
    def test_are_checked(self) -> None:
        for wrong in ({"timeout": 0}, {"deadline": -1}, {"deadline": float("nan")}, {"max_retries": 101}):
            with self.subTest(wrong=wrong), self.assertRaises(OfferAdsError):
                scene(CATEGORIES, **wrong)

    def test_end_a_reply_that_comes_byte_by_byte(self) -> None:
        with running() as server:
            server.seconds_per_byte = 0.1
            with OfferAds(api_key=KEY, base_url=server.url, timeout=0.5, max_retries=0) as ads:
                started = time.monotonic()
                with self.assertRaises(OfferAdsError) as caught:
                    ads.categories.list()
            self.assertEqual(caught.exception.kind, "timeout")
            # All of the reply would take 6 seconds.
            self.assertLess(time.monotonic() - started, 4)
