"""Routes as they are written down: each is a path, what it takes and tells, and one function that translates."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, Literal, TypeVar

from msgspec import Struct

from schemas.tile import Tile
from services.door.keys import Role
from services.table.croupier import About, Answer, Decide
from services.table.http.asked import Nothing
from services.table.pit import Pit

Body = TypeVar("Body")

PUBLIC: tuple[Role, ...] = ()
EVERYBODY: tuple[Role, ...] = ("operator", "auditor", "dashboard")
AUDITORS: tuple[Role, ...] = ("operator", "auditor")


class Asked(Generic[Body]):
    """A command as it came in: its body, who asks, and the names in its path."""

    __slots__ = ("actor", "body", "place")

    def __init__(self, body: Body, actor: str, place: Mapping[str, str]) -> None:
        self.body = body
        self.actor = actor
        self.place = place

    @property
    def table(self) -> str:
        """The table in the path."""
        return self.place["table"]

    @property
    def patron(self) -> str:
        """The patron in the path."""
        return self.place["patron"]


class Deed(Struct, frozen=True, gc=False):
    """What a command is about, how it is decided, and what is said when it is done.

    `before`, if there is one, is a command of its own, which is durable before this one is decided.
    """

    about: About
    decide: Decide
    answer: Answer
    before: "Deed | None" = None


class CommandRoute(Struct, frozen=True, kw_only=True):
    """A command: POST, with an idempotency key. `tells` are its answers' types. `has_receipts` to give when asked."""

    path: str
    takes: Any
    tells: Any
    status: int
    has_receipts: bool
    translate: Callable[[Asked[Any]], Deed]

    @property
    def name(self) -> str:
        """What it does, in a word."""
        return self.translate.__name__

    @property
    def description(self) -> str:
        """What it does, in a sentence."""
        return self.translate.__doc__ or ""


class Place(Struct, frozen=True, kw_only=True):
    """Where a reader looks: the names and numbers of the path, and of the query."""

    table: str = ""
    patron: str = ""
    leaf: str = ""
    name: str = ""
    log: int = 0
    shoe: int = 0
    round: int = 0
    after: int = -1
    limit: int = 1000
    old: int = 0
    new: int | None = None
    version: int | None = None
    tile: Tile | None = None
    takes_gzip: bool = False


Show = Callable[[Pit, Place], Awaitable[Any]]


class ViewRoute(Struct, frozen=True, kw_only=True):
    """A view: mostly GET. `tells` is the type of what it gives, or `bytes` when that is not JSON."""

    path: str
    method: Literal["GET", "POST"]
    tells: Any
    media_type: str
    roles: tuple[Role, ...]
    query: tuple[str, ...]
    show: Show

    @property
    def name(self) -> str:
        """What it shows, in a word."""
        return self.show.__name__

    @property
    def description(self) -> str:
        """What it shows, in a sentence."""
        return self.show.__doc__ or ""


def command(
    path: str, *, tells: Any, takes: Any = Nothing, status: int = 200, has_receipts: bool = False
) -> Callable[[Callable[[Asked[Any]], Deed]], CommandRoute]:
    """Write a command down."""
    return lambda translate: CommandRoute(
        path=path, takes=takes, tells=tells, status=status, has_receipts=has_receipts, translate=translate
    )


def view(  # noqa: PLR0913  # a view, said in one call
    path: str,
    *,
    tells: Any,
    method: Literal["GET", "POST"] = "GET",
    media_type: str = "application/json",
    roles: tuple[Role, ...] = EVERYBODY,
    query: tuple[str, ...] = (),
) -> Callable[[Show], ViewRoute]:
    """Write a view down. No roles: it is public."""
    return lambda show: ViewRoute(
        path=path, method=method, tells=tells, media_type=media_type, roles=roles, query=query, show=show
    )


def names_in(path: str) -> list[str]:
    """Give the names that a path leaves open: `/tables/{table}` leaves `table`."""
    return re.findall(r"\{(\w+)\}", path)
