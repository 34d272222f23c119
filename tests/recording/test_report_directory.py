"""The report directory: no file of the user is removed, and an earlier report stays until the new one is complete."""

import shutil
from pathlib import Path

import pytest

from pix_conformance.proof.suite_run import ROOT, Finished, run_suite
from pix_conformance.recording.report_directory import (
    EARLIER,
    FAILED_EXAMPLES,
    FILES,
    ReportDirectoryError,
    prepare,
    publish,
)
from pix_conformance.report.report_command import main
from pix_conformance.session.plugin import example_database
from tests.session.test_usage import settled
from tests.support import bundles
from tests.support.servers import serving


def foreign(directory: Path) -> Path:
    (directory / "sub").mkdir(parents=True)
    (directory / "thesis.txt").write_text("x")
    return directory


def test_a_directory_with_files_of_the_user_is_refused_before_any_request(tmp_path: Path) -> None:
    asked: list[str] = []
    with serving(lambda handler: asked.append(handler.path)) as url:
        given = {"PIX_BASE_URL": url, "PIX_API_KEY": "ak_test_x"}
        done = run_suite(foreign(tmp_path / "p"), "--only", "BUS-CHG-01", **given)

    assert (done.exit, asked) == (4, [])
    assert "holds files, and no earlier report (sub, thesis.txt)" in done.output
    assert "Traceback" not in done.output
    assert sorted(path.name for path in (tmp_path / "p").iterdir()) == ["sub", "thesis.txt"]


@pytest.mark.parametrize("name", [".", "~", "linked", "README.md", "dangling", "/proc/x"])
def test_any_other_place_is_refused_in_words(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    foreign(tmp_path / "home")
    (tmp_path / "linked").symlink_to(tmp_path / "home")
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    given = name if name[0] in "~/" else str({".": ROOT, "README.md": ROOT / name}.get(name, tmp_path / name))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with pytest.raises(ReportDirectoryError):
        prepare(settled(PIX_REPORT_DIR=given).report_dir)
    assert (tmp_path / "home" / "thesis.txt").read_text() == "x"


def test_an_earlier_report_is_set_aside_until_the_new_one_replaces_its_files_and_no_others(tmp_path: Path) -> None:
    """A reader does not take it for the report of the run that has begun, and it is not lost if that writes none."""
    directory = bundles.write(tmp_path / "earlier")
    (directory / "notes.txt").write_text("mine")
    (tmp_path / "drafts").mkdir()
    before = (directory / "results.json").read_bytes()
    looks: list[bool] = []

    def look(handler: object) -> None:
        del handler
        is_there = any((directory / name).exists() for name in FILES)
        looks.append(not is_there and (directory / EARLIER / "results.json").read_bytes() == before)
        raise ConnectionError

    with serving(look) as url:
        given = {"PIX_BASE_URL": url, "PIX_API_KEY": "ak_test_x", "TMPDIR": str(tmp_path / "drafts")}
        run_suite(directory, "--only", "BUS-CHG-01", **given)

    assert looks
    assert all(looks)
    assert (directory / "results.json").read_bytes() != before
    assert sorted(path.name for path in directory.iterdir()) == sorted([*FILES, "notes.txt"])
    assert list((tmp_path / "drafts").iterdir()) == []


@pytest.mark.parametrize("text", ["[]", "{}", '{"suite": "jest", "run": {}}', "no JSON"])
def test_a_results_file_of_another_tool_is_no_report(tmp_path: Path, text: str) -> None:
    (tmp_path / "results.json").write_text(text)
    with pytest.raises(ReportDirectoryError, match="no earlier report"):
        prepare(tmp_path)
    assert main([str(tmp_path)]) == 4
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_a_folder_with_the_name_of_a_file_of_ours_is_refused(tmp_path: Path) -> None:
    bundles.write(tmp_path)
    (tmp_path / "index.html").mkdir()
    with pytest.raises(ReportDirectoryError, match=r"index\.html is a folder"):
        prepare(tmp_path)


def test_a_link_in_an_earlier_report_is_replaced_and_not_followed(tmp_path: Path) -> None:
    draft, directory = bundles.write(tmp_path / "draft"), bundles.write(tmp_path / "earlier")
    (tmp_path / "precious").write_text("x")
    (directory / "exchanges.jsonl").unlink()
    (directory / "exchanges.jsonl").symlink_to(tmp_path / "precious")
    publish(draft, directory)
    assert (tmp_path / "precious").read_text() == "x"
    assert (directory / "exchanges.jsonl").read_bytes() == (draft / "exchanges.jsonl").read_bytes()


def test_files_of_an_interrupted_run_do_not_prevent_the_next_one(tmp_path: Path) -> None:
    (tmp_path / ".results.json.new").write_text("{")
    prepare(tmp_path)


def test_judging_again_writes_only_where_a_run_may(
    right_run: Finished, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = shutil.copytree(right_run.directory, tmp_path / "run")
    words = ["rejudge", str(source), "--out"]

    assert main([*words, str(foreign(tmp_path / "p"))]) == 4
    assert "no earlier report" in capsys.readouterr().err
    assert sorted(path.name for path in (tmp_path / "p").iterdir()) == ["sub", "thesis.txt"]
    assert main([*words, str(tmp_path / "new")]) == 0
    assert "no verdict changed" in capsys.readouterr().out
    assert "judged again from the recording" in (tmp_path / "new" / "index.html").read_text()
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted(FILES)
    assert main([*words, str(source)]) == 0


def test_inputs_that_failed_stay_beside_the_report(tmp_path: Path) -> None:
    """A run that was interrupted before its first report leaves them alone in the directory."""
    database = example_database(tmp_path)
    assert database is not None
    database.save(b"test", b"input")

    prepare(tmp_path)

    assert list(database.fetch(b"test")) == [b"input"]
    assert [path.name for path in tmp_path.iterdir()] == [FAILED_EXAMPLES]
