"""Before a test waits until its objects are old: whether the routes that it needs then are built."""

from pix_conformance.checks.built_routes import unbuilt_routes
from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.outcomes import Inconclusive
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.why import Why
from pix_conformance.verdicts.not_built import not_built, said_of


def require_built_routes(test: CurrentTest) -> None:
    """End a test that waits in vain: none of its requirements can be asked without a route that is not built.

    Known from what this process has sent so far. Raises Inconclusive.
    """
    facts = test.facts
    absent = not_built(unbuilt_routes(facts.exchanges, facts.created), (), ())
    routes = [absent.needed_by(catalogue()[requirement]) for requirement in test.requirements]
    if route := routes[0] if routes and all(routes) else None:
        raise Inconclusive(said_of(route), Why.NOT_BUILT)
