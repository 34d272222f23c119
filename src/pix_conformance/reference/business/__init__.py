"""The business API of the reference."""

from typing import ClassVar

from pix_conformance.reference.business.finance import FinanceRules
from pix_conformance.reference.business.transitions import TransitionRules
from pix_conformance.reference.http import Route

__all__ = ["BusinessRules"]


class BusinessRules(TransitionRules, FinanceRules):
    """Every decision of the business API; a subclass can override a single one."""

    routes: ClassVar[tuple[Route, ...]] = (
        ("POST", "/v1/business/pix-charges", "create_charge"),
        ("GET", "/v1/business/pix-charges/{id}", "get_charge"),
        ("GET", "/v1/business/pix-charges", "list_charges"),
        ("POST", "/v1/business/pix-charges/{id}/cancel", "cancel_charge"),
        ("POST", "/v1/business/pix-charges/{id}/pay", "pay_charge"),
        ("GET", "/v1/business/finance", "get_finance"),
    )
