"""The report in a real Chromium: it opens fast, filters, links, and executes no text of a server."""

import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pix_conformance.report.all_pages import write_pages
from tests.support import bundles
from tests.support.measured_files import nothing_measured, write_examples

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
NEXT_TEXT_AFTER_CLICK = """button => new Promise(done => {
  new MutationObserver(() => done(button.textContent)).observe(button, { childList: true });
  button.click();
})"""
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


def test_the_policy_stops_a_script_that_slipped_through(page: Page, tmp_path: Path) -> None:
    opened(page, bundles.write(tmp_path))
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hacked=1\">')")
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'window.hacked=1'}))")
    page.evaluate(PAINTED)
    assert page.evaluate("window.hacked") is None


def test_filters_show_how_many_rows_are_left(page: Page, tmp_path: Path) -> None:
    opened(page, bundles.write(tmp_path, requirements=48))
    page.get_by_label("Search").fill("variant 4")
    expect(page.locator("#shown")).to_have_text("13 of 48 requirements")
    page.get_by_role("checkbox", name="fail").check(force=True)
    expect(page.locator("#shown")).to_have_text("1 of 48 requirements")
    assert page.locator("#requirements .req:visible .id").all_inner_texts() == ["PAY-ERRO-04"]
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#shown")).to_have_text("48 requirements")


def test_the_search_finds_sections_and_areas_in_any_case(page: Page, tmp_path: Path) -> None:
    row = bundles.requirement(0, id="PAY-IDEM-02", statement="A repetition is refused.")
    bundles.run(tmp_path, row, bundles.requirement(2))
    opened(page, tmp_path)
    for text in ("idempot", "Transfers", "pay-idem"):
        page.get_by_label("Search").fill(text)
        expect(page.locator("#shown")).to_have_text("1 of 2 requirements")


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


def test_a_count_in_the_picture_filters(page: Page, tmp_path: Path) -> None:
    opened(page, bundles.write(tmp_path, requirements=48))
    page.get_by_role("button", name="8 observed").click()
    expect(page.locator("#shown")).to_have_text("8 of 48 requirements")


def test_a_deep_link_opens_its_requirement(page: Page, tmp_path: Path) -> None:
    opened(page, bundles.write(tmp_path), "#PAY-LIMI-14")
    row = page.locator("#PAY-LIMI-14")
    assert row.get_attribute("open") is not None
    page.wait_for_function("document.activeElement.parentElement.id === 'PAY-LIMI-14'")
    assert 0 <= page.evaluate("document.getElementById('PAY-LIMI-14').getBoundingClientRect().top") < 700


def test_a_deep_link_clears_a_filter_that_hides_its_requirement(page: Page, tmp_path: Path) -> None:
    opened(page, bundles.write(tmp_path))
    page.get_by_label("Search").fill("nothing is called so")
    page.evaluate("location.hash = 'PAY-LIMI-14'")
    page.locator("#PAY-LIMI-14 .entry").wait_for(state="visible")


def test_a_failure_shows_expected_and_got_and_earlier_exchanges(page: Page, tmp_path: Path) -> None:
    failure = opened(page, bundles.write(tmp_path)).locator("#failures .req").first
    assert "status 409" in failure.locator(".side").first.inner_text()
    assert "status is 200, not 409" in failure.locator(".side.got").first.inner_text()
    failure.get_by_text("Transcript:").click()
    failure.locator(".exchange").first.wait_for()
    assert failure.locator(".transcript .exchange").count() == 3
    assert "pytest --only PAY-ERRO-04" in failure.inner_text()


def test_a_failure_shows_its_request_and_explains_itself(page: Page, tmp_path: Path) -> None:
    with nothing_measured(tmp_path):
        write_examples()
        failure = opened(page, requirement_of(tmp_path, "PAY-IDEM-02")).locator("#failures .req").first
    assert "GET /api/v1/balance" in failure.locator(".side").first.inner_text()
    failure.get_by_text("Explain: what is asked, a right and a wrong answer").click()
    failure.locator("[data-explanation] .side").first.wait_for()
    explanation = failure.locator("[data-explanation]").inner_text()
    for words in ("question 4", "Right: the reference", "HTTP 409", "Wrong: "):
        assert words in explanation


def test_without_measured_examples_a_failure_names_its_tests(page: Page, tmp_path: Path) -> None:
    with nothing_measured(tmp_path):
        failure = opened(page, requirement_of(tmp_path, "PAY-IDEM-02")).locator("#failures .req").first
    failure.get_by_text("Explain: what is asked", exact=True).click()
    failure.locator("[data-explanation] li").first.wait_for()
    assert "question 4" in failure.locator("[data-explanation]").inner_text()


def requirement_of(directory: Path, name: str) -> Path:
    """Write a bundle whose first failure is that of a requirement of the documents."""
    bundles.write(directory)
    path = directory / "results.json"
    results = json.loads(path.read_text())
    next(row for row in results["requirements"] if row["outcome"] == "fail")["id"] = name
    path.write_text(json.dumps(results))
    return directory


def test_bodies_are_indented_without_changing_a_token(page: Page, tmp_path: Path) -> None:
    opened(page, bundles.write(tmp_path))
    page.get_by_label("Show exchange number").fill("1")
    page.get_by_role("button", name="Show", exact=True).click()
    page.locator("#found pre").first.wait_for()
    assert '{\n  "amountInCents": 100.0\n}' in page.locator("#found pre").first.inner_text()


def test_copying_shows_a_confirmation(page: Page, tmp_path: Path) -> None:
    button = opened(page, bundles.write(tmp_path)).locator("#failures .copy").first
    assert button.evaluate(NEXT_TEXT_AFTER_CLICK) in {"Copied", "Selected"}


def test_the_keyboard_reaches_search_and_rows(page: Page, tmp_path: Path) -> None:
    opened(page, bundles.write(tmp_path))
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.locator("#PAY-IDEM-00 summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#PAY-IDEM-00").get_attribute("open") is not None


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


def test_a_phone_scrolls_in_one_direction(browser: Browser, tmp_path: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    opened(page, bundles.write(tmp_path))
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    page.wait_for_selector(".exchange pre")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


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


def test_the_state_machines_fit_on_a_phone(page: Page, tmp_path: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    opened(page, bundles.write(tmp_path))
    assert page.locator("#states figure").count() > 0
    parts = page.locator("#states td > *, #states figcaption").all()
    boxes = [box for part in parts if (box := part.bounding_box())]
    assert len(boxes) > page.locator("#states figure").count()
    assert max(box["x"] + box["width"] for box in boxes) <= 390
