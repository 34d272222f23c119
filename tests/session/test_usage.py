"""Usage errors that `test_doctor.py` does not make: exit status 4, one sentence, no request."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import NotApplicable
from pix_conformance.harness.receiver_reach import ReceiverReach
from pix_conformance.harness.webhook_channel import webhook_channels
from pix_conformance.model.reception import Shard
from pix_conformance.model.settings import Settings, WorkerSettings
from pix_conformance.model.vocabulary import Api, Role, UsageError
from pix_conformance.proof.suite_run import run_suite
from pix_conformance.recording.owners import OwnDeliveries
from pix_conformance.recording.recorder import Recorder
from pix_conformance.reference.process import Running
from pix_conformance.session.options import SETTINGS, Setting, gather, unknown_variables
from pix_conformance.session.plugin import pytest_addoption
from pix_conformance.session.setting_values import ROUTES
from pix_conformance.session.target_settings import settings_of
from pix_conformance.verdicts.missing_settings import unlocks
from tests.support.clients import account

PAIR = {"PIX_CLIENT_ID": "a", "PIX_CLIENT_SECRET": "b"}
ADDRESS = {"PIX_BASE_URL": "http://127.0.0.1:1"}
GIVEN, KEY = ADDRESS | PAIR, ADDRESS | {"PIX_API_KEY": "ak_test_a"}
SAME = "PIX_CLIENT_ID and PIX_{}_CLIENT_ID have the same value"


def settled(**environment: str) -> Settings:
    return settings_of(gather({}, environment))


def test_each_secret_setting_is_one_that_no_report_shows() -> None:
    """Not so the path of a file, whose content is never read by a test."""
    given = {setting.environment: f"{setting.key}-of-this-test" for setting in SETTINGS if setting.secret}
    given |= {name: f"ak_{'live' if 'LIVE' in name else 'test'}_{name}" for name in given if name.endswith("API_KEY")}
    given["PIX_HEADERS"] = "X-Gateway-Key: header-of-this-test"
    ids = {f"PIX_{role}CLIENT_ID": f"{role}id" for role in ("", "OTHER_", "LIVE_")}
    texts = list(settled(**ADDRESS, **given, **ids, PIX_RECEIVER_LISTEN="127.0.0.1:8443").target.secrets)
    for name, value in given.items():
        assert value.removeprefix("X-Gateway-Key: ") in texts, name


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({**ADDRESS, "PIX_CLIENT_ID": "a"}, "PIX_CLIENT_SECRET is not set"),
        ({**ADDRESS, "PIX_CLIENT_SECRET": "a"}, "PIX_CLIENT_ID is not set"),
        *(
            ({**GIVEN, f"PIX_{role}_CLIENT_ID": "a", f"PIX_{role}_CLIENT_SECRET": secret}, SAME.format(role))
            for role, secret in (("OTHER", "c"), ("LIVE", "b"))
        ),
        ({**KEY, "PIX_REVOKED_API_KEY": "ak_test_a"}, "and PIX_REVOKED_API_KEY have the"),
        ({**ADDRESS, "PIX_API_KEY": "ak_test_a\n"}, "PIX_API_KEY ends with a line break"),
        ({**ADDRESS, "PIX_API_KEY": " ak_test_a"}, "PIX_API_KEY begins with a blank"),
        ({**GIVEN, "PIX_REVOKED_API_KEY": "ak_test_\0"}, "PIX_REVOKED_API_KEY contains a line break or another"),
        ({**GIVEN, "PIX_CLIENT_SECRET": "b\r\n"}, "PIX_CLIENT_SECRET ends with a line break"),
        ({**GIVEN, "PIX_LIVE_CLIENT_ID": "b\tc"}, "PIX_LIVE_CLIENT_ID contains a line break or another"),
        ({**GIVEN, "PIX_BUSINESS_WEBHOOK_SECRET": "s "}, "PIX_BUSINESS_WEBHOOK_SECRET ends with a blank"),
        ({**KEY, "PIX_REVOKED_API_KEY": "revoked"}, "must begin with ak_test_"),
        ({**ADDRESS, "PIX_LIVE_API_KEY": "ak_test_a"}, "which begins with ak_live_"),
        ({**GIVEN, "PIX_ONLY": "PAY-NONE-01"}, "no requirement is called PAY-NONE-01"),
        ({**GIVEN, "PIX_ONLY": "PAY-BAL-01", "PIX_QUICK": "1"}, "--quick and --only exclude each other"),
        ({**GIVEN, "PIX_LEVEL": "open"}, "must or should"),
        ({"PIX_PLAN": "maybe"}, "plan is 'maybe': yes or no"),
        ({"PIX_RECEIVER": "maybe"}, "--receiver is 'maybe': auto or off"),
        ({**GIVEN, "PIX_REQUIRE": "magic"}, "--require is 'magic': one or more of sandbox, "),
        ({**GIVEN, "PIX_API": "banking"}, "--api is 'banking': payments, business or both"),
        ({**GIVEN, "PIX_RATE": "-1"}, "--rate is '-1': a number above 0"),
        ({**GIVEN, "PIX_MAX_CENTS": "0"}, "--max-cents is '0': a number above 0"),
        *(({**GIVEN, "PIX_CONCURRENCY": number}, "or auto") for number in ("0", "-1", "many", "1.5")),
        ({**GIVEN, "PIX_SEED": "x"}, "--seed is 'x': a whole number"),
        *(({**PAIR, "PIX_BASE_URL": url}, "not an http") for url in ("ftp://x", "http://[::1", "http://x:y", "x")),
        *(
            (PAIR | {"PIX_BASE_URL": f"http://x/p{end}/"}, f"ends in '{end}', .* set it to http://x/p$")
            for end in ROUTES
        ),
        *(({**PAIR, "PIX_BASE_URL": f"http://x{end}"}, "a query or a fragment") for end in ("?a=b", "#a", "/p?a@b")),
        ({**GIVEN, "PIX_WAIVERS": "no-such-file"}, "--waivers is 'no-such-file': a file that is there"),
    ],
)
def test_a_usage_error_is_named(environment: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        settled(**environment)


@pytest.mark.parametrize("address", ["http://bob:hunter2@x", "ftp://bob:hunter2@x", "bob:hunter2@x", "http://bob@x"])
@pytest.mark.parametrize("variable", ["PIX_BASE_URL", "PIX_RECEIVER_URL"])
def test_a_password_in_an_address_is_a_usage_error_that_does_not_show_it(variable: str, address: str) -> None:
    with pytest.raises(UsageError, match=f"{variable}.* has a user name or a password before the @") as caught:
        settled(**{**GIVEN, variable: address})
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("ftp://tunnel.example", "is 'ftp://tunnel.example', not an http"),
        ("tunnel.example:8443", "is 'tunnel.example:8443', not an http"),
        ("https://tunnel.example?a=b", "has a query or a fragment"),
    ],
)
def test_a_receiver_address_that_no_webhook_can_have_is_a_usage_error(address: str, words: str) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(f'PIX_RECEIVER_URL (or --receiver-url) {words}')}"):
        settled(**{**GIVEN, "PIX_RECEIVER_URL": address})


def test_a_secret_with_a_blank_inside_is_taken_as_it_is() -> None:
    """A user name and a password of Basic may have one (RFC 7617, section 2), as may the secret of a signature."""
    settings = settled(**{**GIVEN, "PIX_CLIENT_SECRET": "b c", "PIX_BUSINESS_WEBHOOK_SECRET": "d e"})
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
    given = {**GIVEN, "PIX_LIVE_CLIENT_ID": "a", "PIX_LIVE_CLIENT_SECRET": "c"}
    credentials = settings_of(gather({}, given)).target.roles(Api.PAYMENTS)
    assert {role: credential.parts for role, credential in credentials.items()} == {
        Role.MERCHANT: ("a", "b"),
        Role.LIVE_MERCHANT: ("a", "c"),
    }


def test_an_option_of_several_names_may_be_given_more_than_once() -> None:
    parser = pytest.Parser(_ispytest=True)
    pytest_addoption(parser)
    options = parser.parse_known_args(["--only", "PAY-BAL-01", "--only", "BUS-FIN-01,BUS-FIN-02", "--seed", "7"])
    settings = settings_of(gather({"only": options.pix_only, "seed": options.pix_seed}, {}))
    assert settings.tests.only == {"PAY-BAL-01", "BUS-FIN-01", "BUS-FIN-02"}
    assert settings.generation.seed == 7


def test_the_seed_is_the_date_unless_it_is_given() -> None:
    assert settings_of(gather({"seed": "7"}, {})).generation.seed == 7
    before, seed = datetime.now(UTC), settled().generation.seed
    assert str(seed) in {f"{moment:%Y%m%d}" for moment in (before, datetime.now(UTC))}


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
        switches = settings.plan, not settings.bounds.waiting, not settings.bounds.network_faults
        assert dict(zip(FLAGS, switches, strict=True))[flag] is on


def test_a_path_prefix_is_part_of_the_base_url_and_without_one_the_embedded_reference_is_tested() -> None:
    assert settled(PIX_BASE_URL="https://h/pix/", PIX_API_KEY="ak_test_x").target.base_url == "https://h/pix"
    assert settled().target.embedded


ELSEWHERE = {"PIX_BASE_URL": "https://sandbox.example.com", **PAIR}
NOT_SET, IS_OFF = "PIX_RECEIVER_URL is not set", "--receiver is off"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (ELSEWHERE, NOT_SET),
        (ELSEWHERE | {"PIX_RECEIVER_LISTEN": "0.0.0.0:8443"}, NOT_SET),
        (ELSEWHERE | {"PIX_RECEIVER_LISTEN": "192.0.2.7:8443"}, None),
        (ELSEWHERE | {"PIX_RECEIVER_URL": "https://tunnel.example"}, None),
        (ELSEWHERE | {"PIX_RECEIVER_URL": "https://tunnel.example", "PIX_RECEIVER": "off"}, IS_OFF),
        ({"PIX_BASE_URL": "http://127.0.0.2:8080", **PAIR}, None),
        ({"PIX_BASE_URL": "http://localhost:8080", **PAIR, "PIX_RECEIVER": "no"}, IS_OFF),
        ({}, None),
        ({"PIX_RECEIVER": "off"}, IS_OFF),
    ],
)
def test_a_remote_target_without_a_receiver_address_sends_no_webhook(given: dict[str, str], reason: str | None) -> None:
    """A remote target cannot send to a loopback address, nor to a receiver that is switched off."""
    remote = settled(**given)
    assert remote.reception.why_none == reason
    reach = webhook_channels(ReceiverReach(None, remote.reception, OwnDeliveries(Recorder())), Waits())[Api.PAYMENTS]
    if reason:
        with pytest.raises(NotApplicable, match=reason):
            reach.require_reachable()


@pytest.mark.parametrize(("number", "apis"), [(1, set(Api)), (2, {Api.PAYMENTS}), (3, {Api.PAYMENTS})])
def test_the_first_worker_receives_what_comes_to_an_endpoint(number: int, apis: set[Api]) -> None:
    settings = settled(PIX_BASE_URL="http://127.0.0.1:8080", **PAIR)
    worker = replace(settings, workers=WorkerSettings(Shard(number, 3)))
    assert {api for api in Api if worker.reception.why_not(api) is None} == apis


@pytest.mark.parametrize(
    "more",
    [
        {"PIX_RECEIVER_LISTEN": "127.0.0.1:8443"},
        {"PIX_RECEIVER": "off"},
        {"PIX_API": "payments", **PAIR},
        {"PIX_DELIVERIES": __file__},
        {"PIX_BASE_URL": "https://elsewhere.example"},
    ],
)
def test_a_secret_needs_a_port_only_where_its_events_are_received(more: dict[str, str]) -> None:
    given = {"PIX_BASE_URL": "http://127.0.0.1:1", "PIX_API_KEY": "ak_test_a", "PIX_BUSINESS_WEBHOOK_SECRET": "s"}
    assert settled(**{**given, **more}).target.webhook_secrets


def test_a_target_file_switches_the_receiver_off(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text("receiver = false")
    assert settled(PIX_TARGET=str(tmp_path / "t.toml")).reception.why_none == IS_OFF


def test_what_is_missing_is_counted_by_what_it_unlocks() -> None:
    """Each line counts the requirements that need this setting and nothing else that is missing."""
    assert unlocks(settled()) == []
    lines = unlocks(settled(**ELSEWHERE))
    assert "PIX_OTHER_CLIENT_ID and PIX_OTHER_CLIENT_SECRET unlock 14 requirements" in lines
    assert "PIX_SPLIT_EMAIL unlocks up to 17 requirements" in lines
    assert any(line.startswith("PIX_RECEIVER_URL unlocks ") for line in lines)
    assert any(line.startswith("PIX_API_KEY unlocks ") for line in lines)
    assert not any(line.startswith(("PIX_OTHER_API_KEY", "PIX_BUSINESS")) for line in lines)
    assert unlocks(settled(**ELSEWHERE, PIX_API="payments")) == [line for line in lines if "PIX_API_KEY" not in line]


def test_a_file_of_deliveries_is_counted_by_what_it_unlocks(tmp_path: Path) -> None:
    """What the file decides needs no receiver. With workers, the first reads it."""
    (file := tmp_path / "deliveries.jsonl").touch()
    without, given = settled(**ELSEWHERE), settled(**ELSEWHERE, PIX_DELIVERIES=str(file))
    of_file = "--deliveries unlocks up to 46 requirements: content and signature of webhooks recorded elsewhere"
    assert [unlocks(settings)[-1] for settings in (without, given)] == [of_file] * 2
    assert "PIX_RECEIVER_URL unlocks 92 requirements" in unlocks(without)
    assert "PIX_RECEIVER_URL unlocks 56 requirements" in unlocks(given)
    assert of_file not in unlocks(settled(**ELSEWHERE, PIX_RECEIVER_URL="https://tunnel.example"))
    of_workers = [replace(given, workers=WorkerSettings(Shard(number, 2))) for number in (1, 2)]
    assert [settings.reception.file for settings in of_workers] == [file, None]
    assert of_file not in unlocks(replace(given, workers=WorkerSettings(Shard(2, 2))))


@pytest.mark.parametrize(
    "words",
    [
        ("--require", "sandbox"),
        ("--baseline", "."),
        ("--edition", "1.0"),
        ("--waivers", "examples/waivers.toml"),
        ("--assume", "examples/waivers.toml"),
        ("--level", "must"),
    ],
    ids=lambda words: words[0],
)
def test_a_gate_without_a_target_is_a_usage_error(words: tuple[str, str]) -> None:
    """The embedded reference passes it, whatever the target that fell away would have done."""
    option, value = words
    for given in (gather({option.removeprefix("--"): value}, {}), gather({}, {f"PIX_{option[2:].upper()}": value})):
        with pytest.raises(UsageError, match=f"{option} without a target would judge the embedded reference"):
            settings_of(given)


EMPTY = [setting for setting in SETTINGS if not setting.flag]


@pytest.mark.parametrize("setting", EMPTY, ids=lambda setting: setting.key)
def test_an_empty_variable_or_option_is_a_missing_value(setting: Setting, tmp_path: Path) -> None:
    """As where a CI job has no secret, such as one for a fork, or an undefined variable."""
    name, words = setting.environment, "PIX_BASE_URL is empty" if setting.key == "base_url" else "is given, but empty"
    with pytest.raises(UsageError, match=words):
        settled(**{**GIVEN, name: ""})
    (tmp_path / "target.toml").write_text(f'{setting.key} = {{ env = "NAME" }}')
    with pytest.raises(UsageError, match="NAME is given, but empty"):
        gather({"target": str(tmp_path / "target.toml")}, {"NAME": ""})
    if setting.option:
        with pytest.raises(UsageError, match=f"{setting.option} is given, but empty"):
            gather({setting.key: ""}, {name: "x"})
        file = str(tmp_path / "target.toml")
        assert gather({setting.key: file}, {name: "", "NAME": "x"})[setting.key] == file


def test_a_sandbox_without_a_receiver_is_green(tmp_path: Path, server: Running) -> None:
    """One account, no tunnel: the run of the example in docs/gate.md ends with 0."""
    words = ("--receiver", "off", "--no-waiting", "--require", "sandbox", "--level", "must", "--examples", "1")
    done = run_suite(tmp_path / "out", *words, **account(server))

    assert (done.exit, done.with_outcome("inconclusive")) == (0, [])
    assert {done.outcome(name) for name in ("PAY-EVT-01", "PAY-SIG-01", "PAY-ISO-08")} == {"not applicable"}
    reasons = [row["reason"] for row in done.results["requirements"]]
    assert reasons.count(IS_OFF) > 40
    summary = (tmp_path / "out" / "summary.md").read_text(encoding="utf-8")
    assert summary.count(f"| {IS_OFF} |") == 1
