"""Freedoms of the payments API at the open points of requests: charges, customers, items, splits, transfers, keys."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any, ClassVar

from pix_conformance.proof.variants.payments_desk import PlainAddresses
from pix_conformance.proof.variants.payments_people import AddsLinesUp, NationalPhones
from pix_conformance.proof.variants.registry import Freedom
from pix_conformance.reference import formats
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ROLES, World
from pix_conformance.reference.store import Row

LIMIT = 100_000
ADDRESS = ("street", "number", "neighborhood", "city", "state", "zipCode")


class WritesFloats(PaymentsRules):
    """1050.0 is an integer too, to JSON Schema (payments.md, line 19)."""

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Write each amount of `data` with a point."""
        answer = super().respond(call, answer)
        data = answer.body.get("data") if isinstance(answer.body, dict) else None
        if isinstance(data, dict):
            named = {name: float(data[name]) for name in ("amount", "netAmount", "fees") if name in data}
            answer = Answer(answer.status, {**answer.body, "data": {**data, **named}}, answer.headers)
        return answer


class RefusesStrangers(PaymentsRules):
    """Whether a body may have more than the named fields is not shown."""

    def read_object(self, holder: dict[str, Any], fields: tuple[Field, ...], where: str) -> dict[str, Any]:
        """Refuse another field."""
        if unknown := set(holder) - {one.name for one in fields}:
            raise self.invalid(f"{where}.{min(unknown)}".lstrip("."), "is not a field")
        return super().read_object(holder, fields, where)


class NamesAllFaults(PaymentsRules):
    """Whether one message names all the fields that are wrong is not shown."""

    def read_object(self, holder: dict[str, Any], fields: tuple[Field, ...], where: str) -> dict[str, Any]:
        """Read on after a fault."""
        read, faults = {}, []
        for field in fields:
            try:
                read[field.name] = self.read_field(holder, field, where)
            except Refusal as refusal:
                faults.append(refusal.message)
        if faults:
            raise Refusal("invalid", "; ".join(faults))
        return read


class LimitsAmounts(PaymentsRules):
    """No upper limit is stated, and none is ruled out: 1,000.00 for each charge and transfer."""

    def judge_charge_amount(self, value: int) -> str | None:
        """Refuse more."""
        return f"must be at most {LIMIT}" if value > LIMIT else super().judge_charge_amount(value)

    def judge_transfer_amount(self, value: int) -> str | None:
        """Refuse more."""
        return f"must be at most {LIMIT}" if value > LIMIT else super().judge_transfer_amount(value)


class WantsContent(PaymentsRules):
    """Whether an optional field may be empty is not shown."""

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Refuse empty texts and arrays."""
        empty = value in ("", []) and key in {"description", "customer.name", "items", "splits"}
        return "must not be empty" if empty else super().complaint(key, value, field)


class CountsUnits(PaymentsRules):
    """In what the 140 characters are counted is not shown: UTF-16 units."""

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Count as JavaScript and Java do."""
        long = key == "description" and len(value.encode("utf-16-le")) // 2 > self.charge_description_limit
        return "must have at most 140 characters" if long else super().complaint(key, value, field)


class CapitalTypes(PaymentsRules):
    """Whether CPF and CNPJ in capitals are a documentType is not shown."""

    def judge_document_type(self, value: str) -> str | None:
        """Read small letters."""
        return super().judge_document_type(value.lower())


class EmptyDocuments(PaymentsRules):
    """A document is required, but no length is stated."""

    def judge_document(self, value: str) -> str | None:
        """Take none as well."""
        return super().judge_document(value) if value else None

    def judge_customer(self, customer: dict[str, Any]) -> str | None:
        """Take none as well."""
        return super().judge_customer(customer) if customer["document"] else None


class WantsFullPhones(PaymentsRules):
    """A contact phone is all that is said: with its country and area."""

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Refuse other forms."""
        wrong = key == "customer.phone" and not re.fullmatch(r"\+[0-9]{8,15}", value)
        return "must be a phone with its country" if wrong else super().complaint(key, value, field)


class StrictAddresses(PaymentsRules):
    """The types of an address's fields are not shown: six strings, all of them."""

    address_fields: ClassVar[tuple[Field, ...]] = tuple(Field(one, "string", required=True) for one in ADDRESS)

    def read_field(self, holder: dict[str, Any], field: Field, where: str) -> Any:
        """Read an address by its own table."""
        if field.name in {"billingAddress", "shippingAddress"}:
            field = Field(field.name, field.kind, fields=self.address_fields)
        return super().read_field(holder, field, where)


