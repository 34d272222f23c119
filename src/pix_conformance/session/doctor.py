"""`pix-conformance doctor`: what is wrong with a set-up, before the first test. It creates nothing.

It sends at most 10 requests to the target in at most 5 s: logins and reads, and with `--sandbox` the payment of no
charge that exists. It follows no redirect.
"""

import argparse
import os
import sys
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Never
from urllib.parse import urlsplit

from pix_conformance.checks.payments.balance import free_cents
from pix_conformance.harness.clients.client import Authorization
from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.run import Run, begin
from pix_conformance.model.delivery import DeliveryFileError, read_deliveries
from pix_conformance.model.events import api_of
from pix_conformance.model.printable import for_terminal
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.reach import NotArrived, Reach
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import is_loopback
from pix_conformance.model.vocabulary import Api, Interrupted, Role, UsageError
from pix_conformance.oracles import signature
from pix_conformance.receiver import Receiver
from pix_conformance.session.diagnoses import RIGHT, UNREACHED, WRONG, Diagnosis, Problem, status_of
from pix_conformance.session.options import SETTINGS, gather, unknown_variables
from pix_conformance.session.preflight import REFUSED, is_other_service, look_at_credentials
from pix_conformance.session.target_settings import settings_of
from pix_conformance.verdicts.missing_settings import unlocks

MOST_REQUESTS, MOST_SECONDS, PROBE_SECONDS = 10, 5.0, 2.0
ASKED = (
    *("base_url", "client_cert", "user_agent", "target", "api"),
    *("receiver", "receiver_listen", "receiver_url", "receiver_tls", "deliveries"),
)
"""The settings of which the command has the option; it reads all variables and a target file."""
LABELS = {RIGHT: "note", WRONG: "WRONG", UNREACHED: "UNKNOWN"}
CLOSING = {RIGHT: "nothing is wrong", WRONG: "the set-up is wrong", UNREACHED: "not everything could be checked"}
FORBIDDEN, NOT_FOUND = 403, 404
SANDBOX = "also have each API simulate the payment of a charge that does not exist: shows production credentials"
EPILOG = """\
exit status: 0 nothing is wrong; 4 the set-up is wrong; 6 nothing of that, but not everything could be checked.
All variables and their defaults: pix-conformance --help. It sends at most 10 requests in 5 s, and creates nothing:
logins and reads, and with --sandbox the payment of a charge that does not exist."""
Say = Callable[[str], None]


class _DoctorParser(argparse.ArgumentParser):
    def error(self, message: str) -> Never:
        self.print_usage(sys.stderr)
        self.exit(WRONG, f"{self.prog}: {message}\n")


def main(words: Sequence[str], environment: Mapping[str, str] = os.environ, say: Say = print) -> int:
    """Examine the set-up and print what is wrong. Return 0, 4 or 6."""
    test = CurrentTest()

    def tell(line: str) -> None:
        say(for_terminal(test.redact(line)))

    problems = list(dict.fromkeys(_examined(vars(_parser().parse_args(words)), environment, test, tell)))
    for problem in problems:
        tell(f"{LABELS[problem.diagnosis.status]:8} {problem}")
    status = status_of(problems)
    tell(CLOSING[status])
    return status


def _parser() -> argparse.ArgumentParser:
    parser = _DoctorParser(
        "pix-conformance doctor",
        description="Says what is wrong with address, credentials, clock and webhook receiver, and what mends it.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--sandbox", action="store_true", help=SANDBOX)
    for setting in SETTINGS:
        if setting.key in ASKED and setting.option:
            words = f"{setting.meaning} (default: {setting.usual})"
            parser.add_argument(setting.option, dest=setting.key, metavar=setting.metavar, help=words)
    return parser


def _examined(
    options: Mapping[str, Any], environment: Mapping[str, str], test: CurrentTest, tell: Say
) -> Iterator[Problem]:
    """Yield each problem; without an address, or with a usage error, nothing is sent."""
    try:
        values = gather(options, environment)
        yield from unknown_variables(values, environment)
        settings = settings_of(values)
    except UsageError as reason:
        yield Diagnosis.USAGE.of(why=reason)
        tell("target   not asked, and no further setting looked at: mend the following first")
        return
    if settings.target.embedded:
        names = ", or ".join(profile.names(Role.MERCHANT) for profile in PROFILES.values())
        yield Diagnosis.NO_SETTINGS.of(names=names)
        return
    yield from _deliveries(settings)
    yield from _target(settings, test, tell, asks_sandbox=options["sandbox"])
    for line in unlocks(settings):
        tell(f"optional {line}")


def _deliveries(settings: Settings) -> Iterator[Problem]:
    """Yield each secret that signed none of the recorded deliveries."""
    try:
        deliveries = (
            read_deliveries(settings.receiver.deliveries, is_growing=True) if settings.receiver.deliveries else []
        )
    except DeliveryFileError as reason:
        yield Diagnosis.USAGE.of(why=reason)
        return
    for api, secret in settings.target.webhook_secrets.items():
        profile = PROFILES[api]
        own = [delivery for delivery in deliveries if api_of(delivery) is api]
        headers = [(delivery.header(profile.signature_header), delivery.body) for delivery in own]
        if own and all(signature.verify(header, body, secret.reveal()) for header, body in headers):
            yield Diagnosis.FILE_SECRET.of(variable=profile.endpoint and profile.endpoint.variable, count=len(own))


