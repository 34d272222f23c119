"""One oracle in each file: what a value must look like. Pure functions that raise nothing on hostile values."""
