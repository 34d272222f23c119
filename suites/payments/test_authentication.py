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


ANOTHER_SECRET, ANOTHER_ID = secrets.token_urlsafe(24), f"pix-conformance-{secrets.token_hex(8)}"
Change = Callable[[str], str]
"""Makes a wrong client_secret or client_id of the right one."""


@quick
@pytest.mark.generated
@requirement("PAY-AUTH-01")
def test_valid_credentials_get_a_token(payments: Payments) -> None:
    """Every generated POST /api/auth with valid credentials as Basic authentication returns 200 and a token."""
    for request in cases(Api.PAYMENTS, "authenticate", "positive"):
        answer = payments.authenticate(content=request.body, headers=dict(request.headers))
        expect(answer, status(200), has("token"))


@pytest.mark.parametrize(
    ("change", "formula"),
    [
        case("PAY-AUTH-15", lambda _: ANOTHER_SECRET, ANOTHER_SECRET, id="another", quick=True),
        case("PAY-AUTH-15", lambda _: "", "", id="empty", quick=True),
        case("PAY-AUTH-15", lambda secret: secret[:-1], "${PIX_CLIENT_SECRET%?}", id="one-character-less"),
        case("PAY-AUTH-15", lambda secret: f"{secret}x", f"{SECRET}x", id="one-character-more"),
        case("PAY-AUTH-15", _other_case, f'$(printf %s "{SECRET}" | tr a-zA-Z A-Za-z)', id="other-case"),
    ],
)
def test_a_wrong_secret_is_refused(payments: Payments, change: Change, formula: str) -> None:
    """POST /api/auth compares the whole client_secret: another, an empty or an almost right one returns 401."""
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


@pytest.mark.parametrize(
    ("change", "formula"),
    [
        case("PAY-AUTH-16", lambda _: ANOTHER_ID, ANOTHER_ID, id="another", quick=True),
        case("PAY-AUTH-16", lambda client_id: f"{client_id}x", f"{ID}x", id="one-character-more"),
    ],
)
def test_a_wrong_client_id_is_refused(payments: Payments, change: Change, formula: str) -> None:
    """POST /api/auth compares the whole client_id: a made-up or an almost right one returns 401."""
    payments.authorization()
    client_id, secret = payments.credential.id, payments.credential.secret.reveal()
    expect(payments.authenticate(_basic(change(client_id), secret, f"{formula}:{SECRET}")), status(401))


@quick
@requirement("PAY-AUTH-17")
def test_a_request_without_credentials_gets_no_token(payments: Payments) -> None:
    """POST /api/auth without an Authorization header returns 401."""
    payments.authorization()
    expect(payments.authenticate(NO_AUTHORIZATION), status(401))


@requirement("PAY-AUTH-18", "PAY-AUTH-26")
@pytest.mark.parametrize("form", ["without-credentials", "not-base64", "without-a-colon"])
def test_malformed_credentials_get_no_token(payments: Payments, form: str) -> None:
    """POST /api/auth with a Basic value that is empty, no base64 or without a colon returns 401 and no token."""
    payments.authorization()
    alone = base64.b64encode(payments.credential.id.encode()).decode()
    value, formula = {
        "without-credentials": ("Basic", "Basic"),
        "not-base64": ("Basic !!!", "Basic !!!"),
        "without-a-colon": (f"Basic {alone}", f"Basic {in_base64(ID)}"),
    }[form]
    answer = payments.authenticate(Authorization(value, f"Basic credentials, {form}", formula))
    expect(answer, refuses_a_token(), of="PAY-AUTH-18")
    expect(answer, status(401), of="PAY-AUTH-26")


@requirement("PAY-AUTH-19", "PAY-AUTH-27")
@pytest.mark.parametrize("scheme", ["Bearer", "a token as Bearer"])
def test_another_scheme_gets_no_token(payments: Payments, scheme: str) -> None:
    """POST /api/auth with credentials as Bearer, or with a token as Bearer, returns 401 and no token."""
    payments.authorization()
    value = str(payments.basic().value).replace("Basic", scheme, 1)
    formula = f"{scheme} {in_base64(f'{ID}:{SECRET}')}"
    credentials = Authorization(value, f"the credentials as {scheme}", formula)
    answer = payments.authenticate(payments.bearer(current_token(payments)) if " " in scheme else credentials)
    expect(answer, refuses_a_token(), of="PAY-AUTH-19")
    expect(answer, status(401), of="PAY-AUTH-27")


@pytest.fixture(scope="session")
def granted(payments: Payments) -> Exchange:
    """Return the answer of POST /api/auth with a token."""
    return precondition(payments.authenticate(), has("token"))


@requirement("PAY-AUTH-22")
def test_the_claims_of_a_token_agree_with_its_lifetime(granted: Exchange) -> None:
    """The claims exp and iat of a token are as far apart as the expiresIn of POST /api/auth says."""
    expect(granted, claims_agree_with_lifetime())


@requirement("PAY-AUTH-20")
def test_the_answer_to_a_body_is_noted(payments: Payments, observe: Observer) -> None:
    """The documents leave open whether POST /api/auth refuses a body or ignores it."""
    answer = payments.authenticate(json={"grant_type": "client_credentials"})
    note_answers(observe, "PAY-AUTH-20", {"a field": answer})


@requirement("PAY-AUTH-23")
def test_the_answer_to_scheme_names_in_lower_case_is_noted(payments: Payments, observe: Observer) -> None:
    """The document writes Basic and Bearer; HTTP compares scheme names without regard to case."""
    basic = Authorization(str(payments.basic().value).replace("Basic", "basic"), "credentials as 'basic'")
    bearer = Authorization(f"bearer {current_token(payments)}", "token as 'bearer'")
    balance = payments.get_balance(authorization=bearer)  # first, as a new token may end this one
    note_answers(observe, "PAY-AUTH-23", {"basic": payments.authenticate(basic), "bearer": balance})


@requirement("PAY-AUTH-24")
def test_the_claims_of_a_token_are_noted(granted: Exchange, observe: Observer) -> None:
    """The report names the claims of a token, and the values of those that concern permissions."""
    claims = claims_of(str(granted.at("token")))
    permissions = {name: claims[name] for name in ("scope", "scopes", "scp", "roles", "permissions") if name in claims}
    names = ", ".join(sorted(claims)) or "none can be read"
    words = f"claims: {names}; permissions: {shown(permissions) if permissions else 'none'}"
    observe("PAY-AUTH-24", words, permissions, granted)
