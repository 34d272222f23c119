"""The signature oracle and the published vectors: forms of the header, names of mistakes, docs/signatures.md."""

import hashlib
import hmac
import json
import os
import re
import shutil
import subprocess
import sys
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model import openapi
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.paths import SPECS, TEST_TREE
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api
from pix_conformance.oracles import signature

_SECRET = "whsec_test_secret"  # noqa: S105 - a made-up one
_T = "1614265330"
_BODY = '{"name": "João", "a": [1, 2]}'.encode()
_VALUE = json.loads(_BODY)
COMPACT = {"separators": (",", ":")}


def _mac(message: bytes, key: bytes = _SECRET.encode(), algorithm: str = "sha256") -> bytes:
    return hmac.digest(key, message, algorithm)


def _over(body: bytes, key: bytes = _SECRET.encode()) -> str:
    return _mac(_T.encode() + b"." + body, key).hex()


def _dumps(**layout: Any) -> bytes:
    return json.dumps(_VALUE, **layout).encode()


RECIPES = [
    ("re-serialised body (compact)", _over(_dumps(ensure_ascii=False, **COMPACT))),
    ("with what is not ASCII escaped", _over(_dumps())),
    ("re-serialised body (with blanks, keys sorted, escaped to ASCII)", _over(_dumps(sort_keys=True))),
    ("re-serialised body (compact, keys sorted)", _over(_dumps(ensure_ascii=False, sort_keys=True, **COMPACT))),
    ("re-serialised body (indented by two)", _over(_dumps(ensure_ascii=False, indent=2))),
    ("re-serialised body (indented by four, escaped to ASCII)", _over(_dumps(indent=4))),
    ("trailing newline", _over(_BODY + b"\n")),
    ("empty body", _over(b"")),
    ("body alone", _mac(_BODY).hex()),
    ("t alone", _mac(_T.encode()).hex()),
    ("without the dot", _mac(_T.encode() + _BODY).hex()),
    ("other way round", _mac(_BODY + b"." + _T.encode()).hex()),
    ("joined by ':'", _mac(_T.encode() + b":" + _BODY).hex()),
    ("whsec_ prefix", _over(_BODY, b"test_secret")),
    ("empty secret", _over(_BODY, b"")),
    ("t in milliseconds", _mac(_T.encode() + b"000." + _BODY).hex()),
    ("by +2", _mac(b"1614265332." + _BODY).hex()),
    ("base64", b64encode(_mac(_T.encode() + b"." + _BODY)).decode()),
    ("SHA-1", _mac(_T.encode() + b"." + _BODY, algorithm="sha1").hex()),
    ("SHA-512", _mac(_T.encode() + b"." + _BODY, algorithm="sha512").hex()),
    ("sha256=", "sha256=" + _over(_BODY)),
    ("body alone, without t and wrote the digest in base64", b64encode(_mac(_BODY)).decode()),
]


@pytest.mark.parametrize(
    ("pattern", "right"),
    [
        ("t={t},v1={v1}", True),
        (" v1={v1} , t={t} ", True),
        ("t={t},v1=00,v1={v1}", True),
        ("t={t},v0=aa,v1={V1}", True),
        ("t={t},v0={v1}", False),
        ("t={t}", False),
        ("v1={v1}", False),
        ("t={t},v1=", False),
        ("{v1}", False),
        ("", False),
        (None, False),
    ],
)
def test_headers_of_many_forms(pattern: str | None, right: bool) -> None:  # noqa: FBT001 - a column of the table
    v1 = _over(_BODY)
    header = None if pattern is None else pattern.format(t=_T, v1=v1, V1=v1.upper())
    assert (signature.verify(header, _BODY, _SECRET) is None) is right


@pytest.mark.parametrize(("words", "v1"), RECIPES)
def test_a_known_mistake_is_named(words: str, v1: str) -> None:
    header = f"t={_T},v1={v1}"
    assert signature.verify(header, _BODY, _SECRET)
    assert words in (signature.diagnose(header, _BODY, _SECRET) or "")


