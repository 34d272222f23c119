"""Uses the clients that openapi-python-client makes of the OpenAPI files: a charge, a transfer, a list, the errors."""

import base64
import importlib
import os
import pkgutil
import sys
import uuid
from collections.abc import Iterator
from types import ModuleType

import attrs
import business_charge_api_client as business_package
import payments_api_client as payments_package
from business_charge_api_client import AuthenticatedClient as BusinessClient
from business_charge_api_client.api.charges import create_charge as create_business_charge
from business_charge_api_client.api.charges import list_charges
from business_charge_api_client.models import Charge, ChargePage, ChargeStatus, ListChargesStatus
from business_charge_api_client.models import ChargeRequest as BusinessChargeRequest
from business_charge_api_client.models import Error as BusinessError
from payments_api_client import AuthenticatedClient as PaymentsClient
from payments_api_client import models
from payments_api_client.api.authentication import authenticate
from payments_api_client.api.charges import create_charge, get_charge, pay_charge
from payments_api_client.api.transfers import create_transfer
from payments_api_client.api.webhooks import list_webhooks

ADDRESS = ("street", "number", "neighborhood", "city", "state", "zip_code")
UNTYPED = {f"CustomerBillingAddress.{name}" for name in ADDRESS}
"""Fields whose type the document does not state (PAY-CUS-26)."""
BASE_URL = os.environ["PIX_BASE_URL"]


def untyped(package: ModuleType) -> Iterator[str]:
    """Yield each field of a generated model that may have any value."""
    for info in pkgutil.iter_modules([f"{package.__path__[0]}/models"]):
        module = importlib.import_module(f"{package.__name__}.models.{info.name}")
        for name, model in vars(module).items():
            if isinstance(model, type) and model.__module__ == module.__name__ and attrs.has(model):
                fields = [field for field in attrs.fields(model) if field.name != "additional_properties"]
                yield from (f"{name}.{field.name}" for field in fields if "Any" in str(field.type).split(" | "))


def payments() -> None:
    pair = f"{os.environ['PIX_CLIENT_ID']}:{os.environ['PIX_CLIENT_SECRET']}"
    basic = PaymentsClient(BASE_URL, token=base64.b64encode(pair.encode()).decode(), prefix="Basic")
    token = authenticate.sync(client=basic)
    assert isinstance(token, models.TokenAnswer)
    client = PaymentsClient(BASE_URL, token=token.token)

    customer = models.Customer(models.CustomerDocumentType.CPF, "52998224725")
    charge = create_charge.sync(client=client, body=models.ChargeRequest(1050, customer))
    assert isinstance(charge, models.ChargeAnswer)
    assert charge.data.status is models.ChargeStatus.PENDING
    assert isinstance(pay_charge.sync(charge.data.id, client=client), models.PayAnswer)

    key = str(uuid.uuid4())
    body = models.TransferRequest(os.environ["PIX_TRANSFER_KEY"], 100)
    transfer = create_transfer.sync(client=client, body=body, x_idempotency_key=key)
    assert isinstance(transfer, models.TransferCreatedAnswer)
    assert transfer.data.amount == body.amount
    body.amount = 101
    reused = create_transfer.sync(client=client, body=body, x_idempotency_key=key)
    assert isinstance(reused, models.IdempotencyConflictError)

    listed = list_webhooks.sync(client=client)
    assert isinstance(listed, models.WebhookListAnswer)
    assert listed.data.pagination.total_count == len(listed.data.webhooks)
    assert isinstance(get_charge.sync(str(uuid.uuid4()), client=client), models.NotFoundError)


def business() -> None:
    client = BusinessClient(BASE_URL, token=os.environ["PIX_API_KEY"])
    charge = create_business_charge.sync(client=client, body=BusinessChargeRequest(1050))
    assert isinstance(charge, Charge)
    assert charge.status is ChargeStatus.PENDING
    listed = list_charges.sync(client=client, status=ListChargesStatus.PENDING)
    assert isinstance(listed, list | ChargePage)
    charges = listed if isinstance(listed, list) else [c for v in listed.to_dict().values() for c in v]
    assert charges
    refused = create_business_charge.sync(client=client, body=BusinessChargeRequest(0))
    assert isinstance(refused, BusinessError)
    assert "amount_cents" in refused.detail


def main() -> None:
    """Check the types of both clients and send their requests."""
    assert {*untyped(payments_package), *untyped(business_package)} == UNTYPED
    payments()
    business()
    sys.stdout.write("Python: a charge, a transfer, a list and the errors of both APIs.\n")


main()
