"""Hostile text of a server is executed neither by a page nor by a terminal, and breaks no JSON."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="no Playwright here: uv run --group tests pytest tests")
from playwright.sync_api import Browser, Page  # after the line above

from pix_conformance.proof.suite_run import Finished, run_suite
from tests.report.test_browser import PAINTED, browser
from tests.report.test_browser import pytestmark as in_chromium
from tests.support.bundles import HOSTILE, LONG_LINE
from tests.support.servers import always, serving

__all__ = ["browser"]  # the fixture

pytestmark = [in_chromium, pytest.mark.battery]

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FIELDS = ("id", "status", "error", "message", "detail", "external_ref", "token", "qrcode", "amount_cents", "items")
QUICK = ("--no-waiting", "--event-deadline", "1")
SOME = ("-k", "test_finance or test_balance or test_charge_queries")
CREDENTIALS = {"PIX_CLIENT_ID": "id-1", "PIX_CLIENT_SECRET": "secret-1", "PIX_API_KEY": "ak_test_1"}
TEXTS = {"hostile": (" ".join(HOSTILE), FIELDS), "1 MB": (LONG_LINE, FIELDS[:7])}


def saying(text: str, fields: tuple[str, ...]) -> bytes:
    """Return a response with this text in each field, and one level deeper if it is short."""
    flat: dict[str, Any] = dict.fromkeys(fields, text)
    deeper = flat | {"items": [flat], text: text}
    return json.dumps(flat | {"success": True, "data": deeper} if len(text) < 10_000 else flat).encode()


@pytest.fixture(scope="module", params=TEXTS)
def done(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    """One run against a server with such text in all responses."""
    body = saying(*TEXTS[request.param])
    with serving(always(200, body)) as url:
        out = tmp_path_factory.mktemp("hostile") / "out"
        yield run_suite(out, *QUICK, *SOME, PIX_BASE_URL=url, **CREDENTIALS)


def test_the_run_ends_like_any_other(done: Finished) -> None:
    assert done.exit == 1
    assert done.with_outcome("error") == []
    assert "INTERNALERROR" not in done.output


def test_the_terminal_executes_nothing(done: Finished) -> None:
    assert CONTROL.findall(done.output) == []
    assert max(map(len, done.output.splitlines())) < 32_000
    assert len(done.output) < 5_000_000


def test_the_json_stays_valid_and_small(done: Finished) -> None:
    def refused(name: str) -> None:
        raise AssertionError(name)

    text = (done.directory / "results.json").read_text(encoding="utf-8")
    assert json.loads(text, parse_constant=refused)["requirements"]
    assert len(text) < 20_000_000
    for line in (done.directory / "exchanges.jsonl").read_text(encoding="utf-8").splitlines():
        assert len(json.dumps(json.loads(line, parse_constant=refused))) < 500_000


@pytest.mark.parametrize("name", ["index.html", "pytest.html"])
def test_a_page_runs_nothing(done: Finished, browser: Browser, name: str) -> None:
    page = opened(browser, done.directory / name)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    page.evaluate(PAINTED)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img[src=x], svg[onload], iframe").count() == 0
    page.close()


def opened(browser: Browser, path: Path) -> Page:
    page = browser.new_page()
    page.goto(path.as_uri())
    page.evaluate(PAINTED)
    assert page.title()
    return page
