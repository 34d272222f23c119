"""Mutants of BUS-SIG, signatures of events."""

from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import Difference, changes_result, setting
from pix_conformance.reference.outbox import Written

GROUP = "auth"


def writes_header(sentence: str, form: str) -> Difference:
    """Write the header in another form; {0} is the moment, {1} the hash."""

    def write(rules: Any, body: bytes) -> str:
        moment = rules.event_timestamp()
        return form.format(moment, rules.event_hash(moment, body))

    return setting(sentence, event_signature=write)


def signed_at(sentence: str, moment: Callable[[float], float]) -> Difference:
    """Sign another moment than the present one."""
    return setting(sentence, event_timestamp=lambda rules: str(int(moment(rules.clock.now()))))


def unsigned(headers: dict[str, str]) -> dict[str, str]:
    return {"Content-Type": headers["Content-Type"]}


def hash_of_first_attempt(rules: Any, written: Written, attempt: int, _payload: Any) -> Written:
    body, headers = written
    moment = int(rules.event_timestamp())
    first = rules.event_hash(str(moment - attempt + 1), body)
    return body, headers | {rules.event_signature_header: f"t={moment},v1={first}"}


def hour_old_from_third_attempt(rules: Any, written: Written, attempt: int, _payload: Any) -> Written:
    body, headers = written
    moment = str(int(rules.event_timestamp()) - 3600)
    old = {rules.event_signature_header: f"t={moment},v1={rules.event_hash(moment, body)}"}
    return (body, headers | old) if attempt > 2 else written


MUTANTS = {
    "BUS-SIG-01": {"none-on-retries": changes_result(
            "From the second attempt on, an event has no signature.",
            write_event=lambda _, written, attempt, _payload: (
                written if attempt == 1 else (written[0], unsigned(written[1])))).seen_in("BUS-ENV-01")},
    "BUS-SIG-02": {"other-order": writes_header("The header holds v1 first.", "v1={1},t={0}")},
    "BUS-SIG-03": {
        "body-alone": setting("The signature covers the body alone.", signed_text=lambda _, _moment, body: body),
        "hash-of-first-attempt": changes_result(
            "Each attempt has its own t, and the hash of the first attempt.", write_event=hash_of_first_attempt)
            .seen_in("BUS-CHG-35"),
    },
    "BUS-SIG-04": {"hour-behind-from-third-attempt": changes_result(
            "From the third attempt on, the t of a signature is an hour behind.",
            write_event=hour_old_from_third_attempt).seen_in("BUS-STATE-06")},
    "BUS-SIG-05": {"milliseconds": signed_at("The t of a signature counts milliseconds.", lambda now: now * 1000)},
}  # fmt: skip
