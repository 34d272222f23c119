"""History checks of charges and transfers: responses of a run against each other and against the requests."""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from pix_conformance.checks.history import SETTLED_S, Judged, body_sent, named
from pix_conformance.checks.matchers import field, field_in, not_field
from pix_conformance.checks.payments.transfers import COMPLETED, has_net_amount_with_or_without_fees
from pix_conformance.checks.qr_code import follows_emv_rule, is_an_image
from pix_conformance.checks.relation import relation
from pix_conformance.checks.relations import differs_in, unchanged_since
from pix_conformance.model.exchange import Exchange, key_of
from pix_conformance.model.subject import MISSING, at, shown
from pix_conformance.model.vocabulary import MASK, Api, Role
from pix_conformance.oracles import qr_image
from pix_conformance.oracles.timestamp import parse_date_time

OK, ROUNDED_S = 200, 1.0
SOME = 3
"""Number of images that are read, which is slow."""
SANDBOX = (Role.MERCHANT, Role.OTHER_MERCHANT)
Owned = tuple[str, str]
"""Role and id."""


@relation("data.amount is the one sent in {creations}")
def has_amount_sent_in(answer: Exchange, creations: Sequence[Exchange]) -> str | None:
    """Compare the amount of a transfer with those of the requests that were answered with its id."""
    amount, amounts = _data(answer, "amount"), [body_sent(creation).get("amount") for creation in creations]
    return None if amount in amounts else f"data.amount is {amount}, {shown(amounts[0])} was sent"


@relation("data.id is the id in the path")
def has_the_id_of_its_path(answer: Exchange) -> str | None:
    """Compare the id in a response with the id in the path of its request."""
    number = _data(answer, "id")
    return None if number in named(answer) else f"data.id is {shown(number)}, the path has another id"


@relation("data.{name} is the time in {before}")
def keeps_time(query: Exchange, name: str, before: Exchange) -> str | None:
    """Compare a timestamp of two queries, as far as it may be rounded."""
    first, moment = _time(before, name), _time(query, name)
    moved = first is not None and moment is not None and abs((moment - first).total_seconds()) > ROUNDED_S
    return f"data.{name} was {shown(_data(before, name))} and is {shown(_data(query, name))}" if moved else None


@relation("the image in data.pix.qrCode does not show the code of another charge ({others})")
def shows_code_of_no_other(creation: Exchange, others: Sequence[Exchange]) -> str | None:
    """Read the image, and compare its text with the codes of other charges."""
    code = qr_image.decode(_data(creation, "pix.qrCode"))
    other = any(code == _data(charge, "pix.emv") for charge in others)
    return "data.pix.qrCode shows the code of another charge" if other else None