_RICH = '{"id":"evt_1","data":{"id":7,"url":"https://h/x","text":"a < b & João 😀"}}'
_ESCAPED = _RICH.replace("<", "\\u003c").replace("&", "\\u0026")
_IN_PHP = json.dumps(json.loads(_RICH), separators=(",", ":")).replace("/", "\\/")
_KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
_DECODED = b64decode(_KEY.removeprefix("whsec_"))
OTHER_TEXTS = [
    (_ESCAPED, _RICH.encode(), "before <, > and & were escaped, as Go does"),
    (_RICH, _ESCAPED.encode(), "with <, > and & escaped, as Go does"),
    (_RICH.replace("/", "\\/"), _RICH.encode(), "before / was written as \\/, as PHP does"),
    (_RICH, _RICH.replace("/", "\\/").encode(), "with / written as \\/, as PHP does"),
    (_RICH, _IN_PHP.encode(), "with / and what is not ASCII escaped, as PHP does"),
    (_IN_PHP, _RICH.encode(), "before / and what is not ASCII were escaped, as PHP does"),
    (_RICH, _RICH.encode("ascii", "replace"), "`?` for each character that is not ASCII"),
    (_RICH, _RICH.encode("latin-1", "replace"), "in Latin-1"),
    (_RICH, _RICH.encode().decode("latin-1").encode(), "UTF-8 encoded once more"),
    (_RICH, _RICH.replace("😀", "?").encode(), "`?` for each character beyond the BMP"),
    (_RICH, _RICH.replace("😀", "\ufffd").encode(), "U+FFFD for each character beyond the BMP"),
    (_RICH, _RICH.replace("😀", "\\ud83d\\ude00").encode(), "with characters beyond the BMP escaped"),
    (_RICH, _RICH.replace("😀", "\ud83d\ude00").encode("utf-8", "surrogatepass"), "two surrogates"),
]
"""The body that came, what was signed, and how that is called."""


@pytest.mark.parametrize(("body", "signed", "words"), OTHER_TEXTS, ids=[words for *_, words in OTHER_TEXTS])
def test_another_text_in_place_of_the_body_is_named(body: str, signed: bytes, words: str) -> None:
    assert words in (signature.diagnose(f"t={_T},v1={_over(signed)}", body.encode(), _SECRET) or "")


@pytest.mark.parametrize(
    ("v1", "words"),
    [
        (b64encode(_mac(f"evt_1.{_T}.{_RICH}".encode(), _DECODED)).decode(), "as Standard Webhooks does"),
        (_mac(f"v0:{_T}:{_RICH}".encode(), _KEY.encode()).hex(), "as Slack does"),
        (_mac(f"id:7;request-id:evt_1;ts:{_T};".encode(), _KEY.encode()).hex(), "as Mercado Pago does"),
        (_mac(f"id:evt_1;ts:{_T};".encode(), _KEY.encode()).hex(), "as Mercado Pago does"),
        (hashlib.sha256(f"{_T}.{_RICH}".encode()).hexdigest(), "SHA-256 without HMAC"),
        (hashlib.sha256(f"{_RICH}{_KEY}".encode()).hexdigest(), "SHA-256 without HMAC"),
    ],
)
def test_another_scheme_is_named(v1: str, words: str) -> None:
    assert words in (signature.diagnose(f"t={_T},v1={v1}", _RICH.encode(), _KEY) or "")


def test_a_right_body_in_every_script_needs_no_name() -> None:
    assert signature.diagnose(f"t={_T},v1={_over(_RICH.encode())}", _RICH.encode(), _SECRET) is None


def test_a_signature_with_the_secret_of_another_webhook_is_named() -> None:
    header = f"t={_T},v1={_over(_BODY, b'whsec_other')}"
    reason = signature.mismatch(header, _BODY, _SECRET, others=[_SECRET, "whsec_third", "whsec_other"])
    assert "signed with the secret of another webhook" in (reason or "")
    assert "another webhook" not in (signature.mismatch(header, _BODY, _SECRET, others=[_SECRET]) or "")


