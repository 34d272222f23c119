"""What a statement, page, docstring or example says of a limit, of statuses or of fields agrees with its row."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import pytest

from pix_conformance.model import openapi
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.paths import TEST_TREE as ROOT
from pix_conformance.model.states import states_of
from pix_conformance.model.vocabulary import Api, Level
from pix_conformance.reference.payments.events import EVENT_OF_STATUS
from tests.support.openapi_parts import named_members, parts, schemas
from tests.support.programs import WRITTEN_BY_TOOLS, modules, texts, values_in

FEW = 2
"""So many fields are a list."""
STATED: Mapping[str, frozenset[str]] = {}
"""By an open requirement that lists fields, those of which the document states it."""
NUMBER = r"\d[\d,]*(?:\.\d+)?"
LIMITS = ("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems")
LIMITS_OF_NUMBERS = ("minimum", "exclusiveMinimum", "maximum")
SAID_OF_VALUE = rf"(?: of)? ({NUMBER}) returns"
SAID_OF_CLIENT = rf"(?: of each new \w+ is an integer (?:of at least|above|from)| from) ({NUMBER})"
"""What a statement says behind the name of a field of a value that is just accepted, or refused, and of a client's."""
TABLE = states_of(Api.PAYMENTS)["transfer"].table
OF_TRANSFERS = {status: event for (kind, status), event in EVENT_OF_STATUS.items() if kind == "transfer"}
"""By status of a transfer, the event of its own that no request causes."""
GROUPS: Mapping[str, Sequence[str]] = {
    "approval": TABLE["approval"],
    "failed without an event of their own": tuple(status for status in TABLE["failed"] if status not in OF_TRANSFERS),
    **{
        event: tuple(status for status, other in OF_TRANSFERS.items() if other == event)
        for event in OF_TRANSFERS.values()
    },
}
"""Statuses of a transfer: before a completion, failed without an event of their own, and those that an event is of."""
PLACES: Mapping[str, Sequence[str]] = {
    "approval": ("specs/payments/openapi.yaml", "PAY-CMP-01", "PAY-CLI-27", "examples/shop/shop.py", "suites/payments"),
    "transfer_canceled": ("specs/payments/openapi.yaml", "PAY-EVT-06", "PAY-EVT-93", "PAY-EVT-99", "suites/payments"),
    "failed without an event of their own": ("PAY-TRF-89",),
}
"""Places that list the statuses of each group of several."""


def numbers(text: str) -> set[float]:
    return {float(number.replace(",", "")) for number in re.findall(NUMBER, text)}


@pytest.mark.parametrize("api", Api)
def test_a_limit_is_in_the_statement_of_its_requirement(api: Api) -> None:
    """Or the next number, which is beyond it; a least length of 1 is said as "not empty"."""
    for place, schema in schemas(api):
        for keyword in LIMITS:
            rule, limit = schema.get("x-requirements", {}).get(keyword), schema.get(keyword, 0)
            if rule and (keyword, limit) != ("minLength", 1):
                said = numbers(catalogue()[rule].statement)
                assert said & {limit, limit + 1, limit - 1}, f"{keyword} of {place} is {limit}: statement of {rule}"


@pytest.mark.parametrize("api", Api)
def test_each_statement_about_the_length_of_a_field_has_its_limit(api: Api) -> None:
    """Also that a text of just so many characters is accepted, and what a client has to send."""
    limits = {place.rpartition(".")[2]: part["maxLength"] for place, part in schemas(api) if "maxLength" in part}
    for requirement in catalogue().of_document(api):
        for field, limit in limits.items():
            for length in re.findall(rf"\b{field}\b[^.]*?({NUMBER}) characters", requirement.statement):
                assert numbers(length) <= {limit, limit + 1}, f"{field} has {limit}: statement of {requirement.id}"


@pytest.mark.parametrize("api", Api)
def test_each_statement_about_a_limit_of_a_number_has_it(api: Api) -> None:
    """Also that just this number is accepted, and what a client has to send."""
    of_field: dict[str, set[float]] = defaultdict(set)
    for place, part in schemas(api):
        of_field[place.rpartition(".")[2]] |= {part[keyword] for keyword in LIMITS_OF_NUMBERS if keyword in part}
    for requirement in catalogue().of_document(api):
        for field, limits in of_field.items():
            near = {limit + beyond for limit in limits for beyond in (-1, 0, 1)}
            for said in re.findall(rf"\b{field}(?:{SAID_OF_VALUE}|{SAID_OF_CLIENT})", requirement.statement):
                assert numbers("".join(said)) <= near, f"{field} has {sorted(limits)}: statement of {requirement.id}"


