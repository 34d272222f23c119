"""Who hears the webhooks: one listener, a new path for each webhook, every delivery kept unparsed.

In come connections of the target. Out come deliveries, in the order of their arrival: to tests that wait, and to the
recording when the run ends.
"""

from pix_conformance.model.delivery import Delivery
from pix_conformance.receiver.http import Limits
from pix_conformance.receiver.listening_port import ListeningPort, Port
from pix_conformance.receiver.receiver import Behaviour, Receiver, ReceiverPath
from pix_conformance.receiver.relay import Relay, RelayedPort

__all__ = [
    "Behaviour",
    "Delivery",
    "Limits",
    "ListeningPort",
    "Port",
    "Receiver",
    "ReceiverPath",
    "Relay",
    "RelayedPort",
]
