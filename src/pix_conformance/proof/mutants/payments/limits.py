"""Limits of the payments API a little off, and right requests that are refused."""

import unicodedata
from decimal import Decimal
from typing import Any

from pix_conformance.proof.mutants.payments.tables import Refuses, Requires, anything, failing
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.payments import PaymentsRules

CHARGE_TEXT, TRANSFER_TEXT = "judge_charge_description", "judge_transfer_description"
CHARGE_BACK, TRANSFER_BACK = "judge_charge_postback", "judge_transfer_postback"
CPF, CNPJ, LIMIT = 11, 14, 140


def _digits(count: int) -> Any:
    return lambda value: value.isdigit() and len(value) == count


globals().update(
    family(__name__, "limits", Refuses, {
        "RefusesDescription": ("A charge with a description is refused.", "PAY-CHG-10 PAY-CHG-12",
            failing("description", anything, CHARGE_TEXT)),
        "RefusesPostback": ("A charge with a postbackUrl is refused.", "PAY-CHG-17",
            failing("postbackUrl", anything, CHARGE_BACK)),
        "RefusesCpf": ("Only companies can be charged.", "PAY-CUS-03 PAY-CHG-01 PAY-ENV-02",
            failing("customer.documentType", lambda value: value == "cpf")),
        "RefusesCnpj": ("Only persons can be charged.", "PAY-CUS-04",
            failing("customer.documentType", lambda value: value == "cnpj")),
        "RefusesLongDocument": ("A document has at most 11 digits.", "PAY-CUS-04",
            failing("customer.document", _digits(CNPJ))),
        "RefusesName": ("A customer with a name is refused.", "PAY-CUS-15", failing("customer.name", anything)),
        "RefusesEmail": ("A customer with an email is refused.", "PAY-CUS-18", failing("customer.email", anything)),
        "RefusesPhone": ("A customer with a phone is refused.", "PAY-CUS-21", failing("customer.phone", anything)),
        "RefusesBilling": ("A customer with a billingAddress is refused.", "PAY-CUS-24",
            failing("customer.billingAddress", anything)),
        "BillingWithoutZip": ("A billingAddress may not have a zipCode.", "PAY-CUS-24",
            failing("customer.billingAddress", lambda value: "zipCode" in value)),
        "RefusesItems": ("A charge with items is refused.", "PAY-ITEM-01", failing("items", len)),
        "RefusesIntangible": ("Only things that can be sent may be items.", "PAY-ITEM-01",
            failing("items[].tangible", lambda value: not value)),
        "RefusesShipping": ("An item with a shippingAddress is refused.", "PAY-ITEM-12",
            failing("items[].shippingAddress", anything)),
        "RefusesSplits": ("A charge with splits is refused.", "PAY-SPL-01", failing("splits", len)),
        "PercentageWhole": ("A percentage has no fraction.", "PAY-SPL-08 PAY-SPL-12",
            failing("splits[].percentage", lambda value: value != int(value))),
        "PercentageFromTenth": ("A percentage is 0.1 at least.", "PAY-SPL-08",
            failing("splits[].percentage", lambda value: value < Decimal("0.1"))),
        "PercentageFromOne": ("A percentage is 1 at least.", "PAY-SPL-08",
            failing("splits[].percentage", lambda value: value < 1)),
        "PercentageBelowHundred": ("A percentage is below 100.", "PAY-SPL-10",
            failing("splits[].percentage", lambda value: value == 100)),  # noqa: PLR2004 - the limit
        "TransferRefusesDescription": ("A transfer with a description is refused.", "PAY-TRF-17 PAY-TRF-19",
            failing("description", anything, TRANSFER_TEXT)),
        "TransferRefusesPostback": ("A transfer with a postbackUrl is refused.", "PAY-TRF-21",
            failing("postbackUrl", anything, TRANSFER_BACK)),
        "TransferRefusesCurrency": ("A transfer whose currency is written out is refused.", "PAY-TRF-12",
            failing("currency", anything)),
        "RefusesCpfKey": ("A CPF is no key.", "PAY-KEY-01", failing("pixKey", _digits(CPF))),
        "RefusesCnpjKey": ("A CNPJ is no key.", "PAY-KEY-02", failing("pixKey", _digits(CNPJ))),
        "RefusesEmailKey": ("An e-mail is no key.", "PAY-KEY-03", failing("pixKey", lambda value: "@" in value)),
        "RefusesPhoneKey": ("A phone is no key.", "PAY-KEY-04", failing("pixKey", lambda value: value[:1] == "+")),
        "RefusesEvpKey": ("A random key is no key.", "PAY-KEY-05",
            failing("pixKey", lambda value: "-" in value and "@" not in value)),
        "HookOfOneEvent": ("A webhook subscribes to one event only.", "PAY-WH-12",
            failing("events", lambda value: len(value) > 1)),
        "HookOfFewEvents": ("A webhook subscribes to eight events at most.", "PAY-WH-12",
            failing("events", lambda value: len(value) > 8)),  # noqa: PLR2004 - one less than there are
        "HookOfTwoEvents": ("A webhook subscribes to two events at least.", "PAY-WH-01",
            failing("events", lambda value: len(value) == 1)),
        "HookWithoutInfraction": ("No webhook can subscribe to infraction.", "PAY-WH-10 PAY-WH-12",
            failing("events", lambda value: "infraction" in value)),
        "HookWithoutUpdates": ("No webhook can subscribe to transaction_updated.", "PAY-WH-10 PAY-WH-12",
            failing("events", lambda value: "transaction_updated" in value)),
        "HookWithoutCanceled": ("The event is spelled transfer_cancelled only.", "PAY-WH-10 PAY-WH-12",
            failing("events", lambda value: "transfer_canceled" in value)),
        "HookOfDirectory": ("A webhook's url may have no path.", "PAY-WH-01",
            failing("url", lambda value: value.count("/") > 2)),  # noqa: PLR2004 - those of https://
    })
)  # fmt: skip
globals().update(
    family(__name__, "limits", Requires, {
        "RequiresName": ("A customer must have a name.", "PAY-CHG-01 PAY-ENV-02", {"key": "customer.name"}),
        "RequiresEmail": ("A customer must have an email.", "PAY-CHG-01 PAY-ENV-02", {"key": "customer.email"}),
        "RequiresPhone": ("A customer must have a phone.", "PAY-CHG-01 PAY-ENV-02", {"key": "customer.phone"}),
        "RequiresBilling": ("A customer must have an address.",
            "PAY-CHG-01 PAY-ENV-02", {"key": "customer.billingAddress"}),
        "RequiresDescription": ("A charge must have a description.", "PAY-CHG-01 PAY-ENV-02",
            {"key": "description", "rule": CHARGE_TEXT}),
        "RequiresPostback": ("A charge must have a postbackUrl.", "PAY-CHG-01 PAY-ENV-02",
            {"key": "postbackUrl", "rule": CHARGE_BACK}),
        "RequiresItems": ("A charge must have items.", "PAY-CHG-01 PAY-ENV-02", {"key": "items"}),
        "RequiresSplits": ("A charge must have splits.", "PAY-CHG-01 PAY-ENV-02", {"key": "splits"}),
        "RequiresShipping": ("An item must have a shippingAddress.", "PAY-ITEM-01",
            {"key": "items[].shippingAddress"}),
        "RequiresCurrency": ("A transfer must have a currency.", "PAY-TRF-11 PAY-TRF-01 PAY-IDEM-02",
            {"key": "currency"}),
        "TransferRequiresDescription": ("A transfer must have a description.", "PAY-TRF-01",
            {"key": "description", "rule": TRANSFER_TEXT}),
        "TransferRequiresPostback": ("A transfer must have a postbackUrl.", "PAY-TRF-01",
            {"key": "postbackUrl", "rule": TRANSFER_BACK}),
    })
)  # fmt: skip


