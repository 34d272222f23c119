"""Scripts about what an integration credits: they start the sandbox, have it take an order, deliver events, and ask."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from pix_conformance.checks.credits import accepted, credited, raises_wallet
from pix_conformance.model.exchange import CLOSED_BEFORE_ANSWER, Exchange
from pix_conformance.model.json_reader import text_of
from pix_conformance.model.printable import one_line
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Judgement
from pix_conformance.recording.bundle.values import Bundle, Entry
from pix_conformance.recording.curl import event_lines
from pix_conformance.report.recorded_exchanges import is_simultaneous, leaves

MOST_QUERIES = 6
"""Queries of a charge that stand among what a failure rests on."""
CREDITED, ACCEPTED, RAISES = (f"credits.{check.__name__}" for check in (credited, accepted, raises_wallet))
CHARGES, REFERENCE = "/v1/business/pix-charges", "external_ref"
SENDS = re.compile(r"^curl .*", re.MULTILINE)
SANDBOX = """\
work=$(mktemp -d)
trap 'kill -- "-$shop" 2>/dev/null; kill "$sandbox" 2>/dev/null; rm -r "$work"' EXIT
{program} {listening}--seed 7 --new-ids </dev/null >"$work/variables" 2>"$work/sandbox" &
sandbox=$!
for try in {{1..300}}; do grep -q PIX_TRANSFER_KEY "$work/variables" && break; sleep 0.1; done
. "$work/variables\""""
START = """\
export PIX_PAYMENTS_WEBHOOK_SECRET=${{PIX_PAYMENTS_WEBHOOK_SECRET:-$(openssl rand -hex 16)}}
export PIX_DIRECTORY=$work
setsid sh -c {start} >"$work/shop" 2>&1 &
shop=$!
for try in {{1..200}}; do curl -sS -o /dev/null {hook} 2>/dev/null && break; sleep 0.1; done"""
RUNS = "shop=  # it runs already, and its client calls the sandbox"
NEW_SECRET = "export PIX_BUSINESS_WEBHOOK_SECRET=${PIX_BUSINESS_WEBHOOK_SECRET:-$(openssl rand -hex 16)}"  # noqa: S105  # a line of a script
OWN_SECRET = ': "${PIX_BUSINESS_WEBHOOK_SECRET:?the secret of your endpoint}"'  # noqa: S105  # likewise
ORDER = """\
PIX_ORDER_{number}=$(PIX_API=business PIX_AMOUNT={cents} sh -c {order}) || exit 2
CHARGES=$(curl -sS -H "Authorization: Bearer $PIX_API_KEY" "$PIX_BASE_URL{path}")  # the newest first
ID=$(grep -oE '"id" *: *"[^"]*"' <<<"$CHARGES" | head -1 | cut -d'"' -f4)
REF_{number}=$(grep -oE '"external_ref" *: *"[^"]*"' <<<"$CHARGES" | head -1 | cut -d'"' -f4)"""
PAID = 'curl -sS -o /dev/null -X POST -H "Authorization: Bearer $PIX_API_KEY" "$PIX_BASE_URL{path}/$ID/pay"'
COMPARED = """\
sleep {seconds}  # an endpoint may credit after its answer
CREDITED=$(PIX_API=business PIX_ORDER="$PIX_ORDER_1" sh -c {credited})
echo "order $PIX_ORDER_1 is credited with $CREDITED cents, and should be with {expected}"
[ "$CREDITED" = {expected} ]"""


def is_about_credit(judgement: Judgement) -> bool:
    """Return whether a judgement compares what was credited, to an order or to the wallet."""
    return bool(_arguments(judgement, CREDITED, RAISES))


def events_of(bundle: Bundle, judgement: Judgement) -> list[Exchange]:
    """Return the deliveries after which a judgement asks what an order is credited with; none of another one."""
    return _exchanges(bundle, _arguments(judgement, CREDITED).get("events"))


def exchanges_of(bundle: Bundle, judgement: Judgement) -> list[str]:
    """Name what a judgement about events rests on; nothing of another judgement.

    These are the requests that created its orders, what the client asked about their charges, and the events.
    """
    arguments = _arguments(judgement, CREDITED, ACCEPTED)
    if not arguments:
        return []
    orders = _exchanges(bundle, arguments.get("orders"))
    ids = {text for order in orders for _, text in leaves(order.json)}
    queries = (exchange for exchange in bundle.exchanges if exchange.request.url.rpartition("/")[2] in ids)
    events = _exchanges(bundle, [*(arguments.get("events") or ()), *(arguments.get("earlier") or ())])
    numbers = {exchange.id for exchange in (*orders, *islice(queries, MOST_QUERIES), *events)}
    return [f"exchange {number}" for number in sorted(numbers)]


def events_before(bundle: Bundle, judgement: Judgement) -> list[Exchange]:
    """Return the deliveries before the one that was not accepted; none of another judgement."""
    return _exchanges(bundle, _arguments(judgement, ACCEPTED).get("earlier"))


