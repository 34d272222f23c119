"""What a statement, a page, a docstring or an example says of a limit or of a list of statuses agrees with its row."""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache

import pytest

from pix_conformance.model import openapi
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.paths import TEST_TREE as ROOT
from pix_conformance.model.states import states_of
from pix_conformance.model.vocabulary import Api
from tests.support.openapi_parts import named_members, schemas
from tests.support.programs import modules, texts, values_in

NUMBER = r"\d[\d,]*(?:\.\d+)?"
LIMITS = ("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems")
APPROVAL: Sequence[str] = states_of(Api.PAYMENTS)["transfer"].table["approval"]


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


def test_a_sentence_that_lists_the_statuses_of_an_approval_has_all_of_them() -> None:
    assert lacking(APPROVAL) == []


def test_a_further_status_of_an_approval_is_missed_in_each_place() -> None:
    missed = lacking([*APPROVAL, "in_review"])
    places = ("specs/payments/openapi.yaml", "PAY-CMP-01", "PAY-CLI-27", "examples/shop/shop.py", "suites/payments")
    assert [place for place in places if not any(line.startswith(place) for line in missed)] == []


def lacking(approval: Sequence[str]) -> list[str]:
    """Name the places where a sentence or a set has two of the statuses or more, but not all of them."""
    return [
        f"{place}: {' '.join(text.split())[:80]}"
        for place, text in sentences()
        if 1 < len(set(re.findall(r"\w+", text)).intersection(approval)) < len(approval)
    ]


@cache
def sentences() -> tuple[tuple[str, str], ...]:
    """Return the sentences that name a status of an approval, each with its place."""
    return tuple((place, text) for place, text in every_sentence() if any(status in text for status in APPROVAL))


def every_sentence() -> Iterator[tuple[str, str]]:
    """Yield the sentences of descriptions, requirements, pages and docstrings, and the sets of programs."""
    for _, part in named_members(openapi.source(Api.PAYMENTS)):
        if isinstance(part, str):
            yield from of_text("specs/payments/openapi.yaml", part)
    for requirement in catalogue().of_document(Api.PAYMENTS):
        yield from of_text(requirement.id, f"{requirement.statement} {requirement.note or ''}")
    for page in [*(ROOT / "docs").glob("*.md"), ROOT / "README.md"]:
        yield from of_text(str(page.relative_to(ROOT)), page.read_text("utf-8"))
    for path, module in modules("suites", "fixtures", "examples", "src/pix_conformance/checks"):
        yield from ((str(path), " ".join(values_in(node))) for node in ast.walk(module))
        for text in texts(module):
            yield from of_text(str(path), text)


def of_text(place: str, text: str) -> Iterator[tuple[str, str]]:
    return ((place, sentence) for sentence in re.split(r"[.;:]\s|\n\s*\n|\|", text))
