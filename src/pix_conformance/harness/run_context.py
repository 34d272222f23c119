"""RunContext, the part of a run that clients and fixtures use: settings, facts, receiver, clock, waits."""

import itertools
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from pix_conformance.harness.clock import Clock
from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.receiver_reach import ReceiverReach
from pix_conformance.harness.transport.allowance import Allowance
from pix_conformance.harness.webhook_channel import WebhookChannel, webhook_channels
from pix_conformance.harness.whole_run import ExchangesOfRun
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api
from pix_conformance.model.why import Why
from pix_conformance.receiver import Receiver
from pix_conformance.recording.facts import Facts
from pix_conformance.recording.owners import OwnDeliveries
from pix_conformance.recording.recorder import Recorder


@dataclass(eq=False, kw_only=True)
class RunContext:
    """The part of a run that clients and fixtures use; `Run` adds the clients, the reference and the end."""

    settings: Settings
    current_test: CurrentTest
    receiver: Receiver | None
    clock: Clock
    waits: Waits
    allowance: Allowance = field(default_factory=Allowance)
    recorded_deliveries: Sequence[Delivery] = ()
    """The deliveries of the file that the user named, as it held them when the run began."""
    endpoints: Mapping[Api, str] = field(default_factory=dict)
    """The path of the receiver for all events of an API, where the service has one endpoint for an account."""
    id: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    started: float = field(default_factory=time.time)
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        """Give the test the base URL, for the curl lines of failures."""
        self.current_test.base_url = self.target.base_url
        self.recorded_deliveries = [
            replace(delivery, current_test=self.current_test) for delivery in self.recorded_deliveries
        ]

    @property
    def target(self) -> Target:
        """What is tested."""
        return self.settings.target

    @property
    def recorder(self) -> Recorder:
        """What writes the facts of this process."""
        return self.current_test.recorder

    @property
    def facts(self) -> Facts:
        """The facts of this process so far."""
        return self.current_test.facts

    @cached_property
    def whole_run(self) -> ExchangesOfRun:
        """The exchanges and objects of all workers."""
        return ExchangesOfRun(self.current_test)

    def has_created(self, name: str) -> bool:
        """Return whether the run created the object of an id, a label or an end-to-end id, in any of its workers."""
        return name in self.whole_run.objects

    @cached_property
    def webhook_channel(self) -> dict[Api, WebhookChannel]:
        """For each API, whether its deliveries reach the receiver."""
        reach = ReceiverReach(self.receiver, self.settings.reception, OwnDeliveries(self.recorder))
        return webhook_channels(reach, self.waits, self.recorded_deliveries)

    def next_number(self) -> int:
        """Return 1, then 2 and so on, for names that are unique in the run."""
        return next(self._numbers)

    def require_receiver(self, api: Api) -> Receiver:
        """Return the receiver of an API's webhooks. NotApplicable if there is none, Inconclusive if it has no port."""
        if why := self.settings.reception.why_not(api):
            raise NotApplicable(why, Why.NOT_SET)
        if self.receiver is None:
            raise Inconclusive("the receiver could not listen (see --receiver-listen)", Why.NO_RECEIVER)
        return self.receiver
