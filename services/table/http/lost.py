"""What is not there: a 404 that says what was looked for."""

from typing import TypeVar

from services.door.problems import Declined

T = TypeVar("T")


def found(thing: T | None, what: str, *, right: str, where: str = "path") -> T:
    """Give a thing that is there; raises Declined (404) when it is not."""
    if thing is None:
        code = f"unknown-{what.replace(' ', '-')}"
        raise Declined(404, f"there is no such {what}", code=code, where=where, would_be_right=right)
    return thing
