"""The report in a real Chromium: it opens fast, filters, links, and executes no text of a server."""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pix_conformance.report.pages import write_pages
from tests.support import bundles
from tests.support.bundles import nothing_measured, write_examples

pytest.importorskip("playwright", reason="no Playwright here: uv run --group tests pytest tests")
from playwright.sync_api import Browser, Page, expect, sync_playwright  # after the line above

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--headless",
    "--no-sandbox",  # root in a container has no user namespace
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PAINTED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"

pytestmark = pytest.mark.skipif(
    CHROMIUM is None and not os.environ.get("CI"),
    reason="no Chromium here: apt-get install chromium (with CI set this is a failure)",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Yield Debian's Chromium, one for all tests of this file."""
    assert CHROMIUM, "CI needs Chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Yield a new tab. Any request except for the page itself, and any script error, fails the test."""
    page = browser.new_page()
    requests, errors = list[str](), list[str]()
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    page.close()
    assert [url for url in requests if not url.startswith("file:")] == []
    assert errors == []


def opened(page: Page, directory: Path, anchor: str = "") -> Page:
    """Write the pages of a bundle and open them."""
    write_pages(directory)
    page.goto((directory / "index.html").as_uri() + anchor)
    return page


def test_no_script_runs_from_hostile_text(page: Page, tmp_path: Path) -> None:
    opened(page, bundles.write(tmp_path, text=" ".join(bundles.HOSTILE)))
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    page.wait_for_selector(".exchange pre")
    page.evaluate(PAINTED)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img, iframe").count() == 0
    assert "<img src=x onerror" in page.locator(".exchange pre").first.inner_text()
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hacked=1\">')")
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'window.hacked=1'}))")
    page.evaluate(PAINTED)
    assert page.evaluate("window.hacked") is None  # the policy of the page stops what was inserted


def test_filters_show_how_many_rows_are_left(page: Page, tmp_path: Path) -> None:
    opened(page, bundles.write(tmp_path, requirements=48))
    page.get_by_label("Search").fill("variant 4")
    expect(page.locator("#shown")).to_have_text("13 of 48 requirements")
    page.get_by_role("checkbox", name="fail").check(force=True)
    expect(page.locator("#shown")).to_have_text("1 of 48 requirements")
    assert page.locator("#requirements .req:visible .id").all_inner_texts() == ["PAY-ERRO-04"]
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#shown")).to_have_text("48 requirements")
    for text, shown in (("idempot", 8), ("Transfers", 8), ("pay-idem", 8)):
        page.get_by_label("Search").fill(text)
        expect(page.locator("#shown")).to_have_text(f"{shown} of 48 requirements")


def test_a_document_that_was_not_tested_is_folded_and_names_the_variable(page: Page, tmp_path: Path) -> None:
    lacking = bundles.requirement(1, outcome="not applicable", reason="PIX_API_KEY is not set")
    bundles.run(tmp_path, bundles.requirement(0), lacking)
    opened(page, tmp_path)
    assert not page.locator(f"[id='{lacking['id']}']").is_visible()
    assert page.get_by_text("PIX_API_KEY is not set: 1 requirement needs it").is_visible()
    page.evaluate(f"location.hash = '{lacking['id']}'")
    page.locator(f"[id='{lacking['id']}'] .entry").wait_for(state="visible")


def test_open_points_can_be_narrowed_to_those_unlike_the_reference(page: Page, tmp_path: Path) -> None:
    rows = [
        bundles.requirement(n, id=name, level="open", outcome="observed", observation=[bundles.seen("exchange 1", "x")])
        for n, name in enumerate(("PAY-GEN-02", "PAY-ZZZ-01"))
    ]
    bundles.run(tmp_path, *rows)
    opened(page, tmp_path)
    assert page.locator("#open-points .point:visible .id").all_inner_texts() == ["PAY-GEN-02", "PAY-ZZZ-01"]
    page.get_by_label("Only where it differs from the reference: 1 point").check()
    assert page.locator("#open-points .point:visible .id").all_inner_texts() == ["PAY-GEN-02"]


