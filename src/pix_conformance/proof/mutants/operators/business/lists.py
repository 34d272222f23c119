"""Filters or orders the list of charges in another way."""

from typing import Any, ClassVar

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access
from pix_conformance.reference.store import Row


class Lists(BusinessRules):
    """Filters or orders otherwise."""

    asked: ClassVar[Any] = staticmethod(lambda status: status)
    chosen: ClassVar[Any] = staticmethod(lambda rows, _status: rows)

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Change what was asked for, then what was found."""
        rows: list[Row] = self.chosen(super().listed(access, self.asked(status)), status)
        return rows


def choosing(change: Any) -> dict[str, Any]:
    """Members of a class that shows others than were found."""
    return {"chosen": staticmethod(change)}
