"""`specs/*/signature-vectors.json`: computed again, judged by our oracle, and used as docs/signatures.md says."""

import hashlib
import hmac
import json
import os
import re
import shutil
import subprocess
import sys
from base64 import b64decode
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.paths import SPECS, TEST_TREE
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api
from pix_conformance.oracles import signature

PAGE = TEST_TREE / "docs" / "signatures.md"
FILES = {api: SPECS / api / "signature-vectors.json" for api in Api}
MOST_AGE_S = 300
FEWEST = 40
NODE = shutil.which("node")
BLOCK = re.compile(r"^```\w+ (\S+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
EXACT = re.compile(r"t=\d+,v1=[0-9a-f]{64}")


def vectors(api: Api) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(FILES[api].read_text("utf-8"))["vectors"]
    return rows


VECTORS = [pytest.param(api, vector, id=f"{api}-{vector['name']}") for api in Api for vector in vectors(api)]


def computed_verdict(api: Api, vector: dict[str, Any]) -> str:
    """Return the verdict by `hmac` alone: `open` if only a lenient reading of the header finds the right hash."""
    body, key = b64decode(vector["body"]), vector["key"].encode()
    v1s = {v1.lower() for v1 in re.findall(r"v1=([^,\s]*)", vector["header"])}
    ages = [
        abs(vector["now"] - int(t))
        for t in re.findall(r"\bt=(\d+)", vector["header"])
        if hmac.new(key, f"{t}.".encode() + body, hashlib.sha256).hexdigest() in v1s
    ]
    is_late = not any(age <= MOST_AGE_S for age in ages)
    if not ages or (is_late and api is Api.BUSINESS):
        return "invalid"
    return "open" if is_late or not EXACT.fullmatch(vector["header"]) or not vector["key"].isascii() else "valid"


@pytest.mark.parametrize(("api", "vector"), VECTORS)
def test_each_vector_has_the_verdict_that_hmac_gives_it(api: Api, vector: dict[str, Any]) -> None:
    assert set(vector) == {"name", "key", "body", "header", "now", "verdict", "reason"}
    assert vector["verdict"] == computed_verdict(api, vector)


@pytest.mark.parametrize(("api", "vector"), VECTORS)
def test_the_oracle_agrees_with_each_vector(api: Api, vector: dict[str, Any]) -> None:
    problem = signature.verify(vector["header"], b64decode(vector["body"]), vector["key"])
    age = signature.age(signature.parse(vector["header"]).t, vector["now"])
    in_time = api is Api.PAYMENTS or (age is not None and abs(age) <= MOST_AGE_S)
    in_seconds = api is Api.PAYMENTS or signature.unit(signature.parse(vector["header"]).t) == "seconds"
    assert vector["verdict"] in {"open", "valid" if problem is None and in_time and in_seconds else "invalid"}


@pytest.mark.parametrize("api", Api)
def test_each_file_has_many_vectors_of_every_verdict_and_cites_requirements(api: Api) -> None:
    rows = vectors(api)
    assert json.loads(FILES[api].read_text("utf-8"))["header"].lower() == PROFILES[api].signature_header.lower()
    assert len({row["name"] for row in rows}) == len(rows) >= FEWEST
    assert set(Counter(row["verdict"] for row in rows)) == {"valid", "invalid", "open"}
    cited = {id_ for row in rows for id_ in re.findall(r"[A-Z]+-SIG-\d\d", row["reason"])}
    assert cited <= {requirement.id for requirement in catalogue().of(api)}
    assert all(row["verdict"] == "open" or row["reason"].startswith(f"{row['reason'][:3]}-SIG-") for row in rows)


@pytest.fixture(scope="module")
def blocks() -> dict[str, str]:
    """The files that docs/signatures.md shows, by name."""
    return dict(BLOCK.findall(PAGE.read_text("utf-8")))


def checked(directory: Path, files: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    """Run a check of the page with both files of vectors."""
    for name, text in files.items():
        (directory / name).write_text(text, "utf-8")
    words = [*command, *map(str, FILES.values())]
    return subprocess.run(words, cwd=directory, capture_output=True, text=True, check=False)  # noqa: S603  # our own page


def test_the_python_of_the_page_judges_each_vector_rightly(blocks: dict[str, str], tmp_path: Path) -> None:
    result = checked(tmp_path, blocks, sys.executable, "check.py")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.skipif(NODE is None and not os.environ.get("CI"), reason="the lines in Node need node, which is not here")
def test_the_javascript_of_the_page_judges_each_vector_rightly(blocks: dict[str, str], tmp_path: Path) -> None:
    result = checked(tmp_path, blocks, NODE or "node", "check.mjs")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("right", "wrong", "name"),
    [
        ('b"." + body', 'b"." + body.removeprefix(b"\\xef\\xbb\\xbf")', "a body with a byte order mark"),
        ('b"." + body', 'b"." + body.strip()', "a body with a line feed at its end"),
        ('b"." + body', 'b"." + body.decode("utf-8", "replace").encode()', "a body that is not UTF-8"),
        ("t.encode() + b", 't.encode()[:0] + b"" + b', "an event"),
        ("key.encode()", 'key.removeprefix("whsec_").encode()', "a secret without its prefix"),
        ("right.encode(), v1.encode()", "right[:32].encode(), v1[:32].encode()", "the first half of the hash"),
        (" and in_time", "", "a time 301 seconds old"),
        ("hmac.compare_digest(right.encode(), v1.encode())", "bool(right)", "zeros as the hash"),
    ],
)
def test_a_receiver_with_a_fault_is_told_the_vector(
    blocks: dict[str, str], tmp_path: Path, right: str, wrong: str, name: str
) -> None:
    source = blocks["receiver.py"]
    assert right in source
    result = checked(tmp_path, {**blocks, "receiver.py": source.replace(right, wrong)}, sys.executable, "check.py")
    assert result.returncode == 1
    assert f"{name} is " in result.stdout
