"""Charges whose values come back otherwise than they were sent."""

import hashlib
import html
import re
import unicodedata

from pix_conformance.proof.mutants.business.schema import BOTH, sent
from pix_conformance.proof.mutants.business.tables import ChangesAnswers, KeepsOtherwise, in_answers, keeping
from pix_conformance.proof.mutants.tabled import GONE, family

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
    family(__name__, "schema", ChangesAnswers, {
        name: (words, OF_MEMBER[member], in_answers(routes, member, change))
        for name, (member, routes, change, words) in ECHOES.items()
    }),
    **family(__name__, "schema", KeepsOtherwise, {
        "BusRefStoredInCapitals": (
            "The external_ref is stored in capitals: the events have it so too.",
            "BUS-CHG-58 BUS-EVT-13",
            keeping("external_ref", str.upper),
        ),
        "BusDescriptionStoredTrimmed": (
            "The description is stored without the blanks around it.",
            "BUS-CHG-57",
            keeping("description", str.strip),
        ),
        "BusEmailStoredHashed": (
            "Of the e-mail only a hash is stored, and shown.",
            "BUS-CHG-59",
            keeping("customer_email", lambda text: hashlib.sha256(text.encode()).hexdigest()),
        ),
    }),
)  # fmt: skip
