"""Names that do not meet others."""

from __future__ import annotations

from collections.abc import Iterable


def fresh(names: Iterable[str], taken: set[str], before_number: str = "") -> list[str]:
    """Names that are not taken yet, with a number behind those that were; all of them are taken then."""
    result = []
    for name in names:
        unused, number = name, 1
        while unused in taken:
            number += 1
            unused = f"{name}{before_number}{number}"
        taken.add(unused)
        result.append(unused)
    return result