class MinimumNinetyNine(PaymentsRules):
    """A charge of 99 cents is accepted: the limit is off by one."""

    breaks = ("PAY-CHG-06",)
    minimum_charge = 99


class MinimumOfOne(PaymentsRules):
    """A charge has the minimum of a transfer: one cent."""

    breaks = ("PAY-CHG-06",)
    minimum_charge = 1


class MinimumAboveHundred(PaymentsRules):
    """A charge of 100 is refused: the limit excludes itself."""

    breaks = ("PAY-CHG-05", "PAY-ENV-02")
    minimum_charge = 101


class MinimumInUnits(PaymentsRules):
    """The minimum of a charge is 100 units, not cents."""

    breaks = ("PAY-CHG-01", "PAY-ENV-02")
    minimum_charge = 10_000


class TransferMinimumHundred(PaymentsRules):
    """A transfer has the minimum of a charge: 100 cents."""

    breaks = ("PAY-TRF-08",)
    minimum_transfer = 100


class TransferMinimumTwo(PaymentsRules):
    """A transfer of one cent is refused: the limit excludes itself."""

    breaks = ("PAY-TRF-08",)
    minimum_transfer = 2


class TransferMinimumZero(PaymentsRules):
    """A transfer of zero is accepted: the limit is off by one."""

    breaks = ("PAY-TRF-09",)
    minimum_transfer = 0


