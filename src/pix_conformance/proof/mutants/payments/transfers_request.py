"""Mutants of PAY-TRF: what the creation of a transfer accepts and refuses."""

import html
import re
from typing import Any

from pix_conformance.proof.mutants.operators.payments.fields import (
    CPF_LENGTH,
    NULL,
    NUMBERS,
    RANDOM_KEY,
    TRANSFER_BACK,
    TRANSFER_TEXT,
    Accepts,
    Refuses,
    Requires,
    a,
    absent,
    anything,
    failing,
    is_fraction,
    is_path,
    like,
    passing,
    with_blank_in_host,
    without_scheme,
)
from pix_conformance.proof.mutants.operators.payments.refusals import CREATE_TRANSFER, RefusesOtherwise, refusing
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.payments import PaymentsRules

TRANSFER_RULES = " ".join(f"PAY-TRF-{one:02d}" for one in (*range(2, 8), 9, 13, 14, 18, 20, 22, 23, 25, 26))
KEY_RULES = " ".join(f"PAY-KEY-{one:02d}" for one in (*range(6, 11), 15))


globals().update(
    family(__name__, "limits", Requires, {
        "TransferRequiresDescription": ("A transfer must have a description.", "PAY-TRF-01",
            {"key": "description", "rule": TRANSFER_TEXT}),
        "TransferRequiresPostback": ("A transfer must have a postbackUrl.", "PAY-TRF-01",
            {"key": "postbackUrl", "rule": TRANSFER_BACK}),
        "RequiresCurrency": ("A transfer must have a currency.", "PAY-TRF-11 PAY-TRF-01",
            {"key": "currency"}),
    })
)  # fmt: skip


class TransferCreated201(PaymentsRules):
    """A transfer is created with 201."""

    breaks = ("PAY-TRF-01",)
    group = "state"
    transfer_created_status = 201


class TransferCreated202(PaymentsRules):
    """A transfer is answered 202, since it is still to be approved."""

    breaks = ("PAY-TRF-01",)
    group = "state"
    transfer_created_status = 202


globals().update(
    family(__name__, "error bodies", RefusesOtherwise, {
        "InvalidWithSuccess": ("An invalid transfer is answered 200 with success: false.",
            f"{TRANSFER_RULES} {KEY_RULES} PAY-TRF-32 PAY-GEN-06",
            refusing("invalid", CREATE_TRANSFER, lambda r: Answer(200, {"success": False, "error": "INVALID_REQUEST",
                "message": r.message}))),
    })
)  # fmt: skip


