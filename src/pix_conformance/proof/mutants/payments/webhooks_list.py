"""Mutants of PAY-WH: the list of webhooks."""

from typing import Any

from pix_conformance.proof.mutants.operators.payments.refusals import LIST_WEBHOOKS
from pix_conformance.proof.mutants.operators.payments.responses import EACH_WEBHOOK, ChangesAnswers, in_answers, shapes
from pix_conformance.proof.mutants.operators.payments.time import OLD
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


class HookList206(PaymentsRules):
    """The list of webhooks is answered 206, as it may go on."""

    breaks = ("PAY-WH-40",)
    group = "state"

    async def list_webhooks(self, call: Call) -> Answer:
        """Answer the other status."""
        answer = await super().list_webhooks(call)
        return Answer(206, answer.body)


globals().update(
    shapes(__name__, "HookList", LIST_WEBHOOKS, {
        "success": ("PAY-WH-41", "true"),
        "data": ("PAY-WH-42 PAY-WH-40", lambda data: data["webhooks"]),
        "data.webhooks": ("PAY-WH-43", lambda hooks: {str(hook["id"]): hook for hook in hooks}),
        "data.pagination": ("PAY-WH-44", lambda pagination: [pagination]),
        "data.pagination.offset": ("PAY-WH-45", "0"),
        "data.pagination.pageSize": ("PAY-WH-46", None),
        "data.pagination.totalCount": ("PAY-WH-47", str),
        "data.pagination.currentPage": ("PAY-WH-48", lambda page: page + 0.5),
        "data.pagination.totalPages": ("PAY-WH-49", None),
        "data.pagination.hasNext": ("PAY-WH-50", int),
        "data.pagination.hasPrevious": ("PAY-WH-51", lambda yes: str(yes).lower()),
    })
)  # fmt: skip


class HookListedOncePerUrl(PaymentsRules):
    """Of the webhooks of one url the list shows the last."""

    breaks = ("PAY-WH-52",)
    group = "state"

    def hooks_of(self, call: Call) -> list[Row]:
        """Keep one of each."""
        return list({hook["url"]: hook for hook in super().hooks_of(call)}.values())


class HookNotRecorded(PaymentsRules):
    """A webhook is answered right, and nothing recorded."""

    breaks = ("PAY-WH-52",)
    group = "state"

    async def create_webhook(self, call: Call) -> Answer:
        """Forget it."""
        answer = await super().create_webhook(call)
        self.store.delete("webhook", id=answer.body["data"]["id"])
        return answer


class HookListLate(PaymentsRules):
    """The list shows a webhook from its second second on."""

    breaks = ("PAY-WH-52",)
    group = "state"

    def hooks_of(self, call: Call) -> list[Row]:
        """Look from a copy that lags behind."""
        now = self.clock.now()
        return [hook for hook in super().hooks_of(call) if now - hook["created_at"] > 2]


class HookListOfFirst(PaymentsRules):
    """The list shows the oldest webhook only, and says that this is all."""

    breaks = ("PAY-WH-52",)
    group = "state"

    def hooks_of(self, call: Call) -> list[Row]:
        """Stop after one."""
        return super().hooks_of(call)[:1]


class HooksVanish(PaymentsRules):
    """A webhook is no longer listed after a while."""

    breaks = ("PAY-WH-52",)
    seen_in = ("PAY-PAYS-01",)
    group = "time"

    def hooks_of(self, call: Call) -> list[Row]:
        """Leave old ones out."""
        return [hook for hook in super().hooks_of(call) if self.clock.now() - hook["created_at"] < OLD]


class HooksOfFirstTen(PaymentsRules):
    """The list knows the ten oldest webhooks only, and no further page."""

    breaks = ("PAY-WH-52",)
    group = "state"
    kept = slice(10)

    def hooks_of(self, call: Call) -> list[Row]:
        """Forget the others."""
        return super().hooks_of(call)[self.kept]


class HooksOfLastTwenty(HooksOfFirstTen):
    """The list knows the twenty newest webhooks only, and no further page."""

    breaks = ("PAY-WH-52",)
    group = "state"
    kept = slice(-20, None)


def _without_query(data: dict[str, Any]) -> dict[str, Any]:
    hooks = [one | {"url": one["url"].partition("?")[0]} for one in data["webhooks"]]
    return data | {"webhooks": hooks}


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "HookEventsEmptyInList": ("The list shows webhooks without events.", "PAY-WH-53",
            in_answers(LIST_WEBHOOKS, f"{EACH_WEBHOOK}events", [])),
        "HookUrlCutInList": ("The list shows the host of each url only.", "PAY-WH-53",
            in_answers(LIST_WEBHOOKS, f"{EACH_WEBHOOK}url", lambda url: "/".join(url.split("/")[:3]))),
        "HookListWithoutQuery": ("The list shows urls without their query.", "PAY-WH-53",
            in_answers("list_webhooks", "data", _without_query)),
        "TotalOfPage": ("The totalCount is the number of webhooks, plus one.", "PAY-WH-54 PAY-WH-67",
            in_answers(LIST_WEBHOOKS, "data.pagination.totalCount", lambda count: count + 1)),
        "TotalZero": ("The totalCount is never counted: it is zero.", "PAY-WH-54 PAY-WH-67",
            in_answers(LIST_WEBHOOKS, "data.pagination.totalCount", 0)),
        "PageOfOne": ("The pageSize says one, whatever is listed.", "PAY-WH-54",
            in_answers(LIST_WEBHOOKS, "data.pagination.pageSize", 1)),
        "AlwaysNext": ("hasNext is always true.", "PAY-WH-55 PAY-WH-67",
            in_answers(LIST_WEBHOOKS, "data.pagination.hasNext", True)),  # noqa: FBT003 - a value in JSON, no flag
        "AlwaysPrevious": ("hasPrevious is true on the first page.", "PAY-WH-55 PAY-WH-67",
            in_answers(LIST_WEBHOOKS, "data.pagination.hasPrevious", True)),  # noqa: FBT003 - a value in JSON, no flag
    })
)  # fmt: skip


class HookEventsRecordedAsFirst(PaymentsRules):
    """Of several events of a webhook only the first is recorded."""

    breaks = ("PAY-WH-53", "PAY-WH-29", "PAY-EVT-01", "PAY-EVT-03", "PAY-EVT-04", "PAY-EVT-12")
    group = "state"

    def subscribed(self, events: list[str]) -> list[str]:
        """Keep one."""
        return super().subscribed(events)[:1]


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