def test_a_deep_link_opens_its_requirement_and_clears_a_filter_that_hides_it(page: Page, tmp_path: Path) -> None:
    opened(page, bundles.write(tmp_path), "#PAY-LIMI-14")
    assert page.locator("#PAY-LIMI-14").get_attribute("open") is not None
    page.wait_for_function("document.activeElement.parentElement.id === 'PAY-LIMI-14'")
    assert 0 <= page.evaluate("document.getElementById('PAY-LIMI-14').getBoundingClientRect().top") < 700
    page.keyboard.press("/")
    page.keyboard.type("nothing is called so")
    assert not page.locator("#PAY-IDEM-00").is_visible()
    page.evaluate("location.hash = 'PAY-IDEM-00'")
    page.locator("#PAY-IDEM-00 .entry").wait_for(state="visible")


def test_a_failure_shows_expected_and_got_and_earlier_exchanges(page: Page, tmp_path: Path) -> None:
    failure = opened(page, bundles.write(tmp_path)).locator("#failures .req").first
    assert "status 409" in failure.locator(".side").first.inner_text()
    assert "status is 200, not 409" in failure.locator(".side.got").first.inner_text()
    failure.get_by_text("Transcript:").click()
    failure.locator(".exchange").first.wait_for()
    assert failure.locator(".transcript .exchange").count() == 3
    assert "pytest --only PAY-ERRO-04" in failure.inner_text()
    page.get_by_label("Show exchange number").fill("1")
    page.get_by_role("button", name="Show", exact=True).click()
    page.locator("#found pre").first.wait_for()
    assert '{\n  "amountInCents": 100.0\n}' in page.locator("#found pre").first.inner_text()


def test_a_failure_shows_its_request_and_explains_itself(page: Page, tmp_path: Path) -> None:
    bundles.run(tmp_path, bundles.requirement(4, 1, id="PAY-IDEM-02"))
    with nothing_measured(tmp_path):
        write_examples()
        failure = opened(page, tmp_path).locator("#failures .req").first
    assert "POST /api/v1/pix/in/qrcode" in failure.locator(".side", has_text="Request").inner_text()
    failure.get_by_text("Explain: what is asked, a right and a wrong answer").click()
    failure.locator("[data-explanation] .side").first.wait_for()
    explanation = failure.locator("[data-explanation]").inner_text()
    for words in ("question 4", "Right: the reference", "HTTP 409", "Wrong: "):
        assert words in explanation


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(browser: Browser, tmp_path: Path, scheme: str) -> None:
    page = browser.new_page(color_scheme=scheme)  # type: ignore[arg-type] # one of two literals
    opened(page, bundles.write(tmp_path, requirements=48))
    assert page.evaluate(CONTRAST) == []
    page.close()


CONTRAST = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const over = (colors) => { canvas.clearRect(0, 0, 1, 1);
    for (const color of colors) { canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3); };
  const light = (rgb) => rgb.map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const poor = new Set();
  for (const node of document.querySelectorAll('h1,h2,h3,h4,p,li,code,summary span,td,th,dt,dd,label span,a')) {
    if (!node.checkVisibility() || !node.innerText?.trim()) continue;
    const grounds = [];
    for (let up = node; up; up = up.parentElement) grounds.unshift(getComputedStyle(up).backgroundColor);
    const [a, b] = [light(over(grounds)), light(over([...grounds, getComputedStyle(node).color]))];
    if ((Math.max(a, b) + .05) / (Math.min(a, b) + .05) < 4.5) poor.add(node.className + ' ' + node.tagName);
  }
  return [...poor];
}"""
"""Returns the elements with less contrast than the 4.5:1 of WCAG AA."""


def test_nothing_is_wider_than_a_phone(page: Page, tmp_path: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, bundles.write(tmp_path))
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    page.wait_for_selector(".exchange pre")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def opening(page: Page, directory: Path) -> float:
    """Open the page of a bundle and measure the seconds until it is painted."""
    started = time.monotonic()
    page.goto((directory / "index.html").as_uri())
    page.evaluate(PAINTED)
    return time.monotonic() - started


def test_a_run_of_five_thousand_exchanges_opens_within_two_seconds(page: Page, tmp_path: Path) -> None:
    write_pages(bundles.write(tmp_path, requirements=500, exchanges=5_000))
    assert any(opening(page, tmp_path) < 2 for _ in range(8))  # the machine may be busy
    expect(page.locator("#shown")).to_have_text("500 requirements")
