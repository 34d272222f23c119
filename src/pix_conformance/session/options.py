"""The settings of a run: option > environment > target file.

Command line, `--help`, the table of docs/options.md and `examples/target.toml` are made from `SETTINGS`.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pix_conformance.model import editions
from pix_conformance.model.catalogue import named_requirements
from pix_conformance.model.profile import PREFIX, PROFILES, ApiProfile, variable
from pix_conformance.model.reception import ReceiverSettings
from pix_conformance.model.settings import Gate, Generation, Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Capability, Role, UsageError
from pix_conformance.session import setting_values
from pix_conformance.session.diagnoses import Diagnosis, Problem
from pix_conformance.session.setting_values import optional

A_NUMBER = "a number above 0"
YES_OR_NO = "yes or no (also 1, true, on; 0, false, off)"


@dataclass(frozen=True)
class Setting:
    """One setting: its key in a target file, its environment variable, its option if it has one, and how it is read."""

    key: str
    meaning: str
    option: str | None = None
    metavar: str | None = None
    secret: bool = False
    flag: bool = False
    is_list: bool = False
    """An option that is given twice then means both values."""
    separator: str = ","
    """What joins the values of a list to one text."""
    default: str = ""
    otherwise: str = ""
    """The default in words, if a value cannot express it."""
    read: Callable[[str], Any] = str
    """Returns the value of a text, or raises ValueError or UsageError."""
    wanted: str = ""
    """What a text may be, for the error about another one."""
    example: Any = None
    """The value in `examples/target.toml`, if the default is none."""

    @property
    def usual(self) -> str:
        """The default, in words."""
        return self.default or self.otherwise or ("no" if self.flag else "none")

    @property
    def environment(self) -> str:
        """The environment variable, for example PIX_BASE_URL."""
        return variable(self.key)

    def value(self, text: str) -> Any:
        """Return the value of a text. Raises UsageError for one that the setting cannot have."""
        read, wanted = (setting_values.flag, YES_OR_NO) if self.flag else (self.read, self.wanted)
        try:
            return read(text)
        except ValueError:
            raise UsageError(f"{self.option or self.environment} is {text!r}: {wanted}") from None


def _of_api(profile: ApiProfile) -> Iterator[Setting]:
    """Yield the settings of one API: its credentials by role, what else it can be given, the secret of its endpoint."""
    form = profile.credential
    live = f"production {'pair' if form.id else 'key'} of the first account"
    roles = {Role.MERCHANT: "merchant", Role.OTHER_MERCHANT: "a second account", Role.LIVE_MERCHANT: live}
    for number, (role, words) in enumerate(roles.items(), start=1):
        begins = form.beginnings[role is Role.LIVE_MERCHANT]
        more = f", begins with {begins}" if begins else " (sandbox)" if role is not Role.LIVE_MERCHANT else ""
        for key in form.keys:
            yield Setting(
                f"{PREFIX[role]}{key}",
                f"{profile.api}: {words}{more}",
                secret=key != form.id,
                example=f"client_{number}",
            )
    for setting in profile.settings:
        yield Setting(
            setting.key,
            f"{profile.api}: {setting.meaning}",
            secret=setting.is_credential,
            otherwise=setting.absent,
            example=setting.example,
        )
    if profile.endpoint:
        meaning = f"{profile.api}: secret of the endpoint configured as <receiver-url>{profile.endpoint.path}"
        yield Setting(profile.endpoint.key, meaning, secret=True)


SETTINGS = (
    Setting(
        "base_url", "address of the service, without /api and /v1; a path prefix is allowed", "--base-url", "URL",
        otherwise="the embedded reference", read=setting_values.address, example="https://sandbox.example.com"),
    Setting(
        "client_cert", "PEM file of the client certificate, with its key, that a gateway asks for; or CERT,KEY",
        "--client-cert", "FILE", example="client.pem"),
    Setting(
        "headers", "more headers of every request, such as X-Gateway-Key: abc, one on each line; kept secret",
        secret=True, separator="\n", read=setting_values.headers, example=["X-Gateway-Key: abc"]),
    Setting(
        "user_agent", "User-Agent of every request", "--user-agent", "TEXT", default=Target.user_agent,
        read=setting_values.header_value, wanted="a text of visible ASCII characters and blanks"),
    Setting("target", "a target file (TOML) with any of these settings (docs/webhooks.md)", "--target", "FILE"),
    *(setting for profile in PROFILES.values() for setting in _of_api(profile)),
    Setting(
        "receiver",
        "auto, or off: the target cannot reach this machine; requirements of webhooks are not applicable",
        "--receiver", "HOW", default="auto", read=setting_values.receiver, wanted="auto or off"),
    Setting(
        "receiver_listen", "host:port of the webhook receiver", "--receiver-listen", "HOST:PORT",
        default=ReceiverSettings.listen),
    Setting(
        "receiver_url", "public https address that reaches the receiver; a target on this machine needs none",
        "--receiver-url", "URL", otherwise="the listening address", read=setting_values.receiver_url,
        example="https://tunnel.example.com"),
    Setting(
        "receiver_tls", "self-signed, off (TLS ends at the tunnel) or CERT,KEY", "--receiver-tls", "HOW",
        default=ReceiverSettings.tls),
    Setting(
        "deliveries", "webhook requests recorded elsewhere (JSON lines or HAR), judged too", "--deliveries", "FILE",
        read=optional(setting_values.file), wanted="a file that is there", example="deliveries.jsonl"),
    Setting(
        "event_deadline", "seconds within which an event must arrive", "--event-deadline", "S",
        default=f"{ReceiverSettings.event_deadline:g}", read=setting_values.positive, wanted=A_NUMBER),
    Setting(
        "api", f"{', '.join(Api)} or both", "--api", "NAMES", otherwise="those with credentials",
        read=setting_values.apis, wanted=f"{', '.join(Api)} or both", example="payments"),
    Setting(
        "only", "just these requirements: ids, areas (PAY-IDEM), APIs (PAY), levels (open), patterns (BUS-*)",
        "--only", "NAME,...", is_list=True, otherwise="all", read=named_requirements, example=["PAY-IDEM"]),
    Setting(
        "quick",
        "just some 150 tests, within some 10 s: main paths, first refusals, idempotency, signatures, events",
        "--quick", flag=True),
    Setting(
        "level", "lowest level whose failures fail the run: must or should", "--level", "LEVEL",
        otherwise=Gate.level, read=optional(setting_values.level), wanted="must or should", example="must"),
    Setting(
        "edition", "judge by the requirements of this release; what is newer or stricter is shown, not counted",
        "--edition", "X.Y", otherwise="those of this suite", read=setting_values.edition,
        wanted=f"one of {', '.join(editions.names())}", example=editions.names()[0]),
    Setting(
        "require",
        "fail the run when one of these could not be tested: sandbox, funds, other_account, receiver, ...",
        "--require", "CAP,...", is_list=True, read=setting_values.capabilities,
        wanted=f"one or more of {', '.join(Capability)}", example=["sandbox", "receiver"]),
    Setting("no_waiting", "leave out tests that wait a minute of real time", "--no-waiting", flag=True),
    Setting(
        "no_network_faults", "cut, repeat or slow no request on purpose, for a target whose gateway forbids it",
        "--no-network-faults", flag=True),
    Setting(
        "rate", "requests per second at most", "--rate", "N", otherwise="no limit",
        read=optional(setting_values.positive), wanted=f"{A_NUMBER}, of requests per second", example=5),
    Setting(
        "max_cents", "cents of all charges and transfers at most: a request beyond them is not sent", "--max-cents",
        "N", otherwise="no limit", read=optional(setting_values.positive_whole), wanted=A_NUMBER, example=1_000_000),
    Setting(
        "examples", "generated inputs per property-based test", "--examples", "N",
        otherwise=f"{Generation.examples}; fewer, but at least 5, if each request takes more than 100 ms",
        read=optional(setting_values.positive_whole), wanted=A_NUMBER),
    Setting(
        "concurrency",
        "workers that run side by side, each a share of the tests; auto: the more, the slower the target responds, and "
        "none beside a fast one",
        "--concurrency", "N", default="auto", read=setting_values.workers,
        wanted="a whole number above 0, or auto"),
    Setting(
        "seed", "seed of the generated part", "--seed", "N", otherwise="the date, such as 20260102",
        read=optional(setting_values.whole_number), wanted="a whole number"),
    Setting(
        "waivers", "known failures: requirement, reason, ticket, expiry", "--waivers", "FILE",
        read=optional(setting_values.file), wanted="a file that is there", example="waivers.toml"),
    Setting(
        "baseline", "an earlier report, or its results.json: the run fails only on what is worse than there",
        "--baseline", "PATH", read=optional(Path), example="reports/released"),
    Setting(
        "assume",
        "a file that `pix-report assume` wrote: the run fails if the target does otherwise where documents are silent",
        "--assume", "FILE", read=optional(setting_values.file), wanted="a file that is there",
        example="assumptions.toml"),
    Setting("plan", "show the tests and what they would create, then end; nothing is sent", "--plan", flag=True),
    Setting(
        "documents", "directory of payments.md and business.md: the report quotes the cited lines",
        read=setting_values.documents, example="documents"),
    Setting(
        "again", "run only the tests of what failed in an earlier report, and say what is fixed", "--again", "DIR",
        read=optional(Path), example="reports/latest"),
    Setting(
        "report_dir", "report directory: a new or empty one, or that of an earlier report, whose files are replaced",
        "--report-dir", "DIR", default=str(Settings.report_dir), read=setting_values.directory),
)  # fmt: skip


def gather(options: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, str]:
    """Merge options, environment and target file into one value per key.

    Raises UsageError for a bad target file, and for an empty option or variable, which is a missing value and not an
    absent one: a secret that a CI job does not get, an address that is not defined. A flag may be empty: no.
    """
    given = {s.key: _text(options[s.key], s.separator) for s in SETTINGS if options.get(s.key) not in (None, False)}
    named = {s.key: environment[s.environment] for s in SETTINGS if s.environment in environment}
    if named.get("base_url") == "" and "base_url" not in given:
        raise Diagnosis.EMPTY_ADDRESS.error()
    for setting in SETTINGS:
        if not setting.flag and ({**named, **given}).get(setting.key) == "":
            raise Diagnosis.EMPTY.error(name=setting.option if setting.key in given else setting.environment)
    path = given.get("target") or named.get("target")
    filed = _target_file(Path(path), environment) if path else {}
    merged = {**filed, **named, **given}
    return {s.key: merged.get(s.key, s.default) for s in SETTINGS} | {"name": filed.get("name", "")}


def unknown_variables(values: Mapping[str, str], environment: Mapping[str, str]) -> list[Problem]:
    """Return a problem for each PIX_ variable that is no setting, and that the target file does not name either."""
    known = [s.environment for s in SETTINGS]
    filed = Path(values["target"]).read_text(encoding="utf-8") if values["target"] else ""
    unknown = sorted(
        name for name in environment if name.startswith("PIX_") and name not in known and name not in filed
    )
    return [
        Diagnosis.MISSPELT.of(name=name, similar=similar[0])
        if (similar := get_close_matches(name, known, 1, SIMILAR))
        else Diagnosis.UNKNOWN.of(name=name)
        for name in unknown
    ]


SIMILAR = 0.75
"""How similar a name must be to a setting's to be a misspelt one, from 0 to 1."""


