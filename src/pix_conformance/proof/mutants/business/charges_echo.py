"""Mutants of BUS-CHG: fields that come back as they were sent."""

import hashlib
import html
import re
import unicodedata
from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.fields import ReadsOtherwise, as_number
from pix_conformance.proof.mutants.operators.business.responses import (
    BOTH,
    ChangesAnswers,
    ShowsDone,
    in_answers,
    once_in,
    sent,
    to,
)
from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.brcode import seal, template, tlv
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.store import Row

NET = 0.99
ECHOES = {
    # name, member, routes, what becomes of it, in words
    "BusDescriptionDropped": ("description", "get_charge", None, "A query does not show the description."),
    "BusDescriptionGone": ("description", BOTH, GONE, "Neither creation nor query shows the description."),
    "BusDescriptionTrimmed": ("description", BOTH, sent(str.strip), "Blanks around the description are cut off."),
    "BusDescriptionCut": ("description", BOTH, sent(lambda text: text[:255]), "Of a description 255 letters stay."),
    "BusDescriptionEscaped": ("description", "get_charge", sent(html.escape), "A query escapes the description."),
    "BusDescriptionAscii": (
        "description", BOTH, sent(lambda text: text.encode("ascii", "replace").decode()),
        "Letters outside ASCII become question marks in the description.",
    ),
    "BusDescriptionMojibake": (
        "description", "get_charge", sent(lambda text: text.encode().decode("latin-1")),
        "A query reads the stored UTF-8 as Latin-1.",
    ),
    "BusDescriptionDecomposed": (
        "description", BOTH, sent(lambda text: unicodedata.normalize("NFD", text)),
        "Accents of the description come back as letters of their own.",
    ),
    "BusDescriptionOneLine": (
        "description", BOTH, sent(lambda text: " ".join(text.split())), "White space in the description is folded.",
    ),
    "BusDescriptionWithoutEmoji": (
        "description", BOTH, sent(lambda text: "".join(one for one in text if ord(one) < 1 << 16)),
        "Letters beyond three bytes of UTF-8 are lost from the description.",
    ),
    "BusRefDropped": ("external_ref", "get_charge", None, "A query does not show the external_ref."),
    "BusRefDroppedOnCreation": ("external_ref", "create_charge", GONE, "A creation does not show the external_ref."),
    "BusRefInCapitals": ("external_ref", BOTH, sent(str.upper), "The external_ref comes back in capitals."),
    "BusRefInSmallLetters": ("external_ref", "get_charge", sent(str.lower), "A query shows it in small letters."),
    "BusRefTrimmed": ("external_ref", BOTH, sent(str.strip), "Blanks around the external_ref are cut off."),
    "BusRefCut": ("external_ref", BOTH, sent(lambda text: text[:64]), "Of an external_ref 64 letters stay."),
    "BusRefUnquoted": (
        "external_ref", "get_charge", sent(lambda text: text.replace("+", " ")), "A plus in the external_ref is lost.",
    ),
    "BusRefEscaped": ("external_ref", "get_charge", sent(html.escape), "A query escapes the external_ref."),
    "BusRefWithoutAccents": (
        "external_ref", BOTH,
        sent(lambda text: "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))),
        "Accents of the external_ref are lost.",
    ),
    "BusEmailDropped": ("customer_email", "get_charge", None, "A query does not show the e-mail."),
    "BusEmailMasked": (
        "customer_email", "get_charge", sent(lambda text: f"{text[:1]}***@{text.partition('@')[2]}"),
        "A query masks the e-mail.",
    ),
    "BusEmailUntagged": (
        "customer_email", BOTH, sent(lambda text: re.sub(r"\+[^@]*@", "@", text)),
        "The tag behind a plus is cut out of the e-mail.",
    ),
    "BusEchoesSwapped": (
        "", "get_charge",
        lambda body: body | {"description": body["external_ref"], "external_ref": body["description"]},
        "A query shows description and external_ref in each other's place.",
    ),
}  # fmt: skip
OF_MEMBER = {
    "description": "BUS-CHG-57",
    "external_ref": "BUS-CHG-58",
    "customer_email": "BUS-CHG-59",
    "": "BUS-CHG-57 BUS-CHG-58",
}


globals().update(
    family(__name__, "schema", ShowsDone, {
        "BusNetOncePaid": (
            "A paid charge shows its amount less the fee.",
            "BUS-CHG-56",
            {"state": "paid", "change": staticmethod(lambda view: {"amount_cents": int(view["amount_cents"] * NET)})},
        ),
        "BusAmountZeroOnExpiry": (
            "An expired charge shows an amount of 0.", "BUS-CHG-56", once_in("expired", amount_cents=0),
        ),
        "BusRefLostOnCancel": (
            "A canceled charge has lost its label.",
            "BUS-CHG-58",
            {"state": "canceled", "change": staticmethod(lambda _: {"external_ref": None})},
        ),
        "BusRefLostOnExpiry": (
            "An expired charge has lost its label.", "BUS-CHG-58", once_in("expired", external_ref=None),
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "BusListShowsNet": (
            "The list shows amounts less a fee.",
            "BUS-CHG-56",
            in_answers("list_charges", "*.amount_cents", lambda amount: int(amount * NET)),
        ),
        "BusListShowsPaidNet": (
            "The list shows the amount of what is paid less a fee.",
            "BUS-CHG-56",
            in_answers("list_charges", "*", lambda row: row | (
                {"amount_cents": int(row["amount_cents"] * NET)} if row["status"] == "paid" else {}
            )),
        ),
        "BusListCutsRef": (
            "The list shows the first sixteen characters of a label.",
            "BUS-CHG-58",
            in_answers("list_charges", "*.external_ref", lambda text: text and text[:16]),
        ),
        "BusListForgetsRef": (
            "The list shows no label: each is null.",
            "BUS-CHG-58",
            in_answers("list_charges", "*.external_ref", lambda _: None),
        ),
    })
)  # fmt: skip


class KeepsOtherwise(BusinessRules):
    """Stores another value in one column of a new charge."""

    column: ClassVar[str] = ""
    change: ClassVar[Any]

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Change the row; what was not given stays so."""
        row = super().new_charge(access, read)
        value = row[self.column]
        return row if value is None else row | {self.column: self.change(value)}


def keeping(column: str, change: Any) -> dict[str, Any]:
    """Members of a class that stores otherwise."""
    return {"column": column, "change": staticmethod(to(change))}


globals().update(
    family(__name__, "schema", KeepsOtherwise, {
        "BusLineEndsUnified": (
            "Line breaks of two signs become one sign in the description.",
            "BUS-CHG-57",
            keeping("description", lambda text: text.replace("\r\n", "\n")),
        ),
        "BusDescriptionStoredTrimmed": (
            "The description is stored without the blanks around it.",
            "BUS-CHG-57",
            keeping("description", str.strip),
        ),
        "BusRefBlanksJoined": (
            "Blanks in a row become one in the label.",
            "BUS-CHG-58",
            keeping("external_ref", lambda text: re.sub(" +", " ", text)),
        ),
        "BusRefZerosLost": (
            "A label of digits loses the zeros before them.",
            "BUS-CHG-58",
            keeping("external_ref", lambda text: text.lstrip("0") or "0" if text.isdigit() else text),
        ),
        "BusRefStoredInCapitals": (
            "The external_ref is stored in capitals: the events have it so too.",
            "BUS-CHG-58 BUS-EVT-13",
            keeping("external_ref", str.upper),
        ),
        "BusEmailStoredHashed": (
            "Of the e-mail only a hash is stored, and shown.",
            "BUS-CHG-59",
            keeping("customer_email", lambda text: hashlib.sha256(text.encode()).hexdigest()),
        ),
        "BusEmailInSmallLetters": (
            "The e-mail is kept in small letters.", "BUS-CHG-59", keeping("customer_email", str.lower),
        ),
    })
)  # fmt: skip


class BusDescriptionOfAnotherShown(BusinessRules):
    """A charge without a description is given that of the charge before it."""

    group = "schema"
    breaks = ("BUS-CHG-57",)
    seen_in = ("BUS-CHG-35",)

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Keep it from one to the next."""
        row = super().new_charge(access, read)
        row["description"] = self.__dict__["last"] = row["description"] or self.__dict__.get("last")
        return row


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        name: (words, OF_MEMBER[member], in_answers(routes, member, change))
        for name, (member, routes, change, words) in ECHOES.items()
    })
)  # fmt: skip


