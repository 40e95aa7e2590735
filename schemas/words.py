"""The words that events are made of: names, amounts, hex, times, each with its pattern on the format page."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

# `$(?!\n)`: Python's `$` alone would let one line feed pass behind the last character.
Name = Annotated[str, Meta(pattern=r"^[a-z0-9-]{1,64}$(?!\n)")]
Reason = Name
Actor = Annotated[str, Meta(pattern=r"^[a-z-]{1,32}:[a-z0-9-]{1,64}$(?!\n)")]
Stream = Annotated[str, Meta(pattern=r"^(?:log|(?:table|patron)/[a-z0-9-]{1,64})$(?!\n)")]
CommandKey = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._~-]{1,64}$(?!\n)")]
EntryId = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}$(?!\n)")]
Time = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z$(?!\n)")]
Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$(?!\n)")]
Salt = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}$(?!\n)")]
Contribution = Annotated[str, Meta(pattern=r"^(?:[0-9a-f]{2}){1,256}$(?!\n)")]
Source = Annotated[
    str,
    Meta(
        pattern=r"^(?:(?:patron|staff):[a-z0-9-]{1,64}|signer:[^\s+]{1,255}|drand:[0-9a-f]{64}:[1-9][0-9]{0,15})$(?!\n)"
    ),
]
FinalSource = Annotated[
    str,
    Meta(
        pattern=r"^(?:none|signer:[^\s+]{1,255}\+[0-9a-f]{8}\+[A-Za-z0-9+/=]{44}|drand:[0-9a-f]{64}:[1-9][0-9]{0,15})$(?!\n)"
    ),
]
Base64 = Annotated[str, Meta(pattern=r"^[A-Za-z0-9+/]*={0,2}$(?!\n)")]
Currency = Annotated[str, Meta(pattern=r"^[A-Z]{3}$(?!\n)")]
TableTitle = Annotated[str, Meta(min_length=1, max_length=64)]
Card = Annotated[str, Meta(pattern=r"^[A2-9TJQK][cdhs]$(?!\n)")]

Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Ordinal = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Money = Count
Amount = Ordinal
Total = Annotated[int, Meta(ge=0, le=9)]
Position = Annotated[int, Meta(ge=0, le=12 * 52 - 1)]

Means = Literal["cash", "account", "voucher", "marker"]
Hand = Literal["player", "banker", "left", "right"]
Choice = Literal["draw", "stand"]
Seat = Annotated[int, Meta(ge=1, le=64)]
Winner = Literal["player", "banker", "tie"]
# A tray of chips: denomination and count, the largest denomination first.
Chips = tuple[tuple[Amount, Ordinal], ...]
ITEMS_PER_ENTRY = 200


class Carried(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a patron brings from one shoe to the next: chips on the table, and marked commission owed."""

    patron: Name
    chips: Money
    owed: Money


class Seated(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who sits where."""

    seat: Seat
    patron: Name


class Winners(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who won at each of two tableaux: `player` when that side beat the bank."""

    left: Winner
    right: Winner


class Event(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type"):
    """The root of all events: the tag `type` stands first."""
