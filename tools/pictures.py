"""`python -m tools.pictures` makes the pictures of the documentation from a real run, with Debian's Chromium.

The picture of an explained requirement has its right and wrong response where `proof data` has measured them.
"""

import shutil
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from pix_conformance.model.paths import TEST_TREE, without_settings
from pix_conformance.reference.process import start
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.sandbox.mutants.registry import all_mutants

PICTURES = TEST_TREE / "docs" / "pictures"
MUTANT = "PAY-IDEM-02/any-body-matches"
SHOTS = {
    "report-light": ("light", "scrollTo(0, 0)"),
    "report-dark": ("dark", "scrollTo(0, 0)"),
    "failure": ("light", "document.getElementById('failures').scrollIntoView()"),
    "explain": (
        "light",
        "const box = document.querySelector('#failures [data-explanation]'); box.open = true; box.scrollIntoView();",
    ),
}
WAIT_MS = 800
COLORS = 256
"""A page of text and plain areas looks the same with so few colors, in half of the bytes."""


def main() -> int:
    """Run the suite against a mutant, and write the pictures of its report."""
    PICTURES.mkdir(exist_ok=True)
    with TemporaryDirectory(prefix="pix-pictures-") as directory:
        bundle = Path(directory) / "bundle"
        _run(bundle)
        with sync_playwright() as playwright:
            chromium = shutil.which("chromium") or shutil.which("chromium-browser")
            flags = ["--headless", "--no-sandbox", "--disable-gpu"]  # root in a container has no user namespace
            browser = playwright.chromium.launch(executable_path=chromium, args=flags)
            for name, (scheme, script) in SHOTS.items():
                _shoot(browser, bundle, name, scheme, script)
            browser.close()
    return 0


def _run(bundle: Path) -> None:
    """Run the suite against a mutant that is started like any target. The run must fail."""
    with start([all_mutants()[MUTANT].rules_name]) as broken:
        words = [sys.executable, "-m", "pytest", "-q", "--api", "payments", "--report-dir", str(bundle)]
        subprocess.run(words, env=without_settings(**variables(broken.credentials)), check=False)  # noqa: S603  # our own suite


def _shoot(browser: Browser, bundle: Path, name: str, scheme: str, script: str) -> None:
    dark = scheme == "dark"
    page = browser.new_page(color_scheme="dark" if dark else "light", viewport={"width": 1100, "height": 900})
    page.goto((bundle / "index.html").as_uri())
    page.evaluate(script)
    page.wait_for_timeout(WAIT_MS)
    picture = Image.open(BytesIO(page.screenshot()))
    picture.convert("RGB").quantize(COLORS, Image.Quantize.MAXCOVERAGE).save(PICTURES / f"{name}.png", optimize=True)
    page.close()


if __name__ == "__main__":
    sys.exit(main())
