"""POST /api/auth: client credentials are exchanged for a token."""

import base64
import secrets
from collections.abc import Callable

import pytest

from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

ID, SECRET = "$PIX_CLIENT_ID", "$PIX_CLIENT_SECRET"
"""The credentials in a formula of a shell."""


def _basic(client_id: str, secret: str, formula: str) -> Authorization:
    value = f"Basic {base64.b64encode(f'{client_id}:{secret}'.encode()).decode()}"
    return Authorization(value, "wrong credentials", f"Basic {in_base64(formula)}")


def _other_case(secret: str) -> str:
    return f"{secret}X" if secret.swapcase() == secret else secret.swapcase()


@quick
@pytest.mark.generated
@requirement("PAY-AUTH-01")
def test_valid_credentials_get_a_token(payments: Payments) -> None:
    """Every generated POST /api/auth with valid credentials as Basic authentication returns 200 and a token."""
    for request in cases(Api.PAYMENTS, "authenticate", "positive"):
        answer = payments.authenticate(content=request.body, headers=dict(request.headers))
        expect(answer, status(200), has("token"))


@quick
@requirement("PAY-AUTH-15")
@pytest.mark.parametrize("secret", [secrets.token_urlsafe(24), ""], ids=["another", "empty"])
def test_a_wrong_secret_is_refused(payments: Payments, secret: str) -> None:
    """POST /api/auth with a known client_id and a wrong or empty client_secret returns 401."""
    payments.authorization()
    expect(payments.authenticate(_basic(payments.credential.id, secret, f"{ID}:{secret}")), status(401))


@requirement("PAY-AUTH-15")
@pytest.mark.parametrize(
    ("change", "formula"),
    [
        pytest.param(lambda secret: secret[:-1], "${PIX_CLIENT_SECRET%?}", id="one-character-less"),
        pytest.param(lambda secret: f"{secret}x", f"{SECRET}x", id="one-character-more"),
        pytest.param(_other_case, f'$(printf %s "{SECRET}" | tr a-zA-Z A-Za-z)', id="upper-and-lower-case-exchanged"),
    ],
)
def test_a_secret_that_is_almost_right_is_refused(
    payments: Payments, change: Callable[[str], str], formula: str
) -> None:
    """POST /api/auth compares the whole client_secret: one that differs a little returns 401."""
    payments.authorization()
    wrong = change(payments.credential.secret.reveal())
    expect(payments.authenticate(_basic(payments.credential.id, wrong, f"{ID}:{formula}")), status(401))


@requirement("PAY-AUTH-15")
def test_the_secret_of_another_account_is_refused(payments: Payments, other_payments: Payments) -> None:
    """POST /api/auth with the client_id of one account and the client_secret of another returns 401."""
    payments.authorization()
    other = other_payments.credential.secret.reveal()
    mixed = _basic(payments.credential.id, other, f"{ID}:$PIX_OTHER_CLIENT_SECRET")
    expect(payments.authenticate(mixed), status(401))


@requirement("PAY-AUTH-15")
def test_the_secret_of_the_other_environment_is_refused(payments: Payments, live_payments: Payments) -> None:
    """POST /api/auth with a sandbox client_id and the client_secret of production returns 401."""
    payments.authorization()
    sandbox, production = payments.credential, live_payments.credential
    same_secret = sandbox.secret.reveal() == production.secret.reveal()
    if sandbox.id == production.id or same_secret:
        raise NotApplicable("sandbox and production have the same client_id or client_secret")
    mixed = _basic(sandbox.id, production.secret.reveal(), f"{ID}:$PIX_LIVE_CLIENT_SECRET")
    expect(payments.authenticate(mixed), status(401))


@requirement("PAY-AUTH-15")
def test_a_wrong_secret_is_refused_in_production(live_payments: Payments) -> None:
    """POST /api/auth with a production client_id and a wrong client_secret returns 401."""
    live_payments.authorization()
    wrong_secret = secrets.token_urlsafe(24)
    wrong = _basic(live_payments.credential.id, wrong_secret, f"$PIX_LIVE_CLIENT_ID:{wrong_secret}")
    expect(live_payments.authenticate(wrong), status(401))


@quick
@requirement("PAY-AUTH-16")
def test_an_unknown_client_id_is_refused(payments: Payments) -> None:
    """POST /api/auth with a made-up client_id and a client_secret that exists returns 401."""
    payments.authorization()
    client_id = f"pix-conformance-{secrets.token_hex(8)}"
    unknown = _basic(client_id, payments.credential.secret.reveal(), f"{client_id}:{SECRET}")
    expect(payments.authenticate(unknown), status(401))


@requirement("PAY-AUTH-16")
@pytest.mark.parametrize(
    ("change", "formula"),
    [
        pytest.param(lambda client_id: client_id[:-1], "${PIX_CLIENT_ID%?}", id="one-character-less"),
        pytest.param(lambda client_id: f"{client_id}x", f"{ID}x", id="one-character-more"),
    ],
)
def test_a_client_id_that_is_almost_right_is_refused(
    payments: Payments, change: Callable[[str], str], formula: str
) -> None:
    """POST /api/auth compares the whole client_id: one that differs in its last character returns 401."""
    payments.authorization()
    client_id, secret = payments.credential.id, payments.credential.secret.reveal()
    wrong = _basic(change(client_id), secret, f"{formula}:{SECRET}")
    expect(payments.authenticate(wrong), status(401))