class DescriptionOf139(PaymentsRules):
    """A charge's description of 140 characters is refused."""

    breaks = ("PAY-CHG-12",)
    charge_description_limit = 139


class DescriptionOf141(PaymentsRules):
    """A charge's description of 141 characters is accepted."""

    breaks = ("PAY-CHG-13",)
    charge_description_limit = 141


class DescriptionOf255(PaymentsRules):
    """A charge's description has the length of its column only."""

    breaks = ("PAY-CHG-13",)
    charge_description_limit = 255


class DescriptionCut(PaymentsRules):
    """A charge's description that is too long is cut instead of refused."""

    breaks = ("PAY-CHG-13",)

    def judge_charge_description(self, value: str) -> str | None:
        """Cut, then judge."""
        return super().judge_charge_description(value[:LIMIT])


class DescriptionOfBytes(PaymentsRules):
    """The 140 characters of a charge's description are counted in bytes."""

    breaks = ("PAY-CHG-12",)

    def judge_charge_description(self, value: str) -> str | None:
        """Count the bytes."""
        return super().judge_charge_description("x" * len(value.encode()))


class DescriptionDecomposed(PaymentsRules):
    """The 140 characters of a charge's description are counted after its accents were taken off the letters."""

    breaks = ("PAY-CHG-12",)

    def judge_charge_description(self, value: str) -> str | None:
        """Count letters and accents."""
        return super().judge_charge_description(unicodedata.normalize("NFD", value))


class DescriptionOfAscii(PaymentsRules):
    """A charge's description is counted without the letters that ASCII lacks."""

    breaks = ("PAY-CHG-13",)

    def judge_charge_description(self, value: str) -> str | None:
        """Drop them, then count."""
        return super().judge_charge_description(value.encode("ascii", "ignore").decode())


class TransferDescriptionOf139(PaymentsRules):
    """A transfer's description of 140 characters is refused."""

    breaks = ("PAY-TRF-19",)
    transfer_description_limit = 139


class TransferDescriptionOf141(PaymentsRules):
    """A transfer's description of 141 characters is accepted."""

    breaks = ("PAY-TRF-20",)
    transfer_description_limit = 141


class TransferDescriptionOfBytes(PaymentsRules):
    """The 140 characters of a transfer's description are counted in bytes."""

    breaks = ("PAY-TRF-19",)

    def judge_transfer_description(self, value: str) -> str | None:
        """Count the bytes."""
        return super().judge_transfer_description("x" * len(value.encode()))


class TransferDescriptionUnlimited(PaymentsRules):
    """A transfer's description has no limit; only that of a charge was thought of."""

    breaks = ("PAY-TRF-20",)
    transfer_description_limit = 100_000
