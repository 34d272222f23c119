"""What this package adds to pytest: the markers of the suites' tests, and a hook."""

import pytest

MARKERS = (
    "requirement(*ids): the requirements that the test decides",
    "deferred(age): runs after the last ordinary test, once what it arranged has that age, seconds",
    "watches(seconds): watches what a target does by itself, at most so many seconds after the start of the run",
    "concurrent: sends requests side by side",
    "network_faults: cuts, repeats or slows requests on purpose",
    "whole_run: judges all that the run sent and received, and sends nothing",
    "quick: `--quick` runs it: the main path or a first refusal of an operation, a repetition, an event",
    "generated: hypothesis or schemathesis makes the requests; set by the plugin, but for state machines",
    "fewer_examples: a fifth of the generated inputs, as rows of other tests ask the same",
    "observes: every requirement of the test is an open point; set by the plugin",
)


class Hooks:
    """The specification, for pytest's plugin manager."""

    @pytest.hookspec
    def pytest_pix_reference_rules(self, config: pytest.Config) -> list[str]:  # type: ignore[empty-body]  # a specification
        """Return the classes (`module.path:Class`) of rules with which the embedded reference is started."""
