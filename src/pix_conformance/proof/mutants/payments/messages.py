"""Messages of successes that say nothing, and error bodies of statuses that a route does not list."""

from typing import Any

from pix_conformance.proof.mutants.payments.tables import ChangesAnswers, RefusesOtherwise, in_answers, refusing
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules

REMOVAL = "delete_webhook"


def _removal(status: int, body: Any) -> dict[str, Any]:
    """Members of a class that refuses the removal of an unknown webhook in another way."""
    return refusing("missing", REMOVAL, lambda _: Answer(status, body))


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "ChargeMessageEmpty": ("The message of a charge response is empty.", "PAY-CHG-80",
            in_answers("create_charge get_charge", "message", "")),
        "QueriedChargeMessageBlank": ("The message of the query of a charge is a blank.", "PAY-CHG-80",
            in_answers("get_charge", "message", " ")),
        "TransferMessageEmpty": ("The message of the response to a transfer creation is empty.", "PAY-TRF-85",
            in_answers("create_transfer", "message", "")),
        "PayMessageEmpty": ("The message of the response to a simulated payment is empty.", "PAY-PAYS-23",
            in_answers("pay_charge", "message", "")),
        "CompleteMessageEmpty": ("The message of the response to a simulated completion is empty.", "PAY-CMP-24",
            in_answers("complete_transfer", "message", "")),
    }),
    **family(__name__, "error bodies", RefusesOtherwise, {
        "UnknownRemovalListed": ("The removal of an unknown webhook is answered 400 with an array.",
            "PAY-ERR-01 PAY-WH-64", _removal(400, ["bad id"])),
        "UnknownRemovalWithoutCode": ("The removal of an unknown webhook is answered 410 without an error code.",
            "PAY-ERR-02 PAY-WH-64", _removal(410, {"message": "the webhook is gone"})),
        "UnknownRemovalWithoutMessage": ("The removal of an unknown webhook is answered 410 with a code alone.",
            "PAY-ERR-03 PAY-WH-64", _removal(410, {"error": "GONE"})),
        "UnknownRemovalOfNoWords": ("The removal of an unknown webhook is answered 400 with an empty message.",
            "PAY-ERR-11 PAY-WH-64", _removal(400, {"error": "INVALID_ID", "message": ""})),
    }),
)  # fmt: skip


class UnsupportedMediaAsProblem(PaymentsRules):
    """A charge of another media type is refused with 415, whose body has a title in place of error and message."""

    breaks = ("PAY-ERR-02", "PAY-ERR-03")
    seen_in = ("PAY-GEN-04",)
    group = "error bodies"

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Write another body."""
        answer = super().respond(call, answer)
        unread = call.operation == "create_charge" and "Content-Type" in str(answer.body)
        return Answer(415, {"title": "Unsupported Media Type"}) if unread else answer
