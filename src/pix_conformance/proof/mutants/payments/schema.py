"""Answers of the payments API with a value missing, of a wrong type, or out of its bounds."""

import re
from typing import Any

from pix_conformance.proof.mutants.payments.tables import ChangesAnswers, in_answers, shapes
from pix_conformance.proof.mutants.tabled import GONE, family
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

CHARGES = "create_charge get_charge"

globals().update(
    shapes(__name__, "Token", "authenticate", {
        "success": ("PAY-AUTH-02", "true"),
        "token": ("PAY-AUTH-03 PAY-AUTH-01 PAY-ENV-01", lambda token: {"jwt": token}),
        "tokenType": ("PAY-AUTH-05", ["Bearer"]),
        "expiresIn": ("PAY-AUTH-06", "60000"),
    }),
    **shapes(__name__, "Charge", CHARGES, {
        "success": ("PAY-CHG-30", 1),
        "message": ("PAY-CHG-31", lambda text: {"text": text}),
        "data": ("PAY-CHG-32 PAY-CHG-01 PAY-ENV-02", lambda data: [data]),
        "data.pix": ("PAY-CHG-34", lambda pix: pix["emv"]),
        "data.pix.emv": ("PAY-CHG-35", None),
        "data.pix.qrCode": ("PAY-CHG-36", lambda code: {"base64": code}),
        "data.fees": ("PAY-CHG-38", lambda cents: f"{cents / 100:.2f}"),
    }),
    **shapes(__name__, "Pay", "pay_charge", {
        "success": ("PAY-PAYS-02", "true"),
        "message": ("PAY-PAYS-03", None),
        "data": ("PAY-PAYS-04 PAY-PAYS-01", lambda data: [data]),
        "data.id": ("PAY-PAYS-05", 7),
        "data.status": ("PAY-PAYS-06", 1),
        "data.endToEndId": ("PAY-PAYS-07", None),
    }),
    **shapes(__name__, "TransferCreation", "create_transfer", {
        "success": ("PAY-TRF-30", "true"),
        "message": ("PAY-TRF-31", ["created"]),
        "data": ("PAY-TRF-32 PAY-TRF-01", lambda data: [data]),
        "data.status": ("PAY-TRF-34", {"name": "pending"}),
        "data.amount": ("PAY-TRF-35", str),
        "data.netAmount": ("PAY-TRF-36", lambda cents: cents / 100),
        "data.fees": ("PAY-TRF-37", lambda cents: f"{cents / 100:.2f}"),
        "data.pixKey": ("PAY-TRF-38", lambda key: {"key": key}),
    }),
    **shapes(__name__, "TransferQuery", "get_transfer", {
        "success": ("PAY-TRF-51", "true"),
        "data": ("PAY-TRF-52 PAY-TRF-50", lambda data: [data]),
        "data.status": ("PAY-TRF-54", None),
        "data.amount": ("PAY-TRF-55", lambda cents: f"{cents / 100:.2f}"),
        "data.netAmount": ("PAY-TRF-56", str),
        "data.fees": ("PAY-TRF-57", None),
        "data.pixKey": ("PAY-TRF-58", lambda key: [key]),
        "data.endToEndId": ("PAY-TRF-59 PAY-TRF-69", lambda text: {"id": text}),
        "data.createdAt": ("PAY-TRF-60", 1_795_255_380),
        "data.updatedAt": ("PAY-TRF-61", None),
        "data.processedAt": ("PAY-TRF-62 PAY-TRF-68", lambda text: text is not None),
    }),
    **shapes(__name__, "Completion", "complete_transfer", {
        "success": ("PAY-CMP-02", "yes"),
        "message": ("PAY-CMP-03", 200),
        "data": ("PAY-CMP-04 PAY-CMP-01", lambda data: data["id"]),
        "data.id": ("PAY-CMP-05", 7),
        "data.status": ("PAY-CMP-06", None),
        "data.endToEndId": ("PAY-CMP-07", 7),
    }),
    **shapes(__name__, "Balance", "get_balance", {
        "success": ("PAY-BAL-02", "true"),
        "data": ("PAY-BAL-03 PAY-BAL-01", lambda data: [data]),
        "data.pix": ("PAY-BAL-04", lambda wallet: wallet["balance"]),
        "data.pix.balance": ("PAY-BAL-04", float),
        "data.pixBlocked": ("PAY-BAL-05", None),
        "data.pixBlocked.balance": ("PAY-BAL-05", None),
        "data.reserve": ("PAY-BAL-06", None),
        "data.reserve.balance": ("PAY-BAL-06", lambda text: int(float(text) * 100)),
    }),
)  # fmt: skip

globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "TokenTypeInSmallLetters": (
            "The tokenType is written bearer.",
            "PAY-AUTH-05",
            in_answers("authenticate", "tokenType", "bearer"),
        ),
        "TokenTypeJwt": (
            "The tokenType names the form of the token instead of its use.",
            "PAY-AUTH-05",
            in_answers("authenticate", "tokenType", "JWT"),
        ),
        "ExpiresInSeconds": (
            "The expiresIn is given in seconds: 60.",
            "PAY-AUTH-07",
            in_answers("authenticate", "expiresIn", 60),
        ),
        "ExpiresInAnHour": (
            "The expiresIn promises an hour.",
            "PAY-AUTH-07",
            in_answers("authenticate", "expiresIn", 3_600_000),
        ),
        "ExpiresInNull": (
            "The expiresIn is null.",
            "PAY-AUTH-06",
            in_answers("authenticate", "expiresIn", None),
        ),
        "ChargeFeesDecimal": (
            "The fees of a charge have a fraction of a cent.",
            "PAY-CHG-38",
            in_answers(CHARGES, "data.fees", lambda cents: cents + 0.5),
        ),
        "ChargeFeesNegative": (
            "The fees of a charge are written as a deduction, below zero.",
            "PAY-CHG-46",
            in_answers(CHARGES, "data.fees", lambda cents: -cents),
        ),
        "ChargeFeesMissingInQuery": (
            "The query of a charge leaves its fees out.",
            "PAY-CHG-38",
            in_answers("get_charge", "data.fees", GONE),
        ),
        "ChargeMessageMissingInQuery": (
            "The query of a charge has no message.",
            "PAY-CHG-31",
            in_answers("get_charge", "message", GONE),
        ),
        "ChargeQrCodeMissingInQuery": (
            "The query of a charge leaves its image out, to be short.",
            "PAY-CHG-36",
            in_answers("get_charge", "data.pix.qrCode", GONE),
        ),
        "ChargeIdMissing": (
            "The creation of a charge does not answer its id.",
            "PAY-CHG-33",
            in_answers("create_charge", "data.id", GONE),
        ),
        "ChargeIdNamedOtherwise": (
            "The query of a charge calls the id transactionId.",
            "PAY-CHG-33",
            in_answers("get_charge", "data", lambda data: {
                "transactionId": data["id"], **{name: value for name, value in data.items() if name != "id"}
            }),
        ),
        "ChargeStatusMissing": (
            "The creation of a charge does not answer its status.",
            "PAY-CHG-37",
            in_answers("create_charge", "data.status", GONE),
        ),
        "ChargeStatusMissingInQuery": (
            "The query of a pending charge does not answer its status.",
            "PAY-CHG-37",
            in_answers("get_charge", "data.status", lambda status: GONE if status == "pending" else status),
        ),
        "ChargeStatusNumber": (
            "The status of a charge is a number.",
            "PAY-CHG-37",
            in_answers(CHARGES, "data.status", 1),
        ),
        "ChargeUnwrapped": (
            "The query of a charge answers the charge without an envelope.",
            "PAY-CHG-30 PAY-CHG-31 PAY-CHG-32 PAY-CHG-70 PAY-CHG-71 PAY-PAYS-11",
            in_answers("get_charge", "", lambda body: body["data"]),
        ),
        "TransferIdMissing": (
            "The creation of a transfer does not answer its id.",
            "PAY-TRF-33",
            in_answers("create_transfer", "data.id", GONE),
        ),
        "TransferIdMissingInQuery": (
            "The query of a transfer does not repeat the id.",
            "PAY-TRF-53",
            in_answers("get_transfer", "data.id", GONE),
        ),
        "TransferEndToEndEmptyObject": (
            "A transfer without an endToEndId shows an empty object for it.",
            "PAY-TRF-59",
            in_answers("get_transfer", "data.endToEndId", lambda text: text or {}),
        ),
        "TransferProcessedAtEmpty": (
            "A transfer that is not processed has an empty text for processedAt, where null is due.",
            "PAY-TRF-62",
            in_answers("get_transfer", "data.processedAt", lambda text: text or ""),
        ),
        "TransferProcessedAtMissingUntilProcessed": (
            "A transfer that is not processed has no processedAt at all.",
            "PAY-TRF-62",
            in_answers("get_transfer", "data.processedAt", lambda text: text or GONE),
        ),
        "TransferCreatedAtDateOnly": (
            "The createdAt of a transfer is a date without a time.",
            "PAY-TRF-60",
            in_answers("get_transfer", "data.createdAt", lambda text: text[:10]),
        ),
        "TransferUpdatedAtInWords": (
            "The updatedAt of a transfer is written as in a mail header.",
            "PAY-TRF-61",
            in_answers("get_transfer", "data.updatedAt", "Sat, 21 Nov 2026 10:00:00 GMT"),
        ),
        "TransferAmountFraction": (
            "The query of a transfer shows its amount in currency units, as a number with a fraction.",
            "PAY-TRF-55",
            in_answers("get_transfer", "data.amount", lambda cents: cents / 100 + 0.001),
        ),
        "TransferFeesNegative": (
            "The fees of a transfer are written as a deduction, below zero.",
            "PAY-TRF-44",
            in_answers("create_transfer", "data.fees", lambda cents: -cents - 1),
        ),
        "BalanceInCents": (
            "The free balance is a string of cents, without decimals.",
            "PAY-BAL-07",
            in_answers("get_balance", "data.pix.balance", lambda text: str(int(float(text) * 100))),
        ),
        "BalanceOfOneDecimal": (
            "The reserve is written as JSON would write the number: 0.0.",
            "PAY-BAL-07",
            in_answers("get_balance", "data.reserve.balance", lambda text: str(float(text))),
        ),
        "BalanceOfFourDecimals": (
            "The blocked balance has four decimals.",
            "PAY-BAL-07",
            in_answers("get_balance", "data.pixBlocked.balance", lambda text: f"{float(text):.4f}"),
        ),
        "BalanceWithCurrency": (
            "The free balance is written with the sign of the currency.",
            "PAY-BAL-07 PAY-BAL-08",
            in_answers("get_balance", "data.pix.balance", lambda text: f"R$ {text}"),
        ),
        "BalanceLosesItsZero": (
            "The free balance loses the last zero of whole tens of cents: 10.4.",
            "PAY-BAL-07",
            in_answers("get_balance", "data.pix.balance", lambda text: re.sub(r"(?<=[1-9])0$", "", text)),
        ),
        "BalanceWithComma": (
            "The balances are written with a decimal comma.",
            "PAY-BAL-08",
            in_answers("get_balance", "data.pix.balance", lambda text: text.replace(".", ",")),
        ),
        "SuccessFalseInQuery": (
            "The query of a charge answers success: false.",
            "PAY-GEN-06",
            in_answers("get_charge", "success", False),  # noqa: FBT003 - a value in JSON, no flag
        ),
        "SuccessFalseInRemoval": (
            "The removal of a webhook answers success: false, and removes it.",
            "PAY-GEN-06",
            in_answers("delete_webhook", "success", False),  # noqa: FBT003 - likewise
        ),
        "SuccessFalseInBalance": (
            "The balance answers success: false.",
            "PAY-GEN-06",
            in_answers("get_balance", "success", False),  # noqa: FBT003 - likewise
        ),
    })
)  # fmt: skip


