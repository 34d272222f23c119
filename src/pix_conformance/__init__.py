"""The console scripts of pix-conformance, for a checkout and for an installed wheel."""
