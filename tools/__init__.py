"""Commands for maintainers; the wheel has none of them."""