class BusDigitLabelIsNumber(BusinessRules):
    """A label of digits is shown as a number."""

    group = "schema"
    breaks = ("BUS-CHG-58",)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Read it as one."""
        return super().charge_view(call, charge) | {"external_ref": as_number(charge["external_ref"])}


class BusBlankLabelForgotten(BusinessRules):
    """A label of blanks is forgotten."""

    group = "schema"
    breaks = ("BUS-CHG-58",)

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Keep what has a sign."""
        label = read["external_ref"]
        return super().new_charge(access, {**read, "external_ref": label if label and label.strip() else None})


def _without_label(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name != "external_ref"}


def _is_told(body: dict[str, Any]) -> bool:
    return "customer_email" in body and "description" in body


globals().update(
    family(__name__, "validation", ReadsOtherwise, {
        "BusDescribedChargeUnlabelled": (
            "A charge with a description and an e-mail loses its label.",
            "BUS-CHG-58 BUS-CHG-19 BUS-CHG-21 BUS-EVT-13",
            {"change": staticmethod(lambda body: _without_label(body) if _is_told(body) else body)},
        ),
    })
)  # fmt: skip


class BusLiveEmailForgotten(BusinessRules):
    """In production the e-mail of a charge is not kept."""

    group = "schema"
    breaks = ("BUS-CHG-59",)

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Leave it out."""
        return super().new_charge(access, read if access.is_sandbox else {**read, "customer_email": None})


class BusCodeTellsDescription(BusinessRules):
    """The description is part of the code, for the payer's app to show."""

    group = "schema"
    breaks = ("BUS-CHG-67",)

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Put as much of it into an object of its own as fits."""
        row = super().new_charge(access, read)
        told = template({"00": "com.example", "01": (read["description"] or "")[:60]})
        return row | {"qr_code": seal(row["qr_code"][:-8] + tlv("80", told))}
