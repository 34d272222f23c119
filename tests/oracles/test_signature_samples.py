"""Every sample of a signature has the entries that the reference writes: a new entry is missed where one lacks it."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from pix_conformance.integration.events import signed
from pix_conformance.model import openapi
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.exchange import Request
from pix_conformance.model.paths import SPECS, TEST_TREE
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api
from pix_conformance.recording import curl
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ServerState
from pix_conformance.report import traffic

WRITTEN: Mapping[Api, Callable[[], str]] = {
    Api.PAYMENTS: lambda: PaymentsRules(ServerState()).event_signature(b"{}", "whsec_payments"),
    Api.BUSINESS: lambda: BusinessRules(ServerState()).event_signature(b"{}"),
}
"""Has the reference sign an event, by API."""
VALUE = r"(?:<[^>]+>|[^,`\s\"<]+)"
SAMPLE = re.compile(rf"\bt={VALUE}(?:,[a-z]+[0-9]*={VALUE})+")
"""A signature in a page, with digits or with words in their place."""
GENERATED = "docs/requirements.md"
"""Has the statements, each of which is about one API."""
PAGES = sorted({path.relative_to(TEST_TREE).as_posix() for path in (TEST_TREE / "docs").glob("*.md")} - {GENERATED})


def entries_of(signature: str) -> Sequence[str]:
    """Return the names of the entries of a signature, in its order."""
    return [entry.partition("=")[0].strip() for entry in signature.split(",")]


@pytest.fixture(params=Api)
def api(request: pytest.FixtureRequest) -> Api:
    """Each API in turn."""
    chosen: Api = request.param
    return chosen


@pytest.fixture
def entries(api: Api) -> Sequence[str]:
    """The names of the entries that the reference writes."""
    return entries_of(WRITTEN[api]())


def test_the_example_of_the_description_has_them(api: Api, entries: Sequence[str]) -> None:
    """The header's example in openapi.yaml."""
    example = openapi.source(api)["components"]["parameters"]["Signature"]["example"]
    assert entries_of(example) == entries, f"specs/{api}/openapi.yaml, components.parameters.Signature"


def test_the_prose_of_the_description_has_them(api: Api, entries: Sequence[str]) -> None:
    """The samples in info.description of openapi.yaml, of which there is at least one."""
    samples = SAMPLE.findall(openapi.source(api)["info"]["description"])
    assert samples
    for sample in samples:
        assert entries_of(sample) == entries, f"specs/{api}/openapi.yaml, info.description: {sample}"


def test_the_first_vector_has_them(api: Api, entries: Sequence[str]) -> None:
    """The vector of an event as the document shows it; the others change it."""
    vectors = json.loads((SPECS / api / "signature-vectors.json").read_text("utf-8"))["vectors"]
    assert entries_of(vectors[0]["header"]) == entries, f"specs/{api}/signature-vectors.json, {vectors[0]['name']}"


def test_the_events_for_an_integration_have_them(api: Api, entries: Sequence[str]) -> None:
    """What `pix-conformance integration` delivers, and the lines that deliver it again."""
    event = signed(api, b"{}", "whsec_integration")
    assert entries_of(event.header or "") == entries, "integration/events.py, signed"
    name = PROFILES[api].signature_header
    sent = Request("POST", "http://127.0.0.1/hook", ((name, event.header or ""),), b"{}", formula=event.recipe)
    (header,) = re.findall(rf'"{name}: ([^"]+)"', curl.event_lines(sent))
    assert entries_of(header) == entries, "recording/curl.py, event_lines"


def test_the_card_of_a_failed_one_names_them() -> None:
    """What makes the card of a failed signature, and the page about it, name each hash of an API and no other."""
    written = {entry for sign in WRITTEN.values() for entry in entries_of(sign())}
    section = Path(TEST_TREE, "docs/failures.md").read_text("utf-8").partition("## A failed event signature")[2]
    texts = {
        "docs/failures.md, the last section": section,
        "report/traffic.py": Path(traffic.__file__).read_text("utf-8"),
    }
    for place, text in texts.items():
        assert set(re.findall(r"\bv[0-9]+\b", text)) == written - {"t"}, place


def test_the_statements_have_them(api: Api, entries: Sequence[str]) -> None:
    """The samples in the statements of an API."""
    for requirement in catalogue().of(api):
        for sample in SAMPLE.findall(requirement.statement):
            assert entries_of(sample) == entries, f"specs/{api}/requirements.toml, {requirement.id}"


@pytest.mark.parametrize("page", PAGES)
def test_a_page_with_samples_has_those_of_each_api(page: str) -> None:
    """The samples of a page in docs/ have, between them, the entries of both APIs and no others."""
    samples = SAMPLE.findall(Path(TEST_TREE, page).read_text("utf-8"))
    written = {tuple(entries_of(sign())) for sign in WRITTEN.values()}
    assert not samples or {tuple(entries_of(sample)) for sample in samples} == written, f"{page}: {samples}"
