"""Generated documents, and what generates them."""
