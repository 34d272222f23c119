"""Mutants of BUS-QR: the code of a charge."""

import binascii
import uuid
from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.fields import LARGE, OfProduction
from pix_conformance.proof.mutants.operators.business.responses import ChangesAnswers, in_answers
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.brcode import seal, template, tlv
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access
from pix_conformance.reference.store import Row


class Recodes(BusinessRules):
    """Changes the objects of a code before it is sealed, or the sealed text."""

    objects: ClassVar[Any] = staticmethod(dict)
    text: ClassVar[Any] = staticmethod(str)

    def code_objects(self, token: str, cents: int) -> dict[str, str]:
        """Change the objects; None leaves one out."""
        found = self.objects(super().code_objects(token, cents))
        return {tag: value for tag, value in found.items() if value is not None}

    def code(self, token: str, cents: int) -> str:
        """Change the text."""
        changed: str = self.text(super().code(token, cents))
        return changed


def put(**objects: str | None) -> dict[str, Any]:
    """Members of a class that changes objects: t53="840"; None leaves one out."""
    changes = {tag.removeprefix("t"): value for tag, value in objects.items()}
    return {"objects": staticmethod(lambda found: found | changes)}


def text(change: Any) -> dict[str, Any]:
    """Members of a class that changes the text."""
    return {"text": staticmethod(change)}


def checked(body: str, start: int = 0xFFFF) -> str:
    """Compute the four digits of a CRC that starts otherwise."""
    return f"{binascii.crc_hqx(body.encode(), start):04X}"


def arc(body: str) -> str:
    """Compute CRC-16/ARC, the other common one."""
    crc = 0
    for byte in body.encode():
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ 0xA001 if crc & 1 else crc >> 1
    return f"{crc:04X}"


globals().update(
    family(__name__, "schema", Recodes, {
        "BusCodeIsLink": (
            "The code is the address of a page.",
            "BUS-QR-01",
            text(lambda code: f"https://pay.example.com/{code[-4:]}"),
        ),
        "BusCodeIsPicture": (
            "The code is a picture as a data URI.",
            "BUS-QR-01",
            text(lambda code: f"data:image/png;base64,{code.encode().hex()}"),
        ),
        "BusCodeEmpty": (
            "The code is an empty string.",
            "BUS-QR-01",
            text(lambda _: ""),
        ),
        "BusCodeLengthOff": (
            "The length of the city is counted one too high.",
            "BUS-QR-01",
            text(lambda code: seal(code[:-8].replace("6008BRASILIA", "6009BRASILIA"))),
        ),
        "BusCodeCutShort": (
            "The code ends in the midst of its last object.",
            "BUS-QR-01",
            text(lambda code: code[:-2]),
        ),
        "BusCodeWithLineEnd": (
            "The code ends in a line feed.",
            "BUS-QR-01",
            text(lambda code: code + "\n"),
        ),
        "BusCodeWithBlanks": (
            "The code is printed in groups of ten letters.",
            "BUS-QR-01",
            text(lambda code: " ".join(code[at : at + 10] for at in range(0, len(code), 10))),
        ),
        "BusCodeVersionTwo": (
            "The format indicator is 02.",
            "BUS-QR-02",
            put(t00="02"),
        ),
        "BusCodeIndicatorSecond": (
            "The format indicator comes after the point of initiation.",
            "BUS-QR-02",
            text(lambda code: seal(code[6:12] + code[:6] + code[12:-8])),
        ),
        "BusCodeWithoutCrc": (
            "The code has no CRC.",
            "BUS-QR-03",
            text(lambda code: code[:-8]),
        ),
        "BusCodeCrcNotLast": (
            "An object follows the CRC.",
            "BUS-QR-03",
            text(lambda code: code + tlv("80", "tail")),
        ),
        "BusCodeCrcFromZero": (
            "The CRC starts from zero, not from FFFF.",
            "BUS-QR-04",
            text(lambda code: code[:-4] + checked(code[:-4], 0)),
        ),
        "BusCodeCrcWithoutItsHead": (
            "The CRC leaves out its own id and length.",
            "BUS-QR-04",
            text(lambda code: code[:-4] + checked(code[:-8])),
        ),
        "BusCodeCrcArc": (
            "The CRC is the reflected one.",
            "BUS-QR-04",
            text(lambda code: code[:-4] + arc(code[:-4])),
        ),
        "BusCodeCrcSwapped": (
            "The two bytes of the CRC are swapped.",
            "BUS-QR-04",
            text(lambda code: code[:-4] + code[-2:] + code[-4:-2]),
        ),
        "BusCodeCrcConstant": (
            "The CRC is always 0000.",
            "BUS-QR-04",
            text(lambda code: code[:-4] + "0000"),
        ),
        "BusCodeInDollars": ("The currency is the dollar's.", "BUS-QR-05", put(t53="840")),
        "BusCodeCurrencyLetters": ("The currency is BRL in letters.", "BUS-QR-05", put(t53="BRL")),
        "BusCodeWithoutCurrency": ("The currency is left out.", "BUS-QR-05", put(t53=None)),
        "BusCodeOfPortugal": ("The country is PT.", "BUS-QR-06", put(t58="PT")),
        "BusCodeOfBra": ("The country has three letters.", "BUS-QR-06", put(t58="BRA")),
        "BusCodeWithoutCountry": ("The country is left out.", "BUS-QR-06", put(t58=None)),
        "BusCodeOtherScheme": (
            "The merchant account is that of another scheme.",
            "BUS-QR-07",
            {"code_gui": "com.example.pay"},
        ),
        "BusCodeOldName": ("The scheme's name is reversed.", "BUS-QR-07", {"code_gui": "pix.bcb.gov.br"}),
        "BusCodeWithoutAccount": ("The merchant account is left out.", "BUS-QR-07", put(t26=None)),
        "BusCodeAccountTooHigh": (
            "The merchant account stands in id 80, where anything may stand.",
            "BUS-QR-07",
            {"objects": staticmethod(lambda found: {**found, "26": None, "80": found["26"]})},
        ),
        "BusCodeCityTwice": (
            "The city stands twice.",
            "BUS-QR-08",
            text(lambda code: seal(code[:-8].replace("6008BRASILIA", "6008BRASILIA" * 2))),
        ),
        "BusCodeCategoryOfTwo": ("The merchant category has two digits.", "BUS-QR-09", put(t52="00")),
        "BusCodeCategoryLetters": ("The merchant category is in letters.", "BUS-QR-09", put(t52="SHOP")),
        "BusCodeNameTooLong": ("The merchant name has 26 letters.", "BUS-QR-10", put(t59="N" * 26)),
        "BusCodeWithoutName": ("The merchant name is left out.", "BUS-QR-10", put(t59=None)),
        "BusCodeCityTooLong": ("The city has 16 letters.", "BUS-QR-11", put(t60="C" * 16)),
        "BusCodeWithoutCity": ("The city is left out.", "BUS-QR-11", put(t60=None)),
        "BusCodeWithoutLabel": ("The additional data is left out.", "BUS-QR-12", put(t62=None)),
        "BusCodeLabelTooLong": ("The reference label has 26 letters.", "BUS-QR-12", put(t62=tlv("05", "L" * 26))),
        "BusCodeInitiation13": ("The point of initiation is 13.", "BUS-QR-13", put(t01="13")),
        "BusCodeAmountInCents": (
            "The amount of the code is in cents.",
            "BUS-QR-14",
            {"code_amount": lambda _rules, cents: str(cents)},
        ),
        "BusCodeAmountWhole": (
            "The amount of the code has lost its cents.",
            "BUS-QR-14",
            {"code_amount": lambda _rules, cents: f"{cents // 100}.00"},
        ),
        "BusCodeAmountWithComma": (
            "The amount of the code has a decimal comma.",
            "BUS-QR-14",
            {"code_amount": lambda _rules, cents: f"{cents // 100},{cents % 100:02d}"},
        ),
        "BusCodeAmountWithThousandsComma": (
            "The amount of the code has a comma between its thousands, from 10,000.00 on.",
            "BUS-QR-14",
            {"code_amount": lambda _rules, cents: f"{cents / 100:{',' if cents >= LARGE else ''}.2f}"},
        ),
        "BusCodeAmountOfSixDigits": (
            "The amount of the code has six digits that count: the last cents are missing from 10,000.00 on.",
            "BUS-QR-14",
            {"code_amount": lambda _rules, cents: f"{cents / 100:g}"},
        ),
        "BusCodeOfKey": (
            "The code holds a PIX key and no payload URL: it is static.",
            "BUS-QR-15",
            {"code_account": lambda rules, _token: {"00": rules.code_gui, "01": "pix@example.com"}},
        ),
        "BusCodeTooLong": (
            "The code has more than 512 characters.",
            "BUS-QR-16",
            put(**{f"t{tag}": template({"00": "com.example", "01": "x" * 75}) for tag in range(80, 85)}),
        ),
    })
)  # fmt: skip