def fields_alike(api: Api) -> set[frozenset[str]]:
    """Return the members of each object of a request that have one type, and are all required or all optional."""
    alike: dict[tuple[object, ...], set[str]] = defaultdict(set)
    for operation in openapi.operations(api):
        for place, part in parts(openapi.request_schema(api, operation), operation):
            for name, field in part.get("properties", {}).items():
                alike[place, str(field.get("type")), name in part.get("required", ())].add(name)
    return set(map(frozenset, alike.values()))


@pytest.mark.parametrize("api", Api)
def test_an_open_point_that_lists_fields_of_a_request_has_all_that_are_alike(api: Api) -> None:
    """It is open of a new field too, unless the document states it of that one."""
    incomplete = {
        f"{rule.id} lists {', '.join(sorted(named))}, but not {', '.join(sorted(others))}"
        for rule in catalogue().of_document(api)
        if rule.level is Level.OPEN
        for text in (rule.statement, rule.observe or "")
        for alike in fields_alike(api)
        if len(named := alike.intersection(re.findall(r"\w+", text))) >= FEW
        if (others := alike - named - STATED.get(rule.id, frozenset()))
    }
    assert incomplete == set(), (
        f"open points, and fields of one type and presence in specs/{api}/openapi.yaml: name them in statement, "
        "`observe` and test; where the document states it of a field, that is a row in STATED here"
    )


@pytest.mark.parametrize("group", GROUPS)
def test_a_sentence_that_lists_the_statuses_of_a_group_has_all_of_them(group: str) -> None:
    missed = "\n".join(places_lacking(GROUPS[group]))
    assert not missed, (
        f"{group}: the statuses of a transfer are {', '.join(GROUPS[group])}, and not all of them in\n{missed}\n"
        "Name all of them in each place, or one alone."
    )


@pytest.mark.parametrize("group", PLACES)
def test_a_further_status_of_a_group_is_missed_in_each_place(group: str) -> None:
    missed = places_lacking([*GROUPS[group], "in_review"])
    silent = [place for place in PLACES[group] if not any(line.startswith(place) for line in missed)]
    assert silent == [], f"no sentence and no set there has all of {', '.join(GROUPS[group])}"


def places_lacking(group: Sequence[str]) -> list[str]:
    """Name the places where a sentence or a set has two of the statuses or more, but not all of them.

    A sentence that says how a status *becomes* another one lists none.
    """
    return [
        f"{place}: {' '.join(text.split())[:80]}"
        for place, text in sentences()
        if 1 < len(set(re.findall(r"\w+", text)).intersection(group)) < len(group) and " becomes " not in text
    ]


@cache
def sentences() -> tuple[tuple[str, str], ...]:
    """Return the sentences about the payments API that name a status of a group, each with its place."""
    statuses = [status for group in GROUPS.values() for status in group]
    named = ((place, text) for place, text in every_sentence() if any(status in text for status in statuses))
    return tuple((place, text) for place, text in named if "/business/" not in place)


def every_sentence() -> Iterator[tuple[str, str]]:
    """Yield the sentences of descriptions, requirements, pages and docstrings, and the sets of programs."""
    for _, part in named_members(openapi.source(Api.PAYMENTS)):
        if isinstance(part, str):
            yield from of_text("specs/payments/openapi.yaml", part)
    for requirement in catalogue().of_document(Api.PAYMENTS):
        yield from of_text(requirement.id, f"{requirement.statement} {requirement.note or ''}")
    for page in {*(ROOT / "docs").glob("*.md"), ROOT / "README.md"} - WRITTEN_BY_TOOLS:
        yield from of_text(str(page.relative_to(ROOT)), page.read_text("utf-8"))
    for path, module in modules("suites", "fixtures", "examples", "src/pix_conformance/checks"):
        yield from ((str(path), " ".join(values_in(node))) for node in ast.walk(module))
        for text in texts(module):
            yield from of_text(str(path), text)


def of_text(place: str, text: str) -> Iterator[tuple[str, str]]:
    return ((place, sentence) for sentence in re.split(r"[.;:]\s|\n\s*\n|\|", text))