globals().update(
    family(__name__, "validation", Accepts, {
        "PixKeyOptional": ("A transfer without pixKey is sent.", "PAY-TRF-02", passing("pixKey", absent, RANDOM_KEY)),
        "KeyOfCpfNumber": ("A CPF as a number is read as a key.", "PAY-TRF-03",
            passing("pixKey", lambda value: a(int)(value) and len(str(value)) == CPF_LENGTH, "52998224725")),
        "PixKeyFromNumber": ("A pixKey that is a number is written out.", "PAY-TRF-03",
            passing("pixKey", NUMBERS, RANDOM_KEY)),
        "PixKeyNull": ("A pixKey of null is accepted.", "PAY-TRF-03", passing("pixKey", NULL, RANDOM_KEY)),
        "PixKeyFromObject": ("A pixKey may be an object of type and value.", "PAY-TRF-03",
            passing("pixKey", a(dict, list), RANDOM_KEY)),
        "PixKeyAnyText": ("A pixKey of no type is accepted.", "PAY-TRF-04",
            passing("pixKey", lambda v: isinstance(v, str) and len(v) > 0 and not re.search(r"[\d@]", v), RANDOM_KEY)),
        "PhoneKeyOfAnyLength": ("A phone of fewer than eight digits is accepted as key.", "PAY-TRF-04",
            passing("pixKey", like(r"\+55\d{1,7}"), RANDOM_KEY)),
        "EvpKeyOfAnyLetters": ("A random key is judged by the places of its hyphens.", "PAY-TRF-04",
            passing("pixKey", like(r"(?=.*[g-z])\w{8}(-\w{4}){3}-\w{12}"), RANDOM_KEY)),
        "TransferAmountOptional": ("A transfer without amount is sent, of one cent.", "PAY-TRF-05",
            passing("amount", absent, 1)),
        "TransferAmountFromString": ("A transfer's amount sent as a string is read as a number.", "PAY-TRF-06",
            passing("amount", a(str), 1)),
        "TransferAmountFromBoolean": ("A transfer's amount of true is one cent.", "PAY-TRF-06",
            passing("amount", a(bool), 1)),
        "TransferAmountNull": ("A transfer's amount of null is one cent.", "PAY-TRF-06", passing("amount", NULL, 1)),
        "TransferAmountFromObject": ("A transfer's amount may be an array or an object.", "PAY-TRF-06",
            passing("amount", a(list, dict), 1)),
        "TransferAmountRounded": ("A transfer's amount with a fraction is rounded.", "PAY-TRF-07",
            passing("amount", is_fraction, 1)),
        "TransferAmountZero": ("A transfer of zero is sent.", "PAY-TRF-09",
            passing("amount", lambda value: type(value) is int and value == 0, 0)),
        "TransferAmountNegative": ("A transfer of a negative amount is sent, and pulls money.", "PAY-TRF-09",
            passing("amount", lambda value: type(value) is int and value < 0, -1)),
        "CurrencyByNumber": ("The currency may be given by its numeric code.", "PAY-TRF-13",
            passing("currency", lambda value: value == "986", "BRL")),
        "CurrencyDollar": ("A transfer in USD is sent.", "PAY-TRF-13",
            passing("currency", lambda value: isinstance(value, str) and value.upper() != "BRL", "BRL")),
        "CurrencyFromNumber": ("A currency that is its number, 986, is accepted.", "PAY-TRF-14",
            passing("currency", NUMBERS, "BRL")),
        "CurrencyFromList": ("A currency in an array or object is accepted.", "PAY-TRF-14",
            passing("currency", a(list, dict), "BRL")),
        "TransferDescriptionFromNumber": ("A transfer's description that is a number is written out.", "PAY-TRF-18",
            passing("description", NUMBERS, "7", TRANSFER_TEXT)),
        "TransferDescriptionFromObject": ("A transfer's description may be an object or array.", "PAY-TRF-18",
            passing("description", a(list, dict), "7", TRANSFER_TEXT)),
        "TransferPostbackFromNumber": ("A transfer's postbackUrl that is a number is ignored.", "PAY-TRF-22",
            passing("postbackUrl", NUMBERS, None, TRANSFER_BACK)),
        "TransferPostbackFromList": ("A transfer's postbackUrl may be an array of addresses.", "PAY-TRF-22",
            passing("postbackUrl", a(list), None, TRANSFER_BACK)),
        "TransferPostbackWithoutScheme": ("A transfer's postbackUrl may leave out its scheme.", "PAY-TRF-23",
            passing("postbackUrl", without_scheme, None, TRANSFER_BACK)),
        "TransferPostbackPath": ("A transfer's postbackUrl may be a path.", "PAY-TRF-23",
            passing("postbackUrl", is_path, None, TRANSFER_BACK)),
        "TransferPostbackByBeginning": ("A transfer's postbackUrl needs to begin like one only.", "PAY-TRF-23",
            passing("postbackUrl", with_blank_in_host, None, "judge_transfer_postback")),
        "TransferPostbackAnyText": ("A transfer's postbackUrl is not checked to be a URI.", "PAY-TRF-23",
            passing("postbackUrl", lambda value: isinstance(value, str) and ":" not in value, None, TRANSFER_BACK)),
    })
)  # fmt: skip


class PhoneOfAnyText(PaymentsRules):
    """A phone as key needs its +55 only, and something behind it."""

    breaks = ("PAY-TRF-04",)
    group = "validation"

    def is_phone_key(self, value: str) -> bool:
        """Look at the beginning."""
        return value.startswith("+55") and len(value) > len("+55")


class KeyDigitsOfAnyScript(PaymentsRules):
    """The pixKey of a CPF may be written with the digits of any script."""

    breaks = ("PAY-TRF-04",)
    group = "validation"

    def is_cpf_key(self, value: str) -> bool:
        """Ask the language what a digit is."""
        return len(value) == CPF_LENGTH and value.isdigit()


class PhoneWithoutPlus(PaymentsRules):
    """A phone as key needs no plus before its 55."""

    breaks = ("PAY-TRF-04",)
    group = "validation"

    def is_phone_key(self, value: str) -> bool:
        """Add it."""
        return super().is_phone_key(f"+{value.removeprefix('+')}")


