"""Mutants of BUS-VER: versioning."""

from pix_conformance.reference.business import BusinessRules


class BusRoutesWithoutBusiness(BusinessRules):
    """All routes are served under /v1, without /business."""

    group = "schema"
    breaks = ("BUS-VER-01", "BUS-CHG-01", "BUS-FIN-01", "BUS-LIST-01", "BUS-LIST-02")
    routes = tuple((method, path.replace("/business", ""), name) for method, path, name in BusinessRules.routes)
