"""Odds: every deal of a fresh eight- and six-deck shoe, cell by cell, and the edges that the tables must come to."""

import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from math import sqrt
from pathlib import Path
from typing import Any

import msgspec
import pytest

from schemas.rules import Rules
from services.table.game.bank import net_odds
from services.table.game.odds import all_deals, deals, edge, ways_to_pair
from services.table.game.rules import builtin
from services.table.game.tableau import Facts, pair_of

COUNTED: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "data" / "combinations.json").read_text(encoding="utf-8")
)["decks"]
LETTER = {"player": "P", "banker": "B", "tie": "T"}
PAIRED = ["mixed", "suited"]

DRAGON_BONUS = {9: "30/1", 8: "10/1", 7: "6/1", 6: "4/1", 5: "2/1", 4: "1/1"}
EGALITE = ["150/1", "215/1", "225/1", "200/1", "120/1", "110/1", "45/1", "45/1", "80/1", "80/1"]
EGALITE_EDGES = [
    ".124526523637",
    ".114150019204",
    ".095411623801",
    ".105242861912",
    ".121400515331",
    ".118731852531",
    ".114952467500",
    ".063898766865",
    ".110668557072",
    ".106347647255",
]


def count(decks: int, cell: Callable[[Facts], str | None]) -> dict[str, int]:
    """Count deals by the cell that they fall into; those without one are left out."""
    counted: Counter[str] = Counter()
    for facts, ways in deals(decks).items():
        if (name := cell(facts)) is not None:
            counted[name] += ways
    return dict(counted)


def filled(cells: dict[str, int]) -> dict[str, int]:
    """Leave out the cells that no deal falls into."""
    return {name: ways for name, ways in cells.items() if ways}


def dragon_bonus(hand: str) -> list[dict[str, Any]]:
    return [
        {"winner": hand, "natural": [hand, "both"], "pays": "1/1"},
        *({"winner": hand, "margin": margin, "pays": pays} for margin, pays in DRAGON_BONUS.items()),
        {"winner": "tie", "natural": "both", "pays": "0/1"},
    ]


def bet_on(ladder: list[dict[str, Any]], decks: int = 8) -> Rules:
    tree: dict[str, Any] = msgspec.to_builtins(builtin("simplified").rules)
    tree["procedure"]["decks"] = decks
    tree["bets"] = {"bet": {"ladder": ladder}}
    return msgspec.convert(tree, Rules)


def deviation(rules: Rules, bet: str) -> float:
    mean = -edge(rules, bet)
    squares = sum(ways * (net_odds(rules, bet, facts) - mean) ** 2 for facts, ways in deals(8).items())
    return sqrt(squares / all_deals(8))


@pytest.mark.parametrize("decks", range(1, 13))
def test_every_deal_of_a_fresh_shoe_is_counted_once(decks: int) -> None:
    assert sum(deals(decks).values()) == all_deals(decks)


@pytest.mark.parametrize("decks", [8, 6])
def test_every_cell_agrees_with_the_published_counts(decks: int) -> None:
    published = COUNTED[str(decks)]

    assert all_deals(decks) == published["total"]
    assert count(decks, lambda facts: LETTER[facts.winner]) == {letter: published[letter] for letter in "BPT"}
    assert count(decks, lambda facts: str(facts.cards)) == published["cards"]
    assert count(decks, lambda facts: str(facts.player) if facts.winner == "tie" else None) == published["tie_by_total"]
    assert count(decks, lambda facts: "ways" if facts.natural == "both" and facts.winner == "tie" else None) == {
        "ways": published["natural_tie"]
    }
    assert len(published) == 13


@pytest.mark.parametrize("decks", [8, 6])
@pytest.mark.parametrize("hand", ["player", "banker"])
def test_every_cell_of_a_winning_hand_agrees_with_the_published_counts(decks: int, hand: str) -> None:
    published = COUNTED[str(decks)]

    def won(facts: Facts, cell: str, *, naturals: bool | None = None) -> str | None:
        natural = facts.natural in {hand, "both"}
        return cell if facts.winner == hand and naturals in {None, natural} else None

    def total_and_cards(facts: Facts) -> str:
        return f"{getattr(facts, hand)}/{getattr(facts, f'{hand}_cards')}"

    assert count(decks, lambda facts: won(facts, str(getattr(facts, hand)))) == published[f"{hand}_win_by_total"]
    assert count(decks, lambda facts: won(facts, total_and_cards(facts))) == filled(
        published[f"{hand}_win_by_total_and_cards"]
    )
    assert (
        count(decks, lambda facts: won(facts, str(facts.margin), naturals=False))
        == published["nonnatural_margin"][LETTER[hand]]
    )
    assert count(decks, lambda facts: won(facts, "ways", naturals=True)) == {
        "ways": published["natural_win"][LETTER[hand]]
    }


@pytest.mark.parametrize("decks", [1, 2])
@pytest.mark.parametrize(
    ("player", "banker"),
    [((0, 0), (0, 0)), ((0, 0), (0, 1)), ((0, 1), (1, 1)), ((0, 0), (1, 1)), ((0, 1), (0, 1)), ((0, 1), (0, 2))],
)
def test_pairs_agree_with_cards_laid_out_one_by_one(
    decks: int, player: tuple[int, int], banker: tuple[int, int]
) -> None:
    cards = [f"{rank}{suit}" for rank in sorted({*player, *banker}) for suit in "cdhs" for _ in range(decks)]
    laid: Counter[tuple[str, str, bool]] = Counter()
    for deal in permutations(cards, 4):
        if sorted(deal[0][0] + deal[1][0]) == [str(rank) for rank in player] and sorted(deal[2][0] + deal[3][0]) == [
            str(rank) for rank in banker
        ]:
            laid[pair_of(deal[:2]), pair_of(deal[2:]), len({card[0] for card in deal}) == 1] += 1

    assert {pairs: ways for pairs, ways in ways_to_pair(decks, player, banker).items() if ways} == laid