OrderScript = tuple[tuple[str, ...], tuple[str, ...], int]


def order_script(bundle: Bundle, entry: Entry, judgement: Judgement) -> OrderScript | None:
    """Return the heading of a script about credits, its other lines, and the number of events that it delivers.

    None where the charge or the secret is known to the client alone, as in the payments API, and for the wallet.
    """
    again = f"{bundle.run.command} --only {shlex.quote(entry.id)}"
    heading = (
        "#!/usr/bin/env bash",
        f"# {entry.id} ({entry.level}): {one_line(entry.statement)}",
        f"# wrong in the run: {one_line('; '.join(judgement.mismatches), 600)}",
    )
    arguments, events = _arguments(judgement, CREDITED), events_of(bundle, judgement)
    orders = _exchanges(bundle, arguments.get("orders"))
    if not _can_be_sent(bundle, events, orders):
        return None
    lines = [
        f"# The same by the suite: {again}",
        "set -u",
        *_started(bundle, events[0]),
        *_placed(bundle, orders, arguments.get("paid", ())),
        *_delivered(events, _names(orders)),
        *_compared(bundle, int(arguments["expected"])),
    ]
    return heading, tuple(line for text in lines for line in text.splitlines()), len(events)


def _arguments(judgement: Judgement, *names: str) -> Mapping[str, Any]:
    """Return what the first of these relations of a judgement compares; nothing without one."""
    rows = (row for row in judgement.matchers if row.get("name") in names)
    return next((row["arguments"] for row in rows if isinstance(row.get("arguments"), dict)), {})


def _exchanges(bundle: Bundle, rows: Any) -> list[Exchange]:
    names = (str(row.get("evidence")) for row in rows or () if isinstance(row, dict))
    return [message for name in names if isinstance(message := bundle.message(name), Exchange)]


def _names(orders: Sequence[Exchange]) -> list[str]:
    return [str(order.request.json_object.get(REFERENCE) or "") for order in orders]


def _can_be_sent(bundle: Bundle, events: Sequence[Exchange], orders: Sequence[Exchange]) -> bool:
    """Whether the secret of the events is a setting, and each of them names an order by its reference."""
    names = _names(orders)
    is_known = bool(names) and all(names) and {"order", "credited"} <= bundle.described.keys()
    bodies = [text_of(event.request.body) for event in events]
    is_named = all(any(f'"{name}"' in body for name in names) for body in bodies)
    return bool(events) and is_known and is_named and all(PROFILES[event.api].endpoint for event in events)


def _started(bundle: Bundle, event: Exchange) -> Iterator[str]:
    program = bundle.run.command.partition("pix-conformance ")[0] + "pix-sandbox"
    host, _, port = bundle.described.get("sandbox", "").rpartition(":")
    listening = f"--host {shlex.quote(host)} --port {port} " if port.strip("0") else "--port 0 "
    yield SANDBOX.format(program=program, listening=listening)
    start, has_own = bundle.described.get("start"), event.api in bundle.described.get("secret", "")
    yield NEW_SECRET if start and not has_own else OWN_SECRET
    yield START.format(start=shlex.quote(start), hook=shlex.quote(event.request.url)) if start else RUNS


def _placed(bundle: Bundle, orders: Sequence[Exchange], paid: Sequence[object]) -> Iterator[str]:
    order = shlex.quote(bundle.described["order"])
    for place, creation in enumerate(orders):
        cents = creation.request.json_object.get("amount_cents")
        yield ORDER.format(number=place + 1, cents=cents, order=order, path=CHARGES)
        if place < len(paid) and paid[place]:
            yield PAID.format(path=CHARGES)


def _delivered(events: Sequence[Exchange], names: Sequence[str]) -> Iterator[str]:
    """Yield the lines that deliver the events; those that were delivered simultaneously are so again."""
    groups: list[list[Exchange]] = []
    for event in events:
        if groups and any(is_simultaneous(other, event) for other in groups[-1]):
            groups[-1].append(event)
        else:
            groups.append([event])
    for group in groups:
        text = event_lines(group[0].request)
        for place, name in enumerate(names):
            text = text.replace(name, f"'\"$REF_{place + 1}\"'")
        if group[0].fault == CLOSED_BEFORE_ANSWER:
            text = SENDS.sub(lambda sent: f"{sent[0]} --max-time 0.05  # the connection breaks", text)
        yield _at_once(text, len(group)) if len(group) > 1 else text


def _at_once(text: str, count: int) -> str:
    """Return the lines that deliver an event several times at the same moment; the last line of `text` sends it."""
    lines, _, line = text.rpartition("\n")
    return f'{lines}\nfor copy in {{1..{count}}}; do\n  {line} &\n  pids[copy]=$!\ndone\nwait "${{pids[@]}}"'


def _compared(bundle: Bundle, expected: int) -> Iterator[str]:
    seconds = bundle.described.get("within", "2")
    yield COMPARED.format(seconds=seconds, credited=shlex.quote(bundle.described["credited"]), expected=expected)
