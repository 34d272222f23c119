"""Writes every page of a bundle from the bundle itself."""

from pathlib import Path

from pix_conformance.recording.bundle.reader import read
from pix_conformance.report.badge import render_badge
from pix_conformance.report.index_page import render_index
from pix_conformance.report.junit import render_junit
from pix_conformance.report.open_points import as_csv
from pix_conformance.report.summary import render_summary


def write_pages(directory: Path) -> None:
    """Write `index.html`, `summary.md`, `junit.xml`, `badge.json` and `open-points.csv` beside the bundle's files.

    BundleError when the directory holds no bundle.
    """
    bundle = read(directory)
    save(directory / "index.html", render_index(bundle))
    save(directory / "summary.md", render_summary(bundle))
    save(directory / "badge.json", render_badge(bundle))
    save(directory / "open-points.csv", as_csv(bundle))
    (directory / "junit.xml").write_bytes(render_junit(bundle))


def save(path: Path, text: str) -> None:
    """Write `text` as UTF-8, one line feed a line on every system."""
    path.write_bytes(text.encode("utf-8", "backslashreplace"))
