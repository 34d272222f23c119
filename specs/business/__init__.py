"""What the business document requires."""
