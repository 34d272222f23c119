"""`python -m tools.ordinary_run`: a whole run as users make it, in real time against a server in another process.

Each response is late, each event a second, and the server decides several open points otherwise than the reference.
With --nginx there are two such servers, one for each API, behind one nginx.
The run has to end with status 0, its headline has to say that the server conforms, and no test may have been kept from
its webhooks by the division among workers.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from pix_conformance.model.paths import TEST_TREE, without_settings
from pix_conformance.model.reception import RECEIVED_ELSEWHERE
from pix_conformance.proof.plan import can_join
from pix_conformance.proof.served_sandbox import nginx_before, serve
from pix_conformance.recording.bundle.reader import read_results
from pix_conformance.sandbox.variants.registry import all_variants, alternatives

EVENT_DELAY_S = 1
PREFIX = "/gateway/pix"
CHOICES = (
    "PAY-CHG-33/ids-have-prefixes",
    "PAY-GEN-05/brasilia-offset",
    "PAY-GEN-07/unknown-fields-refused",
    "PAY-IDEM-05/replay-conflicts",
    "PAY-TRF-40/awaits-analysis",
    "BUS-CHG-37/unknown-fields-refused",
    "BUS-CHG-45/ids-have-prefixes",
    "BUS-CHG-54/utc-offset",
)
"""What the server decides otherwise than the reference."""
TOO_FAST = ("PAY-CHG-76/unpaid-is-canceled-soon",)
"""Variants that a few late responses keep from being tested: a charge that ends after 2 s is not paid in time."""
NOT_CONFORMING, TERMINATED = 1, 143


def main(words: Sequence[str]) -> int:
    """Make one run. Return its exit status, or 1 if its headline does not say that the server conforms."""
    options = _parser().parse_args(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))  # the server and the run end too
    directory = options.report_dir.resolve()
    seed = options.seed if options.seed is not None else int(time.strftime("%Y%m%d"))
    variants = (*CHOICES, *further(options.further, seed))
    with ExitStack() as stack:
        command = [*served_by(options.latency, variants), f"--seed={seed}"]  # all servers have the same credentials
        server, *others = [stack.enter_context(serve(command)) for _ in range(1 + options.nginx)]
        address = server.base_url
        if others:
            address = stack.enter_context(nginx_before(others[0].base_url, business=server.base_url))
        began = time.monotonic()
        given = ["--seed", str(seed), "--report-dir", str(directory)]
        given += ["--concurrency", options.concurrency] if options.concurrency else []
        status = subprocess.run(  # noqa: S603  # our own suites, by our own interpreter
            [sys.executable, "-m", "pytest", *given],
            cwd=TEST_TREE,
            env=without_settings(**server.variables | {"PIX_BASE_URL": address}),
            check=False,
        ).returncode
        seconds, requests = time.monotonic() - began, sum(len(served.times) for served in (server, *others))
    results = read_results(directory)
    headline, kept_away = str(results["headline"]), kept_from_webhooks(results["requirements"])
    way = " behind nginx" if options.nginx else ""
    workers = f", --concurrency {options.concurrency}" if options.concurrency else ""
    _say(f"{options.latency:g} ms a response{way}, seed {seed}{workers}, {', '.join(variants)}:")
    _say(f"exit {status} after {seconds:.0f} s and {requests} requests: {headline}")
    for test in kept_away:
        _say(f"{test} ran in a worker that receives no webhooks: its fixtures do not name the receiver")
    return status or (0 if " conforms: " in headline and not kept_away else NOT_CONFORMING)


def kept_from_webhooks(requirements: Iterable[Mapping[str, Any]]) -> list[str]:
    """Name the tests that were not applicable because another worker of the run receives the webhooks."""
    verdicts = [verdict for requirement in requirements for verdict in requirement["verdicts"]]
    return sorted({str(verdict["test"]) for verdict in verdicts if verdict["reason"] == RECEIVED_ELSEWHERE})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.ordinary_run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--latency", type=float, default=60, metavar="MS", help="ms a response (default: %(default)s)")
    parser.add_argument("--concurrency", metavar="N", help="workers (default: that of the suite)")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the run and of --further (default: the date)")
    parser.add_argument(
        "--further", type=int, default=0, metavar="N", help="further variants, drawn by the seed (default: none)"
    )
    parser.add_argument("--nginx", action="store_true", help="put nginx before two servers, as Debian configures it")
    parser.add_argument(
        "--report-dir", type=Path, default=Path("reports/ordinary"), metavar="DIR", help="(default: %(default)s)"
    )
    return parser


def served_by(latency_ms: float, variants: Sequence[str]) -> list[str]:
    """Return the options of `pix-sandbox`."""
    late = [f"--latency={latency_ms:g}", f"--event-delay={EVENT_DELAY_S}"]
    return [*late, f"--path-prefix={PREFIX}", *(f"--variant={variant}" for variant in variants)]


def further(count: int, seed: int) -> list[str]:
    """Draw variants that can be joined with CHOICES and with each other."""
    generator, joined = random.Random(seed), list(CHOICES)  # noqa: S311  # a sample, not a secret
    decided = {all_variants()[name].choice for name in CHOICES}
    for choice, names in generator.sample(sorted(alternatives().items()), len(alternatives())):
        fitting = [name for name in names if name not in TOO_FAST and all(can_join(name, other) for other in joined)]
        if len(joined) < len(CHOICES) + count and choice not in decided and fitting:
            joined.append(generator.choice(fitting))
    return joined[len(CHOICES) :]


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # the output of the command


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
