"""Measures what the suites find and cost, beside schemathesis: `python -m benchmarks` writes docs/performance.json."""
