"""Refused: the rules of the house say no. A refusal says what, where, and what would be right, and changes nothing."""

from collections.abc import Mapping
from typing import Any, Literal

Code = Literal[
    "wrong-phase",
    "table-suspended",
    "unknown-bet",
    "bet-not-offered",
    "limit-bet",
    "limit-patron",
    "limit-table",
    "limit-differential",
    "bet-needs",
    "no-such-stake",
    "stack-too-small",
    "owing",
    "not-owed",
    "amount-too-small",
    "amount-too-large",
    "chips-left",
    "approval-missing",
    "rules-unsound",
    "shoe-over",
    "shoe-source",
    "cards-known",
    "whole-coup",
    "entropy",
    "free-coup",
    "currency",
    "balance-too-small",
    "account",
    "float",
    "bank-standing",
    "wrong-game",
    "no-such-seat",
    "seat-taken",
    "not-seated",
    "too-few-seated",
    "not-asked",
    "still-asked",
    "out-of-bounds",
    "no-choice",
    "game-on",
]


class RefusedError(Exception):
    """A no of the rules: `code` is stable, `detail` a sentence, `where` the field or place, `right` what would do.

    `values` are facts that the detail speaks of, for programs.
    """

    def __init__(
        self, code: Code, detail: str, *, where: str = "", right: str = "", values: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.where = where
        self.right = right
        self.values = values
