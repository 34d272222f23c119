"""How a run begins, goes and ends: the pytest plugin with its settings, selection, workers and output.

In come the command line, the environment and the collected tests. Out come the tests that run, in their order, and at
the end the recording with its verdicts as a bundle, the pages and the exit status.
"""

PLUGINS = (
    "pix_conformance.session.plugin",
    "pix_conformance.session.integration_run",
    "pix_conformance.report.plugin",
    "fixtures.plugin",
)
"""The pytest plugins of a run. conftest.py names them in a checkout, the command line in an installed package."""
