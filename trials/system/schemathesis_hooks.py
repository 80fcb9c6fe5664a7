"""Each call comes from a client address of its own, so that no limit of an address refuses it. `random` would repeat the addresses:
Hypothesis sets its seed anew for each example."""
import os

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers = case.headers or {}
    case.headers["X-Forwarded-For"] = "10.%d.%d.%d" % tuple(os.urandom(3))
