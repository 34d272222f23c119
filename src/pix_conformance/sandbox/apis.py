"""What the proof needs of each API: one table, to which a new API adds its own."""

from collections.abc import Mapping
from dataclasses import dataclass

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.http import WireRules
from pix_conformance.reference.payments import PaymentsRules


@dataclass(frozen=True)
class ProvenApi:
    """The rules of the reference for one API, and requirements whose tests send what a proof needs."""

    rules: type[WireRules]
    traffic: tuple[str, ...]
    """Requirements whose tests together send all kinds of requests, in a third of the time of a whole API."""


APIS: Mapping[Api, ProvenApi] = {
    Api.PAYMENTS: ProvenApi(
        PaymentsRules,
        (
            *("PAY-AUTH-10", "PAY-AUTH-11", "PAY-CHG-02", "PAY-CHG-71", "PAY-CHG-75", "PAY-CMP-01", "PAY-CUS-03"),
            *("PAY-ENV-05", "PAY-EVT-46", "PAY-IDEM-07", "PAY-ISO-02", "PAY-PAYS-01", "PAY-SPL-17", "PAY-WH-32"),
        ),
    ),
    Api.BUSINESS: ProvenApi(
        BusinessRules,
        (
            *("BUS-CAN-01", "BUS-CHG-35", "BUS-CHG-44", "BUS-CHG-56", "BUS-CHG-57", "BUS-CHG-58", "BUS-ENV-01"),
            *("BUS-EXP-01", "BUS-LIST-02", "BUS-LIST-09", "BUS-PAY-01", "BUS-PAY-15", "BUS-STATE-06"),
        ),
    ),
}


def rules_of(requirement: str) -> type[WireRules]:
    """Return the rules of the reference of the API that states a requirement."""
    return APIS[catalogue()[requirement].api].rules
