"""Mutants of BUS-ERR: error responses."""

from collections.abc import Callable
from typing import Any

from pix_conformance.proof.mutants.operators.business.fields import FIELD_LABELS
from pix_conformance.proof.mutants.operators.business.refusals import RefusesOtherwise, refusing
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal

STATUSES = {"unauthorized": 401, "forbidden": 403, "missing": 404, "state key_conflict": 409, "invalid": 422}
HTML = b"<!doctype html><title>Error</title><h1>Error</h1>"


def telling(change: Any) -> Any:
    """Turn a change of the body into a change of the answer."""
    return lambda answer: Answer(answer.status, change(answer.body), answer.headers)


def labelled(body: Any, media_type: str) -> Any:
    """Answer that body under that media type; None keeps the body."""
    return lambda answer: Answer(
        answer.status, answer.body if body is None else body, answer.headers | {"content-type": media_type}
    )


def field_errors(body: dict[str, Any]) -> dict[str, Any]:
    """Tell a refusal as a list, as a well-known framework does."""
    name = body["detail"].partition(" ")[0]
    return {"detail": [{"loc": ["body", name], "msg": body["detail"], "type": "value_error"}]}


def beginning(name: str) -> Callable[[str], bool]:
    """Make a judge of words that begin with a name."""
    return lambda text: text.startswith(name)


globals().update(
    family(__name__, "error bodies", RefusesOtherwise, {
        **{
            f"BusError{status}Html": (
                f"The body of a {status} is a page of HTML.", "BUS-ERR-01 BUS-ERR-05",
                refusing(kinds, "", labelled(HTML, "text/html")),
            )
            for kinds, status in STATUSES.items()
            if status in {401, 403, 422}
        },
        **{
            f"BusError{status}Empty": (
                f"A {status} has no body.", "BUS-ERR-01", refusing(kinds, "", telling(lambda _: b"")),
            )
            for kinds, status in STATUSES.items()
            if status in {401, 404, 409}
        },
        "BusErrorIsText": (
            "The body of a refusal is a JSON string.",
            "BUS-ERR-01 BUS-ERR-04",
            refusing("", "", telling(lambda body: body["detail"])),
        ),
        "BusErrorIsArray": (
            "The body of a refusal is an array.", "BUS-ERR-01", refusing("", "", telling(lambda body: [body])),
        ),
        "BusErrorNamedMessage": (
            "A refusal calls its words message.",
            "BUS-ERR-02 BUS-ERR-03 BUS-ERR-04",
            refusing("", "", telling(lambda body: {"message": body["detail"]})),
        ),
        "BusError404NamedError": (
            "A 404 calls its words error.",
            "BUS-ERR-02 BUS-ERR-03",
            refusing("missing", "", telling(lambda body: {"error": body["detail"]})),
        ),
        "BusErrorWrapped": (
            "A refusal is wrapped into an object of its own.",
            "BUS-ERR-02 BUS-ERR-03",
            refusing("", "", telling(lambda body: {"error": body})),
        ),
        "BusErrorDetailNull": (
            "The detail of a 404 is null.", "BUS-ERR-02", refusing("missing", "", telling(lambda _: {"detail": None})),
        ),
        "BusErrorDetailNumber": (
            "The detail of a 409 is a number.",
            "BUS-ERR-02",
            refusing("state", "", telling(lambda _: {"detail": 4091})),
        ),
        "BusErrorDetailList": (
            "The detail of a 422 is a list of errors, each with the place of its field.",
            "BUS-ERR-02",
            refusing("invalid", "", telling(field_errors)),
        ),
        "BusErrorDetailObject": (
            "The detail of a 401 is an object.",
            "BUS-ERR-02",
            refusing("unauthorized", "", telling(lambda body: {"detail": {"text": body["detail"]}})),
        ),
        "BusErrorWithCode": (
            "A refusal carries a code beside its detail.",
            "BUS-ERR-03",
            refusing("", "", telling(lambda body: body | {"code": "ERROR"})),
        ),
        "BusError409WithStatus": (
            "A 409 carries the status of the charge beside its detail.",
            "BUS-ERR-03",
            refusing("state", "", telling(lambda body: body | {"status": "paid"})),
        ),
        "BusError401WithStatus": (
            "A 401 carries its status in the body.",
            "BUS-ERR-03",
            refusing("unauthorized", "", telling(lambda body: body | {"status": 401})),
        ),
        "BusErrorIsProblem": (
            "A 422 follows RFC 9457: type and title stand beside the detail.",
            "BUS-ERR-03",
            refusing("invalid", "", telling(lambda body: {"type": "about:blank", "title": "Invalid"} | body)),
        ),
        "BusErrorNamesNothing": (
            "The detail of a 422 does not say which field is wrong.",
            "BUS-ERR-04",
            refusing("invalid", "", telling(lambda _: {"detail": "invalid request body"})),
        ),
        "BusErrorNamesAmountAlways": (
            "The detail of every 422 names amount_cents.",
            "BUS-ERR-04",
            refusing("invalid", "", telling(lambda _: {"detail": "amount_cents is invalid"})),
        ),
        "BusErrorOfMissingNamesNothing": (
            "The detail of a 422 for a missing field does not name it.",
            "BUS-ERR-04",
            refusing("invalid", "", telling(lambda _: {"detail": "incomplete"}), lambda text: "required" in text),
        ),
        "BusErrorOfTypeNamesNothing": (
            "The detail of a 422 for a wrong type does not name the field.",
            "BUS-ERR-04",
            refusing("invalid", "", telling(lambda _: {"detail": "wrong type"}), lambda text: "of type" in text),
        ),
        **{
            f"BusErrorHides{label}": (
                f"The detail of a 422 for {name} does not name it.",
                "BUS-ERR-04",
                refusing("invalid", "", telling(lambda _: {"detail": "not valid"}), beginning(name)),
            )
            for name, label in FIELD_LABELS.items()
        },
        "BusErrorsPlainText": (
            "Refusals are labelled text/plain.", "BUS-ERR-05", refusing("", "", labelled(None, "text/plain")),
        ),
        "BusError401LabelledHtml": (
            "A 401 is JSON, but labelled text/html.",
            "BUS-ERR-05",
            refusing("unauthorized", "", labelled(None, "text/html")),
        ),
        "BusErrorDetailEmpty": (
            "Every detail is empty.", "BUS-ERR-06 BUS-ERR-04", refusing("", "", telling(lambda _: {"detail": ""})),
        ),
        "BusError403DetailEmpty": (
            "The detail of a 403 is empty.",
            "BUS-ERR-06",
            refusing("forbidden", "", telling(lambda _: {"detail": ""})),
        ),
    })
)  # fmt: skip


class BusErrorsCutOff(BusinessRules):
    """The JSON of a 404 is cut off in its midst."""

    group = "error bodies"
    breaks = ("BUS-ERR-01",)

    def encode(self, call: Call, body: Any) -> bytes:
        """Lose the end."""
        whole = super().encode(call, body)
        return whole[:-3] if body == self.error_body(self.not_found(call)) else whole


class BusStackTrace(BusinessRules):
    """A 409 tells where in the server's code it came from, beside the detail."""

    group = "error bodies"
    breaks = ("BUS-ERR-03",)

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Tell it."""
        answer = super().refused(call, refusal)
        told = (
            {"trace": [f"{type(self).__name__}.{call.operation}"]} if refusal.kind in {"state", "key_conflict"} else {}
        )
        return Answer(answer.status, answer.body | told, answer.headers)