def _target_file(path: Path, environment: Mapping[str, str]) -> dict[str, str]:
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as reason:
        raise UsageError(f"the target file {path.name} cannot be read: {reason}") from None
    unknown = sorted(set(rows) - {s.key for s in SETTINGS} - {"name", "integration"})
    if unknown:
        raise UsageError(f"the target file {path.name} has unknown settings: {', '.join(unknown)}")
    separators = {s.key: s.separator for s in SETTINGS}
    own = {key: value for key, value in rows.items() if key != "integration"}
    return {key: _filed(key, value, environment, separators, path.name) for key, value in own.items()}


def _filed(key: str, value: Any, environment: Mapping[str, str], separators: Mapping[str, str], file: str) -> str:
    """Read one value of a target file: plain, a list, or `{ env = "NAME" }`."""
    if isinstance(value, dict):
        if value.keys() != {"env"}:
            has_settings = key == "target" or value.keys() & separators.keys()
            wrong = Diagnosis.TABLE_OF_FILE if has_settings else Diagnosis.TABLE_AS_VALUE
            raise wrong.error(file=file, key=key)
        name = value["env"]
        if not isinstance(name, str) or name not in environment:
            raise UsageError(f"the target file {file} names the variable {name!r} for {key}, which is not set: set it")
        if not environment[name]:
            raise Diagnosis.EMPTY.error(name=name)
        return environment[name]
    return _text(value, separators.get(key, ","))


def _text(value: Any, separator: str) -> str:
    if isinstance(value, list):
        return separator.join(map(str, value))
    return "yes" if value is True else str(value)
