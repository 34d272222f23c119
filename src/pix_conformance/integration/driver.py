"""Drives an integration: has it take orders, and asks what it has credited."""

import secrets
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from threading import Lock

import httpx

from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.integration.asked import Asked
from pix_conformance.integration.commands import START_S, CommandError, Commands
from pix_conformance.integration.description import Description
from pix_conformance.integration.endpoint import HookEndpoint
from pix_conformance.integration.event_form import OrderCharge
from pix_conformance.integration.events import FORMS, SECRET
from pix_conformance.integration.gateway import Gateway
from pix_conformance.integration.sandbox import Sandbox
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.process import Running

FIRST_POLL_S, POLL_S = 0.02, 0.5
"""Seconds between questions for a credit, each of which is a command: twice as long from one to the next."""
LEAST_CENTS, RANGE_CENTS, APART_CENTS = 1_000, 10_000, 3
KEPT_SECRETS = {api: f"whsec_of_each_run_{api}" for api in Api}
"""The secrets that sign events, the same in each run: an integration may have kept that of an earlier registration."""
SIDE_BY_SIDE = 4
"""Commands that run at the same time."""


@dataclass(frozen=True)
class Order:
    """An order that the integration has taken: its own reference, what it costs, and the charge."""

    reference: str
    charge: OrderCharge
    creation: Exchange | None
    """The request that created the charge; None of an order that the integration has not taken."""
    price: int
    """What the order costs, in cents, as the suite said it; its charge should be of that amount."""

    def due(self, credited: int) -> int:
        """Return the cents with which the order should be credited, where it is with `credited` cents.

        Of a client that charges another amount than the price both are right. Raises Inconclusive if it is credited
        with neither, nor with several times one of them: the amount of the charge may be the reason.
        """
        for cents in (self.price, self.charge.cents):
            if credited and credited % cents == 0:
                return cents
        if self.price != self.charge.cents:
            charge = f"the charge{f' ({self.creation.evidence})' if self.creation else ''} of an order of"
            raise Inconclusive(f"not tested: {charge} {self.price} cents is of {self.charge.cents} cents")
        return self.charge.cents