def test_a_signature_over_the_t_of_an_earlier_delivery_is_named() -> None:
    header = f"t={int(_T) + 60},v1={_over(_BODY)}"
    reason = signature.mismatch(header, _BODY, _SECRET, earlier=["1614265000", _T])
    assert "signed the t of an earlier delivery" in (reason or "")


def test_an_empty_body_is_said() -> None:
    assert "the body that came is empty" in (signature.mismatch(f"t={_T},v1={_over(_BODY)}", b"", _SECRET) or "")


@pytest.mark.parametrize(
    ("secret", "decode", "words"),
    [
        ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b64decode, "from base64"),
        ("00ff10ab", bytes.fromhex, "from hexadecimal"),
        (" padded ", lambda _: b"padded", "removed white space around the secret"),
    ],
)
def test_a_changed_secret_is_named(secret: str, decode: Callable[[str], bytes], words: str) -> None:
    header = f"t={_T},v1={_over(_BODY, decode(secret.removeprefix('whsec_')))}"
    assert words in (signature.diagnose(header, _BODY, secret) or "")


def test_a_trimmed_body_is_named() -> None:
    words = "signed the body without the white space around it"
    assert signature.diagnose(f"t={_T},v1={_over(b'x')}", b" x\n", _SECRET) == words


def test_milliseconds_signed_as_seconds_are_named() -> None:
    header = f"t={_T}123,v1={_over(_BODY)}"
    assert "t in seconds" in (signature.diagnose(header, _BODY, _SECRET) or "")


def test_an_unknown_mistake_has_no_name() -> None:
    assert signature.diagnose(f"t={_T},v1={'00' * 32}", _BODY, _SECRET) is None


@pytest.mark.parametrize(
    ("t", "age"),
    [
        ("1000", 500.0),
        ("1614265330", 1500 - 1614265330),
        ("1614265330500", 1500 - 1614265330.5),
        ("1000.25", 499.75),
        ("", None),
        ("-1", None),
    ],
)
def test_the_age_counts_in_seconds_also_of_a_t_in_milliseconds(t: str, age: float | None) -> None:
    assert signature.age(t, 1500.0) == age


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


def sample_accepts(api: Api, vector: dict[str, Any]) -> bool:
    """Return whether the function in `info.description` accepts a vector; where it raises, it does not."""
    (sample,) = re.findall(
        r"^```python\n(.*?)^```", openapi.description(api)["info"]["description"], re.DOTALL | re.MULTILINE
    )
    scope: dict[str, Any] = {"hmac": hmac, "hashlib": hashlib}
    exec(sample, scope)  # noqa: S102  # our own text
    given = (vector["header"], b64decode(vector["body"]), vector["key"], vector["now"])
    try:
        return bool(scope["is_signed"](*given[: scope["is_signed"].__code__.co_argcount]))
    except (KeyError, ValueError):
        return False


@pytest.mark.parametrize(("api", "vector"), VECTORS)
def test_the_sample_in_the_openapi_file_gives_each_vector_its_verdict(api: Api, vector: dict[str, Any]) -> None:
    if vector["verdict"] != "open":
        words = f"the sample in info.description of specs/{api}/openapi.yaml"
        assert sample_accepts(api, vector) == (vector["verdict"] == "valid"), words


@pytest.mark.parametrize(("api", "vector"), VECTORS)
def test_each_vector_has_the_verdict_that_hmac_gives_it(api: Api, vector: dict[str, Any]) -> None:
    assert set(vector) == {"name", "key", "body", "header", "now", "verdict", "reason"}
    right = computed_verdict(api, vector)
    words = f"`verdict` of {vector['name']} in the vectors of {api}: a header is valid only in the form of EXACT"
    assert vector["verdict"] == right, words


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
        ("right.encode(), v1.lower().encode()", "right[:32].encode(), v1[:32].encode()", "the first half of the hash"),
        (" and in_time", "", "a time 301 seconds old"),
        ("hmac.compare_digest(right.encode(), v1.lower().encode())", "bool(right)", "zeros as the hash"),
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
