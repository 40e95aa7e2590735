"""The table of docs/odds.md: the published figures, and beside them what is counted now."""

import re
from fractions import Fraction

import msgspec
import pytest

from schemas.rules import Rules
from services.table.game.odds import bet_told, decimal, edge, fresh_odds
from services.table.game.rulefile import shared
from services.table.game.rules import builtin, with_side_bets
from tests.style.checkout import ROOT

PAGE = (ROOT / "docs" / "odds.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (any|`[\w-]+`) \| `([\w-]+)` \| (\S+) \| (\S+) \| (\S+) \|$", PAGE, re.MULTILINE)


def rules_of(cell: str) -> Rules:
    return with_side_bets(builtin("punto-banco").rules) if cell == "any" else builtin(cell.strip("`")).rules


@pytest.mark.parametrize(("rules", "bet", "published", "counted", "difference"), ROWS)
def test_what_is_counted_is_what_was_published(
    rules: str, bet: str, published: str, counted: str, difference: str
) -> None:
    found = edge(rules_of(rules), bet)
    rounded = found if "/" in published else round(found, len(published.partition(".")[2]))

    assert counted == decimal(found)
    assert Fraction(difference) == rounded - Fraction(published) == 0


def test_every_side_bet_of_the_house_is_in_the_table() -> None:
    assert set(shared()) <= {bet for _, bet, _, _, _ in ROWS}


def test_the_example_of_the_page_is_what_is_told() -> None:
    example = PAGE.partition("```json\n")[2].partition("```")[0]
    told = msgspec.json.encode(bet_told(fresh_odds(builtin("ez").rules).bets["banker"])).decode()

    pieces = re.findall(r'"(?:edge|edge_fraction|sd|probability)":"[^"]+"', example)
    assert len(pieces) == 4
    assert all(piece in told for piece in pieces)
