import os
import time

import requests
import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    """Each call comes from a client address of its own, so that no limit of an address refuses it. `random` would repeat the addresses:
    Hypothesis sets its seed anew for each example."""
    case.headers = case.headers or {}
    case.headers["X-Forwarded-For"] = "10.%d.%d.%d" % tuple(os.urandom(3))


@schemathesis.check
def no_server_error_that_stays(ctx, response, case):
    """A store or service that does not answer in time is 503 with `Retry-After` (decision 23, deadlines and outages), which a busy machine
    may cause. The same request, sent again as that says, must get another answer. Every other 5xx is a fault."""
    status, waits = response.status_code, response.headers.get("retry-after")
    for _ in range(20):
        if status < 500:
            return
        assert status == 503 and waits, f"{status}, Retry-After: {waits}"
        time.sleep(int(waits[0]))
        again = requests.Session().send(response.request, timeout=60)
        status, waits = again.status_code, [again.headers["retry-after"]] if "retry-after" in again.headers else None
    raise AssertionError("503 for 20 attempts")
