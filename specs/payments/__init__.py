"""What the payments document requires, as data."""
