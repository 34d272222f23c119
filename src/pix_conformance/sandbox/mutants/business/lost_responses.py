"""Mutants of the business charge API that are wrong where the connection of a request breaks."""

from typing import Any

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.mutants.operators import *

GROUP = "network"


def report_only(rules: Any, _right: Any, call: Call, read: dict[str, Any]) -> Answer:
    charge = rules.new_charge(call.access, read)
    if rules.should_emit("business.pix.created", charge):
        rules.send_event(rules.state.business_webhook, rules.event_payload("business.pix.created", charge))
    raise Refusal("state", "undone")


MUTANTS = {
    "BUS-IDEM-03/no-key-when-cut": no_key_when_cut("charge", "create_charge").also("BUS-IDEM-08"),
    "BUS-IDEM-03/key-kept-once-answered": key_kept_once_answered("charge").also("BUS-IDEM-08"),
    "BUS-IDEM-03/key-kept-once-read": key_kept_once_read("charge"),
    "BUS-IDEM-01/compared-by-first-segment": setting(
        "The bodies of a key are compared by the segment that came first of each.",
        fingerprint=lambda _rules, call, _body: call.first_segment.hex()).of("network"),
    "BUS-IDEM-08/undone-but-reported": if_request_breaks(
        "A charge whose connection is broken is undone, but its event was sent.",
        "create_charge", open_charge=report_only),
    "BUS-CHG-56/cut-body-completed": completes_cut_bodies(),
    "BUS-EVT-01/lost-with-its-requester": loses_event("business.pix.created", "create_charge"),
    "BUS-EVT-02/lost-with-its-requester": loses_event("business.pix.paid", "pay_charge"),
    "BUS-EVT-03/lost-with-its-requester": loses_event("business.pix.canceled", "cancel_charge"),
    "BUS-EVT-28/undone-but-reported": if_response_breaks(
        "A cancel whose response cannot be sent is undone, but its event was sent.", "cancel_charge",
        lambda rules, call: rules.store.update("business_charge", {"status": "pending"}, id=call.params["id"])),
    "BUS-STATE-11/captured-twice-when-cut": if_request_breaks(
        "A charge is captured twice if the connection of its payment is broken.", "pay_charge", capture=twice),
    "BUS-PAY-26/never-paid-once-cut": stuck("A charge whose payment was cut is never paid.",
        "pay_charge", "claim_charge"),
    "BUS-CAN-16/never-canceled-once-cut": stuck("A charge whose cancel was cut is never canceled.",
        "cancel_charge", "claim_charge"),
}  # fmt: skip


@mutant("BUS-IDEM-01/in-progress-for-ever")
class InProgressForEver(BusinessRules):
    """The key of a request whose connection is broken conflicts for ever, as if that were still being executed."""

    async def pause(self, call: Call, place: str) -> None:
        await super().pause(call, place)
        if place == "once" and await has_gone(call):
            self.__dict__.setdefault("busy_keys", set()).add(self.idempotency_key(call))

    def earlier(self, call: Call, key: str) -> Row | None:
        if key in self.__dict__.get("busy_keys", ()):
            raise self.key_conflict()
        return super().earlier(call, key)
