"""Mutants of PAY-CHG: the EMV code of a charge and its image."""

import base64
import io
from typing import Any

from PIL import Image

from pix_conformance.proof.mutants.operators.payments.responses import ChangesAnswers, in_answers
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference import qr
from pix_conformance.reference.brcode import seal, template, tlv
from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

BOTH = "create_charge get_charge"
TEXT = base64.b64encode(b"this is no image").decode()


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "ImageUrlSafe": ("The qrCode is written in the base64 of URLs.", "PAY-CHG-42",
            in_answers(BOTH, "data.pix.qrCode", lambda text: text[:40] + "-_" + text[42:])),
        "ImageAsAddress": ("The qrCode is the address of an image.", "PAY-CHG-42 PAY-CHG-43",
            in_answers(BOTH, "data.pix.qrCode", "https://example.com/qr.png")),
        "ImageOfText": ("The qrCode is base64 of a text.", "PAY-CHG-43", in_answers(BOTH, "data.pix.qrCode", TEXT)),
        "ImageOfCode": ("The qrCode is base64 of the code itself, not of an image.", "PAY-CHG-43",
            in_answers(BOTH, "data.pix", lambda pix: pix | {"qrCode": base64.b64encode(pix["emv"].encode()).decode()})),
        "ImageCut": ("The qrCode ends in the middle of the image.", "PAY-CHG-43",
            in_answers(BOTH, "data.pix.qrCode", lambda text: text[:40])),
    })
)  # fmt: skip


class CompanysImageOfCode(PaymentsRules):
    """The qrCode of a charge for a cnpj is base64 of the code itself, not of an image."""

    breaks = ("PAY-CHG-43",)
    seen_in = ("PAY-CUS-03",)
    group = "schema"

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Draw nothing."""
        view, code = super().charge_view(call, charge), base64.b64encode(charge["emv"].encode()).decode()
        company = len(charge["payer_document"]) == self.document_lengths["cnpj"]
        return view | ({"pix": view["pix"] | {"qrCode": code}} if company else {})


class ImageOfAnotherCharge(PaymentsRules):
    """The image of every charge shows the same code."""

    breaks = ("PAY-CHG-44",)
    group = "schema"

    def qr_image(self, emv: str) -> str:
        """Draw another text."""
        del emv
        return qr.png_base64(self.code("0" * 16, 100))


class CodeWithObjectTwice(PaymentsRules):
    """The emv code gives the currency twice."""

    breaks = ("PAY-CHG-50",)
    group = "schema"

    def code(self, token: str, cents: int) -> str:
        """Repeat that object."""
        objects = self.code_objects(token, cents)
        return seal(template(objects) + tlv("53", objects["53"]))


class CodeOfWrongLength(PaymentsRules):
    """A length in the emv code counts one character too many, for the name."""

    breaks = ("PAY-CHG-50",)
    group = "schema"

    def code(self, token: str, cents: int) -> str:
        """Miscount the name."""
        text = template(self.code_objects(token, cents))
        return seal(text.replace(tlv("59", self.code_name), f"59{len(self.code_name) + 1:02d}{self.code_name}"))


class ChangesCode(PaymentsRules):
    """Replaces one object of the code; None takes it out."""

    tag = ""
    value: str | None = None

    def code_objects(self, token: str, cents: int) -> dict[str, str]:
        """Change that object alone."""
        objects = super().code_objects(token, cents)
        return {k: v for k, v in (objects | {self.tag: self.value or ""}).items() if k != self.tag or self.value}


globals().update(
    family(__name__, "schema", ChangesCode, {
        "CodeOfFormatTwo": ("The emv code says format 02.", "PAY-CHG-51", {"tag": "00", "value": "02"}),
        "CodeWithoutFormat": ("The emv code lacks its first object.", "PAY-CHG-51", {"tag": "00"}),
        "CodeWithoutAccount": ("The emv code names no account.", "PAY-CHG-53", {"tag": "26"}),
        "CodeOfForeignAccount": ("The emv code names an account of another scheme.", "PAY-CHG-53",
            {"tag": "26", "value": "0014com.example.px2507example"}),
        "CodeWithoutCategory": ("The emv code lacks the merchant category.", "PAY-CHG-54", {"tag": "52"}),
        "CodeOfShortCategory": ("The emv code gives a merchant category of three digits.", "PAY-CHG-54",
            {"tag": "52", "value": "000"}),
        "CodeInDollars": ("The emv code gives the currency 840.", "PAY-CHG-55", {"tag": "53", "value": "840"}),
        "CodeOfLetterCurrency": ("The emv code gives the currency BRL.", "PAY-CHG-55", {"tag": "53", "value": "BRL"}),
        "CodeOfAnotherAmount": ("The emv code asks for a constant amount.", "PAY-CHG-56",
            {"tag": "54", "value": "7.77"}),
        "CodeOfAnotherCountry": ("The emv code gives the country US.", "PAY-CHG-57", {"tag": "58", "value": "US"}),
        "CodeOfLongName": ("The emv code gives a name of 26 characters.", "PAY-CHG-58",
            {"tag": "59", "value": "N" * 26}),
        "CodeWithoutName": ("The emv code gives no name.", "PAY-CHG-58", {"tag": "59"}),
        "CodeOfLongCity": ("The emv code gives a city of 16 characters.", "PAY-CHG-58",
            {"tag": "60", "value": "C" * 16}),
        "CodeWithoutLabel": ("The emv code lacks the reference label.", "PAY-CHG-59", {"tag": "62"}),
        "CodeOfLongLabel": ("The emv code gives a reference label of 26 characters.", "PAY-CHG-59",
            {"tag": "62", "value": tlv("05", "L" * 26)}),
        "CodeOfInitiation13": ("The emv code says a point of initiation of 13.", "PAY-CHG-60",
            {"tag": "01", "value": "13"}),
    })
)  # fmt: skip


class CodeWithoutChecksum(PaymentsRules):
    """The emv code ends without its checksum."""

    breaks = ("PAY-CHG-52",)
    group = "schema"

    def code(self, token: str, cents: int) -> str:
        """Leave it out."""
        return super().code(token, cents)[:-8]


class CodeOfWrongChecksum(PaymentsRules):
    """The checksum of the emv code does not cover its own tag and length."""

    breaks = ("PAY-CHG-52",)
    group = "schema"

    def code(self, token: str, cents: int) -> str:
        """Compute it over less."""
        right = super().code(token, cents)
        return right[:-4] + f"{int(right[-4:], 16) ^ 0x5555:04X}"


class ChecksumWithoutZeros(PaymentsRules):
    """The checksum of the code loses its zeros in front."""

    breaks = ("PAY-CHG-52",)
    seen_in = ("PAY-IDEM-07",)
    group = "schema"

    def code(self, token: str, cents: int) -> str:
        """Write the number without its width."""
        whole = super().code(token, cents)
        return whole[:-4] + whole[-4:].lstrip("0")


class CodeAmountInCents(PaymentsRules):
    """The emv code asks for a hundred times the amount: cents for units."""

    breaks = ("PAY-CHG-56",)
    group = "schema"

    def code_amount(self, cents: int) -> str:
        """Take cents for units."""
        return f"{cents}.00"


class CodeAmountWithComma(PaymentsRules):
    """The emv code writes its amount with a comma."""

    breaks = ("PAY-CHG-56",)
    group = "schema"

    def code_amount(self, cents: int) -> str:
        """Write it as people do."""
        return super().code_amount(cents).replace(".", ",")


class ImageOfFirst(PaymentsRules):
    """The image of a code is kept for all later charges of the amount."""

    breaks = ("PAY-CHG-79", "PAY-CHG-44")
    seen_in = ("PAY-CUS-03",)
    group = "schema"

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Look it up."""
        charge = super().new_charge(access, read)
        kept: dict[int, str] = self.__dict__.setdefault("images", {})
        return charge | {"qr_code": kept.setdefault(charge["amount"], charge["qr_code"])}


