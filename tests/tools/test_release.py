"""`tools.release`: editions, what a release lacks, the version; `tools.ordinary_run`."""

import itertools
import subprocess
import tomllib
from pathlib import Path

import pytest

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.reception import RECEIVED_ELSEWHERE
from pix_conformance.proof import proof_page
from pix_conformance.proof.plan import can_join
from pix_conformance.proof.served_sandbox import configuration
from pix_conformance.proof.suite_run import ROOT
from pix_conformance.sandbox.variants.registry import all_variants
from tools import release, version
from tools.ordinary_run import CHOICES, TOO_FAST, further, kept_from_webhooks

CHANGELOG = "# Changelog\n\n## 1.0.0\n\nThe first release.\n"


@pytest.fixture
def right_proof(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, object]]:
    """Figures of a proof that lacks nothing, where every commit has the code of HEAD."""
    monkeypatch.setattr(release, "is_of_head", lambda commit: commit == "abc")
    part = {"rows": 3, "known": 3, "right": 3, "commits": ["abc"]}
    return {name: {**part, "lists": proof_page.lists(name)} for name in proof_page.TITLES}


def test_the_edition_of_a_commit_has_its_requirements_and_is_written_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release, "EDITIONS", tmp_path)
    path = release.write_edition("7.1.0")
    assert path == tmp_path / "7.1.toml"
    assert tomllib.loads(path.read_text()) == {row.id: [row.level, row.statement] for row in catalogue().values()}
    with pytest.raises(ValueError, match=r"7\.1\.toml is there already"):
        release.write_edition("7.1.0")
    with pytest.raises(ValueError, match="no release"):
        release.write_edition("7.2.0.dev0")


@pytest.mark.parametrize(
    ("version", "changelog", "words"),
    [
        ("7.1.0", CHANGELOG, ["CHANGELOG.md says nothing of 7.1.0", "7.1.toml is missing"]),
        ("1.0.1", f"{CHANGELOG}\n## 1.0.1\n\n- A fix.\n", ["the requirements are not those of 1.0.toml"]),
        ("1.0.0", CHANGELOG.replace("\n## 1", "\n## Unreleased\n\n## 1"), ["a section Unreleased", "not those of 1.0"]),
        ("7.1.0.dev0", CHANGELOG, ["is the version of no release", "says nothing of 7.1.0", "7.1.toml is missing"]),
    ],
)
def test_what_a_version_lacks_is_said(version: str, changelog: str, words: list[str]) -> None:
    sentences = list(release.missing_of_version(version, changelog))
    assert len(sentences) == len(words)
    assert [word for word, sentence in zip(words, sentences, strict=True) if word not in sentence] == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, None),
        ({"rows": 2, "right": 2}, "recall is not whole: 2 of 3 rows"),
        ({"right": 2}, "recall has 1 wrong rows of 3"),
        ({"commits": ["abc", "abc-dirty"]}, "recall was measured on other code"),
        ({"commits": []}, "recall does not name the commit on which it was measured"),
        ({"lists": {"requirements": "0"}}, "recall was measured on other code"),
    ],
)
def test_what_the_proof_lacks_is_said(
    right_proof: dict[str, dict[str, object]], change: dict[str, object], words: str | None
) -> None:
    right_proof["recall"] |= change
    assert list(release.missing_of_proof(right_proof)) == ([words] if words else [])
    del right_proof["battery"]
    assert "battery was not measured" in release.missing_of_proof(right_proof)


def test_a_commit_with_other_code_is_not_head() -> None:
    assert release.is_of_head("HEAD")
    assert not release.is_of_head("HEAD-dirty")


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
    for words in ("init --quiet", "-c user.name=t -c user.email=t@t commit -qm t --allow-empty"):
        subprocess.run(["git", *words.split()], cwd=tmp_path, check=True)  # noqa: S603, S607  # fixed words
    copy = tmp_path / "copy"
    copy.mkdir()
    assert version.commit_of(copy, "$Format:%H$") == ""
    assert len(version.commit_of(tmp_path, "$Format:%H$")) == len(COMMIT)


def test_without_git_there_is_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    assert version.commit_of(tmp_path, "$Format:%H$") == ""  # no repository
    monkeypatch.setenv("PATH", "")
    assert version.commit_of(tmp_path, "$Format:%H$") == ""


@pytest.mark.parametrize(
    "files",
    [
        {"HEAD": COMMIT},
        {"HEAD": "ref: refs/heads/main", "refs/heads/main": COMMIT},
        {"HEAD": "ref: refs/heads/main", "packed-refs": f"# pack-refs\n{COMMIT} refs/heads/main"},
    ],
)
def test_the_build_of_the_image_knows_the_commit_without_git_and_without_objects(
    files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    included = (ROOT / ".dockerignore").read_text().splitlines()
    for name, text in files.items():
        assert f"!.git/{name.partition('/')[0]}" in included
        (tmp_path / ".git" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / ".git" / name).write_text(f"{text}\n")
    assert version.commit_of(tmp_path, "$Format:%H$") == COMMIT


DEBIAN = """user www-data;
pid /run/nginx.pid;
error_log /var/log/nginx/error.log;
http {
	access_log /var/log/nginx/access.log;
	gzip on;
	include /etc/nginx/sites-enabled/*;
}
"""


def choices(variants: list[str]) -> list[str]:
    return [all_variants()[name].choice for name in variants]


@pytest.mark.parametrize("seed", range(5))
def test_one_server_can_have_all_variants_of_a_run(seed: int) -> None:
    variants = [*CHOICES, *further(6, seed)]
    assert len(variants) == len(CHOICES) + 6
    assert len(set(choices(variants))) == len(variants)
    assert all(itertools.starmap(can_join, itertools.combinations(variants, 2)))


def test_a_variant_that_late_responses_keep_from_being_tested_is_not_drawn() -> None:
    assert set(TOO_FAST) <= all_variants().keys()
    assert not set(TOO_FAST) & set(further(100, 1))


def test_nginx_differs_from_the_package_in_its_site_and_its_files_only() -> None:
    lines = configuration(DEBIAN, "server {}", "directory").splitlines()
    assert [line for line in DEBIAN.splitlines() if line not in lines] == [
        "pid /run/nginx.pid;",
        "error_log /var/log/nginx/error.log;",
        "	access_log /var/log/nginx/access.log;",
        "	include /etc/nginx/sites-enabled/*;",
    ]
    assert "	server {}" in lines


def test_another_configuration_of_the_package_is_refused() -> None:
    with pytest.raises(ValueError, match="sites-enabled"):
        configuration("http {}", "", "")


def test_every_change_and_each_week_are_tested_by_whole_runs() -> None:
    command = "uv run python -m tools.ordinary_run"
    assert f"{command} --latency 60 " in (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert command in (ROOT / ".github/workflows/ordinary.yml").read_text(encoding="utf-8")


def test_an_ordinary_run_names_the_tests_that_were_kept_from_their_webhooks() -> None:
    verdicts = [{"test": "a", "reason": "no charge"}, {"test": "b", "reason": RECEIVED_ELSEWHERE}]
    assert kept_from_webhooks([{"verdicts": verdicts}, {"verdicts": verdicts}]) == ["b"]
