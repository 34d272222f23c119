"""One pure oracle a file: what a value must look like. No network, no clock, nothing raised on hostile values."""
