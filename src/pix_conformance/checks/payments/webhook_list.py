"""Lists of webhooks in the payments API: which webhooks they show, and the figures of their pagination (PAY-WH)."""

import json
from collections.abc import Sequence
from typing import Any

from pix_conformance.checks.conclusion import Problem, Undecided, Unknown
from pix_conformance.checks.matchers import value
from pix_conformance.checks.relation import relation
from pix_conformance.checks.relations import timestamp_changed
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import Subject
from pix_conformance.model.why import Why
from pix_conformance.oracles.money import is_cents


def webhooks_of(page: Exchange) -> list[dict[str, Any]]:
    """Return the webhook records of a page."""
    rows = page.at("data.webhooks")
    return [row for row in (rows if isinstance(rows, list) else []) if isinstance(row, dict)]


def urls_of(pages: Sequence[Exchange]) -> set[str]:
    """Return the urls on the pages of a list; Undecided if one is not a string, which is another question."""
    urls = [row.get("url") for page in pages for row in webhooks_of(page)]
    if not all(isinstance(url, str) for url in urls):
        raise Undecided(Why.PRECONDITION, f"the list shows a webhook whose url is no text ({pages[0].evidence})")
    return {str(url) for url in urls}


def has_url_of(pages: Sequence[Exchange], creation: Exchange) -> bool:
    """Return whether the pages of a list have the url that was sent for a webhook, or the one in its record."""
    return bool(urls_of(pages) & {json.loads(creation.request.body)["url"], creation.at("data.url")})


@relation("the list shows the webhook of {made}")
def lists_webhook(_first: Exchange, made: Exchange, pages: Sequence[Exchange]) -> str | None:
    """Expect the pages of a list, of which the subject is the first, to have a webhook with the id of `made`."""
    ids = {str(row.get("id")) for page in pages for row in webhooks_of(page)}
    return None if str(made.at("data.id")) in ids else "the webhook is not in the list"


@relation("the list does not show the webhook of {made}")
def does_not_list_webhook(_first: Exchange, made: Exchange, pages: Sequence[Exchange]) -> str | None:
    """Expect no page of a list to have the url of `made`: ids may be counted by each account."""
    return "the webhook is in the list" if has_url_of(pages, made) else None


@relation("the list shows none of the urls {urls}")
def lists_no_url(_first: Exchange, urls: Sequence[str], pages: Sequence[Exchange]) -> str | None:
    """Expect no page of a list, of which the subject is the first, to have one of these urls."""
    extra = sorted(urls_of(pages) & set(urls))
    return f"{len(extra)} of {len(urls)} refused webhooks are in the list" if extra else None


@relation("the list shows {url} at most once, with the events {events}")
def lists_as_sent(_first: Exchange, url: str, events: Sequence[str], pages: Sequence[Exchange]) -> str | None:
    """Expect one registration to leave one webhook, whole, or none on the pages of a list."""
    rows = [row for page in pages for row in webhooks_of(page) if row.get("url") == url]
    if others := [row.get("events") for row in rows if sorted(map(str, row.get("events") or ())) != sorted(events)]:
        return f"events is {others[0]}, not {events}"
    return f"the list shows {len(rows)} webhooks of one registration" if len(rows) > 1 else None


@relation("totalCount and pageSize agree with the webhooks on the page")
def counts_its_webhooks(page: Exchange) -> str | None:
    """Expect no more webhooks than pageSize, and as many as totalCount if the page is the only one."""
    total, size = (_figure(page, name) for name in ("totalCount", "pageSize"))
    count = len(page.at("data.webhooks"))
    if count > size:
        return f"the page lists {count} webhooks, its pageSize is {size}"
    alone = not page.at("data.pagination.hasNext") and not page.at("data.pagination.hasPrevious")
    if total < count or (alone and total != count):
        return f"totalCount is {total}, the page lists {count}"
    return None


@relation("hasNext and hasPrevious agree with offset and totalCount")
def has_agreeing_neighbours(page: Exchange) -> Problem:
    """Expect hasNext where webhooks follow those on the page, and hasPrevious where the offset is above 0."""
    return _wrong_neighbour(page)


def _wrong_neighbour(page: Exchange) -> Problem:
    offset, total = (_figure(page, name) for name in ("offset", "totalCount"))
    count = len(page.at("data.webhooks"))
    for name, due in (("hasNext", offset + count < total), ("hasPrevious", offset > 0)):
        flag = page.at(f"data.pagination.{name}")
        if not isinstance(flag, bool):
            return Unknown(Why.PRECONDITION, f"data.pagination.{name} is no boolean ({page.evidence})")
        if flag is not due:
            return f"{name} is {flag} at offset {offset}, with {count} webhooks on the page and {total} in all"
    return None


@relation("totalCount, totalPages, hasNext and hasPrevious agree with the first page")
def is_a_consistent_first_page(page: Exchange) -> Problem:
    """Expect the figures of a page at offset 0 to agree with its webhooks; Unknown at another offset."""
    offset, total, size = (_figure(page, name) for name in ("offset", "totalCount", "pageSize"))
    count = len(page.at("data.webhooks"))
    if offset:
        return Unknown(Why.NOT_SHOWN, f"the first page starts at {offset} ({page.evidence})")
    if total < count or (count < size and total != count):
        return f"totalCount is {total}, while {count} are listed of {size} that the page could hold"
    return _wrong_neighbour(page) or _wrong_number_of_pages(page)


def _wrong_number_of_pages(page: Exchange) -> str | None:
    """Say that totalPages, if it is an integer, leaves out the first page or the next one, or counts one too many."""
    pages, count = page.at("data.pagination.totalPages"), len(page.at("data.webhooks"))
    following = page.at("data.pagination.hasNext")
    least = 2 if following else min(1, count)
    if is_cents(pages) and (pages < least or (following is False and pages > 1)):
        return f"totalPages is {pages}, while the first page lists {count}, and hasNext is {following}"
    return None


@relation("totalPages is the number of pages that totalCount and pageSize need")
def counts_its_pages(page: Exchange) -> str | None:
    """Expect as many pages as are needed; of an empty list one or none."""
    total, size, pages = (_figure(page, name) for name in ("totalCount", "pageSize", "totalPages"))
    needed = -(-total // size) if size > 0 else pages
    right = {needed} if total else {0, 1}
    return None if pages in right else f"totalPages is {pages}: {total} webhooks fill {needed} pages of {size}"


def _figure(page: Exchange, name: str) -> int:
    figure = page.at(f"data.pagination.{name}")
    if not is_cents(figure):
        raise Undecided(Why.PRECONDITION, f"data.pagination.{name} is no integer ({page.evidence})")
    return int(figure)


@relation("{path} is the signatureSecret of {created}")
def has_secret_of(page: Exchange, path: str, created: Exchange) -> str | None:
    """Compare two secrets; the sentence does not repeat them."""
    same = page.at(path) == created.at("data.signatureSecret")
    return None if same else "the secret in the list is another"


@relation("{path} has the events {events}, in any order")
def has_events(answer: Subject, path: str, events: tuple[str, ...]) -> str | None:
    """Expect an array with exactly these event names."""
    names = value(answer, path)
    same = isinstance(names, list) and sorted(map(str, names)) == sorted(events)
    return None if same else f"{path} is {names}"


@relation("{path} is still {moment}")
def is_still_the_time(answer: Subject, path: str, moment: str) -> str | None:
    """Expect a timestamp to be the same as before, as far as timestamps may be rounded."""
    problem = timestamp_changed(moment, value(answer, path))
    return f"{path}: {problem}" if problem else None
