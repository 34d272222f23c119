"""The sandbox of an integration run, as its driver uses it: it pays and expires charges behind the client's back."""

from typing import Any

import httpx

from pix_conformance.harness.outcomes import Inconclusive
from pix_conformance.integration.events import FORMS
from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.process import Running

SEED = 7
"""With it the credentials are the same in each run, and those of `pix-sandbox --seed 7`; ids are others in each."""

WITHOUT_EVENTS = "pix_conformance.sandbox.without_events:WithoutEvents"


class Sandbox:
    """The reference process of the run, begun again with credentials that are always the same, and without events."""

    def __init__(self, server: Running, webhook_secret: str) -> None:
        """Begin a reference again, whose first webhook of the payments API gets this secret."""
        options = {"seed": SEED, "new_ids": True, "webhook_secret": webhook_secret, "business_webhook": None}
        self._server = server.restart([WITHOUT_EVENTS], **options)
        self.base_url = self._server.base_url
        self._http = httpx.Client(base_url=self.base_url, trust_env=False)
        self._facts: dict[str, Any] = self._server.credentials

    @property
    def variables(self) -> dict[str, str]:
        """The credentials, as variables that the commands of an integration get."""
        names = ("PIX_CLIENT_ID", "PIX_CLIENT_SECRET", "PIX_API_KEY")
        return {name: self._facts["variables"][name] for name in names} | {
            "PIX_TRANSFER_KEY": self._facts["transfer_key"]
        }

    def pay(self, api: Api, charge: str) -> str:
        """Pay a charge; return its end-to-end id. Raises Inconclusive if the sandbox refuses it."""
        answer = self._send(api, "POST", f"{FORMS[api].charges}/{charge}/pay")
        if not answer.is_success:
            raise Inconclusive(
                f"not tested: the charge of the order cannot be paid: {answer.status_code} {answer.text}"
            )
        return str(self.charge(api, charge).get("e2e_id") or answer.json()["data"]["endToEndId"])

    def cancel(self, api: Api, charge: str) -> None:
        """Cancel a charge, if the API has a route for that."""
        self._send(api, "POST", f"{FORMS[api].charges}/{charge}/cancel")

    def charge(self, api: Api, charge: str) -> dict[str, Any]:
        """Return a charge as a query shows it."""
        answer: dict[str, Any] = self._send(api, "GET", f"{FORMS[api].charges}/{charge}").json()
        return answer

    def advance(self, seconds: float) -> None:
        """Turn its clock: tokens and business charges expire."""
        self._server.advance(seconds)

    def close(self) -> None:
        """Close the connections to it."""
        self._http.close()

    def _send(self, api: Api, method: str, path: str) -> httpx.Response:
        token = FORMS[api].token(self._login, self._facts["variables"])
        return self._http.request(method, path, headers={"Authorization": f"Bearer {token}"})

    def _login(self, pair: tuple[str, str]) -> str:
        return str(self._http.post("/api/auth", auth=pair).json()["token"])