class NumberedHouses(StrictAddresses):
    """The types of an address's fields are not shown: the number of a house may be one, a zipCode have its hyphen."""

    address_fields = tuple(Field(one, "integer" if one == "number" else "string") for one in ADDRESS)

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Want the hyphen."""
        wrong = field.name == "zipCode" and not re.fullmatch(r"[0-9]{5}-[0-9]{3}", value)
        return "must be a zip code" if wrong else super().complaint(key, value, field)


class ShipsElsewhere(PaymentsRules):
    """The fields of shippingAddress are not shown: other ones than those of billingAddress."""

    def read_field(self, holder: dict[str, Any], field: Field, where: str) -> Any:
        """Want two lines and a code."""
        if field.name == "shippingAddress":
            inner = tuple(Field(one, "string", required=True) for one in ("line1", "line2", "postcode"))
            field = Field(field.name, field.kind, fields=inner)
        return super().read_field(holder, field, where)


class PositiveItems(PaymentsRules):
    """No limit of an item's numbers is stated, and none is ruled out."""

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Refuse what is no merchandise."""
        wrong = key in {"items[].quantity", "items[].amountInCents"} and value < 1
        return "must be at least 1" if wrong else super().complaint(key, value, field)


class AddsItemsUp(PaymentsRules):
    """Whether the items must add up to the charge is not shown."""

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Reckon."""
        read = super().read_charge(body)
        items = read["items"] or []
        if items and sum(one["quantity"] * one["amountInCents"] for one in items) != read["amountInCents"]:
            raise self.invalid("items", "must add up to amountInCents")
        return read


class WholeHundredths(PaymentsRules):
    """The precision of a percentage is not stated."""

    def judge_percentage(self, value: Decimal | int) -> str | None:
        """Refuse more than two decimals, where the size is right."""
        fine = Decimal(value) * 100 % 1 == 0
        return super().judge_percentage(value) or (None if fine else "must have at most two decimals")


class OneSplitEach(PaymentsRules):
    """Whether one company may have two splits is not shown."""

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Refuse the second."""
        read = super().read_charge(body)
        named = [one["email"].lower() for one in read["splits"] or []]
        if len(set(named)) < len(named):
            raise self.invalid("splits[].email", "must not appear twice")
        return read


class SmallLetters(PaymentsRules):
    """Whether brl is BRL is not shown."""

    def judge_currency(self, value: str) -> str | None:
        """Read capitals."""
        return super().judge_currency(value.upper())


class PlainKeys(PaymentsRules):
    """A service may normalise keys."""

    def judge_pix_key(self, value: str) -> str | None:
        """Take blanks around, and a UUID without its hyphens."""
        text = value.strip()
        return None if re.fullmatch("[0-9A-Fa-f]{32}", text) else super().judge_pix_key(text)


class LetteredCompanies(PaymentsRules):
    """Today's law knows CNPJs with letters; the document wants digits."""

    def is_cnpj_key(self, value: str) -> bool:
        """Take both."""
        return formats.is_digits(value, 14) or bool(re.fullmatch("[0-9A-Z]{12}[0-9]{2}", value))


class SameText(PaymentsRules):
    """What makes two bodies the same is not shown: their text."""

    def fingerprint(self, call: Call, body: Any) -> str:
        """Compare bytes."""
        del body
        return (call.body or b"").hex()


class SameMeaning(PaymentsRules):
    """What makes two bodies the same is not shown: what they mean, defaults included."""

    def fingerprint(self, call: Call, body: Any) -> str:
        """Fill in the currency."""
        return super().fingerprint(call, {"currency": self.default_currency, **body})


class RefusalsUseKeys(PaymentsRules):
    """A key used again with another body is refused, whatever became of the first."""

    async def create_transfer(self, call: Call) -> Answer:
        """Remember a refused body too."""
        try:
            return await super().create_transfer(call)
        except Refusal as refusal:
            key = self.idempotency_key(call)
            if refusal.kind == "invalid" and key is not None and self.earlier(call, key) is None:
                text = (call.body or b"").decode(errors="replace")
                self.remember(call, key, json.dumps(text), self.refused(call, refusal))
            raise