@quick
@requirement("PAY-AUTH-17")
def test_a_request_without_credentials_gets_no_token(payments: Payments) -> None:
    """POST /api/auth without an Authorization header returns 401."""
    payments.authorization()
    expect(payments.authenticate(NO_AUTHORIZATION), status(401))


@pytest.fixture(scope="session", params=["without-credentials", "not-base64", "without-a-colon"])
def malformed_login(request: pytest.FixtureRequest, payments: Payments) -> Exchange:
    """Log in with a Basic value that cannot be decoded, or with the client_id alone, in base64."""
    payments.authorization()
    alone = base64.b64encode(payments.credential.id.encode()).decode()
    value, formula = {
        "without-credentials": ("Basic", "Basic"),
        "not-base64": ("Basic !!!", "Basic !!!"),
        "without-a-colon": (f"Basic {alone}", f"Basic {in_base64(ID)}"),
    }[request.param]
    return payments.authenticate(Authorization(value, f"Basic credentials, {request.param}", formula))


@requirement("PAY-AUTH-18")
def test_malformed_credentials_get_no_token(malformed_login: Exchange) -> None:
    """POST /api/auth with a Basic value that is empty, no base64 or without a colon returns a 4xx and no token."""
    expect(malformed_login, refuses_a_token())


@requirement("PAY-AUTH-26")
def test_malformed_credentials_are_unauthorized(malformed_login: Exchange) -> None:
    """POST /api/auth with a Basic value that is empty, no base64 or without a colon returns 401."""
    expect(malformed_login, status(401))


@pytest.fixture(scope="session", params=["Bearer", "Digest", "a token as Bearer"])
def login_under_another_scheme(request: pytest.FixtureRequest, payments: Payments) -> Exchange:
    """Log in with the right credentials under another scheme than Basic, or with a valid token as Bearer."""
    payments.authorization()
    if " " in request.param:
        return payments.authenticate(payments.bearer(new_token(payments)))
    value = str(payments.basic().value).replace("Basic", request.param, 1)
    formula = f"{request.param} {in_base64(f'{ID}:{SECRET}')}"
    return payments.authenticate(Authorization(value, f"the credentials as {request.param}", formula))


@requirement("PAY-AUTH-19")
def test_another_scheme_gets_no_token(login_under_another_scheme: Exchange) -> None:
    """POST /api/auth with credentials as Bearer or Digest, or with a valid token as Bearer, returns no token."""
    expect(login_under_another_scheme, refuses_a_token())


@requirement("PAY-AUTH-27")
def test_another_scheme_is_unauthorized(login_under_another_scheme: Exchange) -> None:
    """POST /api/auth with credentials as Bearer or Digest, or with a valid token as Bearer, returns 401."""
    expect(login_under_another_scheme, status(401))


@requirement("PAY-AUTH-22")
def test_the_claims_of_a_token_agree_with_its_lifetime(payments: Payments) -> None:
    """The claims exp and iat of a token are as far apart as the expiresIn of POST /api/auth says."""
    granted = precondition(payments.authenticate(), has("token"))
    expect(granted, claims_agree_with_lifetime())


@requirement("PAY-AUTH-20")
def test_the_answer_to_a_body_is_noted(payments: Payments, observe: Observer) -> None:
    """The documents leave open whether POST /api/auth refuses a body or ignores it."""
    answers = {
        "an empty object": payments.authenticate(json={}),
        "a field": payments.authenticate(json={"grant_type": "client_credentials"}),
    }
    note_answers(observe, "PAY-AUTH-20", answers)


@requirement("PAY-AUTH-23")
def test_the_answer_to_scheme_names_in_lower_case_is_noted(payments: Payments, observe: Observer) -> None:
    """The document writes Basic and Bearer; HTTP compares scheme names without regard to case."""
    basic = Authorization(str(payments.basic().value).replace("Basic", "basic"), "credentials as 'basic'")
    bearer = Authorization(f"bearer {new_token(payments)}", "token as 'bearer'")
    answers = {"basic": payments.authenticate(basic), "bearer": payments.get_balance(authorization=bearer)}
    note_answers(observe, "PAY-AUTH-23", answers)


@requirement("PAY-AUTH-24")
def test_the_claims_of_a_token_are_noted(payments: Payments, observe: Observer) -> None:
    """The report names the claims of a token, and the values of those that concern permissions."""
    granted = precondition(payments.authenticate(), has("token"))
    claims = claims_of(str(granted.at("token")))
    permissions = {name: claims[name] for name in ("scope", "scopes", "scp", "roles", "permissions") if name in claims}
    names = ", ".join(sorted(claims)) or "none can be read"
    words = f"claims: {names}; permissions: {shown(permissions) if permissions else 'none'}"
    observe("PAY-AUTH-24", words, permissions, granted)
