"""Which tests ask a requirement: as the bundle of a run or a collection of the suites says."""

from pix_conformance.model import openapi
from pix_conformance.model.profile import RECEIVERS
from pix_conformance.model.vocabulary import Requirement
from pix_conformance.results.bundle.values import Bundle, Question
from pix_conformance.results.listed_tests import listed_tests


def tests_that_ask(one: Requirement, bundle: Bundle | None) -> tuple[Question, ...]:
    """Return the tests that name a requirement, in this run or, without a run or where it collected none, in all."""
    asked = next((entry.asked_by for entry in bundle.entries if entry.id == one.id), ()) if bundle else ()
    return asked or listed_tests(one).asking


def judged_on(one: Requirement) -> str:
    """Say which messages of all tests are judged by a requirement; empty where none are."""
    if not one.passive:
        return ""
    if one.needs & RECEIVERS:
        return "every delivered event"
    operations = sorted(openapi.shown_by(one.api).get(one.id, ()))
    return f"every response of {', '.join(operations)}" if operations else "every response"
