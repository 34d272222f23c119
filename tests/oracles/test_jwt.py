"""PyJWT finds each invalid copy of a token invalid in the stated way."""

from base64 import urlsafe_b64decode

import jwt as pyjwt
import pytest

from pix_conformance.oracles import jwt

_KEY = "a key of thirty-two bytes or more"
_TOKEN = pyjwt.encode({"sub": "merchant", "exp": 4102444800}, _KEY, algorithm="HS256")


def test_the_whole_token_is_accepted_by_its_verifier() -> None:
    assert pyjwt.decode(_TOKEN, _KEY, algorithms=["HS256"])["sub"] == "merchant"


@pytest.mark.parametrize("twin", [jwt.tampered(_TOKEN), jwt.truncated(_TOKEN), jwt.tampered(jwt.tampered(_TOKEN))])
def test_an_invalid_copy_fails_only_by_its_signature(twin: str) -> None:
    with pytest.raises(pyjwt.InvalidSignatureError):
        pyjwt.decode(twin, _KEY, algorithms=["HS256"])


def test_the_tampered_copy_keeps_the_claims_and_the_signature() -> None:
    twin = jwt.tampered(_TOKEN)
    claims = pyjwt.decode(twin, options={"verify_signature": False})
    assert claims["sub"] == "merchant"
    assert twin.rpartition(".")[2] == _TOKEN.rpartition(".")[2]


def test_the_unsigned_copy_has_algorithm_none_and_the_same_payload() -> None:
    twin = jwt.unsigned(_TOKEN)
    assert pyjwt.get_unverified_header(twin)["alg"] == "none"
    assert twin.split(".")[1:] == [_TOKEN.split(".")[1], ""]


@pytest.mark.parametrize("token", ["opaque-token", "A", "a.b", "eyJhbGciOiJkaXIifQ.QUJD.AAAA.AAAA.AAAA"])
def test_any_token_has_copies_that_differ(token: str) -> None:
    assert token not in {jwt.unsigned(token), jwt.tampered(token), jwt.truncated(token)}


def test_the_first_character_is_changed_if_no_claims_can_be_read() -> None:
    before, after = (urlsafe_b64decode(text.split(".")[1]) for text in ("a.QUJD.c", jwt.tampered("a.QUJD.c")))
    assert before != after