class KeysOfAll(PaymentsRules):
    """Whether the keys of two accounts are independent is not shown; nothing of the other account is."""

    def idempotency_scope(self, call: Call) -> str:
        """Share them."""
        return call.operation

    def earlier(self, call: Call, key: str) -> Row | None:
        """Refuse the key of another account."""
        owner = self.__dict__.setdefault("_owners", {}).setdefault(key, call.access.book)
        found = super().earlier(call, key)
        if found and owner != call.access.book:
            raise self.key_conflict()
        return found


class ForgetsKeys(PaymentsRules):
    """How long a key is remembered is not shown: 50 seconds."""

    def earlier(self, call: Call, key: str) -> Row | None:
        """Know no older one."""
        found = super().earlier(call, key)
        made = found and self.store.find("transfer", id=json.loads(found["body"]).get("data", {}).get("id"))
        return None if made and self.clock.now() - made["created_at"] > 50 else found  # noqa: PLR2004  # as said


class TwinPairs(PaymentsRules):
    """What pairs look like is not said: one id for both environments, with a secret each."""

    def __init__(self, world: World) -> None:
        """Give the production pair the sandbox's id."""
        super().__init__(world)
        pairs = world.accounts.clients
        pairs["live_merchant"] = (pairs["merchant"][0], pairs["live_merchant"][1])

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Take both halves together."""
        pairs = {pair: role for role, pair in self.world.accounts.clients.items()}
        role = pairs.get((client_id, client_secret))
        return ROLES[role] if role else None


FREEDOMS = [
    Freedom("payments-literals", ("PAY-GEN-02",), {"floats": WritesFloats}),
    Freedom("payments-strangers", ("PAY-GEN-07",), {"refused": RefusesStrangers}),
    Freedom("payments-faults", ("PAY-ERR-16",), {"all": NamesAllFaults}),
    Freedom("payments-limits", ("PAY-CHG-07", "PAY-TRF-27"), {"thousand": LimitsAmounts}),
    Freedom("payments-empty", ("PAY-CHG-14", "PAY-CHG-22", "PAY-CHG-24", "PAY-CUS-17"), {"refused": WantsContent}),
    Freedom("payments-characters", ("PAY-CHG-15",), {"units": CountsUnits}),
    Freedom("payments-document-types", ("PAY-CUS-06",), {"capitals": CapitalTypes}),
    Freedom("payments-empty-documents", ("PAY-CUS-14",), {"taken": EmptyDocuments}),
    Freedom("payments-phones", ("PAY-CUS-23",), {"full": WantsFullPhones, "national": NationalPhones}),
    Freedom(
        "payments-addresses",
        ("PAY-CUS-26", "PAY-ITEM-14"),
        {"strict": StrictAddresses, "numbered": NumberedHouses, "plain": PlainAddresses},
    ),
    Freedom("payments-shipping", ("PAY-ITEM-14",), {"other": ShipsElsewhere}),
    Freedom("payments-items", ("PAY-ITEM-15",), {"positive": PositiveItems}),
    Freedom("payments-sums", ("PAY-ITEM-16",), {"exact": AddsItemsUp, "lines": AddsLinesUp}),
    Freedom("payments-percentages", ("PAY-SPL-14",), {"hundredths": WholeHundredths}),
    Freedom("payments-companies", ("PAY-SPL-16",), {"once": OneSplitEach}),
    Freedom("payments-currency", ("PAY-TRF-15",), {"small": SmallLetters}),
    Freedom("payments-spellings", ("PAY-KEY-13",), {"normalised": PlainKeys}),
    Freedom("payments-letters", ("PAY-KEY-14",), {"taken": LetteredCompanies}),
    Freedom("payments-sameness", ("PAY-IDEM-12",), {"text": SameText, "meaning": SameMeaning}),
    Freedom("payments-refused-keys", ("PAY-IDEM-13",), {"used": RefusalsUseKeys}),
    Freedom("payments-shared-keys", ("PAY-IDEM-14",), {"shared": KeysOfAll}),
    Freedom("payments-pairs", ("PAY-AUTH-15",), {"one-id": TwinPairs}),
    Freedom("payments-memory", ("PAY-IDEM-15",), {"short": ForgetsKeys}),
]
