"""Usage errors that `test_doctor.py` does not make: exit status 4, one sentence, no request."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pix_conformance.model.settings import Settings
from pix_conformance.model.vocabulary import Api, Role, UsageError
from pix_conformance.proof.suite_run import run_suite
from pix_conformance.session.options import gather, unknown_variables
from pix_conformance.session.plugin import pytest_addoption
from pix_conformance.session.setting_values import ROUTES
from pix_conformance.session.target_settings import settings_of

PAIR = {"PIX_CLIENT_ID": "a", "PIX_CLIENT_SECRET": "b"}
ADDRESS = {"PIX_BASE_URL": "http://127.0.0.1:1"}


def settled(**environment: str) -> Settings:
    return settings_of(gather({}, environment))


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"PIX_BASE_URL": ""}, "PIX_BASE_URL is empty"),
        ({**ADDRESS, "PIX_CLIENT_ID": "a"}, "PIX_CLIENT_SECRET is not set"),
        ({**ADDRESS, "PIX_CLIENT_SECRET": "a"}, "PIX_CLIENT_ID is not set"),
        (
            {**ADDRESS, **PAIR, "PIX_OTHER_CLIENT_ID": "a", "PIX_OTHER_CLIENT_SECRET": "c"},
            "PIX_CLIENT_ID and PIX_OTHER_CLIENT_ID have the same value",
        ),
        (
            {**ADDRESS, **PAIR, **{name.replace("PIX_", "PIX_LIVE_"): text for name, text in PAIR.items()}},
            "PIX_CLIENT_ID and PIX_LIVE_CLIENT_ID have the same value",
        ),
        (
            {**ADDRESS, "PIX_API_KEY": "ak_test_a", "PIX_REVOKED_API_KEY": "ak_test_a"},
            "and PIX_REVOKED_API_KEY have the",
        ),
        ({**ADDRESS, "PIX_API_KEY": "ak_test_a\n"}, "PIX_API_KEY ends with a line break"),
        ({**ADDRESS, "PIX_API_KEY": " ak_test_a"}, "PIX_API_KEY begins with a blank"),
        (
            {**ADDRESS, **PAIR, "PIX_REVOKED_API_KEY": "ak_test_\0"},
            "PIX_REVOKED_API_KEY contains a line break or another",
        ),
        ({**ADDRESS, **PAIR, "PIX_CLIENT_SECRET": "b\r\n"}, "PIX_CLIENT_SECRET ends with a line break"),
        ({**ADDRESS, **PAIR, "PIX_LIVE_CLIENT_ID": "b\tc"}, "PIX_LIVE_CLIENT_ID contains a line break or another"),
        ({**ADDRESS, **PAIR, "PIX_BUSINESS_WEBHOOK_SECRET": "s "}, "PIX_BUSINESS_WEBHOOK_SECRET ends with a blank"),
        ({**ADDRESS, "PIX_API_KEY": "ak_test_a", "PIX_REVOKED_API_KEY": "revoked"}, "must begin with ak_test_"),
        ({**ADDRESS, "PIX_LIVE_API_KEY": "ak_test_a"}, "which begins with ak_live_"),
        ({**ADDRESS, **PAIR, "PIX_ONLY": "PAY-NONE-01"}, "no requirement is called PAY-NONE-01"),
        ({**ADDRESS, **PAIR, "PIX_ONLY": "PAY-BAL-01", "PIX_QUICK": "1"}, "--quick and --only exclude each other"),
        ({**ADDRESS, **PAIR, "PIX_LEVEL": "open"}, "must or should"),
        ({"PIX_PLAN": "maybe"}, "plan is 'maybe': yes or no"),
        ({"PIX_RECEIVER": "maybe"}, "--receiver is 'maybe': auto or off"),
        ({**ADDRESS, **PAIR, "PIX_REQUIRE": "magic"}, "--require is 'magic': one or more of sandbox, "),
        ({**ADDRESS, **PAIR, "PIX_API": "banking"}, "--api is 'banking': payments, business or both"),
        ({**ADDRESS, **PAIR, "PIX_RATE": "-1"}, "--rate is '-1': a number above 0"),
        ({**ADDRESS, **PAIR, "PIX_MAX_CENTS": "0"}, "--max-cents is '0': a number above 0"),
        *(({**ADDRESS, **PAIR, "PIX_CONCURRENCY": number}, "or auto") for number in ("0", "-1", "many", "1.5")),
        ({**ADDRESS, **PAIR, "PIX_SEED": "x"}, "--seed is 'x': a whole number"),
        *(({**PAIR, "PIX_BASE_URL": url}, "not an http") for url in ("ftp://x", "http://[::1", "http://x:y", "x")),
        *(
            ({**PAIR, "PIX_BASE_URL": f"http://x/p{route}/"}, f"ends in '{route}', .* set it to http://x/p$")
            for route in ROUTES
        ),
        *(({**PAIR, "PIX_BASE_URL": f"http://x{end}"}, "a query or a fragment") for end in ("?a=b", "#a", "/p?a@b")),
        ({**ADDRESS, **PAIR, "PIX_WAIVERS": "no-such-file"}, "--waivers is 'no-such-file': a file that is there"),
    ],
)
def test_a_usage_error_is_named(environment: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        settled(**environment)


@pytest.mark.parametrize("address", ["http://bob:hunter2@x", "ftp://bob:hunter2@x", "bob:hunter2@x", "http://bob@x"])
@pytest.mark.parametrize("variable", ["PIX_BASE_URL", "PIX_RECEIVER_URL"])
def test_a_password_in_an_address_is_a_usage_error_that_does_not_show_it(variable: str, address: str) -> None:
    with pytest.raises(UsageError, match=f"{variable}.* has a user name or a password before the @") as caught:
        settled(**{**ADDRESS, **PAIR, variable: address})
    assert "hunter2" not in str(caught.value)


def test_a_secret_with_a_blank_inside_is_taken_as_it_is() -> None:
    """A user name and a password of Basic may have one (RFC 7617, section 2), as may the secret of a signature."""
    settings = settled(**{**ADDRESS, **PAIR, "PIX_CLIENT_SECRET": "b c", "PIX_BUSINESS_WEBHOOK_SECRET": "d e"})
    assert settings.target.credentials[Api.PAYMENTS][Role.MERCHANT].secret.reveal() == "b c"


def test_a_variable_that_is_no_setting_is_named(tmp_path: Path) -> None:
    """Not so a variable that the target file names."""
    file = tmp_path / "target.toml"
    file.write_text('api_key = { env = "PIX_STAGING_KEY" }')
    given = {"PIX_BASEURL": "http://x", "PIX_ZZ": "1", "PIX_STAGING_KEY": "k", "PIX_TARGET": str(file), "PIXEL": "1"}

    assert [str(problem) for problem in unknown_variables(gather({}, given), given)] == [
        "PIX_BASEURL is not a setting, so it is not used: did you mean PIX_BASE_URL?",
        "PIX_ZZ is not a setting, so it is not used: pix-conformance --help lists the settings",
    ]


def test_a_usage_error_ends_the_run_with_4_and_names_the_variable_that_is_misspelt(tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", **PAIR, PIX_BASEURL="http://127.0.0.1:1")
    assert done.exit == 4
    assert "no address: set PIX_BASE_URL or --base-url" in done.output
    assert "did you mean PIX_BASE_URL?" in done.output
    assert "Traceback" not in done.output
    assert not (tmp_path / "out").exists()


def test_both_environments_may_have_one_client_id() -> None:
    given = {**ADDRESS, **PAIR, "PIX_LIVE_CLIENT_ID": "a", "PIX_LIVE_CLIENT_SECRET": "c"}
    credentials = settings_of(gather({}, given)).target.roles(Api.PAYMENTS)
    assert {role: credential.parts for role, credential in credentials.items()} == {
        Role.MERCHANT: ("a", "b"),
        Role.LIVE_MERCHANT: ("a", "c"),
    }


def test_options_outrank_the_environment_which_outranks_the_target_file(tmp_path: Path) -> None:
    file = tmp_path / "target.toml"
    file.write_text('base_url = "http://f"\nseed = 1\nrate = 1\napi_key = { env = "MINE" }\nrequire = ["sandbox"]')
    given = {"PIX_TARGET": str(file), "PIX_SEED": "2", "PIX_RATE": "2", "MINE": "ak_test_x"}

    settings = settings_of(gather({"rate": "3"}, given))

    assert (settings.target.base_url, settings.seed, settings.rate) == ("http://f", 2, 3.0)


def test_an_option_of_several_names_may_be_given_more_than_once() -> None:
    parser = pytest.Parser(_ispytest=True)
    pytest_addoption(parser)
    options = parser.parse_known_args(["--only", "PAY-BAL-01", "--only", "BUS-FIN-01,BUS-FIN-02", "--seed", "7"])
    settings = settings_of(gather({"only": options.pix_only, "seed": options.pix_seed}, {}))
    assert settings.only == {"PAY-BAL-01", "BUS-FIN-01", "BUS-FIN-02"}
    assert settings.seed == 7


def test_the_seed_is_the_date_unless_it_is_given() -> None:
    assert settings_of(gather({"seed": "7"}, {})).seed == 7
    before, seed, after = (
        f"{datetime.now(UTC):%Y%m%d}",
        settings_of(gather({}, {})).seed,
        f"{datetime.now(UTC):%Y%m%d}",
    )
    assert str(seed) in {before, after}


FLAGS = ("plan", "no_waiting", "no_network_faults")


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize(("word", "on"), [(word, False) for word in ("0", "false", "No", "off", "")] + [("1", True)])
def test_a_word_switches_a_flag_on_or_off(tmp_path: Path, flag: str, word: str, on: bool) -> None:  # noqa: FBT001  # a value of the table
    """The environment, which takes precedence, and a target file accept the same words."""
    (tmp_path / "on.toml").write_text(f"{flag} = true")
    (tmp_path / "word.toml").write_text(f'{flag} = "{word}"')
    by_environment = gather({}, {"PIX_TARGET": str(tmp_path / "on.toml"), f"PIX_{flag.upper()}": word})
    by_file = gather({}, {"PIX_TARGET": str(tmp_path / "word.toml")})
    for settings in (settings_of(by_environment), settings_of(by_file)):
        switches = settings.plan, not settings.waiting, not settings.network_faults
        assert dict(zip(FLAGS, switches, strict=True))[flag] is on


def test_a_path_prefix_is_part_of_the_base_url_and_without_one_the_embedded_reference_is_tested() -> None:
    assert settled(PIX_BASE_URL="https://h/pix/", PIX_API_KEY="ak_test_x").target.base_url == "https://h/pix"
    assert settled().target.embedded
