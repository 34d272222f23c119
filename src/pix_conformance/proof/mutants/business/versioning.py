"""Mutants of BUS-VER, versioning."""

from pix_conformance.proof.difference import setting
from pix_conformance.reference.business import BusinessRules

GROUP = "schema"

MUTANTS = {
    "BUS-VER-01": {"routes-without-business": setting(
            "All routes but the list are under /v1, without /business.",
            routes=tuple(
                (method, path if name == "list_charges" else path.replace("/business", ""), name)
                for method, path, name in BusinessRules.routes))
            .also("BUS-CHG-01", "BUS-FIN-01")},
}  # fmt: skip