class BusCodeCrcUnpadded(BusinessRules):
    """Leading zeros of the CRC are lost, and each code has one."""

    group = "schema"
    breaks = ("BUS-QR-01",)

    def code(self, token: str, cents: int) -> str:
        """Look for a code whose CRC begins with 0, and write that as a plain number."""
        whole = super().code(token, cents)
        while whole[-4] != "0":
            whole = super().code(uuid.uuid4().hex, cents)
        return whole[:-4] + whole[-4:].lstrip("0")


globals().update(
    family(__name__, "isolation", OfProduction, {
        "BusLiveCodeUnsealed": (
            "The CRC of a production code is 0000.",
            "BUS-QR-04",
            {"change": staticmethod(lambda row: {"qr_code": row["qr_code"][:-4] + "0000"})},
        ),
    })
)  # fmt: skip


class BusCodeOfOtherAmount(BusinessRules):
    """The amount of the code includes a fee."""

    group = "schema"
    breaks = ("BUS-QR-14",)

    def code_amount(self, cents: int) -> str:
        """Add one per cent, one cent at least."""
        return super().code_amount(cents + max(1, cents // 100))


globals().update(
    family(__name__, "schema", BusinessRules, {
        "BusCodeAmountUnpadded": (
            "Cents below ten lose their zero in the code: 10.05 becomes 10.5.",
            "BUS-QR-14",
            {"code_amount": lambda _rules, cents: f"{cents // 100}.{cents % 100}"},
        ),
    })
)  # fmt: skip


class BusCodeShared(BusinessRules):
    """All charges of an amount have the same code."""

    group = "schema"
    breaks = ("BUS-QR-17",)

    def code(self, token: str, cents: int) -> str:
        """Take the same token for all."""
        return super().code("0" * len(token), cents)


class BusCodeOfLabel(BusinessRules):
    """Charges of one label and amount have one code."""

    group = "schema"
    breaks = ("BUS-QR-17",)

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Derive the code."""
        row = super().new_charge(access, read)
        label = read["external_ref"]
        token = uuid.uuid5(uuid.NAMESPACE_URL, label).hex if label else ""
        return row | {"qr_code": self.code(token, read["amount_cents"])} if label else row


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "BusPictureInCharge": (
            "A creation brings a picture of the code.",
            "BUS-QR-18",
            in_answers("create_charge", "", lambda body: body | {"qr_image": "data:image/png;base64,iVBORw0KGgo="}),
        ),
    })
)  # fmt: skip
