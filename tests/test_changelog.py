"""What a user can notice has a line in CHANGELOG.md: nothing of it has changed since the last commit that has one."""

import subprocess
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import yaml

from pix_conformance.model.openapi import LOADER
from pix_conformance.model.paths import TEST_TREE as ROOT

CHANGELOG = "CHANGELOG.md"
WORDS = {"description", "summary", "title"}


def git(*words: str) -> str:
    """Return the output of a git command in this repository."""
    command = ["git", *words]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout  # noqa: S603


def requirements(text: str) -> dict[str, Any]:
    """Return the level and the statement of each requirement."""
    return {row["id"]: (row["level"], row["statement"]) for row in tomllib.loads(text)["requirement"]}


def parts_of_description(text: str) -> dict[str, Any]:
    """Return the operations, events and schemas of a description, without its words."""
    described = without_words(yaml.load(text, LOADER))  # noqa: S506  # both loaders are safe
    holders = (described["paths"], described["webhooks"], described["components"]["schemas"])
    return {name: part for holder in holders for name, part in holder.items()}


def without_words(node: Any) -> Any:
    if isinstance(node, list):
        return [without_words(part) for part in node]
    if not isinstance(node, dict):
        return node
    return {name: without_words(part) for name, part in node.items() if name not in WORDS or isinstance(part, dict)}


def rows_of_tables(text: str) -> dict[str, Any]:
    """Return the options, variables and keys that the page of options has, by their names."""
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    return {row.split("|")[1].strip(): None for row in rows}


VISIBLE: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "specs/payments/requirements.toml": requirements,
    "specs/business/requirements.toml": requirements,
    "specs/payments/openapi.yaml": parts_of_description,
    "specs/business/openapi.yaml": parts_of_description,
    "docs/options.md": rows_of_tables,
}


@pytest.mark.parametrize("path", VISIBLE)
def test_a_change_that_users_can_notice_has_a_line_in_the_changelog(path: str) -> None:
    """Not compared where CHANGELOG.md itself is being edited, and in a copy without git."""
    if not (ROOT / ".git").exists():
        pytest.skip("a copy of the files without git has no earlier text")
    if git("status", "--porcelain", "--", CHANGELOG):
        return
    last = git("log", "-1", "--format=%H", "--", CHANGELOG).strip()
    then, now = VISIBLE[path](git("show", f"{last}:{path}")), VISIBLE[path]((ROOT / path).read_text("utf-8"))
    changed = [name for name in {**then, **now} if then.get(name, last) != now.get(name, last)]
    assert changed == [], f"{path} has changed, and CHANGELOG.md has had no line since {last[:8]}"
