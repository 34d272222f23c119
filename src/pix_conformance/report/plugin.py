"""A pytest plugin: with it a run writes its pages (`session.report_draft`), and pytest-html shows requirements."""

from html import escape
from typing import Any

import pytest


def pytest_html_report_title(report: Any) -> None:
    """Name the page."""
    report.title = "pix-conformance"


def pytest_html_results_table_header(cells: list[str]) -> None:
    """Add a column for the requirements."""
    cells.insert(2, "<th>Requirements</th>")


def pytest_html_results_table_row(report: Any, cells: list[str]) -> None:
    """Fill it, escaped, since pytest-html puts cells in raw; the report of a failed collection has no properties."""
    ids = dict(getattr(report, "user_properties", ())).get("requirements", "")
    cells.insert(2, f"<td>{escape(ids)}</td>")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Hand the requirements of a test to its report."""
    ids = [name for mark in item.iter_markers("requirement") for name in mark.args]
    item.user_properties.append(("requirements", " ".join(dict.fromkeys(ids))))
