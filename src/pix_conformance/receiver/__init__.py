"""Who hears the webhooks: one listener, a new path for each webhook, every delivery kept unparsed.

In come connections of the target; out come deliveries, in the order of their arrival, to tests and to the recording.
"""

from pix_conformance.model.delivery import Delivery
from pix_conformance.receiver.limits import Limits
from pix_conformance.receiver.path import Behaviour, ReceiverPath
from pix_conformance.receiver.receiver import Receiver

__all__ = ["Behaviour", "Delivery", "Limits", "Receiver", "ReceiverPath"]