class Integration:
    """One integration under test, with its sandbox and the gateway between them."""

    def __init__(self, description: Description, server: Running, record: Callable[[Exchange], Exchange]) -> None:
        """Start the gateway before a reference. `record` keeps an exchange and gives it its number."""
        self.description = description
        self._secrets = {api: description.secrets.get(api) or KEPT_SECRETS[api] for api in Api}
        self.sandbox = Sandbox(server, self._secrets[Api.PAYMENTS])
        variables = self.sandbox.variables
        pair = variables["PIX_CLIENT_ID"], variables["PIX_CLIENT_SECRET"]
        credentials = {
            f"Bearer {variables['PIX_API_KEY']}": "Bearer $PIX_API_KEY",
            _basic(*pair): "Basic $PIX_CLIENT_ID:$PIX_CLIENT_SECRET",
            _basic(*reversed(pair)): "Basic $PIX_CLIENT_SECRET:$PIX_CLIENT_ID",
        }
        self.gateway = Gateway(self.sandbox.base_url, description.sandbox, record, credentials)
        given = {SECRET[api]: secret for api, secret in self._secrets.items()}
        self.variables = {"PIX_BASE_URL": self.gateway.url, **variables, **given}
        self.commands = Commands(description.commands, self.variables)
        self._last_cents = LEAST_CENTS + secrets.randbelow(RANGE_CENTS)
        self._counting = Lock()
        self.endpoint = HookEndpoint(description.hooks, record)
        self._ordered = set[Api]()
        """The APIs by which the client has taken several orders."""
        self.asked = Asked(self.gateway.exchanges)

    def start(self) -> None:
        """Start its endpoint, if there is a command for that, and wait for it. Raises Inconclusive."""
        self.commands.start()
        self._wait_until_started()

    def restart(self) -> None:
        """Stop its endpoint, and start it again. Raises NotApplicable where that cannot be done."""
        self.commands.require("start")
        self.commands.end()
        if not all(map(self.commands.is_closed_soon, self.description.hooks.values())):
            raise NotApplicable("the webhook endpoint still listens when the command start has been ended")
        self.commands.start()
        try:
            self._wait_until_started()
        except Inconclusive as reason:
            raise NotApplicable(f"the integration could not be started a second time: {reason}") from None

    def _wait_until_started(self) -> None:
        for address in self.description.hooks.values():
            self.commands.wait_for(address)
        if not self.description.hooks and self.commands.has("start", "order"):
            self._wait_for_client()

    def _wait_for_client(self) -> None:
        """Have the client take orders until it can: nothing else shows that it has started."""
        ends = time.monotonic() + START_S
        while time.monotonic() < ends:
            for api in Api:
                with suppress(CommandError):
                    self._ask("order", api, self.next_cents())
                    return
            time.sleep(0.1)

    def stop(self) -> None:
        """Stop all that was started."""
        self.commands.stop()
        self.endpoint.close()
        self.gateway.stop()
        self.sandbox.close()

    def next_cents(self) -> int:
        """Return an amount that no other order of the run has, and that as a float of reais loses a cent.

        No other one is so near that a client which loses a cent, or adds one, sends it instead.
        """
        with self._counting:
            amounts = count(self._last_cents + APART_CENTS)
            self._last_cents = next(cents for cents in amounts if all(int(c) < cents for c in _as_floats(cents)))
            return self._last_cents

    def secret(self, api: Api) -> str:
        """Return the secret that signs the events of an API: that of the webhook that its client registered, if any."""
        registered = [*self.gateway.secrets.values()] if FORMS[api].has_registered_secret else []
        return registered[-1] if registered and api not in self.description.secrets else self._secrets[api]

    def secret_in_words(self, api: Api) -> str:
        """Say which secret signs the events of an API, for one whose endpoint refuses them."""
        if FORMS[api].has_registered_secret and self.gateway.secrets and api not in self.description.secrets:
            created = [it for it in self.gateway.exchanges if it.operation == "create_webhook" and it.ok]
            webhook = "the webhook" if len(created) == 1 else f"the latest of {len(created)} webhooks"
            return f"the signatureSecret of {webhook} that its client registered"
        return f"${SECRET[api]} of this run"

    def place(self, api: Api, cents: int | None = None) -> Order:
        """Have the client take an order. Raises NotApplicable without a command, Inconclusive without a charge."""
        price = cents or self.next_cents()
        with self._requests_of_orders() as sent:
            reference = self._reference(api, price)
        for exchange in reversed(sent):
            if _is_charge(exchange, api):
                return _order(reference, exchange, price)
        raise Inconclusive(f"not tested: the command order led to no charge of the {api} API")

    def place_several(self, api: Api, count: int) -> list[Order]:
        """Have the client take several orders side by side. Raises as `place` does.

        They are taken one after the other if the amounts of the charges do not tell them apart.
        """
        prices = [self.next_cents() for _ in range(count)]
        take = partial(self._reference, api)
        tried = 0 if api in self._ordered else 1  # the first order shows whether the command works
        with self._requests_of_orders() as sent, ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            references = [*map(take, prices[:tried]), *pool.map(take, prices[tried:])]
        self._ordered.add(api)
        charges = {
            exchange.request.json_object.get(FORMS[api].amount): exchange
            for exchange in sent
            if _is_charge(exchange, api)
        }
        if not set(prices) <= charges.keys():
            return [self.place(api) for _ in range(count)]
        pairs = zip(references, prices, strict=True)
        return [_order(reference, charges[cents], cents) for reference, cents in pairs]

    def _reference(self, api: Api, cents: int) -> str:
        """Have the client take an order; return what the command prints. Raises CommandError for several lines."""
        printed = self._ask("order", api, cents)
        if len(printed.splitlines()) > 1:
            raise CommandError(f"the command order has to print the reference of the order alone, not {printed[:80]!r}")
        return printed

    def order(self, api: Api, cents: int) -> None:
        """Have the client take an order; it may fail, as the service may refuse or lose its requests."""
        with suppress(CommandError):
            self._ask("order", api, cents)

    def transfer(self, cents: int) -> None:
        """Have the client send a transfer, which may fail; it may send it within some seconds of its command's end."""
        before = len(self.gateway.exchanges)
        with suppress(CommandError):
            self._ask("transfer", Api.PAYMENTS, cents)
        ends = time.monotonic() + self.description.within
        while time.monotonic() < ends and not any(
            exchange.operation == "create_transfer" for exchange in self.asked.requests({cents}, before)
        ):
            time.sleep(FIRST_POLL_S)

    def _ask(self, command: str, api: Api, cents: int) -> str:
        """Have the client take an order or send a transfer; return what it prints. Raises CommandError."""
        self.asked.amounts.append(cents)
        return self.commands.run(command, PIX_API=api, PIX_AMOUNT=str(cents))

    def cancel(self, order: Order) -> None:
        """Have the client cancel an order, which may fail."""
        with suppress(CommandError):
            self.commands.run("cancel", PIX_API=order.charge.api, PIX_ORDER=order.reference)

    def sent_by(self, act: Callable[[], object]) -> list[Exchange]:
        """Do something; return the requests that the client sent meanwhile."""
        with self.client_requests() as sent:
            act()
        return sent

    @contextmanager
    def client_requests(self, *earlier: int) -> Iterator[list[Exchange]]:
        """Give a list that has, at the end of a block, the requests in it that belong to its commands.

        So do those for the commands of these `earlier` amounts, cents.
        """
        before, commands, seen = len(self.gateway.exchanges), len(self.asked.amounts), list[Exchange]()
        try:
            yield seen
        finally:
            seen += self.asked.requests({*earlier, *self.asked.amounts[commands:]}, before)

    @contextmanager
    def _requests_of_orders(self) -> Iterator[list[Exchange]]:
        """Give the list of `client_requests`. Raises Inconclusive for a command that fails, with what it was refused.

        The command may not print that, and the report has it.
        """
        sent = list[Exchange]()
        try:
            with self.client_requests() as sent:
                yield sent
        except CommandError as reason:
            refused = [exchange for exchange in sent if exchange.status is not None and not exchange.ok]
            last = f"; before that {refused[-1].evidence} got {refused[-1].status}" if refused else ""
            raise Inconclusive(f"not tested: {reason}{last}") from None

    def paid(self, order: Order) -> Order:
        """Pay the charge of an order at the sandbox; the integration is not told."""
        e2e_id = self.sandbox.pay(order.charge.api, order.charge.id)
        return replace(order, charge=replace(order.charge, e2e_id=e2e_id))

    def credited(self, order: Order) -> int:
        """Return the cents that the order has been credited with. Raises Inconclusive if the command says no number."""
        return self._cents_of("credited", PIX_API=order.charge.api, PIX_ORDER=order.reference)

    def wallet(self, least: int = 0) -> int:
        """Return the cents of the wallet, as soon as it has `least`, or once a credit is late. Raises Inconclusive."""
        ends = time.monotonic() + self.description.within
        while (cents := self._cents_of("wallet")) < least and time.monotonic() < ends:
            time.sleep(POLL_S)
        return cents

    def _cents_of(self, command: str, **variables: str) -> int:
        """Return the number that a command prints. Raises Inconclusive if it prints none."""
        try:
            printed = self.commands.run(command, **variables)
        except CommandError as reason:
            raise Inconclusive(f"not tested: {reason}") from None
        try:
            return int(printed or "0")
        except ValueError:
            raise Inconclusive(f"not tested: the command {command} printed {printed[:80]!r}, not cents") from None

    def look_after(self, order: Order) -> str:
        """Have the client ask the service about an order, if it has a command for that; return the state it prints."""
        if not self.commands.has("wait"):
            return ""
        try:
            return self.commands.run("wait", PIX_API=order.charge.api, PIX_ORDER=order.reference)
        except CommandError:
            return ""

    def credited_in_time(self, order: Order, expected: int, until: float) -> int:
        """Return what an order is credited with, once that is `expected` or more, or at a time of `time.monotonic`."""
        pause = FIRST_POLL_S
        while (cents := self.credited(order)) < expected and (left := until - time.monotonic()) > 0:
            time.sleep(min(pause, left))
            pause = min(2 * pause, POLL_S)
        return cents

    def credited_soon(self, order: Order, expected: int) -> int:
        """Return what an order is credited with: as soon as that is `expected`, else when its time is over."""
        return self.credited_in_time(order, expected, time.monotonic() + self.description.within)


def _basic(name: str, password: str) -> str:
    """Return the value of Authorization for a name and a password."""
    flow = httpx.BasicAuth(name, password).auth_flow(httpx.Request("POST", "http://sandbox"))
    return next(flow).headers["authorization"]


def _as_floats(cents: int) -> tuple[float, float]:
    """Return an amount that went through a float of reais, by two ways."""
    return cents / 100 * 100, cents * 0.01 * 100


def _is_charge(exchange: Exchange, api: Api) -> bool:
    is_creation = exchange.api is api and exchange.operation == "create_charge"
    return is_creation and exchange.ok and isinstance(exchange.at(FORMS[api].id), str)


def _order(reference: str, creation: Exchange, price: int) -> Order:
    """Return the order of a charge, whose amount, and not the price of the order, is what events report."""
    form, body = FORMS[creation.api], creation.request.json_object
    label = body.get("external_ref")
    ref = label if isinstance(label, str) else ""
    return Order(
        reference, OrderCharge(creation.api, creation.at(form.id), int(body[form.amount]), ref), creation, price
    )
