"""Mutants of BUS-GEN: what holds for every route."""

from typing import ClassVar

from pix_conformance.proof.mutants.operators.business.ids import INTERNAL, ChokesOnIds, choking_on
from pix_conformance.proof.mutants.operators.business.responses import FAILED, SUCCESS, ChangesAnswers, in_answers
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.http import Route

STATUS_CREATED = 201
MISSING = 404
INVALID = 422


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "BusAmountsInListText": (
            "The list shows amounts as strings of digits.",
            "BUS-GEN-01 BUS-CHG-56",
            in_answers("list_charges", "*.amount_cents", str),
        ),
        "BusPayAnswersFraction": (
            "A simulated payment answers a fee_cents with a fraction.",
            "BUS-GEN-01",
            in_answers("pay_charge", "", lambda body: body | {"fee_cents": 10.5}),
        ),
        "BusCancelAnswersText": (
            "A cancel answers a refund_cents in words.",
            "BUS-GEN-01",
            in_answers("cancel_charge", "", lambda body: body | {"refund_cents": "0"}),
        ),
        "BusFinanceBalanceInText": (
            "A posting carries its running balance_cents as a string.",
            "BUS-GEN-01",
            in_answers("get_finance", "transactions.*", lambda row: row | {"balance_cents": "1050"}),
        ),
    })
)  # fmt: skip


class BusMediaTypeText(BusinessRules):
    """Successful answers are labelled text/plain."""

    group = "schema"
    breaks = ("BUS-GEN-02",)

    def headers(self, call: Call, answer: Answer) -> dict[str, str]:
        """Label them."""
        wrong = {"content-type": "text/plain"} if answer.status in {SUCCESS, STATUS_CREATED} else {}
        return super().headers(call, answer) | wrong


class BusMediaTypeHtmlOfFinance(BusinessRules):
    """The balance is labelled text/html."""

    group = "schema"
    breaks = ("BUS-GEN-02",)

    def headers(self, call: Call, answer: Answer) -> dict[str, str]:
        """Label that route."""
        wrong = {"content-type": "text/html"} if call.operation == "get_finance" and answer.status == SUCCESS else {}
        return super().headers(call, answer) | wrong


class BusMediaTypeMissingOnList(BusinessRules):
    """The list is sent without a media type."""

    group = "schema"
    breaks = ("BUS-GEN-02",)

    def headers(self, call: Call, answer: Answer) -> dict[str, str]:
        """Leave it out."""
        found = super().headers(call, answer)
        listing = call.operation == "list_charges" and answer.status == SUCCESS
        return {name: text for name, text in found.items() if name != "content-type"} if listing else found


class BusUnusualNumberFails(BusinessRules):
    """A very large amount is answered with 500."""

    group = "schema"
    breaks = ("BUS-GEN-03",)
    largest_integer = 2**63 - 1

    def judge_amount(self, value: int) -> str | None:
        """Overflow a column of 32 bits."""
        return "OVERFLOW" if value >= 1 << 31 else super().judge_amount(value)

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Fail for it."""
        if isinstance(answer.body, dict) and "OVERFLOW" in str(answer.body.get("detail")):
            answer.status = FAILED
        return super().respond(call, answer)


class BusOddFilterFails(BusinessRules):
    """A status filter that is none of the four is answered with 500."""

    group = "schema"
    breaks = ("BUS-GEN-03", "BUS-LIST-16")

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Fail where the filter is refused."""
        if call.operation == "list_charges" and answer.status == INVALID:
            answer.status = FAILED
        return super().respond(call, answer)


class BusUnknownRouteFails(BusinessRules):
    """A path that does not exist is answered with 500."""

    group = "schema"
    breaks = ("BUS-GEN-03",)

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Fail where no route is found."""
        if not call.operation and answer.status == MISSING:
            answer.status = FAILED
        return super().respond(call, answer)


class BusOddIdFails(BusinessRules):
    """The query of an id that is not of the service's own form is answered with 500."""

    group = "schema"
    breaks = ("BUS-GEN-03", "BUS-CHG-70")

    async def get_charge(self, call: Call) -> Answer:
        """Fail to read it."""
        if not call.params["id"].startswith("chg_"):
            return Answer(FAILED, {"detail": "internal error"})
        return await super().get_charge(call)


class BusPayoutsServed(BusinessRules):
    """A POST to the reserved payouts path succeeds."""

    group = "schema"
    breaks = ("BUS-GEN-07",)
    routes = (*BusinessRules.routes, ("POST", "/v1/business/payouts", "create_payout"))

    async def create_payout(self, call: Call) -> Answer:
        """Promise a payout."""
        return Answer(202, {"id": f"po_{call.access.account}", "status": "processing"})


class BusPayoutsListed(BusinessRules):
    """A GET on the reserved payouts path succeeds."""

    group = "schema"
    breaks = ("BUS-GEN-07",)
    routes: ClassVar[tuple[Route, ...]] = (*BusinessRules.routes, ("GET", "/v1/business/payouts", "list_payouts"))

    async def list_payouts(self, call: Call) -> Answer:
        """List none."""
        del call
        return Answer(200, [])


class BusNulBlocksQueries(BusinessRules):
    """After a query by an id with a NUL, no charge is queried any more."""

    breaks = ("BUS-GEN-15",)
    group = "state"

    async def get_charge(self, call: Call) -> Answer:
        """Stay broken."""
        blocked = self.__dict__.setdefault("blocked", [])
        if "\0" in call.params["id"]:
            blocked.append(call)
        elif blocked:
            return Answer(INTERNAL.status, INTERNAL.body)
        return await super().get_charge(call)


globals().update(
    family(__name__, "schema", ChokesOnIds, {
        "BusNulBreaks": ("A query by an id with a NUL ends in a 500.",
            "BUS-GEN-16", choking_on("get_charge", lambda number: "\0" in number)),
        "BusDotsBreak": ("A query by an id of two dots ends in a 500.",
            "BUS-GEN-16", choking_on("get_charge", lambda number: number == "..")),
    })
)  # fmt: skip
