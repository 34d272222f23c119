"""Mutants of BUS-SIG, signatures of events."""

from typing import Any

from pix_conformance.proof.difference import changes_result, setting
from pix_conformance.reference.outbox import Written

GROUP = "auth"


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
                written if attempt == 1 else (written[0], {"Content-Type": written[1]["Content-Type"]})))
            .seen_in("BUS-ENV-01")},
    "BUS-SIG-02": {"other-order": changes_result(
            "The header holds v1 first.", event_signature=lambda _, text, _body: ",".join(text.split(",")[::-1]))},
    "BUS-SIG-03": {
        "body-alone": setting("The signature covers the body alone.", signed_text=lambda _, _moment, body: body),
        "hash-of-first-attempt": changes_result(
            "Each attempt has its own t, and the hash of the first attempt.", write_event=hash_of_first_attempt)
            .seen_in("BUS-CHG-35"),
    },
    "BUS-SIG-04": {"hour-behind": changes_result(
            "The t of each signature is an hour behind.",
            event_timestamp=lambda _, text: str(int(text) - 3600)).also("BUS-SIG-07")},
    "BUS-SIG-07": {"hour-behind-from-third-attempt": changes_result(
            "From the third attempt on, the t of a signature is an hour behind.",
            write_event=hour_old_from_third_attempt).seen_in("BUS-STATE-06")},
    "BUS-SIG-05": {"milliseconds": setting(
            "The t of a signature counts milliseconds.",
            event_timestamp=lambda rules: str(int(rules.clock.now() * 1000)))},
}  # fmt: skip
