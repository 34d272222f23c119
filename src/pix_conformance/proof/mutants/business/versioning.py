"""Mutants of BUS-VER, versioning."""

from pix_conformance.proof.difference import setting
from pix_conformance.reference.business import BusinessRules

GROUP = "schema"

MUTANTS = {
    "BUS-VER-01": {"routes-without-business": setting(
            "All routes are under /v1, without /business.",
            routes=tuple((method, path.replace("/business", ""), name) for method, path, name in BusinessRules.routes))
            .also("BUS-CHG-01", "BUS-FIN-01", "BUS-LIST-01", "BUS-LIST-02")},
}  # fmt: skip
