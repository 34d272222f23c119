"""Servers that send an event to some of its webhooks, or to another address than the one they were given."""

import asyncio
from typing import Any
from urllib.parse import urlsplit

from pix_conformance.proof.mutants.payments.occasions import HookWithoutQuery
from pix_conformance.reference.call import Access
from pix_conformance.reference.outbox import Letter
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.store import Row


class FirstTenHear(PaymentsRules):
    """An event is sent to the ten oldest webhooks that ask for it."""

    breaks: tuple[str, ...] = ("PAY-EVT-01",)
    group = "events"
    told = slice(10)

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Look at one page."""
        return super().listeners(event, owner)[self.told]


class FirstTwentyHear(FirstTenHear):
    """An event is sent to the twenty oldest webhooks that ask for it."""

    breaks = ("PAY-EVT-01",)
    group = "events"
    told = slice(20)


class LastThreeHear(FirstTenHear):
    """An event is sent to the three youngest webhooks that ask for it."""

    breaks = ("PAY-EVT-01",)
    group = "events"
    told = slice(-3, None)


class OldestOfAddressHears(PaymentsRules):
    """Of several webhooks with one url, the oldest alone is sent what it asks for."""

    breaks: tuple[str, ...] = ("PAY-EVT-01",)
    group = "events"
    youngest = False

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Look the url up."""
        hooks = self.store.rows("webhook", "id", account=owner.account, environment=owner.environment)
        alone = {hook["url"]: hook["id"] for hook in (hooks if self.youngest else reversed(hooks))}
        return [hook for hook in super().listeners(event, owner) if hook["id"] in alone.values()]


class YoungestOfAddressHears(OldestOfAddressHears):
    """Of several webhooks with one url, the youngest alone is sent what it asks for."""

    breaks = ("PAY-EVT-02",)
    group = "events"
    youngest = True


class StopsAtFailure(PaymentsRules):
    """Webhooks are told one after the other, and those behind one that does not answer 2xx are not told."""

    breaks: tuple[str, ...] = ("PAY-EVT-01",)
    group = "events"

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Go through them in the order of their registration, then tell the postback address."""
        letters = [self.letter(hook["url"], payload, hook) for hook in self.listeners(event, owner_of(row))]
        self.world.mail.begin(self._in_order(letters))
        if row["postback_url"] and self.posts_back(event, row):
            self.send_letter(row["postback_url"], payload, None)

    async def _in_order(self, letters: list[Letter]) -> None:
        await self._through(letters)

    async def _through(self, letters: list[Letter]) -> bool:
        for letter in letters:
            if await letter.pause(1) and not await self.world.mail.attempt(letter, 1):
                self.world.mail.send(letter)
                return False
        return True


class FailureStopsPostback(StopsAtFailure):
    """The postbackUrl is told once every webhook has answered 2xx."""

    breaks = ("PAY-EVT-13",)
    group = "events"

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Tell it last."""
        self.world.mail.begin(self._to_all(event, row, payload))

    async def _to_all(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        letters = [self.letter(hook["url"], payload, hook) for hook in self.listeners(event, owner_of(row))]
        all_of_them = await asyncio.gather(*(self._through([letter]) for letter in letters))
        if all(all_of_them) and row["postback_url"] and self.posts_back(event, row):
            self.send_letter(row["postback_url"], payload, None)


class HookPathLowered(HookWithoutQuery):
    """Events come to the path of a webhook in small letters."""

    breaks: tuple[str, ...] = ("PAY-EVT-02",)
    group = "events"

    def elsewhere(self, url: str) -> str:
        """Lower the path."""
        path = urlsplit(url).path
        return url.replace(path, path.lower())


class PostbackPathLowered(HookPathLowered):
    """Events come to the path of a postbackUrl in small letters."""

    breaks = ("PAY-EVT-13", "PAY-EVT-15")
    group = "events"
    of_hooks = False


class PagesRoundedDown(PaymentsRules):
    """The totalPages counts full pages only."""

    breaks: tuple[str, ...] = ("PAY-WH-67",)
    group = "schema"
    more = 0

    def pagination_view(self, offset: int, size: int, total: int) -> dict[str, Any]:
        """Divide, and forget the rest."""
        return super().pagination_view(offset, size, total) | {"totalPages": total // size + self.more}


class OnePageTooMany(PagesRoundedDown):
    """The totalPages counts one page too many."""

    breaks = ("PAY-WH-67",)
    group = "schema"
    more = 2
