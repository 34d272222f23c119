"""Bodies and addresses that are taken for more, or for less, than they are."""

import json
from typing import Any

from pix_conformance.proof.mutants.business.tables import body_of
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal


class BusMalformedIsMended(BusinessRules):
    """A body that is no JSON makes a charge of one real."""

    group = "validation"
    breaks = ("BUS-CHG-40",)

    def json_body(self, call: Call) -> Any:
        """Go on with a body of its own."""
        try:
            return super().json_body(call)
        except Refusal:
            return {"amount_cents": 100}


class BusArrayIsUnwrapped(BusinessRules):
    """Of a JSON array the first object makes a charge."""

    group = "validation"
    breaks = ("BUS-CHG-41",)

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Take it out."""
        return super().read_charge(body[0] if isinstance(body, list) and body else body)


class BusTextIsParsed(BusinessRules):
    """A JSON string that holds a JSON object makes a charge."""

    group = "validation"
    breaks = ("BUS-CHG-41",)

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Parse it once more."""
        return super().read_charge(json.loads(body) if isinstance(body, str) and body.startswith("{") else body)


class BusEmailUnchecked(BusinessRules):
    """Any string is accepted as customer_email."""

    group = "validation"
    breaks = ("BUS-CHG-26",)

    def judge_customer_email(self, value: str) -> str | None:
        """Find nothing wrong."""
        del value
        return None


class BusEmailNeedsOnlyAt(BusinessRules):
    """Whatever has an @ is accepted as customer_email."""

    group = "validation"
    breaks = ("BUS-CHG-26",)

    def judge_customer_email(self, value: str) -> str | None:
        """Look for it."""
        return None if "@" in value else "must be a valid e-mail"


class BusEmailOfBrazilOnly(BusinessRules):
    """A customer_email has to end in .br."""

    group = "validation"
    breaks = ("BUS-CHG-25", "BUS-CHG-01")

    def judge_customer_email(self, value: str) -> str | None:
        """Refuse all others."""
        return None if value.endswith(".br") else "must be Brazilian"


class BusEmailWithoutTags(BusinessRules):
    """A customer_email with a dot or a plus before the @ is refused."""

    group = "validation"
    breaks = ("BUS-CHG-25",)

    def judge_customer_email(self, value: str) -> str | None:
        """Know letters and digits only."""
        return None if value.partition("@")[0].isalnum() else "must be a valid e-mail"


class BusDescriptionAsciiOnly(BusinessRules):
    """A description with a letter outside ASCII is refused."""

    group = "validation"
    breaks = ("BUS-CHG-17",)

    def judge_description(self, value: str) -> str | None:
        """Look for one."""
        return super().judge_description(value) if value.isascii() else "must be ASCII"


class BusCancelNeedsBody(BusinessRules):
    """A cancel without a JSON body is refused."""

    group = "validation"
    breaks = ("BUS-CAN-02", "BUS-CAN-01", "BUS-CAN-06", "BUS-ENV-02", "BUS-ENV-03", "BUS-ISO-02")

    async def cancel_charge(self, call: Call) -> Answer:
        """Read one first."""
        self.json_body(call)
        return await super().cancel_charge(call)


class BusPayNeedsBody(BusinessRules):
    """A simulated payment without a JSON body is refused."""

    group = "validation"
    breaks = ("BUS-PAY-02", "BUS-CAN-06", "BUS-ENV-03", "BUS-ISO-04", "BUS-PAY-01", "BUS-PAY-09")

    async def pay_charge(self, call: Call) -> Answer:
        """Read one first."""
        self.json_body(call)
        return await super().pay_charge(call)


class BusPayNeedsItsAmount(BusinessRules):
    """A simulated payment has to repeat the amount in a body."""

    group = "validation"
    breaks = ("BUS-PAY-01",)

    async def pay_charge(self, call: Call) -> Answer:
        """Hold it against the charge."""
        charge = self.owned(call)
        if body_of(call).get("amount_cents") != charge["amount"]:
            raise self.invalid("amount_cents", "must be the amount of the charge")
        return await super().pay_charge(call)
