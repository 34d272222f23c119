"""Rate limits: what the responses of a run show of them. No limit is provoked."""

from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *


@requirement("PAY-RATE-02", "PAY-RATE-03")
@deferred(AT_THE_END)
def test_429_responses_and_rate_limit_headers_are_noted(payments: Payments, observe: Observer) -> None:
    """The report says how often 429 was met, when requests were accepted again, and which headers tell the limit."""
    last = precondition(payments.get_balance(), has("data", "object"))
    headers = stored_headers(payments, ".*rate-?limit.*|retry-after")
    waits = until_accepted_again(payments)
    met = f"429 was met {len(waits)} times" if waits else "no 429 was met"
    observe("PAY-RATE-02", f"{met}; headers: {headers or 'none'}", headers, last)
    observe("PAY-RATE-03", f"{met}; accepted again: {waits}" if waits else met, waits, last)