def _target(settings: Settings, test: CurrentTest, tell: Say, *, asks_sandbox: bool) -> Iterator[Problem]:
    """Yield what is wrong with the target and the receiver; the look ends after 5 s."""
    waits = Waits()
    watch = threading.Timer(MOST_SECONDS, waits.interruption.expire)
    watch.daemon = True
    run = begin(settings, test, (), waits)
    run.sender.allowance.requests, run.sender.pacer.retry_budget_s = MOST_REQUESTS, 0.0
    tell(f"target   {settings.target.base_url}")
    watch.start()
    with ThreadPoolExecutor(1) as pool:
        arrived = pool.submit(run.receiving.receiver.probe, PROBE_SECONDS) if run.receiving.receiver else None
        try:
            yield from look_at_credentials(run)
            usable = [
                api
                for api in run.target.apis
                if (api, Role.MERCHANT) in run.clients.by_role.keys() - run.clients.unusable.keys()
            ]
            merchants = {api: run.clients.of(api, Role.MERCHANT) for api in usable}
            yield from _reads(run, merchants)
            yield from _sandbox(merchants) if asks_sandbox else ()
        except Interrupted:
            answered = any(exchange.response for exchange in test.facts.exchanges)
            slow = Diagnosis.SLOW if answered else Diagnosis.NO_ANSWER
            yield slow.of(url=settings.target.base_url, seconds=MOST_SECONDS)
        except (Inconclusive, NotApplicable) as why:
            tell(f"         {why}")
        watch.cancel()
        for line in _states(run):
            tell(line)
        yield from _receiver(run, arrived.result() if arrived else None, tell)
    run.sender.close()
    if run.receiving.receiver:
        run.receiving.receiver.stop()


def _states(run: Run) -> Iterator[str]:
    """Yield a line for each credential that was given."""
    accepted = {(exchange.api, exchange.role) for exchange in run.sender.facts.exchanges if exchange.ok}
    refused = {(exchange.api, exchange.role) for exchange in run.sender.facts.exchanges if exchange.status in REFUSED}
    for (api, role), client in run.clients.by_role.items():
        state = "accepted" if (api, role) in accepted else "neither accepted nor refused"
        if (api, role) in run.clients.unusable:
            state = "refused, see below" if (api, role) in refused else "not checked, see below"
        yield f"{api:8} {role.replace('_', ' ')} ({client.profile.names(role)}): {state}"


def _reads(run: Run, usable: Mapping[Api, Any]) -> Iterator[Problem]:
    """Yield what the revoked key and the balance show."""
    if (key := run.target.revoked_key) and (business := usable.get(Api.BUSINESS)):
        revoked = Authorization(f"Bearer {key.reveal()}", "Bearer $PIX_REVOKED_API_KEY")
        if business.list_charges(authorization=revoked).ok:
            yield Diagnosis.NOT_REVOKED.of()
    if (payments := usable.get(Api.PAYMENTS)) and free_cents(payments.get_balance()) == 0:
        yield Diagnosis.EMPTY_WALLET.of()


def _sandbox(usable: Mapping[Api, Any]) -> Iterator[Problem]:
    """Yield what the sandbox routes answer to a payment of a charge that does not exist."""
    for client in usable.values():
        paid = client.pay_charge(str(uuid.uuid4()))
        if paid.status == FORBIDDEN:
            yield Diagnosis.PRODUCTION.of(names=client.profile.names(Role.MERCHANT))
        elif is_other_service(paid):
            yield Diagnosis.NO_SANDBOX.of(route=urlsplit(paid.request.url).path, status=paid.status)
        elif paid.status == NOT_FOUND and not any(client.profile.credential.beginnings):
            yield Diagnosis.MAY_BE_PRODUCTION.of(names=client.profile.names(Role.MERCHANT))


OF_RECEIVER = {
    Reach.NO_HOST: Diagnosis.RECEIVER_HOST,
    Reach.UNTRUSTED: Diagnosis.RECEIVER_TLS,
    Reach.EXPIRED: Diagnosis.RECEIVER_TLS,
    Reach.OTHER_NAME: Diagnosis.RECEIVER_TLS,
    Reach.NO_TLS: Diagnosis.RECEIVER_NO_TLS,
    Reach.PAGE: Diagnosis.RECEIVER_PAGE,
    Reach.ANOTHER: Diagnosis.RECEIVER_ANOTHER,
}


def _receiver(run: Run, arrived: NotArrived | None, tell: Say) -> Iterator[Problem]:
    """Yield why the receiver's public address, asked from here, does not lead to the receiver: `arrived` says it."""
    if run.settings.reception.why_none:
        tell(f"receiver none, so no test waits for webhooks: {run.settings.reception.why_none}")
        return
    if run.receiving.receiver is None:
        yield from (Diagnosis.NOT_LISTENING.of(why=notice.words) for notice in run.sender.facts.notices)
        return
    for api, path in run.receiving.endpoints.items():
        if api in run.target.webhook_secrets:
            url = f"{run.receiving.receiver.url}{path}"
            tell(
                f"endpoint {url}: the service has to send its events there; only an event shows the secret to be right"
            )
    if arrived is None:
        tell(f"receiver {run.receiving.receiver.url}: this machine reaches it; whether the service does shows in a run")
    elif ports := _two_ports(run.receiving.receiver):
        yield Diagnosis.RECEIVER_PORT.of(port=ports[0], own=ports[1])
    else:
        values = {
            "url": run.receiving.receiver.url,
            "listening": run.receiving.receiver.listening_url,
            "why": arrived.words,
        }
        yield OF_RECEIVER.get(arrived.reach, Diagnosis.RECEIVER_CLOSED).of(**values)


def _two_ports(receiver: Receiver) -> tuple[int | None, int | None] | None:
    """Return the port of the public address and that of the socket, where both are of this machine and differ."""
    public, own = urlsplit(receiver.url), urlsplit(receiver.listening_url)
    return (public.port, own.port) if is_loopback(public.hostname or "") and public.port != own.port else None
