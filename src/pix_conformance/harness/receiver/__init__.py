"""The webhook receiver of a run: one listener, a new path for each webhook, every delivery kept unparsed."""

from pix_conformance.harness.receiver.limits import Limits
from pix_conformance.harness.receiver.path import Behaviour, ReceiverPath
from pix_conformance.harness.receiver.receiver import Receiver
from pix_conformance.model.delivery import Delivery

__all__ = ["Behaviour", "Delivery", "Limits", "Receiver", "ReceiverPath"]