@pytest.mark.parametrize(
    ("name", "bet", "expected"),
    [
        ("punto-banco", "banker", ".010579057842"),
        ("punto-banco", "player", ".012350813289"),
        ("punto-banco", "tie", ".143596287787"),
        ("punto-banco-9", "tie-9", ".048440319764"),
        ("berlin", "banker", ".009327724211"),
        ("super-6", "banker", ".014581044640"),
        ("super-6", "super-6", ".299771693849"),
        ("ez", "banker", ".010183007571"),
        ("ez", "dragon-7", ".076113344724"),
        ("ez", "panda-8", ".101876321693"),
        ("mini", "banker", ".010579057842"),
        ("simplified", "banker", "-.012350813289"),
    ],
)
def test_the_edge_of_a_bet_in_the_rulebook(name: str, bet: str, expected: str) -> None:
    assert round(edge(builtin(name).rules, bet), 12) == Fraction(expected)


@pytest.mark.parametrize("bet", ["player-pair", "banker-pair"])
def test_the_edge_of_a_pair_is_43_in_415(bet: str) -> None:
    assert edge(builtin("punto-banco").rules, bet) == Fraction(43, 415)


@pytest.mark.parametrize(
    ("ladder", "expected"),
    [
        (dragon_bonus("player"), ".026516745320"),
        (dragon_bonus("banker"), ".093730740125"),
        ([{"pairs": ["one", "two", "alike"], "pays": "5/1"}], ".137098768799"),
        (
            [
                {"player_pair": "suited", "banker_pair": "suited", "pays": "200/1"},
                {"player_pair": "suited", "pays": "25/1"},
                {"banker_pair": "suited", "pays": "25/1"},
            ],
            ".080470444786",
        ),
        (
            [
                {"winner": "banker", "banker": 6, "banker_cards": 2, "pays": "12/1"},
                {"winner": "banker", "banker": 6, "pays": "20/1"},
            ],
            ".166835720406",
        ),
        (
            [
                {"winner": "banker", "banker": 6, "banker_cards": 2, "pays": "12/1"},
                {"winner": "banker", "banker": 6, "pays": "23/1"},
            ],
            ".116984730364",
        ),
        ([{"winner": "banker", "banker": 6, "banker_cards": 2, "pays": "22/1"}], ".143325458921"),
        ([{"winner": "banker", "banker": 6, "banker_cards": 3, "pays": "50/1"}], ".152533169298"),
        ([{"winner": "tie", "player": 6, "pays": "45/1"}], ".114952467500"),
        (
            [
                {"pairs": "one", "pays": "4/1"},
                {"pairs": "two", "pays": "20/1"},
                {"pairs": "alike", "pays": "100/1"},
            ],
            ".161217223880",
        ),
        ([{"cards": 4, "pays": "3/2"}], ".052828772799"),
        ([{"cards": [5, 6], "pays": "27/50"}], ".043457475956"),
        ([{"cards": 6, "pays": "2/1"}], ".046937978284"),
        ([{"cards": 5, "pays": "2/1"}], ".089667494357"),
        ([{"natural": ["player", "both"], "pays": "4/1"}], ".052826691381"),
        ([{"natural": ["banker", "both"], "pays": "4/1"}], ".052826691381"),
        *(
            ([{"winner": "tie", "banker": total, "pays": pays}], expected)
            for total, (pays, expected) in enumerate(zip(EGALITE, EGALITE_EDGES, strict=True))
        ),
    ],
)
def test_the_edge_of_a_side_bet_comes_out_of_its_ladder(ladder: list[dict[str, Any]], expected: str) -> None:
    assert round(edge(bet_on(ladder), "bet"), 12) == Fraction(expected)


@pytest.mark.parametrize(
    ("tie", "winning_8", "winning_7"),
    [("push", ".035976", ".112267"), ("lose", ".131132", ".207423")],
)
def test_winning_8_and_winning_7_with_either_reading_of_a_tie(tie: str, winning_8: str, winning_7: str) -> None:
    push = [{"winner": "tie", "pays": "0/1"}] if tie == "push" else []
    for total, pays, expected in ((8, "3/1", winning_8), (7, "4/1", winning_7)):
        ladder = [{"winner": hand, hand: total, "pays": pays} for hand in ("player", "banker")]
        assert round(edge(bet_on([*ladder, *push]), "bet"), 6) == Fraction(expected)


def test_the_chances_of_a_coup_and_its_mean_number_of_cards() -> None:
    winners = count(8, lambda facts: facts.winner)
    cards = sum(facts.cards * ways for facts, ways in deals(8).items())

    assert {hand: round(Fraction(ways, all_deals(8)), 12) for hand, ways in winners.items()} == {
        "banker": Fraction(".458597422633"),
        "player": Fraction(".446246609344"),
        "tie": Fraction(".095155968024"),
    }
    assert round(Fraction(cards, all_deals(8)), 12) == Fraction("4.938818849692")


@pytest.mark.parametrize(("bet", "expected"), [("banker", 0.927372), ("player", 0.951153), ("tie", 2.640872)])
def test_the_standard_deviation_of_a_main_bet(bet: str, expected: float) -> None:
    assert round(deviation(builtin("punto-banco").rules, bet), 6) == expected


def test_the_edge_follows_the_number_of_decks() -> None:
    assert edge(bet_on([{"player_pair": PAIRED, "pays": "11/1"}], decks=1), "bet") == 1 - 12 * Fraction(3, 51)