class Records:
    """The successful responses of a run in their order. Each method yields those that it judges, and their matchers."""

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        """Read the exchanges of a run."""
        self._asked = [exchange for exchange in exchanges if exchange.api == Api.PAYMENTS]
        self._all = [exchange for exchange in self._asked if exchange.status == OK]

    def amounts(self, operation: str) -> Judged:
        """Compare the amount of a transfer in responses with the amount in its creation request."""
        creations = self._by_object("create_transfer")
        for answer in filter(_is_named, self._of(operation)):
            requests = creations[_owned(answer)]
            amounts = [_data(answer, "amount"), *(body_sent(creation).get("amount") for creation in requests)]
            if requests and all(type(amount) is int for amount in amounts):
                yield answer, has_amount_sent_in(requests)

    def completed_soonest(self) -> list[str]:
        """Return the ids of the merchant's transfers that a query showed as completed.

        Those come first whose completion followed soonest after the creation.
        """
        shown = {
            _owned(query)
            for query in filter(_is_named, self._of("get_transfer"))
            if _data(query, "status") == COMPLETED
        }
        starts = {_owned(creation): creation.started for creation in self._of("create_transfer")}
        ends = {
            _owned(completion): completion.ended
            for completion in self._of("complete_transfer")
            if completion.role == Role.MERCHANT
        }
        waited = {owned[1]: end - starts[owned] for owned, end in ends.items() if owned in starts and owned in shown}
        return sorted(waited, key=lambda name: waited[name])

    def net_amounts(self, operation: str) -> Judged:
        """Compare netAmount of a transfer in a response with amount and fees in the same response."""
        return ((answer, has_net_amount_with_or_without_fees()) for answer in self._of(operation))

    def ids(self, operation: str) -> Judged:
        """Compare the id in a response with the id in the path of its request."""
        return ((answer, has_the_id_of_its_path()) for answer in filter(_is_named, self._of(operation)))

    def end_to_end_ids(self) -> Judged:
        """Compare the endToEndId of completed transfers with the response to their completion; null is free."""
        completions = self._by_object("complete_transfer")
        for query in filter(_is_named, self._of("get_transfer")):
            answered = [_data(exchange, "endToEndId") for exchange in completions[_owned(query)]]
            over = _data(query, "status") == "completed" and _data(query, "endToEndId") not in {MISSING, None}
            is_one = bool(answered) and isinstance(answered[0], str) and all(id_ == answered[0] for id_ in answered)
            if over and is_one and MASK not in answered[0]:
                yield query, field("data.endToEndId", answered[0])

    def statuses_by_end_to_end_id(self) -> dict[str, set[str]]:
        """Return the statuses of transfers that queries showed with an endToEndId, and those without one."""
        statuses: dict[str, set[str]] = {"with": set(), "without": set()}
        for query in self._of("get_transfer"):
            number, status = _data(query, "endToEndId"), _data(query, "status")
            if isinstance(status, str):
                statuses["with" if number not in {MISSING, None, ""} else "without"].add(status)
        return statuses

    def statuses(self, query: str, last: str, *later: str) -> Judged:
        """Compare the status of each query with `last`, if an earlier query had shown that; `later` ones may follow."""
        since: dict[Owned, float] = {}
        for answer in filter(_is_named, self._of(query)):
            status, name = _data(answer, "status"), _owned(answer)
            if answer.started > since.get(name, math.inf) + SETTLED_S and isinstance(status, str):
                yield answer, field_in("data.status", last, *later) if later else field("data.status", last)
            elif status == last:
                since.setdefault(name, answer.ended)

    def moments(self, name: str, status: str | None = None) -> Judged:
        """Compare a timestamp in each query of a transfer, of one status or of any, with the first value."""
        first: dict[Owned, Exchange] = {}
        for query in filter(_is_named, self._of("get_transfer")):
            if status in (None, _data(query, "status")) and _time(query, name):
                before = first.setdefault(_owned(query), query)
                if before is not query:
                    yield query, keeps_time(name, before)

    def first_statuses(self) -> Judged:
        """Compare the status of every new charge with `pending`."""
        charges = (exchange for exchange in self._of("create_charge") if isinstance(_data(exchange, "status"), str))
        return ((charge, field("data.status", "pending")) for charge in charges)

    def repeated_ids(self) -> Judged:
        """Compare the id of every new charge with the ids of earlier charges, but for a request that is sent again."""
        charges = (charge for charge in self._of("create_charge") if _is_named(charge) and not key_of(charge.request))
        return _repeated("data.id", charges, lambda charge: charge.role, lambda charge: charge.evidence)

    def repeated_end_to_end_ids(self, operation: str) -> Judged:
        """Compare the endToEndId of every payment or completion with those of other charges or transfers."""
        named = filter(_is_named, self._of(operation))
        answers = (answer for answer in named if isinstance(_data(answer, "endToEndId"), str))
        return _repeated("data.endToEndId", answers, lambda _: "", lambda answer: answer.at("data.id"))

    def repeated_codes(self) -> Judged:
        """Compare the copy-and-paste code of every new charge with the codes of earlier charges."""
        named_charges = filter(_is_named, self._of("create_charge"))
        charges = (charge for charge in named_charges if isinstance(_data(charge, "pix.emv"), str))
        return _repeated("data.pix.emv", charges, lambda _: "", lambda charge: charge.at("data.id"))

    def changed_fields(self, *names: str) -> Judged:
        """Compare fields of each query of a pending charge with the response to its creation."""
        creations = {_owned(exchange): exchange for exchange in self._of("create_charge")}
        for query in filter(_is_named, self._of("get_charge")):
            creation = creations.get(_owned(query))
            if creation and _data(query, "status") == "pending":
                shown_names = [name for name in names if _data(creation, name) is not MISSING]
                if shown_names:
                    yield query, unchanged_since(creation, *shown_names)

    def codes(self) -> Judged:
        """Compute the CRC of the copy-and-paste code of every new charge."""
        charges = (charge for charge in self._of("create_charge") if isinstance(_data(charge, "pix.emv"), str))
        return ((charge, follows_emv_rule("data.pix.emv", "crc")) for charge in charges)

    def images(self) -> Judged:
        """Decode the image of every new charge."""
        images = ((exchange, _data(exchange, "pix.qrCode")) for exchange in self._of("create_charge"))
        return (
            (charge, is_an_image("data.pix.qrCode"))
            for charge, image in images
            if isinstance(image, str) and MASK not in image
        )

    def foreign_images(self) -> Judged:
        """Read the images of a few charges, and compare their text with the codes of other charges."""
        charges = [exchange for exchange in self._of("create_charge") if isinstance(_data(exchange, "pix.qrCode"), str)]
        codes = {code: charge for charge in charges if isinstance(code := _data(charge, "pix.emv"), str)}
        for charge in charges[-SOME:]:
            image = _data(charge, "pix.qrCode")
            code = None if qr_image.mismatches(image) else qr_image.decode(image)
            if code is not None:
                others = [codes[code]] if code in codes and code != _data(charge, "pix.emv") else charges[:1]
                yield charge, shows_code_of_no_other([exchange for exchange in others if exchange is not charge])

    def unpaid(self) -> Judged:
        """Compare the status of each query of a sandbox charge without any payment request with `paid`."""
        paid = {name for exchange in self._asked if exchange.operation == "pay_charge" for name in named(exchange)}
        charges = {_owned(exchange) for exchange in self._of("create_charge") if exchange.role in SANDBOX}
        for query in filter(_is_named, self._of("get_charge")):
            is_unpaid = _owned(query) in charges and _owned(query)[1] not in paid
            if is_unpaid and isinstance(_data(query, "status"), str):
                yield query, not_field("data.status", "paid")

    def _by_object(self, operation: str) -> dict[Owned, list[Exchange]]:
        """Return the responses of an operation by the object that they show, without those that show no id."""
        by_object: dict[Owned, list[Exchange]] = defaultdict(list)
        for answer in filter(_is_named, self._of(operation)):
            by_object[_owned(answer)].append(answer)
        return by_object

    def _of(self, operation: str) -> Iterator[Exchange]:
        return (exchange for exchange in self._all if exchange.operation == operation)


def _repeated(
    path: str, charges: Iterable[Exchange], group: Callable[[Exchange], str], name: Callable[[Exchange], Hashable]
) -> Judged:
    """Compare a field of each charge with that of an earlier one of its group that has it and another name.

    Without one it is compared with that of the charge before.
    """
    first: dict[tuple[str, str], Exchange] = {}
    latest: dict[str, Exchange] = {}
    for charge in charges:
        of_group, value = group(charge), charge.at(path)
        same = first.setdefault((of_group, value), charge)
        before = [latest[of_group]] if of_group in latest and latest[of_group].at(path) != value else []
        yield charge, differs_in(path, [same] if name(same) != name(charge) else before)
        latest[of_group] = charge


def _data(exchange: Exchange, name: str) -> Any:
    return at(exchange.json_object, f"data.{name}")


def _time(answer: Exchange, name: str) -> datetime | None:
    with suppress(ValueError):
        return parse_date_time(_data(answer, name))
    return None


def _is_named(exchange: Exchange) -> bool:
    """Return whether a response has an id that is not masked."""
    number = _data(exchange, "id")
    return isinstance(number, str) and MASK not in number


def _owned(exchange: Exchange) -> Owned:
    return exchange.role, str(_data(exchange, "id"))
