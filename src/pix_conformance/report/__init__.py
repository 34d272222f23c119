"""How it is told: every page and file that shows what a run found.

In comes a bundle, as it was written or read again. Out come pages, files for CI, lines for a terminal, scripts;
nothing is sent.
"""
