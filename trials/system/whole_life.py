"""An advertiser's program: one offer from its price to its deletion. Prints what it sees as JSON."""

import json
import os
from datetime import datetime, timedelta, timezone
from pathlib import Path

from offer_ads import Created, OfferAds, OfferAdsError, Refusal

ads = OfferAds(api_key=os.environ["API_KEY"], base_url=os.environ["BASE_URL"])
start = datetime.now(timezone.utc) + timedelta(hours=1)
where = {"location": (51.5, 0), "radius": 10, "gender": ["Female", "Male"], "interests": [1, 2, 3]}
until = start + timedelta(days=2)
order = where | {
    "category_id": ads.categories.list().value.categories[0].category_id,
    "title": "By Python",
    "description": "Line one\nand line two, with ü and 愛.",
    "url": "https://crown.example/offer",
    "image": Path(os.environ["PICTURE"]),
    "start_datetime": start,
    "expiry_datetime": until,
    "payment_method": "B",
}

price = ads.offers.estimate(**where, start_datetime=start, end_datetime=until, quote=True).unwrap()
before = ads.balance.get().value
created = ads.offers.create(**order, quote_id=price.quote_id, idempotency_key="python-1")
again = ads.offers.create(**order, quote_id=price.quote_id, idempotency_key="python-1")
offer_id = created.unwrap().offer_id
assert isinstance(created, Created)
assert isinstance(again, Created)


def kind_of(call) -> str:
    try:
        call()
    except OfferAdsError as error:
        return error.kind
    return "none"


def code_of(result) -> str | None:
    return result.code if isinstance(result, Refusal) else None


other = ads.offers.create(**(order | {"title": "Other"}), idempotency_key="python-2").unwrap()
one = ads.offers.get(offer_id).unwrap()
entry = next(entry for entry in ads.balance.entries(limit=10).unwrap().data if entry.offer_id == offer_id)
credit = ads.offers.estimate_credit(offer_id).unwrap()
seen = {
    "interests": len(ads.interests.list().value.interests) > 0,
    "status": created.value.status,
    "replayed": [created.replayed, again.replayed, again.value.offer_id == offer_id],
    "reused": kind_of(lambda: ads.offers.create(**(order | {"radius": 11}), idempotency_key="python-1")),
    "paid": [before.balance > 0, -entry.amount == price.estimated_cost == credit.cost],
    "text": one.description == order["description"],
    "times": [one.start_datetime == start.replace(microsecond=start.microsecond // 1_000 * 1_000)],
    "place": [one.latitude, one.longitude, sorted(one.gender), len(one.interests)],
    "listed": [listed.title for listed in ads.offers.list(limit=1)],
    "updated": [
        code_of(ads.offers.update(other.offer_id, title="Changed", image=Path(os.environ["PICTURE"]))),
        ads.offers.get(other.offer_id).unwrap().title,
        code_of(ads.offers.update(other.offer_id, title="")),
    ],
    "paused": [code_of(ads.offers.pause(offer_id)), code_of(ads.offers.pause(offer_id))],
    "resumed": [code_of(ads.offers.resume(offer_id)), code_of(ads.offers.resume(offer_id))],
    "views": ads.offers.analytics(offer_id, "all").unwrap().metrics.views,
    "points": ads.offers.series(offer_id, interval="all", granularity="hour").unwrap().bucket_seconds,
    "deleted": [code_of(ads.offers.delete(each)) for each in (offer_id, other.offer_id, offer_id)],
    "limit": code_of(ads.offers.list(limit=101).page()),
    "stranger": kind_of(OfferAds(api_key="pk_test_nobody", base_url=os.environ["BASE_URL"]).balance.get),
}
print(json.dumps(seen))
