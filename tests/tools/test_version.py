"""The version of the project: that of a release, or that of the next one with the commit."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools import version

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("number", "archived", "wanted"),
    [("7.2.0.dev0", COMMIT, "7.2.0.dev0+g0123456789ab"), ("7.2.0.dev0", "", "7.2.0.dev0"), ("7.1.0", COMMIT, "7.1.0")],
)
def test_only_a_version_between_releases_names_its_commit(
    number: str, archived: str, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(version, "NUMBER", number)
    monkeypatch.setattr(version, "ARCHIVED", archived)
    assert version.version() == wanted


def test_a_copy_inside_another_repository_has_no_commit(tmp_path: Path) -> None:
    for words in (
        ["init", "--quiet"],
        ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "t", "--allow-empty"],
    ):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)  # noqa: S603, S607  # fixed words
    copy = tmp_path / "copy"
    copy.mkdir()
    assert version.commit_of(copy, "$Format:%H$") == ""
    assert len(version.commit_of(tmp_path, "$Format:%H$")) == len(COMMIT)


def test_without_git_there_is_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    assert version.commit_of(tmp_path, "$Format:%H$") == ""  # no repository
    monkeypatch.setenv("PATH", "")
    assert version.commit_of(tmp_path, "$Format:%H$") == ""
