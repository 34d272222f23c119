"""The payments API of the reference."""

from typing import ClassVar

from pix_conformance.reference.http import Route
from pix_conformance.reference.payments.balance import BalanceRules
from pix_conformance.reference.payments.charges import ChargeRules
from pix_conformance.reference.payments.transfers import TransferRules
from pix_conformance.reference.payments.webhooks import WebhookRules

__all__ = ["PaymentsRules"]


class PaymentsRules(ChargeRules, TransferRules, BalanceRules, WebhookRules):
    """Every decision of the payments API; a subclass can override a single one."""

    open_operations: ClassVar[frozenset[str]] = frozenset({"authenticate"})
    routes: ClassVar[tuple[Route, ...]] = (
        ("POST", "/api/auth", "authenticate"),
        ("POST", "/api/v1/pix/in/qrcode", "create_charge"),
        ("GET", "/api/v1/pix/in/qrcode/{id}", "get_charge"),
        ("POST", "/api/v1/pix/in/qrcode/{id}/pay", "pay_charge"),
        ("POST", "/api/v1/pix/out/pixkey", "create_transfer"),
        ("GET", "/api/v1/pix/out/pixkey/{id}", "get_transfer"),
        ("POST", "/api/v1/pix/out/pixkey/{id}/complete", "complete_transfer"),
        ("GET", "/api/v1/balance", "get_balance"),
        ("GET", "/api/v1/webhook", "list_webhooks"),
        ("POST", "/api/v1/webhook", "create_webhook"),
        ("DELETE", "/api/v1/webhook/{id}", "delete_webhook"),
    )
