"""`pix-receiver` writes deliveries to the file that `--deliveries` reads."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from pix_conformance.model.delivery import read_deliveries
from pix_conformance.receiver.receiver_command import main

ROOT = Path(__file__).parents[2]
START = "import sys; from pix_conformance.receiver.receiver_command import main; sys.exit(main())"


@contextmanager
def running(*options: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", START, "--listen", "127.0.0.1:0", *options]
    with subprocess.Popen(  # noqa: S603 - this project's own program
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline()


def deliver(url: str, body: bytes) -> int:
    request = Request(url, body, {"X-Sig": "t=1"})  # noqa: S310 - the receiver's own http address
    with urlopen(request, timeout=5) as response:  # noqa: S310 - see above
        return int(response.status)


def test_deliveries_are_written_and_printed_until_interrupted(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with running("--tls", "off", "--out", str(out)) as process:
        url = first_line(process).split()[2].rstrip(",")
        assert deliver(f"{url}/any/path", b'{"type": "a\\u001b[1m"}') == 200
        assert deliver(f"{url}/", b"\xff") == 200
        assert [d.body for d in read_deliveries(out)] == [b'{"type": "a\\u001b[1m"}', b"\xff"]
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=5)
    assert process.returncode == 0
    assert "POST /any/path 22 bytes a\\x1b[1m -> 200\n" in printed
    assert printed.endswith("2 deliveries written\n")


def test_it_stops_by_itself_and_appends(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("what was there\n")
    with running("--out", str(out), "--seconds", "0.1") as process:
        assert first_line(process).startswith("receiving at https://127.0.0.1:")
        assert process.wait(5) == 0
    assert out.read_text() == "what was there\n"


def test_a_failed_write_ends_the_program_without_a_200() -> None:
    with running("--tls", "off", "--out", "/dev/full") as process:
        url = first_line(process).split()[2].rstrip(",")
        with pytest.raises((HTTPError, ConnectionError), match=r"500|closed"):  # 500, or the end of the receiver
            deliver(url, b"{}")
        printed, _ = process.communicate(timeout=5)
    assert process.returncode == 3
    assert "No space left" in printed


@pytest.mark.parametrize("argv", [["--listen", "nowhere"], ["--out", "/absent/file"], ["--what"]])
def test_wrong_usage_is_exit_4(argv: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(signal, "signal", lambda *_: pytest.fail("started"))
    try:
        status = main(argv)
    except SystemExit as end:
        status = int(end.code or 0)
    assert status == 4
