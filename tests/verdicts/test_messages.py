"""What a report says of the circumstances of a run."""

import pytest

from pix_conformance.verdicts.messages import said_of_refused_connections
from tests.support.exchanges import exchange

REFUSED, LOST = "ConnectError: [Errno 111] Connection refused", "ReadError: [Errno 104] Connection reset by peer"


@pytest.mark.parametrize(
    ("faults", "count"),
    [
        ((None, REFUSED, REFUSED, None), 1),
        ((None, REFUSED), 0),
        ((REFUSED, None), 0),
        ((None, LOST, None), 0),
    ],
    ids=["restarted", "stopped", "started", "one-lost-response"],
)
def test_a_target_that_was_away_for_a_while_is_named(faults: tuple[str | None, ...], count: int) -> None:
    asked = [
        exchange(status=0 if fault else 200, id=number, started=float(number), fault=fault)
        for number, fault in enumerate(faults, 1)
    ]
    words = list(said_of_refused_connections(asked))
    assert len(words) == count
    assert all("00:00:02 UTC (exchange 2), and then answered again" in sentence for sentence in words)