class TokenIsOpaque(PaymentsRules):
    """The token is an opaque text that is no JWT, and opens everything all the same."""

    breaks = ("PAY-AUTH-04",)

    def make_token(self, access: Access) -> str:
        """Write one word of it."""
        return super().make_token(access).replace(".", "~")

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Read that word."""
        return super().read_token(token.replace("~", "."))


class ChargeIdNumber(PaymentsRules):
    """The id of a charge is a number, in its creation and its query."""

    breaks = ("PAY-CHG-33", "PAY-PAYS-08")

    def new_charge_id(self) -> str:
        """Make it of digits."""
        return str(int(self.clock.now() * 1_000_000))

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show it as a number."""
        return super().charge_view(call, charge) | {"id": int(charge["id"])}


class TransferIdNumber(PaymentsRules):
    """The id of a transfer is a number, in its creation only."""

    breaks = ("PAY-TRF-33", "PAY-CMP-08")

    def new_transfer_id(self) -> str:
        """Make it of digits."""
        return str(int(self.clock.now() * 1_000_000))

    def transfer_answer(self, call: Call, transfer: Row) -> dict[str, Any]:
        """Show it as a number."""
        answer = super().transfer_answer(call, transfer)
        answer["data"]["id"] = int(transfer["id"])
        return answer


class AnswersPlainText(PaymentsRules):
    """The balance is JSON, but labelled text/plain."""

    breaks = ("PAY-GEN-01",)

    def headers(self, call: Call, answer: Answer) -> dict[str, str]:
        """Label that one route."""
        wrong = {"content-type": "text/plain"} if call.operation == "get_balance" else {}
        return super().headers(call, answer) | wrong


class ErrorsLabelledHtml(PaymentsRules):
    """Errors are JSON, but labelled text/html."""

    breaks = ("PAY-GEN-01",)

    def headers(self, call: Call, answer: Answer) -> dict[str, str]:
        """Label the errors."""
        wrong = {"content-type": "text/html"} if answer.status >= 400 else {}  # noqa: PLR2004 - where errors begin
        return super().headers(call, answer) | wrong


class ProblemJson(PaymentsRules):
    """Errors are labelled application/problem+json."""

    breaks = ("PAY-GEN-01",)

    def headers(self, call: Call, answer: Answer) -> dict[str, str]:
        """Label the errors."""
        wrong = {"content-type": "application/problem+json"} if answer.status >= 400 else {}  # noqa: PLR2004 - likewise
        return super().headers(call, answer) | wrong


class BalanceAsFloat(PaymentsRules):
    """The balance is formatted from a float without padding: 0.0, 10.5."""

    breaks = ("PAY-BAL-07",)

    def money_text(self, cents: int) -> str:
        """Divide and print."""
        return str(cents / 100)


class BalanceWithThousands(PaymentsRules):
    """Balances have separators of thousands, and look as if there were much money."""

    breaks = ("PAY-BAL-08",)

    def balance_view(self, access: Access) -> dict[str, Any]:
        """Show a reserve beyond a thousand."""
        return super().balance_view(access) | {"reserve": {"balance": "1,234.50"}}
