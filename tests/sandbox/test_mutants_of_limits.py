"""Each limit of a text: a server that counts otherwise, or has another limit, fails; else a case of a test is gone."""

import html
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from pix_conformance.model import openapi
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.paths import TEST_TREE
from pix_conformance.model.vocabulary import Api, Level
from pix_conformance.proof.runner import Job, run_all
from pix_conformance.report.explain import files_that_ask
from pix_conformance.sandbox.apis import APIS
from pix_conformance.sandbox.difference import changes_result

COUNTED: Mapping[str, Callable[[str], str]] = {
    "accepts-one-more": lambda text: text[:-1],
    "counts-blanks-once": lambda text: " ".join(text.split()),
    "counts-ascii-only": lambda text: text.encode("ascii", "ignore").decode(),
    "accepts-one-less": lambda text: f"{text}x",
    "counts-bytes": lambda text: "x" * len(text.encode()),
    "counts-html": html.escape,
}
"""What a wrong server judges in the place of a text."""
RULES = f"{__name__}:wrong:"


@dataclass(frozen=True)
class TextField:
    """A field of a request that has a longest text."""

    api: Api
    operation: str
    name: str

    def requirements(self) -> tuple[str, ...]:
        """Return the requirements of the operation that name the field, as a client may see them."""
        rows = (row for row in catalogue().of(self.api) if row.operation == self.operation and not row.passive)
        judged = (row for row in rows if row.level is not Level.OPEN and not row.unobservable)
        return tuple(row.id for row in judged if re.search(rf"\b{self.name}\b", row.statement))

    def files(self) -> str:
        """Return the files of the suites that have cases of them."""
        paths = {path for rule in self.requirements() for path in files_that_ask(catalogue()[rule])}
        return ", ".join(sorted(str(path.relative_to(TEST_TREE)) for path in paths))


FIELDS = [
    TextField(api, operation, name)
    for api in Api
    for operation in openapi.operations(api)
    for name, schema in (openapi.request_schema(api, operation) or {}).get("properties", {}).items()
    if "maxLength" in schema
]
ROWS = [(place, way) for place in range(len(FIELDS)) for way in COUNTED]


def wrong(way: str) -> type:
    """Return rules that judge another text in the place of a field, such as `0-counts-bytes`."""
    place, _, words = way.partition("-")
    field = FIELDS[int(place)]

    def changed(_rules: Any, body: Any, call: Any) -> Any:
        text = body.get(field.name) if isinstance(body, dict) and call.operation == field.operation else None
        return body | {field.name: COUNTED[words](text)} if isinstance(text, str) and text else body

    return changes_result("", json_body=changed).rules(APIS[field.api].rules)


@cache
def failed() -> dict[str, set[str]]:
    """Return by server which requirements fail."""
    jobs = [
        Job(f"{place}-{way}", (f"{RULES}{place}-{way}",), FIELDS[place].requirements(), apis=FIELDS[place].api)
        for place, way in ROWS
    ]
    outcomes = {result.name: result.outcomes for result in run_all(jobs)}
    return {name: {rule for rule, outcome in row.items() if outcome == "fail"} for name, row in outcomes.items()}


IDS = [f"{FIELDS[place].operation}-{FIELDS[place].name}-{way}" for place, way in ROWS]


@pytest.mark.parametrize(("place", "way"), ROWS, ids=IDS)
def test_a_text_is_sent_that_a_wrong_count_shows(place: int, way: str) -> None:
    field, words = FIELDS[place], way.replace("-", " ")
    assert failed()[f"{place}-{way}"], (
        f"{field.files()}: no case of {', '.join(field.requirements())} fails a server that {words} of "
        f"{field.name} of {field.operation}: its longest text, and one more, of letters, accents and blanks"
    )