class CodeOfAmount(PaymentsRules):
    """All charges of an amount have one copy-and-paste code."""

    breaks = ("PAY-CHG-81",)
    group = "schema"

    def code(self, token: str, cents: int) -> str:
        """Make it of the amount alone."""
        del token
        return super().code(f"{cents:025d}", cents)


class CodeOfPayer(PaymentsRules):
    """A charge for a cnpj has the code of the charge before it, where that had its amount."""

    breaks = ("PAY-CHG-81",)
    group = "schema"

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Look the last code up."""
        charge = super().new_charge(access, read)
        last: dict[int, Row] = self.__dict__.setdefault("last_codes", {})
        drawn = last.setdefault(charge["amount"], charge)
        company = len(charge["payer_document"]) == self.document_lengths["cnpj"]
        return charge | ({"emv": drawn["emv"], "qr_code": drawn["qr_code"]} if company else {})


def picture(image: Image.Image) -> str:
    """Write a PNG in Base64."""
    written = io.BytesIO()
    image.save(written, "PNG")
    return base64.b64encode(written.getvalue()).decode()


class ImageOfNoCode(PaymentsRules):
    """The image of every charge is a picture without a code."""

    breaks = ("PAY-CHG-82", "PAY-CHG-44")
    group = "schema"

    def qr_image(self, emv: str) -> str:
        """Draw a shade for each length."""
        return picture(Image.linear_gradient("L").resize((200 + len(emv), 200)))


class QueriedImageBlank(PaymentsRules):
    """The image in the query of a charge is white."""

    breaks = ("PAY-CHG-82", "PAY-CHG-72")
    group = "schema"

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Draw nothing."""
        view = super().charge_view(call, charge)
        blank = {"qrCode": picture(Image.new("L", (200, 200), 255))}
        return view | ({"pix": view["pix"] | blank} if call.operation == "get_charge" else {})
