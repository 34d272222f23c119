"""What is required: data and pure functions. No network, no pytest, no clock."""