class TransferMinimumHundred(PaymentsRules):
    """A transfer has the minimum of a charge: 100 cents."""

    breaks = ("PAY-TRF-08",)
    group = "limits"
    minimum_transfer = 100


class TransferMinimumTwo(PaymentsRules):
    """A transfer of one cent is refused: the limit excludes itself."""

    breaks = ("PAY-TRF-08",)
    group = "limits"
    minimum_transfer = 2


class TransferMinimumZero(PaymentsRules):
    """A transfer of zero is accepted: the limit is off by one."""

    breaks = ("PAY-TRF-09",)
    group = "limits"
    minimum_transfer = 0


globals().update(
    family(__name__, "limits", Refuses, {
        "TransferRefusesCurrency": ("A transfer whose currency is written out is refused.", "PAY-TRF-12",
            failing("currency", anything)),
        "TransferRefusesDescription": ("A transfer with a description is refused.", "PAY-TRF-17 PAY-TRF-19",
            failing("description", anything, TRANSFER_TEXT)),
        "TransferRefusesPostback": ("A transfer with a postbackUrl is refused.", "PAY-TRF-21",
            failing("postbackUrl", anything, TRANSFER_BACK)),
    })
)  # fmt: skip


class TransferDescriptionEscaped(PaymentsRules):
    """The description of a transfer is counted after it was escaped for HTML."""

    breaks = ("PAY-TRF-19",)
    group = "limits"

    def judge_transfer_description(self, value: str) -> str | None:
        """Escape it."""
        return super().judge_transfer_description(html.escape(value))


class TransferDescriptionOf139(PaymentsRules):
    """A transfer's description of 140 characters is refused."""

    breaks = ("PAY-TRF-19",)
    group = "limits"
    transfer_description_limit = 139


class TransferDescriptionOfBytes(PaymentsRules):
    """The 140 characters of a transfer's description are counted in bytes."""

    breaks = ("PAY-TRF-19",)
    group = "limits"

    def judge_transfer_description(self, value: str) -> str | None:
        """Count the bytes."""
        return super().judge_transfer_description("x" * len(value.encode()))


class TransferDescriptionOf141(PaymentsRules):
    """A transfer's description of 141 characters is accepted."""

    breaks = ("PAY-TRF-20",)
    group = "limits"
    transfer_description_limit = 141


class TransferDescriptionUnlimited(PaymentsRules):
    """A transfer's description has no limit; only that of a charge was thought of."""

    breaks = ("PAY-TRF-20",)
    group = "limits"
    transfer_description_limit = 100_000


class TransferFromNoJson(PaymentsRules):
    """A transfer body that is no JSON is read as a form, and money sent."""

    breaks = ("PAY-TRF-25",)
    group = "validation"

    def json_body(self, call: Call) -> Any:
        """Stand in for what cannot be read."""
        try:
            return super().json_body(call)
        except Refusal:
            if call.operation == "create_transfer" and call.body:
                return {"pixKey": RANDOM_KEY, "amount": 1}
            raise


class TransferFromArray(PaymentsRules):
    """A transfer body that is a JSON array is accepted."""

    breaks = ("PAY-TRF-26",)
    group = "validation"

    def read_transfer(self, body: Any) -> dict[str, Any]:
        """Stand in for its element."""
        return super().read_transfer({"pixKey": RANDOM_KEY, "amount": 1} if isinstance(body, list) else body)


class TransferFromNothing(PaymentsRules):
    """A transfer without any body is sent."""

    breaks = ("PAY-TRF-26",)
    group = "validation"

    def json_body(self, call: Call) -> Any:
        """Stand in for an empty body."""
        empty = call.operation == "create_transfer" and not call.body
        return {"pixKey": RANDOM_KEY, "amount": 1} if empty else super().json_body(call)


class RefusedCurrencyIsDebited(PaymentsRules):
    """A transfer that is refused for its currency is taken from the wallet."""

    breaks = ("PAY-TRF-82",)
    group = "state"

    async def create_transfer(self, call: Call) -> Answer:
        """Take it, if that was the reason."""
        try:
            return await super().create_transfer(call)
        except Refusal:
            if b'"USD"' in (call.body or b""):
                amount = self.json_body(call)["amount"]
                taken = ("pix", DEBIT, amount), ("in_flight", CREDIT, amount)
                self.post(call.access, "transfer.created", "", *taken)
            raise
