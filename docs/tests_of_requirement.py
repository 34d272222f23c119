"""Collects the suites without running them, and writes which tests decide each requirement."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.harness.tests_of_requirement import listing

ROOT = Path(__file__).parent.parent


class Collected:
    """A pytest plugin that keeps the collected tests."""

    items: list[pytest.Item]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Keep the collected tests."""
        self.items = list(session.items)


def collected() -> str:
    """Collect in a separate process, and return the text of the file."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PIX_")}
    words = [sys.executable, "-m", "docs.tests_of_requirement"]
    return subprocess.run(words, cwd=ROOT, env=clean, capture_output=True, text=True, check=True).stdout  # noqa: S603  # this module


def main() -> None:
    """Print the text of the file."""
    kept, said = Collected(), io.StringIO()
    with redirect_stdout(said):
        status = pytest.main(["--collect-only", "-q", "--rootdir", str(ROOT), str(ROOT / "suites")], plugins=[kept])
    if status:
        sys.exit(said.getvalue())
    print(written(listing(kept.items)))  # noqa: T201  # the output of this program


def written(found: dict[str, Any]) -> str:
    """Return a JSON object of objects with one line for each inner member, so that a diff shows single lines."""
    parts = []
    for name, members in found.items():
        lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in members.items()]
        parts.append(f"{json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n}")
    return "{\n" + ",\n".join(parts) + "\n}"


if __name__ == "__main__":
    main()
